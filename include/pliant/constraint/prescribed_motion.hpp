// Nodes with prescribed motion.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/constraint/concept.hpp>

namespace pliant {

namespace detail::constraint {

// Nodes whose motion, or its component along a direction, is a function of their rest positions and the time:
// positions, or velocities if `Owner::is_velocity`. `Owner::name` is for messages.
template <class Owner, class Function>
class MovedNodes {
 public:
  MovedNodes(std::vector<int> nodes, Function function)
      : nodes_(std::move(nodes)), function_(std::move(function)) {
    check_function();
  }

  template <class Derived>
  MovedNodes(std::vector<int> nodes, Function function, const Eigen::MatrixBase<Derived>& along)
      : nodes_(std::move(nodes)), function_(std::move(function)), along_(along.template cast<double>()) {
    check_function();
  }

  template <class Nodes, class... Along>
  MovedNodes(const Nodes&, Function function, const Along&...) requires(!are_nodes<Nodes>)
      : function_(std::move(function)) {
    static_assert(core::always_false<Nodes>,
                  "the first argument of a PrescribedMotion or PrescribedVelocity must be the numbers of "
                  "nodes, the second "
                  "a function: PrescribedMotion(nodes, [](const Eigen::Vector3d& X, double t) -> "
                  "Eigen::Vector3d { ... })");
  }

  const std::vector<int>& nodes() const { return nodes_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& constraints) const {
    using Point = typename NodeConstraints<Dim>::Point;
    using Motion = typename NodeConstraints<Dim>::Motion;
    if constexpr (is_motion<Dim>()) {
      const Motion motion{function_, Owner::is_velocity ? Motion::Gives::velocity : Motion::Gives::position,
                          Owner::name};
      if (!along_) {
        constraints.move(nodes_, motion);
        return;
      }
      core::require_size(Owner::name, ": components of the direction", along_->size(), Dim);
      constraints.move_along(nodes_, Point(*along_), motion);
    }
  }

 private:
  // Whether the function takes and gives what a motion needs; the compiler stops with one message if not.
  template <int Dim>
  static constexpr bool is_motion() {
    using Point = SmallVector<double, Dim>;
    constexpr bool callable = std::is_invocable_v<const Function&, const Point&, double>;
    static_assert(callable,
                  "the path of a PrescribedMotion must be callable with a rest position, a vector of as many "
                  "doubles as the mesh has dimensions, and a time; so must the velocity of a "
                  "PrescribedVelocity: [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d { ... }");
    if constexpr (callable) {
      using Result = std::decay_t<std::invoke_result_t<const Function&, const Point&, double>>;
      constexpr bool owns = std::is_base_of_v<Eigen::PlainObjectBase<Result>, Result>;
      static_assert(owns,
                    "the path of a PrescribedMotion must return a vector and not an expression, whose "
                    "operands may be gone: write -> Eigen::Vector3d, or Vector2d, after its parameters");
      if constexpr (owns) {
        constexpr bool doubles = std::is_same_v<typename Result::Scalar, double>;
        static_assert(doubles,
                      "the path of a PrescribedMotion takes and returns vectors of doubles, also where the "
                      "mesh is one of floats: Eigen::Vector3d, or Vector2d");
        constexpr int size = Result::SizeAtCompileTime;
        static_assert(size == Dim || size == Eigen::Dynamic,
                      "the path of a PrescribedMotion must return a vector of as many numbers as the mesh "
                      "has dimensions: Eigen::Vector3d in space, Eigen::Vector2d in the plane");
        return doubles && (size == Dim || size == Eigen::Dynamic);
      }
    }
    return false;
  }

  // Only functions that can be made from a null pointer can be empty.
  void check_function() const {
    if constexpr (std::is_constructible_v<Function, std::nullptr_t>) {
      if (!nodes_.empty() && function_ == nullptr) refuse_empty_motion(Owner::name);
    }
  }

  std::vector<int> nodes_;
  Function function_;
  std::optional<Eigen::VectorXd> along_;
};

}  // namespace detail::constraint

// Moves the given nodes (user's numbering) along a path: at time t [s] the node with rest position X [m] is
// at path(X, t) [m], e.g.
//   PrescribedMotion(right, [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
//     return X + Eigen::Vector3d(0.1 * t, 0, 0);
//   })
// With a direction as the third argument only the component along it is prescribed, and the nodes move freely
// orthogonal to it: they stay on a moving plane. Before the other nodes of the body are solved for, they
// follow as in a linear body, so that a large displacement in one step does not crush the elements next to
// the moved nodes. Throws ParameterError for an empty std::function, or a null pointer, unless there are no
// nodes. A Simulation throws IndexError for a node that does not exist, ParameterError for a node that
// another constraint holds or moves along the same direction, and, in the step, for a position that is not
// finite.
template <class Path>  // callable with (const SmallVector<double, Dim>& X, double t)
class PrescribedMotion : public detail::constraint::MovedNodes<PrescribedMotion<Path>, Path> {
 public:
  static constexpr const char* name = "PrescribedMotion";
  static constexpr bool is_velocity = false;
  using detail::constraint::MovedNodes<PrescribedMotion<Path>, Path>::MovedNodes;
};

template <class Path, class... Along>
PrescribedMotion(std::vector<int>, Path, const Along&...) -> PrescribedMotion<Path>;
template <class Nodes, class Path, class... Along>
requires(!detail::constraint::are_nodes<Nodes>) PrescribedMotion(const Nodes&, Path, const Along&...)
->PrescribedMotion<Path>;

// The same for velocities: over a step that ends at time t the node with rest position X is displaced by dt
// velocity(X, t) [m/s], from any position.
template <class Velocity>  // callable with (const SmallVector<double, Dim>& X, double t)
class PrescribedVelocity : public detail::constraint::MovedNodes<PrescribedVelocity<Velocity>, Velocity> {
 public:
  static constexpr const char* name = "PrescribedVelocity";
  static constexpr bool is_velocity = true;
  using detail::constraint::MovedNodes<PrescribedVelocity<Velocity>, Velocity>::MovedNodes;
};

template <class Velocity, class... Along>
PrescribedVelocity(std::vector<int>, Velocity, const Along&...) -> PrescribedVelocity<Velocity>;
template <class Nodes, class Velocity, class... Along>
requires(!detail::constraint::are_nodes<Nodes>) PrescribedVelocity(const Nodes&, Velocity, const Along&...)
->PrescribedVelocity<Velocity>;

}  // namespace pliant
