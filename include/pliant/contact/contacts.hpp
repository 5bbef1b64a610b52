// Contact of the nodes of a body with colliders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/constraint/filter.hpp>
#include <pliant/contact/bounded_nodes.hpp>
#include <pliant/contact/colliders.hpp>
#include <pliant/contact/holds.hpp>
#include <pliant/core/parallel.hpp>

namespace pliant {

// A collider pressing on a node.
template <int Dim>
struct Contact {
  int node;
  int collider;                     // as add_collider called it
  SmallVector<double, Dim> normal;  // of its surface, unit, towards the node
  SmallVector<double, Dim> force;   // on the node, friction included [N]
};

// What the colliders of a simulation do to the nodes in a step: each node is bounded by the planes that it
// could meet (`find`). What a step makes of that is checked against the colliders themselves (`find_missed`),
// so that no node passes through one whatever its speed. Friction takes the normal forces of the last pass.
template <class VectorType>  // a NodeVector
class Contacts {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Square = SmallMatrix<double, dim, dim>;
  using Path = typename Colliders<dim>::Path;
  using Bounds = BoundedNodes<Vector>;

  // `spacing` [m]: the mean distance between nodes; `size` [m]: of the coordinates at rest.
  void prepare(std::ptrdiff_t node_count, double spacing, double size) {
    spacing_ = spacing;
    size_ = size;
    colliders_.prepare(size, 256 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
    holds_.prepare(node_count, spacing);
    restrained_.assign(static_cast<std::size_t>(node_count), free);
    planes_.resize(static_cast<std::size_t>(node_count));
    free_.resize(node_count);
  }

  // Which nodes cannot move freely.
  template <class Filter>
  void set_constraints(const Filter& filter) {
    std::fill(restrained_.begin(), restrained_.end(), int{free});
    projections_.clear();
    filter.for_each_restrained([&](int node, const auto& S) {
      restrained_[static_cast<std::size_t>(node)] = static_cast<int>(projections_.size());
      projections_.push_back(S.template cast<double>());
    });
  }

  // ---- between steps; see Colliders

  int add(AnyCollider<dim> shape, const Surface& surface, Path path, double time) {
    return colliders_.add(std::move(shape), surface, std::move(path), time);
  }
  void move(int number, const Pose<dim>& pose) { colliders_.move(number, pose); }
  void remove(int number) {
    colliders_.remove(number);
    holds_.let_go_of(number);
  }

  bool empty() const { return colliders_.empty(); }
  bool rubs() const { return colliders_.rub(); }

  // Nodes have been put elsewhere: they hold on to nothing.
  void let_go() { holds_.let_go(); }

  // What pressed at the end of the last step that was accepted; nodes in the internal numbering.
  const std::vector<Contact<dim>>& pressing() const { return pressing_; }

  // ---- one step, in this order

  // Colliders go to where they are `dt` [s] after `time` [s]. Nodes that are inside one at the start are put
  // on its surface, which gives them no velocity (the position alteration of Baraff and Witkin 1998). Returns
  // whether there were any.
  bool start(double time, double dt, Vector& x) {
    holds_.save();
    colliders_.place(time, time + dt);
    mark_nodes(x, [&](std::ptrdiff_t i) {
      Point at = point(x, i);
      if (immovable(i) || !colliders_.push_out(at, free_directions(i))) return false;
      x.node(i) = at.template cast<Scalar>();
      return true;
    });
    return any_marked();
  }

  // The same for a part of a step; see Colliders::place.
  void part(double begin, double end, bool first) { colliders_.place(begin, end, first); }

  // Without colliders: nothing touches.
  void clear() {
    bounds_.clear(std::ssize(restrained_));
    holds_.clear();
    found_.clear();
  }

  // Whether the step is one linear system.
  void set_linear(bool linear) { holds_.set_linear(linear); }

  // The planes of the nodes for the step from x, which `ahead` would lead to x + ahead without contact.
  // `prescribed`: the displacements that constraints ask for [m].
  void find(const Vector& x, const Vector& ahead, const Vector& prescribed) {
    for_each_node(x, [&](std::ptrdiff_t i) {
      auto& planes = planes_[static_cast<std::size_t>(i)];
      planes.count = 0;
      if (immovable(i)) return;
      const Point from = point(x, i), way = point(ahead, i);
      planes.size = std::max({size_, detail::largest_entry<dim>(from), detail::largest_entry<dim>(way)});
      colliders_.meet(from, way, detail::length<dim>(way) + spacing_, planes);
    });
    rebuild(x, prescribed);
  }

  const Bounds& bounds() const { return bounds_; }
  Bounds& bounds() { return bounds_; }

  // Friction at the displacement u in a step of `dt` [s]; see Holds.
  double friction(const Vector& u, double dt, Vector& g) const { return holds_.potential(bounds_, u, dt, g); }
  template <class Matrix>
  void friction_stiffness(const Vector& u, double dt, const Vector& g, Matrix& A) const {
    holds_.add_stiffness(bounds_, u, dt, g, A);
  }
  double friction_error(const Vector& u, double dt) const { return holds_.error(bounds_, u, dt); }
  void note_sliding(const Vector& u) { holds_.note_sliding(bounds_, u); }
  typename Holds<Vector>::Change update_normal_forces(const Vector& x, const Vector& u, const Vector& g,
                                                      double dt, double part) {
    return holds_.update(bounds_, colliders_, x, u, g, dt, part);
  }

  // Planes that the displacement u crosses although no plane told: gives them to the nodes, and puts these on
  // them. True where there were any.
  bool find_missed(const Vector& x, const Vector& prescribed, Vector& u) {
    mark_nodes(x, [&](std::ptrdiff_t i) {
      if (immovable(i)) return false;
      auto& planes = planes_[static_cast<std::size_t>(i)];
      const Point from = point(x, i), way = point(u, i);
      const double rounding =
          8 * colliders_.tolerance(std::max(planes.size, detail::largest_entry<dim>(way)));
      bool missed = false;
      colliders_.for_each_entered(from, way, [&](const ContactPlane<dim>& plane) {
        if (plane.least - dot<double, dim>(plane.normal, way) <= rounding) return;
        planes.insist(plane, way);
        missed = true;
      });
      return missed;
    });
    if (!any_marked()) return false;
    holds_.keep(bounds_, colliders_, x);
    rebuild(x, prescribed);
    for (const auto& bounded : bounds_.nodes()) {
      if (marked_[static_cast<std::size_t>(bounded.node)] != 0) clamp(bounded, u);
    }
    return true;
  }

  // For integrators that do not solve for contact. Puts the nodes that the displacement u takes past
  // colliders on their surfaces; where that takes the force m d / dt^2, with m = mass(i) [kg] and d the way
  // back, friction and drag take as much from their way along the surface as they can in `dt` [s]. Adds the
  // forces to `forces` [N] and lists them. Returns how many nodes were put back, -1 where some could not be
  // kept out.
  template <class Mass>
  int put_back(const Vector& x, const Vector& prescribed, double dt, Mass&& mass, Vector& u, Vector& forces) {
    constexpr int most_passes = 20;
    find(x, u, prescribed);
    found_.clear();
    free_.set_sum(u, Scalar(0), u);
    for (const auto& bounded : bounds_.nodes()) {
      if (!clamp(bounded, u)) continue;
      const Point back = point(u, bounded.node) - point(free_, bounded.node);
      const Point slowed = slow_down(bounded, x, back, dt, mass(bounded.node), point(u, bounded.node));
      u.node(bounded.node) = slowed.template cast<Scalar>();
      clamp(bounded, u);
    }
    for (int pass = 0; find_missed(x, prescribed, u); ++pass) {
      if (pass == most_passes) return -1;
    }
    int nodes = 0;
    for (const auto& bounded : bounds_.nodes()) {
      const Point way = point(u, bounded.node) - point(free_, bounded.node);
      const Pressed pressed = pressed_most(bounded, way);
      if (pressed.axis < 0) continue;
      ++nodes;
      press(bounded, pressed, mass(bounded.node) / (dt * dt) * way, forces);
    }
    return nodes;
  }

  // The step ends at the displacement u with the gradient g: adds to `forces` those of the colliders on the
  // nodes [N] and lists them. Returns how many nodes press on a collider.
  int add_forces(const Vector& u, const Vector& g, Vector& forces) {
    found_.clear();
    int nodes = 0;
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const auto pressures = bounds_.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      if (!pressures.isZero()) ++nodes;
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const Point along =
            static_cast<double>(pressures[axis]) * bounded.N.col(axis).template cast<double>();
        press(bounded, {axis, pressures[axis]}, along - holds_.at(m, axis).acted(), forces);
      }
    }
    return nodes;
  }

  // What presses at the end of the present step.
  const std::vector<Contact<dim>>& found() const { return found_; }

  // Where the forces found are not yet those of the step, but this part of them is.
  void scale_forces(double part) {
    for (Contact<dim>& contact : found_) contact.force *= part;
  }

  // Nodes that press on colliders move with them along the normals, and those that stick in every direction:
  // takes the rest out of the velocities v [m/s] at the end x + u of a step of `dt` [s] with the gradient g.
  void follow(const Vector& x, const Vector& u, const Vector& g, double dt, Vector& v) const {
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const int i = bounded.node;
      const auto pressures = bounds_.pressures(bounded, u.node(i), g.node(i));
      if (pressures.isZero()) continue;
      const Point end = (x.node(i) + u.node(i)).template cast<double>();
      auto speed = Bounds::in_frame(bounded, v.node(i));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const auto& collider = colliders_[bounded.presser(axis, pressures[axis])];
        const Point way = end - collider.from.to_world(collider.to.to_local(end));
        const Hold<dim>& hold = holds_.at(m, axis);
        if (hold.normal_force() > 0 && hold.sticks(point(u, i))) {
          speed = Bounds::in_frame(bounded, Point(way / dt).template cast<Scalar>());
          break;
        }
        const Point normal = bounded.N.col(axis).template cast<double>();
        speed[axis] = static_cast<Scalar>(dot<double, dim>(normal, way) / dt);
      }
      v.node(i) = times<Scalar, dim, dim, 1>(bounded.T, speed);
    }
  }

  // The step, or a part of it, leads from x to x + u.
  void finish(const Vector& x, const Vector& u) { holds_.finish(bounds_, colliders_, x, u); }

  // The step is over: accepted, or as if it had not been.
  void end(bool accepted) {
    if (accepted) {
      std::swap(pressing_, found_);
      colliders_.arrive();
    } else {
      holds_.restore();
    }
  }

 private:
  using BoundedNode = typename Bounds::Node;
  static constexpr int free = -1;

  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }

  template <class Run>
  static void for_each_node(const Vector& x, Run&& run) {
    parallel_for(x.nodes(), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) run(i);
    });
  }

  // Marks the nodes i for which is(i) is true.
  template <class Is>
  void mark_nodes(const Vector& x, Is&& is) {
    marked_.assign(static_cast<std::size_t>(x.nodes()), 0);
    for_each_node(x, [&](std::ptrdiff_t i) { marked_[static_cast<std::size_t>(i)] = is(i) ? 1 : 0; });
  }

  bool any_marked() const {
    return std::any_of(marked_.begin(), marked_.end(), [](char marked) { return marked != 0; });
  }

  bool immovable(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place != free && projections_[static_cast<std::size_t>(place)].isZero();
  }

  Square free_directions(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place == free ? Square::Identity() : projections_[static_cast<std::size_t>(place)];
  }

  // Puts a bounded node within its bounds. False where it was.
  static bool clamp(const BoundedNode& bounded, Vector& u) {
    const auto y = Bounds::in_frame(bounded, u.node(bounded.node));
    auto inside = y;
    for (int k = 0; k < bounded.axes; ++k) inside[k] = std::clamp(y[k], bounded.lower[k], bounded.upper[k]);
    if (inside == y) return false;
    u.node(bounded.node) = times<Scalar, dim, dim, 1>(bounded.T, inside);
    return true;
  }

  // An axis of a bounded node along which it presses, and by how much, a way [m] or a force [N], with the
  // sign of the collider's push.
  struct Pressed {
    int axis = -1;
    Scalar push = 0;
  };

  // That along which a way off the planes is longest.
  static Pressed pressed_most(const BoundedNode& bounded, const Point& way) {
    const auto along = Bounds::in_frame(bounded, way.template cast<Scalar>());
    Pressed result;
    for (int k = 0; k < bounded.axes; ++k) {
      if (std::abs(along[k]) > std::abs(result.push) && bounded.presser(k, along[k]) >= 0) {
        result = {k, along[k]};
      }
    }
    return result;
  }

  // Adds the force of a collider on a node [N] to all forces and to the list.
  void press(const BoundedNode& bounded, const Pressed& pressed, const Point& force, Vector& forces) {
    const Point normal = (pressed.push > 0 ? 1 : -1) * bounded.N.col(pressed.axis).template cast<double>();
    forces.node(bounded.node) += force.template cast<Scalar>();
    found_.push_back({bounded.node, bounded.presser(pressed.axis, pressed.push), normal, force});
  }

  // The displacement u of a node that was put back by the way `back`, once friction and drag of the collider
  // that it presses on most have acted.
  Point slow_down(const BoundedNode& bounded, const Vector& x, const Point& back, double dt, double mass,
                  const Point& u) const {
    const Pressed pressed = pressed_most(bounded, back);
    if (pressed.axis < 0) return u;
    const auto& collider = colliders_[bounded.presser(pressed.axis, pressed.push)];
    const Point at = point(x, bounded.node), normal = bounded.N.col(pressed.axis).template cast<double>();
    Point slip = u - (collider.to.to_world(collider.from.to_local(at)) - at);
    slip -= dot<double, dim>(slip, normal) * normal;
    const double length = detail::length<dim>(slip);
    if (length == 0) return u;
    const double held = std::min(length, collider.surface.friction * detail::length<dim>(back));
    const double left = (length - held) / (1 + collider.surface.viscosity * dt / mass);
    return u - (1 - left / length) * slip;
  }

  // Bounds and holds from the planes.
  void rebuild(const Vector& x, const Vector& prescribed) {
    bounds_.clear(x.nodes());
    for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) {
      const auto& planes = planes_[static_cast<std::size_t>(i)];
      if (planes.count == 0) continue;
      bounds_.add(static_cast<int>(i), planes, free_directions(i), point(prescribed, i), planes.size);
    }
    holds_.take(bounds_, colliders_, x);
  }

  Colliders<dim> colliders_;
  Holds<Vector> holds_;
  Bounds bounds_;
  double spacing_ = 0, size_ = 0;  // [m]
  std::vector<int> restrained_;    // of each node: in projections_, or free
  std::vector<Square> projections_;
  std::vector<NodePlanes<dim>> planes_;  // of each node
  std::vector<char> marked_;             // the same
  Vector free_;                          // a displacement without contact
  std::vector<Contact<dim>> found_, pressing_;
};

}  // namespace pliant
