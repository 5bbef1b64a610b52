// The Constraint concept: describes nodes that may not move freely.
//
// A model has one member
//   describe(NodeConstraints<Dim>& nodes) const
// that enters its held and moved nodes, in the user's numbering. It does not access matrices: the Filter
// (filter.hpp) eliminates the unknowns of all descriptions from A and b before a solver is called, so that
// solvers are independent of constraints. SystemFilter below lists the requirements on a Filter; a custom one
// derives from NodeFilter (node_filter.hpp), and adds apply(A).
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/orthonormal_basis.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

namespace detail::constraint {

// The error for nodes that are to be moved by an empty function.
[[noreturn]] inline void refuse_empty_motion(const std::string& owner) {
  throw ParameterError(owner + ": function of the motion", 0, "must not be empty");
}

// Whether a type is accepted as numbers of nodes.
template <class Nodes>
inline constexpr bool are_nodes = std::is_convertible_v<const Nodes&, std::vector<int>>;

}  // namespace detail::constraint

// The held and moved nodes with their directions, in the user's numbering.
template <int Dim>
class NodeConstraints {
 public:
  using Point = SmallVector<double, Dim>;

  // The motion of a node: a function of its rest position X [m] and the time [s].
  struct Motion {
    enum class Gives { position, velocity };  // [m] or [m/s]
    std::function<Point(const Point& X, double time)> path;
    Gives gives = Gives::position;
    std::string owner = {};  // the constraint, for error messages
  };

  // The component of a node's displacement along a direction is prescribed: it is zero, or given by a motion.
  struct Restraint {
    Point direction;  // of unit length; those of one node are linearly independent, not always orthogonal
    int motion = in_place;
  };
  static constexpr int in_place = -1;

  explicit NodeConstraints(std::ptrdiff_t node_count) : node_count_(node_count) {}

  // Fixes a node in its position. `owner` names the constraint in the IndexError of a node that does not
  // exist.
  void fix(int node, const char* owner) {
    require_node(node, owner);
    auto& restraints = restraints_[node];
    if (moved(restraints)) refuse(node, owner);
    restraints = axes(in_place);
  }

  // Prevents the motion of a node along a direction of any length, unless its other restraints already imply
  // this.
  void restrain(int node, const Point& direction, const char* owner) {
    require_node(node, owner);
    add(node, {unit(direction, owner), in_place}, owner);
  }

  // Moves nodes along a path; repetitions are allowed.
  void move(const std::vector<int>& nodes, Motion motion) {
    if (!nodes.empty() && !motion.path) detail::constraint::refuse_empty_motion(motion.owner);
    const int number = add(std::move(motion));
    const std::string& owner = motions_.back().owner;
    for (const int node : nodes) {
      require_node(node, owner);
      auto& restraints = restraints_[node];
      if (!restraints.empty() && restraints.front().motion == number) continue;  // a repetition
      if (!restraints.empty()) refuse(node, owner);
      restraints = axes(number);
    }
  }

  // Prescribes one component of the motion of nodes, along a direction of any length.
  void move_along(const std::vector<int>& nodes, const Point& direction, Motion motion) {
    if (!nodes.empty() && !motion.path) detail::constraint::refuse_empty_motion(motion.owner);
    const int number = add(std::move(motion));
    const std::string& owner = motions_.back().owner;
    const Restraint restraint{unit(direction, owner), number};
    for (const int node : nodes) {
      require_node(node, owner);
      const auto& restraints = restraints_[node];
      if (!restraints.empty() && restraints.back().motion == number) continue;
      add(node, restraint, owner);
    }
  }

  // Whether a node has no free direction.
  bool fixed(std::ptrdiff_t node) const {
    const auto found = restraints_.find(static_cast<int>(node));
    return found != restraints_.end() && found->second.size() == Dim;
  }

  // The restraints of the nodes that have any; those of one node are linearly independent.
  const std::map<int, std::vector<Restraint>>& restraints() const { return restraints_; }
  const std::vector<Motion>& motions() const { return motions_; }

  // Normalises a direction. Throws ParameterError, which names the constraint, for one that is zero or not
  // finite.
  static Point unit(const Point& direction, const std::string& owner) {
    double length = 0;
    for (int axis = 0; axis < Dim; ++axis) length = std::hypot(length, direction[axis]);
    detail::core::require_parameter(length > 0, (owner + ": length of the direction").c_str(), length,
                                    "must be positive and finite");
    return direction / length;
  }

 private:
  static std::vector<Restraint> axes(int motion) {
    std::vector<Restraint> result;
    for (int axis = 0; axis < Dim; ++axis) result.push_back({Point::Unit(axis), motion});
    return result;
  }

  static bool moved(const std::vector<Restraint>& restraints) {
    for (const Restraint& restraint : restraints) {
      if (restraint.motion != in_place) return true;
    }
    return false;
  }

  void require_node(int node, const std::string& owner) const {
    if (node < 0 || node >= node_count_) throw IndexError(owner + ": node", node, node_count_);
  }

  [[noreturn]] static void refuse(int node, const std::string& owner) {
    throw ParameterError(owner + ": node", node, "must be held or moved by one constraint only");
  }

  int add(Motion motion) {
    motions_.push_back(std::move(motion));
    return static_cast<int>(motions_.size()) - 1;
  }

  void add(int node, const Restraint& restraint, const std::string& owner) {
    auto& restraints = restraints_[node];
    detail::algebra::OrthonormalBasis<Dim> basis;
    for (const Restraint& other : restraints) basis.extend(other.direction, 0);
    constexpr double parallel = 1e-9;
    if (basis.extend(restraint.direction, parallel)) {
      restraints.push_back(restraint);
    } else if (restraint.motion != in_place || moved(restraints)) {
      refuse(node, owner);
    }
  }

  std::ptrdiff_t node_count_;
  std::map<int, std::vector<Restraint>> restraints_;
  std::vector<Motion> motions_;
};

template <class C, int Dim>
concept Constraint = requires(const C& constraint, NodeConstraints<Dim>& nodes) {
  constraint.describe(nodes);  // enters the held and the moved nodes, in the user's numbering
};

namespace detail::constraint {

struct NodeProjection {
  template <class S>
  void operator()(int, const S&) const {}
};

}  // namespace detail::constraint

// Applies constraints to the vectors and matrices of a System. It is constructed as Filter(constraints,
// system) from their descriptions and this System.
template <class F, class Vector, class Matrix>
concept SystemFilter = requires(const F& filter, const Vector& x, Vector& u, Matrix& A) {
  filter.fixed_nodes();  // nodes without free directions
  filter.directions();   // HeldDirection of all constrained directions
  filter.for_each_moved(
      detail::constraint::NodeProjection{});  // use(node, S), S projects onto free directions
  filter.for_each_restrained(detail::constraint::NodeProjection{});  // the same for all constrained nodes
  {
    filter.prescribe(0.0, 1.0, x, u)
    } -> std::convertible_to<bool>;    // u: the displacement of moved nodes in a step
  filter.remaining(x, x, u);           // the remaining displacement after the second argument
  filter.follow_motions(0.0, 1.0, u);  // sets the velocities of moved nodes
  filter.stop_held(u);                 // sets velocities of held nodes to zero
  filter.apply(u);                     // removes the constrained components
  filter.split(u, u);                  // the same, and returns the removed part
  filter.apply(A);                     // the same for rows and columns; keeps A positive definite
};

}  // namespace pliant
