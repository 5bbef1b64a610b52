// Bounds on the unknowns of a linear system.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// lower <= x <= upper for each unknown. A bound may be infinite; an unknown with equal bounds is fixed.
template <class Vector>  // a NodeVector
struct BoxConstraints {
  Vector lower, upper;

  // Infinite bounds, to be set one by one.
  static BoxConstraints unbounded(std::ptrdiff_t nodes) {
    constexpr auto infinity = std::numeric_limits<typename Vector::Scalar>::infinity();
    BoxConstraints box{Vector(nodes), Vector(nodes)};
    for (std::ptrdiff_t i = 0; i < nodes; ++i) {
      for (int axis = 0; axis < Vector::dim; ++axis) {
        box.lower.node(i)(axis) = -infinity;
        box.upper.node(i)(axis) = infinity;
      }
    }
    return box;
  }

  // Throws SizeError unless each node has bounds, and ParameterError naming the node and the axis if an
  // interval contains no finite number.
  void check(std::ptrdiff_t nodes) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    detail::core::require_size("BoxConstraints::lower: nodes", lower.nodes(), nodes);
    detail::core::require_size("BoxConstraints::upper: nodes", upper.nodes(), nodes);
    for (std::ptrdiff_t i = 0; i < nodes; ++i) {
      for (int axis = 0; axis < Vector::dim; ++axis) {
        const double low = lower.node(i)(axis), high = upper.node(i)(axis);
        if (low <= high && low < infinity && high > -infinity) continue;
        const bool upper_is_wrong = low < infinity && !(high > -infinity);
        throw ParameterError(
            std::string("BoxConstraints::") + (upper_is_wrong ? "upper" : "lower") + " of node " +
                std::to_string(i) + ", axis " + std::to_string(axis),
            upper_is_wrong ? high : low,
            "a lower bound must not exceed the upper one, and some number must fit between them");
      }
    }
  }
};

namespace detail::linear_solver {

// The bounds of a node as rows; NoBounds is the same without a box.
template <class Vector>
struct Bounds {
  using Row = typename Vector::Row;
  static constexpr bool bounded = true;
  const BoxConstraints<Vector>& box;
  PLIANT_INLINE Row lower(std::ptrdiff_t i) const { return box.lower.row(i); }
  PLIANT_INLINE Row upper(std::ptrdiff_t i) const { return box.upper.row(i); }
};

template <class Vector>
struct NoBounds {
  using Row = typename Vector::Row;
  static constexpr bool bounded = false;
  static constexpr auto infinity = std::numeric_limits<typename Vector::Scalar>::infinity();
  PLIANT_INLINE Row lower(std::ptrdiff_t) const { return Row(-infinity); }
  PLIANT_INLINE Row upper(std::ptrdiff_t) const { return Row(infinity); }
};

}  // namespace detail::linear_solver
}  // namespace pliant
