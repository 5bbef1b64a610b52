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
#include <pliant/contact/response/friction.hpp>
#include <pliant/contact/response/node_groups.hpp>

namespace pliant {

// A Hold (friction) for each axis of each bounded node of a step, with the normal force of the last pass;
// and, between steps, the friction anchors of nodes on colliders.
template <class VectorType>  // a NodeVector
class Holds {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Bounds = BoundedNodes<Vector>;
  using Node = typename Bounds::Node;
  using Places = pliant::Places<Vector>;

  // `spacing` [m]: the mean distance between nodes.
  void prepare(std::ptrdiff_t node_count, double spacing) {
    spacing_ = spacing;
    for (Memory* memory : {&memory_, &saved_}) {
      memory->grips.assign(static_cast<std::size_t>(node_count), Grips{});
      memory->nodes.clear();
      memory->nodes.reserve(static_cast<std::size_t>(node_count));
    }
  }

  // ---- between steps

  void save() {
    saved_.let_go();
    saved_.nodes = memory_.nodes;
    for (const int node : memory_.nodes) saved_.of(node) = memory_.of(node);
  }
  void restore() { std::swap(memory_, saved_); }

  // The friction anchor of a node on a collider, between steps.
  struct Grip {
    int collider = -1;
    double normal_force = 0;       // [N]
    double slid = 0;               // in the last step [m]
    Point anchor = Point::Zero();  // in the frame of the collider [m]
  };
  using Grips = std::array<Grip, std::size_t{dim}>;

  // See core/history.hpp.
  struct NodeGrips {
    int node;
    Grips grips;
  };
  using History = std::vector<NodeGrips>;

  void save(History& history) const {
    history.clear();
    for (const int node : memory_.nodes) history.push_back({node, memory_.of(node)});
  }
  void restore(History&& history) {
    memory_.let_go();
    for (const NodeGrips& given : history) {
      memory_.nodes.push_back(given.node);  // there is room
      memory_.of(given.node) = given.grips;
    }
  }

  // Drops all anchors, or those on the collider at a place.
  void let_go() { memory_.let_go(); }
  void let_go_of(int place) {
    for (const int node : memory_.nodes) {
      for (Grip& grip : memory_.of(node)) {
        if (grip.collider == place) grip = {};
        else if (grip.collider > place) --grip.collider;
      }
    }
  }

  // ---- in a step

  // Whether the step is one linear system, with the friction law without its kink.
  void set_linear(bool linear) { linear_ = linear; }

  void clear() { holds_.clear(); }

  // Sets the anchors of the bounded nodes of a step from x.
  void take(const Bounds& bounds, const Colliders<dim>& colliders, const Places& x) {
    holds_.resize(bounds.nodes().size());
    for (std::size_t m = 0; m < holds_.size(); ++m) take(bounds.nodes()[m], colliders, x, holds_[m]);
  }

  const Hold<dim>& at(std::size_t m, int axis) const { return holds_[m][static_cast<std::size_t>(axis)]; }

  // The potential of friction at the displacement u in a step of `dt` [s] [J]; adds its gradient to g.
  double potential(const Bounds& bounds, const Vector& u, double dt, Vector& g) const {
    double value = 0;
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const Hold<dim>& hold) {
      const auto response = response_of(hold, displacement(bounded, u), dt);
      value += response.value;
      g.node(bounded.node) += response.gradient.template cast<Scalar>();
    });
    return value;
  }

  // Calls use(node, response of friction) for each node with friction, at displacement(node) in a step of
  // `dt` [s].
  template <class Displacement, class Use>
  void for_each_response(const Bounds& bounds, double dt, Displacement&& displacement, Use&& use) const {
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const Hold<dim>& hold) {
      use(bounded.node, response_of(hold, displacement(bounded.node), dt));
    });
  }

  // Adds its Hessian to A; g is the total gradient.
  template <class Matrix>
  void add_stiffness(const Bounds& bounds, const Vector& u, double dt, const Vector& g, Matrix& A) const {
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u), residual = displacement(bounded, g);
      const auto response = linear_ ? hold.linear_law(at, dt) : hold.law(at, dt, residual);
      A.diagonal(bounded.node) += response.hessian.template cast<Scalar>();
    });
  }

  // The difference between the friction forces of a linear step and Coulomb's law at its end u, relative to
  // the largest possible friction [-].
  double error(const Bounds& bounds, const Vector& u, double dt) const {
    double wrong = 0, all = 0;
    for_each_acting(*this, bounds, [&](const Node& bounded, int, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u);
      const Point off = hold.linear_law(at, dt).gradient - hold.law(at, dt).gradient;
      wrong += detail::algebra::dot<double, dim>(off, off);
      all += hold.limit() * hold.limit();
    });
    return all > 0 ? std::sqrt(wrong / all) : 0;
  }

  // Notes which nodes slide at u, for a linear step.
  void note_sliding(const Bounds& bounds, const Vector& u) {
    for_each_acting(*this, bounds,
                    [&](const Node& bounded, int, Hold<dim>& hold) { hold.note(displacement(bounded, u)); });
  }

  // The change of the friction forces by an update of the normal forces, and the new forces, as norms [N].
  struct Change {
    double change = 0, force = 0;
  };

  // Updates the normal forces from the gradient g at the end u of a pass from x, or a part of their change.
  Change update(const Bounds& bounds, const Colliders<dim>& colliders, const Places& x, const Vector& u,
                const Vector& g, double dt, double part) {
    Change result;
    for (std::size_t m = 0; m < holds_.size(); ++m) {
      const Node& bounded = bounds.nodes()[m];
      const Point at = displacement(bounded, u);
      const auto pressures = bounds.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        Hold<dim>& hold = holds_[m][static_cast<std::size_t>(axis)];
        hold.set_acted(hold.acts() ? response_of(hold, at, dt).gradient : Point(Point::Zero()));
        const int number = bounded.presser(axis, pressures[axis]);
        if (number >= 0 && number != hold.collider()) {  // the contact is on the other side
          hold = hold_of(bounded, axis, colliders, x, new_grip(number, colliders, x, bounded.node));
        }
        const double force = std::abs(static_cast<double>(pressures[axis])), last = hold.normal_force();
        const double friction = colliders[hold.collider()].surface.friction;
        if (hold.drags() && (force > 0) != (last > 0)) {
          result.change = std::numeric_limits<double>::infinity();
        }
        result.change += friction * friction * (force - last) * (force - last);
        result.force += friction * friction * force * force;
        hold.set_normal_force(force == 0 ? 0 : last + part * (force - last));
      }
    }
    result.change = std::sqrt(result.change);
    result.force = std::sqrt(result.force);
    return result;
  }

  // After a change of the planes of the step from x: nodes in contact keep their anchors.
  void keep(const Bounds& bounds, const Colliders<dim>& colliders, const Places& x) {
    keep(bounds, colliders, x,
         [](const Node&, const Hold<dim>& hold) { return std::pair(hold.anchor(), hold.slid()); });
  }

  // Ends a step from x to x + u: nodes in contact keep their anchors, which follow sliding nodes.
  void finish(const Bounds& bounds, const Colliders<dim>& colliders, const Places& x, const Vector& u) {
    keep(bounds, colliders, x, [&](const Node& bounded, const Hold<dim>& hold) {
      const Point at = displacement(bounded, u);
      return std::pair(hold.anchor_at(at), detail::contact::length<dim>(hold.slip(at)));
    });
  }

 private:
  // Few nodes have anchors: only these are visited.
  struct Memory {
    std::vector<Grips> grips;  // of each node
    std::vector<int> nodes;    // that have any

    Grips& of(int node) { return grips[static_cast<std::size_t>(node)]; }
    const Grips& of(int node) const { return grips[static_cast<std::size_t>(node)]; }

    void let_go() {
      for (const int node : nodes) of(node) = {};
      nodes.clear();
    }
  };
  using NodeHolds = std::array<Hold<dim>, std::size_t{dim}>;

  static Point displacement(const Node& bounded, const Vector& u) {
    return u.node(bounded.node).template cast<double>();
  }

  typename Hold<dim>::Response response_of(const Hold<dim>& hold, const Point& u, double dt) const {
    return linear_ ? hold.linear_law(u, dt) : hold.law(u, dt);
  }

  static Grip new_grip(int collider, const Colliders<dim>& colliders, const Places& x, int node) {
    const Point at = x.of(node);
    return {.collider = collider, .anchor = colliders[collider].from.to_local(at)};
  }

  // For each axis, with the anchor on the collider on which it had one before, otherwise on that of the lower
  // plane.
  void take(const Node& bounded, const Colliders<dim>& colliders, const Places& x, NodeHolds& holds) const {
    const Grips& grips = memory_.of(bounded.node);
    std::array<bool, std::size_t{dim}> used{};
    for (int axis = 0; axis < bounded.axes; ++axis) {
      const int below = bounded.below[static_cast<std::size_t>(axis)];
      const int above = bounded.above[static_cast<std::size_t>(axis)];
      Grip grip = new_grip(below >= 0 ? below : above, colliders, x, bounded.node);
      for (std::size_t k = 0; k < grips.size(); ++k) {
        if (used[k] || grips[k].collider < 0) continue;
        if (grips[k].collider != below && grips[k].collider != above) continue;
        used[k] = true;
        grip = grips[k];
        break;
      }
      holds[static_cast<std::size_t>(axis)] = hold_of(bounded, axis, colliders, x, grip);
    }
  }

  Hold<dim> hold_of(const Node& bounded, int axis, const Colliders<dim>& colliders, const Places& x,
                    const Grip& grip) const {
    const Point at = x.of(bounded.node);
    const auto& collider = colliders[grip.collider];
    const auto carried = [&](const Point& local) { return Point(collider.to.to_world(local) - at); };
    return Hold<dim>(grip.collider, collider.surface, stick_length(collider.surface),
                     bounded.N.col(axis).template cast<double>(), grip.normal_force,
                     carried(collider.from.to_local(at)), carried(grip.anchor),
                     Point(at - collider.from.to_world(grip.anchor)), grip.slid);
  }

  // Stores the anchor of each hold; `end` returns the anchor, as a displacement from x, and the sliding
  // distance.
  template <class End>
  void keep(const Bounds& bounds, const Colliders<dim>& colliders, const Places& x, End&& end) {
    let_go();
    for_each_acting(*this, bounds, [&](const Node& bounded, int axis, const Hold<dim>& hold) {
      const auto [anchor, slid] = end(bounded, hold);
      const Point at = x.of(bounded.node) + anchor;
      if (memory_.nodes.empty() || memory_.nodes.back() != bounded.node)
        memory_.nodes.push_back(bounded.node);
      memory_.of(bounded.node)[static_cast<std::size_t>(axis)] = {hold.collider(), hold.normal_force(), slid,
                                                                  colliders[hold.collider()].to.to_local(at)};
    });
  }

  double stick_length(const Surface& surface) const {
    if (surface.stick_length > 0) return surface.stick_length;
    return (linear_ ? 4e-2 : 1e-4) * spacing_;
  }

  // Calls use(bounded node, axis, hold) for each contact with a known normal force on a surface with
  // friction.
  template <class Self, class Use>
  static void for_each_acting(Self& self, const Bounds& bounds, Use&& use) {
    for (std::size_t m = 0; m < self.holds_.size(); ++m) {
      const Node& bounded = bounds.nodes()[m];
      for (int axis = 0; axis < bounded.axes; ++axis) {
        auto& hold = self.holds_[m][static_cast<std::size_t>(axis)];
        if (hold.acts()) use(bounded, axis, hold);
      }
    }
  }

  Memory memory_, saved_;
  std::vector<NodeHolds> holds_;  // of each bounded node, by axis
  double spacing_ = 0;            // [m]
  bool linear_ = false;
};

}  // namespace pliant
