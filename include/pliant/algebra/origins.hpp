// Where the positions of nodes are measured from.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// A point for each node of a system [m], or zero for all of them: the position of the node in the world is
// this point plus the position that the system computes with. Nodes that hang together have the same point.
template <int Dim>
class Origins {
 public:
  using Point = SmallVector<double, Dim>;

  Origins() = default;
  // `of_node`: which of the points each has.
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
