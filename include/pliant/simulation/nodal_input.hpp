// The checks of what a user sets on nodes.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>

#include <Eigen/Core>

#include <pliant/core/error.hpp>

namespace pliant::detail {

// Throws ParameterError unless a value is finite as a Scalar; `node`, if given, is named.
template <class Scalar>
void require_finite(const char* what, double value, const char* requirement, std::ptrdiff_t node = -1) {
  if (std::abs(value) <= static_cast<double>(std::numeric_limits<Scalar>::max())) return;
  throw ParameterError(what + (node < 0 ? std::string() : " of node " + std::to_string(node)), value,
                       requirement);
}

// Throws SizeError unless the values are dim x `count`, ParameterError for one that is not finite.
template <class Scalar, int dim, class Derived>
void require_nodal(const char* what, const Eigen::MatrixBase<Derived>& values, std::ptrdiff_t count) {
  static_assert(Derived::RowsAtCompileTime == dim || Derived::RowsAtCompileTime == Eigen::Dynamic,
                "a nodal quantity is a matrix of dim rows and one column per node");
  core::require_size(what, ": rows", values.rows(), dim);
  core::require_size(what, ": columns", values.cols(), count);
  for (std::ptrdiff_t i = 0; i < values.cols(); ++i) {
    for (int axis = 0; axis < dim; ++axis) {
      require_finite<Scalar>(what, static_cast<double>(values(axis, i)), "must be finite", i);
    }
  }
}

}  // namespace pliant::detail
