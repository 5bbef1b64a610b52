// Where the positions of nodes are measured from.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/core/matrix.hpp>

namespace pliant {

// A point for each node of a system [m], or zero for all of them: the position of the node in the world is
// this point plus the position that the system computes with. Nodes that hang together have the same point.
template <int Dim>
class Origins {
 public:
  using Point = SmallVector<double, Dim>;

  Origins() = default;
  explicit Origins(std::vector<Point> points) : points_(std::move(points)) {}

  bool all_zero() const { return points_.empty(); }
  Point of(std::ptrdiff_t node) const {
    return all_zero() ? Point(Point::Zero()) : points_[static_cast<std::size_t>(node)];
  }

 private:
  std::vector<Point> points_;
};

}  // namespace pliant
