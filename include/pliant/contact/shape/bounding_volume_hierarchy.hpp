// A bounding volume hierarchy of many small objects, for queries of the objects near a point or on a segment.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <pliant/contact/shape/concept.hpp>

namespace pliant::detail::contact {

// Built once, by the surface area heuristic (Wald 2007, binned); a flat array. Queries are const, keep a
// small stack and allocate nothing. They call back with ranges [begin, end) of order(): objects that are
// stored in that order are read sequentially. The order of visits depends on the tree; a result that is a
// minimum over all objects, with ties broken by their numbers, does not.
template <int Dim>
class BoundingVolumeHierarchy {
 public:
  using Point = SmallVector<double, Dim>;
  using Bounds = AxisAlignedBox<Dim>;

  BoundingVolumeHierarchy() = default;

  // One box per object, all finite.
  explicit BoundingVolumeHierarchy(std::span<const Bounds> boxes) : order_(boxes.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    if (boxes.empty()) return;
    nodes_.reserve(boxes.size());
    root_ = build(boxes, 0, static_cast<int>(boxes.size()), 0);
  }

  // The numbers of the objects, leaf by leaf.
  const std::vector<int>& order() const { return order_; }

  // Visits all objects whose boxes are at a distance of at most sqrt(limit) from x, near ones first; limit in
  // m^2. visit(begin, end) returns the new limit.
  template <class Visit>
  void near_point(const Point& x, double limit, Visit&& visit) const {
    if (order_.empty()) return;
    // The compared squared distances have rounding errors of a few units each.
    constexpr double rounding_below = 1 - 32 * std::numeric_limits<double>::epsilon();
    limit /= rounding_below;
    traverse(
        limit,
        [&x](const Node& node, std::array<double, 2>& keys) {
          PLIANT_UNROLL for (std::size_t side = 0; side < 2; ++side) {
            double sum = 0;
            PLIANT_UNROLL for (std::size_t k = 0; k < Dim; ++k) {
              const double xk = x[static_cast<int>(k)];
              const double outside =
                  std::max(std::max(node.lower[k][side] - xk, xk - node.upper[k][side]), 0.0);
              sum += outside * outside;
            }
            keys[side] = sum;
          }
        },
        [&visit](int begin, int end) { return visit(begin, end) / rounding_below; });
  }

  // Visits all objects whose boxes, grown by `margin` [m], contain points from + t (to - from) with earliest
  // <= t <= limit, early ones first. visit(begin, end) returns the new limit.
  template <class Visit>
  void along_segment(const Point& from, const Point& to, double margin, double earliest, double limit,
                     Visit&& visit) const {
    if (order_.empty()) return;
    std::array<double, Dim> inverse;
    PLIANT_UNROLL for (std::size_t k = 0; k < Dim; ++k) {
      // Finite, so that no product below is NaN.
      constexpr double most = 1e300;
      const auto axis = static_cast<int>(k);
      const double step = to[axis] - from[axis];
      inverse[k] = std::abs(step) * most > 1 ? 1 / step : most;
    }
    traverse(
        limit,
        [&](const Node& node, std::array<double, 2>& keys) {
          PLIANT_UNROLL for (std::size_t side = 0; side < 2; ++side) {
            double enter = earliest, leave = std::numeric_limits<double>::infinity();
            PLIANT_UNROLL for (std::size_t k = 0; k < Dim; ++k) {
              const double xk = from[static_cast<int>(k)];
              const double a = (node.lower[k][side] - margin - xk) * inverse[k];
              const double b = (node.upper[k][side] + margin - xk) * inverse[k];
              enter = std::max(enter, std::min(a, b));
              leave = std::min(leave, std::max(a, b));
            }
            keys[side] = enter <= leave ? enter : std::numeric_limits<double>::infinity();
          }
        },
        visit);
  }

 private:
  // Splits by the heuristic down to this depth and into equal halves below it, so that no tree with int
  // numbers is deeper than twice this.
  static constexpr int depth_of_heuristic = 32;
  static constexpr int most_waiting = 2 * depth_of_heuristic + 1;
  static constexpr int leaf_size = 4;

  struct Child {
    int first = 0;  // a node, or the begin of a leaf in the order
    int count = 0;  // of objects in the leaf; 0 for a node
  };

  // The boxes of two children.
  struct Node {
    std::array<std::array<double, 2>, Dim> lower, upper;
    std::array<Child, 2> children;
  };

  // measure(node, keys) gives the key of each child; those above the limit are skipped, lower ones are
  // visited first.
  template <class Measure, class Visit>
  void traverse(double limit, Measure&& measure, Visit&& visit) const {
    struct Waiting {
      Child child;
      double key;
    };
    std::array<Waiting, most_waiting> stack;
    std::size_t waiting = 0;
    Child current = root_;
    while (true) {
      if (current.count > 0) {
        limit = visit(current.first, current.first + current.count);
      } else {
        const Node& node = nodes_[static_cast<std::size_t>(current.first)];
        std::array<double, 2> keys;
        measure(node, keys);
        const std::size_t first = keys[1] < keys[0] ? 1 : 0;
        if (keys[1 - first] <= limit) stack[waiting++] = {node.children[1 - first], keys[1 - first]};
        if (keys[first] <= limit) {
          current = node.children[first];
          continue;
        }
      }
      do {
        if (waiting == 0) return;
        --waiting;
      } while (!(stack[waiting].key <= limit));
      current = stack[waiting].child;
    }
  }

  // Half the surface in space, half the circumference in the plane.
  static double half_surface(const Bounds& box) {
    std::array<double, Dim> edges;
    for (std::size_t k = 0; k < Dim; ++k) {
      edges[k] = std::max(box.upper[static_cast<int>(k)] - box.lower[static_cast<int>(k)], 0.0);
    }
    if constexpr (Dim == 2) return edges[0] + edges[1];
    if constexpr (Dim == 3) return edges[0] * edges[1] + edges[1] * edges[2] + edges[2] * edges[0];
  }

  // Twice the centre of a box along an axis.
  static double middle(const Bounds& box, int axis) { return box.lower[axis] + box.upper[axis]; }

  Child build(std::span<const Bounds> boxes, int begin, int end, int depth) {
    if (end - begin <= leaf_size) return {begin, end - begin};
    const int split = split_at(boxes, begin, end, depth);
    const auto number = nodes_.size();
    nodes_.emplace_back();
    const std::array<std::array<int, 2>, 2> halves{{{begin, split}, {split, end}}};
    for (std::size_t side = 0; side < 2; ++side) {
      const Bounds box = bounds_of(boxes, halves[side][0], halves[side][1]);
      for (std::size_t k = 0; k < Dim; ++k) {
        nodes_[number].lower[k][side] = box.lower[static_cast<int>(k)];
        nodes_[number].upper[k][side] = box.upper[static_cast<int>(k)];
      }
      const Child child = build(boxes, halves[side][0], halves[side][1], depth + 1);
      nodes_[number].children[side] = child;
    }
    return {static_cast<int>(number), 0};
  }

  Bounds bounds_of(std::span<const Bounds> boxes, int begin, int end) const {
    Bounds box;
    for (int i = begin; i < end; ++i) box.include(boxes[thing(i)]);
    return box;
  }

  std::size_t thing(int place) const {
    return static_cast<std::size_t>(order_[static_cast<std::size_t>(place)]);
  }

  // Partitions [begin, end) into two parts at the returned index.
  int split_at(std::span<const Bounds> boxes, int begin, int end, int depth) {
    Point lowest, highest;
    for (int k = 0; k < Dim; ++k) {
      lowest[k] = std::numeric_limits<double>::infinity();
      highest[k] = -lowest[k];
      for (int i = begin; i < end; ++i) {
        lowest[k] = std::min(lowest[k], middle(boxes[thing(i)], k));
        highest[k] = std::max(highest[k], middle(boxes[thing(i)], k));
      }
    }
    constexpr int bins = 16;
    const auto bin_of = [&](int item, int axis) {
      const double place = (middle(boxes[static_cast<std::size_t>(item)], axis) - lowest[axis]) /
                           (highest[axis] - lowest[axis]);
      return std::min(static_cast<int>(place * bins), bins - 1);
    };
    double best = std::numeric_limits<double>::infinity();
    int best_axis = -1, best_bin = 0;
    for (int axis = 0; axis < Dim && depth < depth_of_heuristic; ++axis) {
      if (!(highest[axis] > lowest[axis])) continue;
      std::array<Bounds, bins> box;
      std::array<int, bins> count{};
      box.fill(Bounds{});
      for (int i = begin; i < end; ++i) {
        const auto bin = static_cast<std::size_t>(bin_of(order_[static_cast<std::size_t>(i)], axis));
        box[bin].include(boxes[thing(i)]);
        ++count[bin];
      }
      // The cost of a split below each bin: the surfaces of both sides, times their numbers of objects.
      std::array<double, bins> cost{};
      Bounds below, above;
      int number_below = 0, number_above = 0;
      for (std::size_t bin = 1; bin < bins; ++bin) {
        below.include(box[bin - 1]);
        number_below += count[bin - 1];
        cost[bin] += number_below * half_surface(below);
      }
      for (std::size_t bin = bins - 1; bin > 0; --bin) {
        above.include(box[bin]);
        number_above += count[bin];
        cost[bin] += number_above * half_surface(above);
        if (number_above == 0 || number_above == end - begin || cost[bin] >= best) continue;
        best = cost[bin];
        best_axis = axis;
        best_bin = static_cast<int>(bin);
      }
    }
    const auto first = order_.begin() + begin, last = order_.begin() + end;
    if (best_axis >= 0) {
      const auto place =
          std::partition(first, last, [&](int item) { return bin_of(item, best_axis) < best_bin; });
      return static_cast<int>(place - order_.begin());
    }
    // All at one position, or too deep: equal halves along the longest axis.
    int longest = 0;
    for (int k = 1; k < Dim; ++k) {
      if (highest[k] - lowest[k] > highest[longest] - lowest[longest]) longest = k;
    }
    const int half = begin + (end - begin) / 2;
    std::nth_element(first, order_.begin() + half, last, [&](int a, int b) {
      const double at_a = middle(boxes[static_cast<std::size_t>(a)], longest),
                   at_b = middle(boxes[static_cast<std::size_t>(b)], longest);
      return at_a != at_b ? at_a < at_b : a < b;
    });
    return half;
  }

  std::vector<int> order_;
  std::vector<Node> nodes_;
  Child root_;
};

}  // namespace pliant::detail::contact
