// The points to which the positions of nodes are relative.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// An origin for each node of a system [m], or zero for all nodes: the position of a node in the world is its
// origin plus its position in the system. All nodes of a connected component have the same origin.
template <int Dim>
class Origins {
 public:
  using Point = SmallVector<double, Dim>;

  Origins() = default;
  // `of_node`: the index into `points` of each node.
  Origins(std::vector<Point> points, std::vector<int> of_node)
      : points_(std::move(points)), of_node_(std::move(of_node)) {}

  bool all_zero() const { return points_.empty(); }
  Point of(std::ptrdiff_t node) const {
    if (all_zero()) return Point::Zero();
    return points_[static_cast<std::size_t>(of_node_[static_cast<std::size_t>(node)])];
  }

 private:
  std::vector<Point> points_;
  std::vector<int> of_node_;
};

}  // namespace pliant
