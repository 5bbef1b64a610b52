// Nodes in small groups, which are looked at by their boxes before any of them is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include <pliant/contact/concept.hpp>
#include <pliant/core/parallel.hpp>

namespace pliant {

// Groups of nodes with numbers in a row, which lie together because nodes are numbered so.
template <class VectorType>  // a NodeVector
class NodeGroups {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;

  NodeGroups() = default;
  explicit NodeGroups(std::ptrdiff_t nodes) : nodes_(static_cast<int>(nodes)) {}

  int count() const { return (nodes_ + size - 1) / size; }
  int begin(int group) const { return group * size; }
  int end(int group) const { return std::min(nodes_, (group + 1) * size); }

  // Calls run(group) for each of them, in parallel.
  template <class Run>
  void for_each(Run&& run) const {
    parallel_for(count(), 256 / size, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      for (std::ptrdiff_t group = first; group < last; ++group) run(static_cast<int>(group));
    });
  }

  // A box around what a vector has for the nodes of a group; the last one's may contain zero as well. What is
  // not a number is left out.
  AxisAlignedBox<dim> box(const Vector& vector, int group) const {
    using Block = typename Vector::Block;
    constexpr int stride = Vector::stride;
    constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
    Block lower(infinity), upper(-infinity);
    for (std::ptrdiff_t i = begin(group) * stride; i < end(group) * stride; i += 8) {
      lower = min(lower, vector.block(i));
      upper = max(upper, vector.block(i));
    }
    AxisAlignedBox<dim> result{Point::Constant(infinity), Point::Constant(-infinity)};
    for (int i = 0; i < 8; i += stride) {
      for (int k = 0; k < dim; ++k) {
        result.lower[k] = std::min(result.lower[k], static_cast<double>(lower[i + k]));
        result.upper[k] = std::max(result.upper[k], static_cast<double>(upper[i + k]));
      }
    }
    return result;
  }

 private:
  using Point = SmallVector<double, dim>;
  static constexpr int size = 32;  // smaller boxes are farther from colliders, but there are more of them
  static_assert(size * Vector::stride % 8 == 0, "groups are read in blocks");

  int nodes_ = 0;
};

}  // namespace pliant
