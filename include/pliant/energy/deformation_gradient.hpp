// The argument of every energy.
#pragma once

#include <type_traits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

namespace detail {

template <class Derived>
struct DeformationGradientOf {
  using Scalar = typename Derived::Scalar;
  static constexpr int rows = Derived::RowsAtCompileTime, columns = Derived::ColsAtCompileTime;
  static constexpr bool legal =
      rows == columns && (rows == 2 || rows == 3) && std::is_floating_point_v<scalar_of<Scalar>>;
  static_assert(
      legal,
      "pliant: a deformation gradient is a 2x2 or 3x3 matrix of float, double or Lane, its size known "
      "at compile time; for a matrix of dynamic size pass F.topLeftCorner<3, 3>()");
  // The code behind the assertion sees a legal type, and so the compiler says no more than that sentence.
  using Type = std::conditional_t<legal, SmallMatrix<Scalar, rows, columns>, SmallMatrix<double, 3, 3>>;
};

}  // namespace detail

// The plain 2x2 or 3x3 matrix of floats, doubles or lanes that an Eigen expression is read as.
template <class Derived>
using DeformationGradient = typename detail::DeformationGradientOf<Derived>::Type;

// What psi(F) and hessian(F) return for such an expression. Members of an energy that name their result cost
// less than those that leave it to `auto`: the compiler need not look into a member to check the concept.
template <class Derived>
using EnergyDensity = typename DeformationGradient<Derived>::Scalar;
template <class Derived>
using EnergyHessian = SmallMatrix<EnergyDensity<Derived>, DeformationGradient<Derived>::SizeAtCompileTime,
                                  DeformationGradient<Derived>::SizeAtCompileTime>;

// Reads any Eigen expression (a block, a product, a map, ...) as a deformation gradient, evaluated once.
// Every member of an energy begins with it. What is none stops at the static_assert above.
template <class Derived>
PLIANT_INLINE DeformationGradient<Derived> deformation_gradient(
    const Eigen::MatrixBase<Derived>& expression) {
  if constexpr (detail::DeformationGradientOf<Derived>::legal) return expression;
  else return DeformationGradient<Derived>::Identity();
}

}  // namespace pliant
