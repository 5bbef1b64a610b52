// Nodes in small groups, whose bounding boxes are tested before the nodes themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <pliant/algebra/origins.hpp>
#include <pliant/contact/shape/concept.hpp>
#include <pliant/core/parallel.hpp>

namespace pliant::detail::contact {

// Positions in the world [m]; a system has positions relative to `origins`.
template <class VectorType>  // a NodeVector
struct WorldPositions {
  using Point = SmallVector<double, VectorType::dim>;

  const VectorType& relative;
  const Origins<VectorType::dim>& origins;

  Point of(std::ptrdiff_t node) const {
    const Point at = relative.node(node).template cast<double>();
    return origins.all_zero() ? at : Point(at + origins.of(node));
  }

  // The size of the coordinates of a node [m] that determines their rounding as Scalars: those in the system,
  // because world coordinates are sums in double.
  double size(std::ptrdiff_t node) const {
    using Scalar = typename VectorType::Scalar;
    constexpr double finer = std::numeric_limits<double>::epsilon() / std::numeric_limits<Scalar>::epsilon();
    const double own = largest_entry<VectorType::dim>(Point(relative.node(node).template cast<double>()));
    if (origins.all_zero()) return own;
    return std::max(own, finer * largest_entry<VectorType::dim>(of(node)));
  }
};

// Groups of nodes with consecutive numbers, which are near each other by the numbering of the nodes.
template <class VectorType>  // a NodeVector
class NodeGroups {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;

  NodeGroups() = default;
  NodeGroups(std::ptrdiff_t nodes, const Origins<dim>& origins) : nodes_(static_cast<int>(nodes)) {
    for (int group = 0; group < count() && !origins.all_zero(); ++group) {
      bool same = true;
      for (int i = begin(group); i < end(group); ++i)
        same = same && origins.of(i) == origins.of(begin(group));
      has_one_origin_.push_back(same);
    }
  }

  int count() const { return (nodes_ + size - 1) / size; }
  int begin(int group) const { return group * size; }
  int end(int group) const { return std::min(nodes_, (group + 1) * size); }

  // Calls run(group) for each of them, in parallel.
  template <class Run>
  void for_each(Run&& run) const {
    core::parallel_for(count(), 256 / size, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      for (std::ptrdiff_t group = first; group < last; ++group) run(static_cast<int>(group));
    });
  }

  // A box around the nodes of a group; as below.
  AxisAlignedBox<dim> box(const WorldPositions<Vector>& positions, int group) const {
    if (has_one_origin_.empty()) return box(positions.relative, group);
    if (has_one_origin_[static_cast<std::size_t>(group)]) {
      AxisAlignedBox<dim> result = box(positions.relative, group);
      const Point origin = positions.origins.of(begin(group));
      result.lower += origin;
      result.upper += origin;
      return result;
    }
    AxisAlignedBox<dim> result{positions.of(begin(group)), positions.of(begin(group))};
    for (int i = begin(group) + 1; i < end(group); ++i) result.include(positions.of(i));
    return result;
  }

  // A box around the values of a vector for the nodes of a group; that of the last group may contain zero as
  // well. NaN is skipped.
  AxisAlignedBox<dim> box(const Vector& vector, int group) const {
    using Block = typename Vector::Block;
    constexpr int stride = Vector::stride;
    constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
    Block lower(infinity), upper(-infinity);
    for (std::ptrdiff_t i = begin(group) * stride; i < end(group) * stride; i += 8) {
      lower = min(lower, vector.block(i));
      upper = max(upper, vector.block(i));
    }
    AxisAlignedBox<dim> result;
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
  static constexpr int size =
      32;  // a compromise: smaller boxes are farther from colliders, but there are more of them
  static_assert(size * Vector::stride % 8 == 0, "groups are read in blocks");

  int nodes_ = 0;
  std::vector<bool> has_one_origin_;  // each group; none where all origins are zero
};

}  // namespace pliant::detail::contact
