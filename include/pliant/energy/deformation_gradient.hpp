// The argument of every energy.
#pragma once

#include <type_traits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

namespace detail::energy {

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
  // A legal type in either case, so that the compiler reports nothing but the sentence above.
  using Type = std::conditional_t<legal, SmallMatrix<Scalar, rows, columns>, SmallMatrix<double, 3, 3>>;
};

}  // namespace detail::energy

// The plain 2x2 or 3x3 matrix of floats, doubles or lanes to which an Eigen expression is evaluated.
template <class Derived>
using DeformationGradient = typename detail::energy::DeformationGradientOf<Derived>::Type;

// The results of psi(F) and hessian(F) for such an expression. Members that name their result type compile
// faster than those with `auto`, because the compiler need not instantiate their bodies to check the concept.
template <class Derived>
using EnergyDensity = typename DeformationGradient<Derived>::Scalar;
template <class Derived>
using EnergyHessian = SmallMatrix<EnergyDensity<Derived>, DeformationGradient<Derived>::SizeAtCompileTime,
                                  DeformationGradient<Derived>::SizeAtCompileTime>;

// Evaluates any Eigen expression (a block, a product, a map, ...) once, as a deformation gradient. Every
// member of an energy begins with it. Other arguments fail at the static_assert above.
template <class Derived>
PLIANT_INLINE DeformationGradient<Derived> deformation_gradient(
    const Eigen::MatrixBase<Derived>& expression) {
  if constexpr (std::is_same_v<Derived, DeformationGradient<Derived>>)
    return detail::algebra::copied(expression.derived());
  else if constexpr (detail::energy::DeformationGradientOf<Derived>::legal) return expression;
  else return DeformationGradient<Derived>::Identity();
}

}  // namespace pliant
