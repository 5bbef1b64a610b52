// Per-node friction state and its update within a step.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/constraint/bounded_nodes.hpp>
#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/node_friction.hpp>
#include <pliant/contact/response/node_groups.hpp>

namespace pliant::detail::contact {

// A NodeFriction for each axis of each bounded node of a step, with the normal force of the last pass;
// and, between steps, the friction anchors of nodes on colliders.
template <class VectorType>  // a NodeVector
class FrictionAnchors {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Bounds = BoundedNodes<Vector>;
  using Node = typename Bounds::Node;
  using Positions = WorldPositions<Vector>;

  // `spacing` [m]: the mean distance between nodes.
  void prepare(std::ptrdiff_t node_count, double spacing) {
    spacing_ = spacing;
    for (Memory* memory : {&memory_, &saved_}) {
      memory->anchors.assign(static_cast<std::size_t>(node_count), Anchors{});
      memory->nodes.clear();
      memory->nodes.reserve(static_cast<std::size_t>(node_count));
    }
  }

  // ---- between steps

  void save() {
    saved_.release();
    saved_.nodes = memory_.nodes;
    for (const int node : memory_.nodes) saved_.of(node) = memory_.of(node);
  }
  void restore() { std::swap(memory_, saved_); }

  // The friction anchor of a node on a collider, between steps.
  struct Anchor {
    int collider = -1;
    double normal_force = 0;      // [N]
    double slid = 0;              // in the last step [m]
    Point point = Point::Zero();  // in the frame of the collider [m]
  };
  using Anchors = std::array<Anchor, std::size_t{dim}>;

  // See core/history.hpp.
  struct NodeAnchors {
    int node;
    Anchors anchors;
  };
  using History = std::vector<NodeAnchors>;

  void save(History& history) const {
    history.clear();
    for (const int node : memory_.nodes) history.push_back({node, memory_.of(node)});
  }
  void restore(History&& history) {
    memory_.release();
    for (const NodeAnchors& given : history) {
      memory_.nodes.push_back(given.node);  // there is room
      memory_.of(given.node) = given.anchors;
    }
  }

  // Drops all anchors, or those on the collider with an index.
  void release() { memory_.release(); }
  void release_collider(int index) {
    for (const int node : memory_.nodes) {
      for (Anchor& anchor : memory_.of(node)) {
        if (anchor.collider == index) anchor = {};
        else if (anchor.collider > index) --anchor.collider;
      }
    }
  }

  // ---- in a step

  // Whether the step is one linear system, with the friction law without its kink.
  void set_linear(bool linear) { linear_ = linear; }

  void clear() { frictions_.clear(); }

  // Sets the anchors of the bounded nodes of a step from x.
  void take(const Bounds& bounds, const Colliders<dim>& colliders, const Positions& x) {
    frictions_.resize(bounds.nodes().size());
    for (std::size_t m = 0; m < frictions_.size(); ++m) take(bounds.nodes()[m], colliders, x, frictions_[m]);
  }

  const NodeFriction<dim>& at(std::size_t m, int axis) const {
    return frictions_[m][static_cast<std::size_t>(axis)];
  }

  // The potential of friction at the displacement u in a step of `dt` [s] [J]; adds its gradient to g.
  double potential(const Bounds& bounds, const Vector& u, double dt, Vector& g) const {
    double value = 0;
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const NodeFriction<dim>& friction) {
      const auto response = response_of(friction, displacement(bounded, u), dt);
      value += response.value;
      g.node(bounded.node) += response.gradient.template cast<Scalar>();
    });
    return value;
  }

  // Calls use(node, response of friction) for each node with friction, at displacement(node) in a step of
  // `dt` [s].
  template <class Displacement, class Use>
  void for_each_response(const Bounds& bounds, double dt, Displacement&& displacement, Use&& use) const {
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const NodeFriction<dim>& friction) {
      use(bounded.node, response_of(friction, displacement(bounded.node), dt));
    });
  }

  // Adds its Hessian to A; g is the total gradient.
  template <class Matrix>
  void add_stiffness(const Bounds& bounds, const Vector& u, double dt, const Vector& g, Matrix& A) const {
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const NodeFriction<dim>& friction) {
      const Point at = displacement(bounded, u), residual = displacement(bounded, g);
      const auto response = linear_ ? friction.linear_law(at, dt) : friction.law(at, dt, residual);
      A.diagonal(bounded.node) += response.hessian.template cast<Scalar>();
    });
  }

  // The difference between the friction forces of a linear step and Coulomb's law at its end u, relative to
  // the largest possible friction [-].
  double error(const Bounds& bounds, const Vector& u, double dt) const {
    double wrong = 0, all = 0;
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const NodeFriction<dim>& friction) {
      const Point at = displacement(bounded, u);
      const Point off = friction.linear_law(at, dt).gradient - friction.law(at, dt).gradient;
      wrong += algebra::dot<double, dim>(off, off);
      all += friction.limit() * friction.limit();
    });
    return all > 0 ? std::sqrt(wrong / all) : 0;
  }

  // Notes which nodes slide at u, for a linear step.
  void note_sliding(const Bounds& bounds, const Vector& u) {
    for_each_acting(*this, bounds, [&](const Node& bounded, int, NodeFriction<dim>& friction) {
      friction.note(displacement(bounded, u));
    });
  }

  // The change of the friction forces by an update of the normal forces, and the new forces, as norms [N].
  struct Change {
    double change = 0, force = 0;
  };

  // Updates the normal forces from the gradient g at the end u of a pass from x, or a fraction of their
  // change.
  Change update(const Bounds& bounds, const Colliders<dim>& colliders, const Positions& x, const Vector& u,
                const Vector& g, double dt, double fraction) {
    Change result;
    for (std::size_t m = 0; m < frictions_.size(); ++m) {
      const Node& bounded = bounds.nodes()[m];
      const Point at = displacement(bounded, u);
      const auto pressures = bounds.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        NodeFriction<dim>& friction = frictions_[m][static_cast<std::size_t>(axis)];
        friction.set_acted(friction.acts() ? response_of(friction, at, dt).gradient : Point(Point::Zero()));
        const int collider = bounded.presser(axis, pressures[axis]);
        if (collider >= 0 && collider != friction.collider()) {  // the contact is on the other side
          friction =
              friction_of(bounded, axis, colliders, x, new_anchor(collider, colliders, x, bounded.node));
        }
        const double force = std::abs(static_cast<double>(pressures[axis])), last = friction.normal_force();
        const double mu = colliders[friction.collider()].surface.friction;
        if (friction.drags() && (force > 0) != (last > 0)) {
          result.change = std::numeric_limits<double>::infinity();
        }
        result.change += mu * mu * (force - last) * (force - last);
        result.force += mu * mu * force * force;
        friction.set_normal_force(force == 0 ? 0 : last + fraction * (force - last));
      }
    }
    result.change = std::sqrt(result.change);
    result.force = std::sqrt(result.force);
    return result;
  }

  // After a change of the planes of the step from x: nodes in contact keep their anchors.
  void keep(const Bounds& bounds, const Colliders<dim>& colliders, const Positions& x) {
    keep(bounds, colliders, x, [](const Node&, const NodeFriction<dim>& friction) {
      return std::pair(friction.anchor(), friction.slid());
    });
  }

  // Ends a step from x to x + u: nodes in contact keep their anchors, which follow sliding nodes.
  void finish(const Bounds& bounds, const Colliders<dim>& colliders, const Positions& x, const Vector& u) {
    keep(bounds, colliders, x, [&](const Node& bounded, const NodeFriction<dim>& friction) {
      const Point at = displacement(bounded, u);
      return std::pair(friction.anchor_at(at), length<dim>(friction.slip(at)));
    });
  }

 private:
  // Few nodes have anchors: only these are visited.
  struct Memory {
    std::vector<Anchors> anchors;  // of each node
    std::vector<int> nodes;        // that have any

    Anchors& of(int node) { return anchors[static_cast<std::size_t>(node)]; }
    const Anchors& of(int node) const { return anchors[static_cast<std::size_t>(node)]; }

    void release() {
      for (const int node : nodes) of(node) = {};
      nodes.clear();
    }
  };
  using NodeFrictions = std::array<NodeFriction<dim>, std::size_t{dim}>;

  static Point displacement(const Node& bounded, const Vector& u) {
    return u.node(bounded.node).template cast<double>();
  }

  typename NodeFriction<dim>::Response response_of(const NodeFriction<dim>& friction, const Point& u,
                                                   double dt) const {
    return linear_ ? friction.linear_law(u, dt) : friction.law(u, dt);
  }

  static Anchor new_anchor(int collider, const Colliders<dim>& colliders, const Positions& x, int node) {
    const Point at = x.of(node);
    return {.collider = collider, .point = colliders[collider].from.to_local(at)};
  }

  // For each axis, with the anchor on the collider on which it had one before, otherwise on that of the lower
  // plane.
  void take(const Node& bounded, const Colliders<dim>& colliders, const Positions& x,
            NodeFrictions& frictions) const {
    const Anchors& anchors = memory_.of(bounded.node);
    std::array<bool, std::size_t{dim}> used{};
    for (int axis = 0; axis < bounded.axes; ++axis) {
      const int below = bounded.below[static_cast<std::size_t>(axis)];
      const int above = bounded.above[static_cast<std::size_t>(axis)];
      Anchor anchor = new_anchor(below >= 0 ? below : above, colliders, x, bounded.node);
      for (std::size_t k = 0; k < anchors.size(); ++k) {
        if (used[k] || anchors[k].collider < 0) continue;
        if (anchors[k].collider != below && anchors[k].collider != above) continue;
        used[k] = true;
        anchor = anchors[k];
        break;
      }
      frictions[static_cast<std::size_t>(axis)] = friction_of(bounded, axis, colliders, x, anchor);
    }
  }

  NodeFriction<dim> friction_of(const Node& bounded, int axis, const Colliders<dim>& colliders,
                                const Positions& x, const Anchor& anchor) const {
    const Point at = x.of(bounded.node);
    const auto& collider = colliders[anchor.collider];
    const auto carried = [&](const Point& local) { return Point(collider.to.to_world(local) - at); };
    return NodeFriction<dim>(anchor.collider, collider.surface, stick_length(collider.surface),
                             bounded.N.col(axis).template cast<double>(), anchor.normal_force,
                             carried(collider.from.to_local(at)), carried(anchor.point),
                             Point(at - collider.from.to_world(anchor.point)), anchor.slid);
  }

  // Stores the anchor of each friction; `end` returns the anchor, as a displacement from x, and the
  // sliding distance.
  template <class End>
  void keep(const Bounds& bounds, const Colliders<dim>& colliders, const Positions& x, End&& end) {
    release();
    for_each_acting(*this, bounds, [&](const Node& bounded, int axis, const NodeFriction<dim>& friction) {
      const auto [anchor, slid] = end(bounded, friction);
      const Point at = x.of(bounded.node) + anchor;
      if (memory_.nodes.empty() || memory_.nodes.back() != bounded.node)
        memory_.nodes.push_back(bounded.node);
      memory_.of(bounded.node)[static_cast<std::size_t>(axis)] = {
          friction.collider(), friction.normal_force(), slid, colliders[friction.collider()].to.to_local(at)};
    });
  }

  double stick_length(const Surface& surface) const {
    if (surface.stick_length > 0) return surface.stick_length;
    return (linear_ ? 4e-2 : 1e-4) * spacing_;
  }

  // Calls use(bounded node, axis, friction) for each contact with a known normal force on a surface with
  // friction.
  template <class Self, class Use>
  static void for_each_acting(Self& self, const Bounds& bounds, Use&& use) {
    for (std::size_t m = 0; m < self.frictions_.size(); ++m) {
      const Node& bounded = bounds.nodes()[m];
      for (int axis = 0; axis < bounded.axes; ++axis) {
        auto& friction = self.frictions_[m][static_cast<std::size_t>(axis)];
        if (friction.acts()) use(bounded, axis, friction);
      }
    }
  }

  Memory memory_, saved_;
  std::vector<NodeFrictions> frictions_;  // of each bounded node, by axis
  double spacing_ = 0;                    // [m]
  bool linear_ = false;
};

}  // namespace pliant::detail::contact
