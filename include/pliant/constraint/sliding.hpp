// Nodes that stay on a plane or a line.
#pragma once

#include <utility>
#include <vector>

#include <pliant/algebra/symmetric_eigen.hpp>
#include <pliant/constraint/concept.hpp>

namespace pliant {

// The given nodes (user's numbering, repetitions allowed) stay on planes, or lines, through their positions:
//   Sliding::on_plane(bottom, {0, 1, 0})               the normal; in 2D the normal of a line
//   Sliding::on_line(axle, Eigen::Vector3d(1, 0, 0))   the direction, in braces or as a vector
// If positions are set by hand between two steps, the planes and lines move with them. A node of two planes
// stays on their common line, one of three planes in their common point. A Simulation throws IndexError for a
// node that does not exist, ParameterError for a direction without length, SizeError for one of another
// dimension than the mesh's.
class Sliding {
 public:
  template <class Derived>
  static Sliding on_plane(std::vector<int> nodes, const Eigen::MatrixBase<Derived>& normal) {
    return {std::move(nodes), normal.template cast<double>(), Guide::plane};
  }
  template <int Dim>
  static Sliding on_plane(std::vector<int> nodes, const double (&normal)[Dim]) {
    return on_plane(std::move(nodes), Eigen::Map<const Eigen::VectorXd>(normal, Dim));
  }
  template <class Derived>
  static Sliding on_line(std::vector<int> nodes, const Eigen::MatrixBase<Derived>& direction) {
    return {std::move(nodes), direction.template cast<double>(), Guide::line};
  }
  template <int Dim>
  static Sliding on_line(std::vector<int> nodes, const double (&direction)[Dim]) {
    return on_line(std::move(nodes), Eigen::Map<const Eigen::VectorXd>(direction, Dim));
  }

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    using Point = typename NodeConstraints<Dim>::Point;
    detail::core::require_size("Sliding: components of the direction", direction_.size(), Dim);
    const Point direction = NodeConstraints<Dim>::unit(direction_, "Sliding");
    std::vector<Point> normals;
    if (guide_ == Guide::plane) {
      normals.push_back(direction);
    } else if constexpr (Dim == 2) {
      normals.push_back(Point(-direction[1], direction[0]));
    } else {
      const auto frame = detail::algebra::frame_from<double>(direction);
      for (const int column : {1, 2}) normals.push_back(frame.col(column));
    }
    for (const int node : nodes_) {
      for (const Point& normal : normals) constraints.restrain(node, normal, "Sliding");
    }
  }

 private:
  enum class Guide { plane, line };

  Sliding(std::vector<int> nodes, Eigen::VectorXd direction, Guide guide)
      : nodes_(std::move(nodes)), direction_(std::move(direction)), guide_(guide) {}

  std::vector<int> nodes_;
  Eigen::VectorXd direction_;
  Guide guide_;
};

static_assert(Constraint<Sliding, 2> && Constraint<Sliding, 3>);

}  // namespace pliant
