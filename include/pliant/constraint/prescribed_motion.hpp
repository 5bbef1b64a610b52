// Nodes that go where they are told.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/constraint/concept.hpp>

namespace pliant {

namespace detail {

// Enters a function of a rest position and a time as the motion of nodes, of all its components or of that
// along a direction.
template <int Dim, class Function>
void describe_motion(NodeConstraints<Dim>& constraints, const std::vector<int>& nodes,
                     const Function& function, const std::optional<Eigen::VectorXd>& along,
                     typename NodeConstraints<Dim>::Motion::Gives gives, const char* owner) {
  using Point = typename NodeConstraints<Dim>::Point;
  static_assert(std::is_invocable_v<const Function&, const Point&, double>,
                "the path of a PrescribedMotion must be callable with a rest position, a vector of as many "
                "doubles as the mesh has dimensions, and a time; so must the velocity of a "
                "PrescribedVelocity");
  using Result = std::decay_t<std::invoke_result_t<const Function&, const Point&, double>>;
  static_assert(std::is_base_of_v<Eigen::PlainObjectBase<Result>, Result>,
                "the path of a PrescribedMotion must return a vector and not an expression, whose operands "
                "may be gone: write -> Eigen::Vector3d, or Vector2d, after its parameters");
  if (!along) {
    constraints.move(nodes, {function, gives, owner});
    return;
  }
  require_size((std::string(owner) + ": components of the direction").c_str(), along->size(), Dim);
  constraints.move_along(nodes, Point(*along), {function, gives, owner});
}

}  // namespace detail

// Takes the given nodes (user's numbering) along a path: at time t [s] the node of rest position X [m] is at
// path(X, t) [m], e.g.
//   PrescribedMotion(right, [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
//     return X + Eigen::Vector3d(0.1 * t, 0, 0);
//   })
// With a direction as the third argument only the component along it is prescribed, and the nodes are free
// across it: they stay on a plane that moves. The other nodes of the body follow as those of a linear body
// would before they are solved for, so that a long way in one step does not crush the elements next to the
// moved nodes. A Simulation throws IndexError for a node that does not exist, ParameterError for a node that
// another constraint holds or moves along the same direction, and, in the step, for a position that is not
// finite.
template <class Path>  // callable with (const SmallVector<double, Dim>& X, double t)
class PrescribedMotion {
 public:
  PrescribedMotion(std::vector<int> nodes, Path path) : nodes_(std::move(nodes)), path_(std::move(path)) {}

  template <class Derived>
  PrescribedMotion(std::vector<int> nodes, Path path, const Eigen::MatrixBase<Derived>& along)
      : nodes_(std::move(nodes)), path_(std::move(path)), along_(along.template cast<double>()) {}

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    detail::describe_motion(constraints, nodes_, path_, along_, NodeConstraints<Dim>::Motion::Gives::position,
                            "PrescribedMotion");
  }

 private:
  std::vector<int> nodes_;
  Path path_;
  std::optional<Eigen::VectorXd> along_;
};

// The same for velocities: over a step that ends at time t the node of rest position X is displaced by dt
// velocity(X, t) [m/s], wherever it was.
template <class Velocity>  // callable with (const SmallVector<double, Dim>& X, double t)
class PrescribedVelocity {
 public:
  PrescribedVelocity(std::vector<int> nodes, Velocity velocity)
      : nodes_(std::move(nodes)), velocity_(std::move(velocity)) {}

  template <class Derived>
  PrescribedVelocity(std::vector<int> nodes, Velocity velocity, const Eigen::MatrixBase<Derived>& along)
      : nodes_(std::move(nodes)), velocity_(std::move(velocity)), along_(along.template cast<double>()) {}

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    detail::describe_motion(constraints, nodes_, velocity_, along_,
                            NodeConstraints<Dim>::Motion::Gives::velocity, "PrescribedVelocity");
  }

 private:
  std::vector<int> nodes_;
  Velocity velocity_;
  std::optional<Eigen::VectorXd> along_;
};

}  // namespace pliant
