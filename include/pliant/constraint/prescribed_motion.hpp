// Nodes that go where they are told.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/constraint/concept.hpp>

namespace pliant {

// Takes the given nodes (user's numbering) along a path: at time t [s] the node of rest position X [m] is at
// path(X, t) [m], e.g.
//   PrescribedMotion(right, [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
//     return X + Eigen::Vector3d(0.1 * t, 0, 0);
//   })
// The other nodes of the body follow as those of a linear body would before they are solved for, so that a
// long way in one step does not crush the elements next to the moved nodes. A Simulation throws IndexError
// for a node that does not exist, ParameterError for a node that another constraint holds too, and, in the
// step, for a position that is not finite.
template <class Path>  // callable with (const SmallVector<double, Dim>& X, double t)
class PrescribedMotion {
 public:
  PrescribedMotion(std::vector<int> nodes, Path path) : nodes_(std::move(nodes)), path_(std::move(path)) {}

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    using Point = typename NodeConstraints<Dim>::Point;
    static_assert(std::is_invocable_v<const Path&, const Point&, double>,
                  "the path of a PrescribedMotion must be callable with a rest position, a vector of as many "
                  "doubles as the mesh has dimensions, and a time");
    using Result = std::decay_t<std::invoke_result_t<const Path&, const Point&, double>>;
    static_assert(std::is_base_of_v<Eigen::PlainObjectBase<Result>, Result>,
                  "the path of a PrescribedMotion must return a vector and not an expression, whose operands "
                  "may be gone: write -> Eigen::Vector3d, or Vector2d, after its parameters");
    constraints.move(nodes_, path_, "PrescribedMotion");
  }

 private:
  std::vector<int> nodes_;
  Path path_;
};

}  // namespace pliant
