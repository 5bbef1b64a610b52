// The argument of every energy.
#pragma once

#include <type_traits>
#include <utility>

#include <pliant/core/lane.hpp>
#include <pliant/core/matrix.hpp>

namespace pliant {

// Reads any Eigen expression (a block, a product, a map, ...) as a deformation gradient: a plain 2x2 or 3x3
// matrix of floats, doubles or lanes, evaluated once. Every member of an energy begins with it. Anything else
// stops at the static_assert below, and only there: the code behind it then sees a legal type.
template <class Derived>
PLIANT_INLINE auto deformation_gradient(const Eigen::MatrixBase<Derived>& expression) {
  using Scalar = typename Derived::Scalar;
  constexpr int rows = Derived::RowsAtCompileTime, columns = Derived::ColsAtCompileTime;
  constexpr bool legal =
      rows == columns && (rows == 2 || rows == 3) && std::is_floating_point_v<scalar_of<Scalar>>;
  static_assert(
      legal,
      "pliant: a deformation gradient is a 2x2 or 3x3 matrix of float, double or Lane, its size known "
      "at compile time; for a matrix of dynamic size pass F.topLeftCorner<3, 3>()");
  if constexpr (legal) return SmallMatrix<Scalar, rows, columns>(expression);
  else return SmallMatrix<double, 3, 3>(SmallMatrix<double, 3, 3>::Identity());
}

// What `deformation_gradient` makes of an expression, and the scalar and dimension of that.
template <class Derived>
using DeformationGradient = decltype(deformation_gradient(std::declval<const Eigen::MatrixBase<Derived>&>()));

}  // namespace pliant
