// Contact of the nodes of a body with colliders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <pliant/constraint/bounded_nodes.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/holds.hpp>
#include <pliant/contact/response/node_groups.hpp>

namespace pliant {

// A contact of a node with a collider.
template <int Dim>
struct Contact {
  int node;
  int collider;                     // its number; during a step its place, see Colliders
  SmallVector<double, Dim> normal;  // of its surface, unit, towards the node
  SmallVector<double, Dim> force;   // on the node, friction included [N]
};

// The effect of the colliders of a simulation on the nodes in a step. Each node gets the contact planes that
// it could touch as bounds (`find`). The resulting displacements are checked against the colliders themselves
// (`find_missed`), so that no node passes through one at any speed. Friction uses the normal forces of the
// last pass.
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
  static constexpr bool takes_colliders = true;

  // For the nodes of an ElasticSystem, whose move() adds displacements and whose masses are equal on all
  // axes.
  template <class System>
  void prepare(const System& system) {
    const auto& rest = system.rest();
    double size = 0, length = 0;
    std::ptrdiff_t edges = 0;
    const BlockPattern& pattern = system.pattern();
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      size = std::max(size, static_cast<double>(rest.node(i).cwiseAbs().maxCoeff()));
      for (int k = pattern.row_begin[row] + 1; k < pattern.row_begin[row + 1]; ++k) {
        const auto edge = rest.node(i) - rest.node(pattern.columns[static_cast<std::size_t>(k)]);
        length += static_cast<double>(edge.norm());
        ++edges;
      }
    }
    const double spacing = edges > 0 ? length / static_cast<double>(edges) : size;
    prepare(system.node_count(), spacing, size, system.origins());
  }

  // `spacing` [m]: the mean distance between nodes; `size` [m]: of the coordinates at rest, relative to
  // `origins`, like the positions of a step.
  void prepare(std::ptrdiff_t node_count, double spacing, double size, Origins<dim> origins = {}) {
    origins_ = std::move(origins);
    spacing_ = spacing;
    size_ = size;
    colliders_.prepare(size, 256 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()));
    holds_.prepare(node_count, spacing);
    restrained_.assign(static_cast<std::size_t>(node_count), free);
    planes_.resize(static_cast<std::size_t>(node_count));
    marked_.assign(static_cast<std::size_t>(node_count), 0);
    groups_ = NodeGroups<Vector>(node_count, origins_);
    bounded_.assign(static_cast<std::size_t>(groups_.count()), 0);
    changed_ = bounded_;
    free_.resize(node_count);
  }

  // Sets the constrained nodes.
  template <class Filter>
  void set_constraints(const Filter& filter) {
    std::vector<Square> projections;
    filter.for_each_restrained([&](int, const auto& S) { projections.push_back(S.template cast<double>()); });
    projections_ = std::move(projections);  // no allocation after this
    std::fill(restrained_.begin(), restrained_.end(), int{free});
    int place = 0;
    filter.for_each_restrained(
        [&](int node, const auto&) { restrained_[static_cast<std::size_t>(node)] = place++; });
  }

  // Discards the data of a step that was interrupted.
  void renew() {
    bounds_ = Bounds();
    holds_.clear();
    found_.clear();
    kept_.clear();
  }

  // ---- between steps; see Colliders

  int add(AnyCollider<dim> shape, const Surface& surface, Path path, double time) {
    return colliders_.add(std::move(shape), surface, std::move(path), time);
  }
  void move(int number, const Pose<dim>& pose) { colliders_.move(number, pose); }
  void remove(int number) { holds_.let_go_of(colliders_.remove(number)); }

  bool empty() const { return colliders_.empty(); }
  bool rubs() const { return colliders_.rub(); }

  // Drops all friction anchors, after positions have been set.
  void let_go() { holds_.let_go(); }

  // The contacts at the end of the last accepted step; nodes in the internal numbering.
  const std::vector<Contact<dim>>& pressing() const { return pressing_; }

  // See core/history.hpp.
  struct History {
    typename Colliders<dim>::History colliders;
    typename Holds<Vector>::History holds;
    std::vector<Contact<dim>> pressing;
  };
  void save(History& history) const {
    colliders_.save(history.colliders);
    holds_.save(history.holds);
    history.pressing = pressing_;
  }
  void check(const History& history) const { colliders_.check(history.colliders); }
  void restore(History&& history) {
    colliders_.restore(std::move(history.colliders));
    holds_.restore(std::move(history.holds));
    pressing_ = std::move(history.pressing);
  }

  // ---- one step, in this order

  // Moves the colliders to their poses `dt` [s] after `time` [s]. Nodes inside a collider at the start are
  // moved to its surface without gaining velocity (the position alteration of Baraff and Witkin 1998).
  // Returns whether there were any.
  bool start(double time, double dt, Vector& x) {
    holds_.save();
    colliders_.place(time, time + dt);
    groups_.for_each([&](int group) {
      char& changed = changed_[static_cast<std::size_t>(group)] = 0;
      if (!colliders_.any_near({groups_.box(places(x), group), {Point::Zero(), Point::Zero()}})) return;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        Point at = places(x).of(i);
        if (immovable(i)) continue;
        if (!colliders_.push_out(at, places(x).size(i), [&] { return free_directions(i); })) continue;
        set_point(x, i, at - origins_.of(i));
        changed = 1;
      }
    });
    return any_changed();
  }

  // The same for a part of a step; see Colliders::place.
  void part(double begin, double end, double begun, double done) {
    colliders_.place(begin, end, begun, done);
  }

  // Without colliders there are no contacts.
  void clear() {
    bounds_.clear(std::ssize(restrained_));
    holds_.clear();
    found_.clear();
  }

  // Whether the step is one linear system.
  void set_linear(bool linear) { holds_.set_linear(linear); }

  // The contact planes of the nodes in a step from x, whose displacement without contact would be `ahead`.
  // `prescribed`: the displacements by constraints [m].
  void find(const Vector& x, const Vector& ahead, const Vector& prescribed) {
    find_planes(x, ahead, spacing_, MayMiss::any);
    rebuild(x, prescribed);
    holds_.take(bounds_, colliders_, places(x));
  }

  const Bounds& bounds() const { return bounds_; }
  Bounds& bounds() { return bounds_; }

  // Friction at the displacement u in a step of `dt` [s]; see Holds.
  double friction(const Vector& u, double dt, Vector& g) const { return holds_.potential(bounds_, u, dt, g); }
  template <class Displacement, class Use>
  void for_each_friction(double dt, Displacement&& displacement, Use&& use) const {
    holds_.for_each_response(bounds_, dt, displacement, use);
  }
  template <class Matrix>
  void friction_stiffness(const Vector& u, double dt, const Vector& g, Matrix& A) const {
    holds_.add_stiffness(bounds_, u, dt, g, A);
  }
  double friction_error(const Vector& u, double dt) const { return holds_.error(bounds_, u, dt); }
  void note_sliding(const Vector& u) { holds_.note_sliding(bounds_, u); }
  typename Holds<Vector>::Change update_normal_forces(const Vector& x, const Vector& u, const Vector& g,
                                                      double dt, double part) {
    return holds_.update(bounds_, colliders_, places(x), u, g, dt, part);
  }

  // Surfaces that u crosses and that no recorded plane predicted: adds their planes to the nodes, and moves
  // these back to them. Returns whether there were any.
  bool find_missed(const Vector& x, const Vector& prescribed, Vector& u) {
    return find_missed(x, prescribed, u, MayMiss::any);
  }

  // ---- for integrators that do not solve for contact, in a step or in each part of one

  // After this nothing allocates until the end of the step.
  void make_room() {
    bounds_.reserve(std::ssize(restrained_));
    for (auto* contacts : {&found_, &pressing_}) contacts->reserve(dim * restrained_.size());
  }

  // The length of a part of a step, absolute and relative to the step.
  struct Part {
    double dt;      // [s]
    double weight;  // [-]
  };

  // Sets the forces of the step, the weighted sums of those of its parts, to zero.
  void begin_forces() { found_.clear(); }

  // For parts of a step that may have to be repeated.
  void keep_forces() { kept_ = found_; }
  void restore_forces() { found_ = kept_; }

  // Moves the nodes that the displacement u takes into or through colliders back to their surfaces. With m =
  // mass(i) [kg] and d the correction, the normal force is m d / dt^2; friction and drag reduce the
  // displacement along the surface accordingly. Calls changed(i) for each of these nodes. Returns false if
  // some could not be kept out.
  template <class Mass, class Changed>
  bool put_back(const Vector& x, const Vector& prescribed, const Part& part, Mass&& mass, Vector& u,
                Changed&& changed) {
    constexpr int most_passes = 20;
    find_planes(x, u, 0, MayMiss::bounded);
    rebuild(x, prescribed);
    holds_.clear();
    for_each_with_planes([&](int i) { free_.node(i) = u.node(i); });
    for (const auto& bounded : bounds_.nodes()) {
      const int i = bounded.node;
      const auto carried = [&](const auto& collider) {
        const Point at = places(x).of(i);
        return Point(collider.to.to_world(collider.from.to_local(at)) - at);
      };
      set_point(u, i, settled(bounded, point(u, i), carried, part.dt / mass(i)));
    }
    // Nodes without planes keep their displacement, which has been checked already.
    for (int pass = 0; find_missed(x, prescribed, u, MayMiss::bounded); ++pass) {
      if (pass == most_passes) return false;
    }
    for (const auto& bounded : bounds_.nodes()) {
      const int i = bounded.node;
      const Point way = point(u, i) - point(free_, i);
      if (way == Point(Point::Zero())) continue;
      press(bounded, way, part.weight * mass(i) / (part.dt * part.dt));
      changed(i);
    }
    return true;
  }

  // For nodes that touch colliders at x, to which the displacement u has taken them since the last call of
  // put_back: removes the inward part of their velocities v [m/s], and reduces their speed along the surface
  // by friction. Calls changed(i, change) for each change of a velocity [m/s], which is caused by the force m
  // change / dt.
  template <class Mass, class Changed>
  void stop_entering(const Vector& x, const Vector& u, const Part& part, Mass&& mass, Vector& v,
                     Changed&& changed) {
    for (const auto& bounded : bounds_.nodes()) {
      const int i = bounded.node;
      const auto carried = [&](const auto& collider) { return carried_to(places(x).of(i), collider); };
      const Point before = point(v, i), ahead = part.dt * before;
      const BoundedNode stopped = stopped_by(bounded, point(u, i), ahead, carried);
      if (stopped.axes == 0) continue;
      const Point allowed = settled(stopped, ahead, carried, 0);
      if (allowed == ahead) continue;
      set_point(v, i, allowed / part.dt);
      const Point change = point(v, i) - before;
      press(stopped, change, part.weight * mass(i) / part.dt);
      changed(i, change);
    }
  }

  // A node that could not be kept out of the colliders, if any: preferably one to which two colliders leave
  // no room, otherwise one that has entered a collider in spite of its planes; with the numbers of up to two
  // of these colliders, or -1.
  struct Blocked {
    int node = -1;
    std::array<int, 2> colliders{-1, -1};
  };
  Blocked blocked() const {
    Blocked result;
    for (const auto& bounded : bounds_.nodes()) {
      if (bounded.crossed >= 0) {
        const auto axis = static_cast<std::size_t>(bounded.crossed);
        return {bounded.node, {number(bounded.below[axis]), number(bounded.above[axis])}};
      }
      if (result.node >= 0 || marked_[static_cast<std::size_t>(bounded.node)] == 0) continue;
      result.node = bounded.node;
      for (const ContactPlane<dim>& plane : planes_[static_cast<std::size_t>(bounded.node)]) {
        auto& [first, second] = result.colliders;
        if (first < 0) first = number(plane.collider);
        else if (second < 0 && first != number(plane.collider)) second = number(plane.collider);
      }
    }
    return result;
  }

  // Adds the forces of the colliders to `forces` [N]. Returns the number of nodes in contact.
  int add_found(Vector& forces) const {
    int nodes = 0, last = -1;
    for (const Contact<dim>& contact : found_) {
      forces.node(contact.node) += contact.force.template cast<Scalar>();
      if (contact.node != last) ++nodes;
      last = contact.node;
    }
    return nodes;
  }

  // For a step that ends at the displacement u with the gradient g: adds the forces of the colliders on the
  // nodes to `forces` [N], and records the contacts. Returns the number of nodes in contact.
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
        const Point force = along - holds_.at(m, axis).acted();
        forces.node(bounded.node) += force.template cast<Scalar>();
        found_.push_back({bounded.node, bounded.presser(axis, pressures[axis]),
                          normal_of(bounded, axis, pressures[axis] > 0), force});
      }
    }
    return nodes;
  }

  // The contacts at the end of the current step.
  const std::vector<Contact<dim>>& found() const { return found_; }

  // Multiplies the forces found, to make them those of the step.
  void scale_forces(double part) {
    for (Contact<dim>& contact : found_) contact.force *= part;
  }

  // Nodes in contact move with the colliders along the normals, and sticking nodes in all directions: sets
  // the velocities v [m/s] accordingly at the end x + u of a step of `dt` [s] with the gradient g.
  void follow(const Vector& x, const Vector& u, const Vector& g, double dt, Vector& v) const {
    for (std::size_t m = 0; m < bounds_.nodes().size(); ++m) {
      const auto& bounded = bounds_.nodes()[m];
      const int i = bounded.node;
      const auto pressures = bounds_.pressures(bounded, u.node(i), g.node(i));
      if (pressures.isZero()) continue;
      const Point end = (x.node(i) + u.node(i)).template cast<double>() + origins_.of(i);
      auto speed = Bounds::in_frame(bounded, v.node(i));
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const auto& collider = colliders_[bounded.presser(axis, pressures[axis])];
        const Point way = carried_to(end, collider);
        const Hold<dim>& hold = holds_.at(m, axis);
        if (hold.normal_force() > 0 && hold.sticks(point(u, i))) {
          speed = Bounds::in_frame(bounded, Point(way / dt).template cast<Scalar>());
          break;
        }
        const Point normal = bounded.N.col(axis).template cast<double>();
        speed[axis] = static_cast<Scalar>(detail::algebra::dot<double, dim>(normal, way) / dt);
      }
      v.node(i) = detail::algebra::times<Scalar, dim, dim, 1>(bounded.T, speed);
    }
  }

  // Ends a step, or a part of it, from x to x + u.
  void finish(const Vector& x, const Vector& u) { holds_.finish(bounds_, colliders_, places(x), u); }

  // Ends the step; if it was not accepted, restores the state before it.
  void end(bool accepted) {
    if (accepted) {
      std::swap(pressing_, found_);
      for (Contact<dim>& contact : pressing_) contact.collider = number(contact.collider);
      colliders_.arrive();
    } else if (!empty()) {  // without colliders start() was not called, and saved nothing
      holds_.restore();
    }
  }

 private:
  using BoundedNode = typename Bounds::Node;
  static constexpr int free = -1;

  Places<Vector> places(const Vector& x) const { return {x, origins_}; }

  // Of the collider at a place; -1 for none.
  int number(int place) const { return place < 0 ? -1 : colliders_[place].number; }

  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }

  static void set_point(Vector& vector, std::ptrdiff_t i, const Point& value) {
    vector.node(i) = value.template cast<Scalar>();
  }

  // Calls use(i) for each node with planes, in order.
  template <class Use>
  void for_each_with_planes(Use&& use) const {
    for (int group = 0; group < groups_.count(); ++group) {
      if (bounded_[static_cast<std::size_t>(group)] == 0) continue;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        if (planes_[static_cast<std::size_t>(i)].count > 0) use(i);
      }
    }
  }

  NodeRegion<dim> region(int group, const Vector& x, const Vector& way) const {
    return {groups_.box(places(x), group), groups_.box(way, group)};
  }

  bool any_changed() const {
    return std::any_of(changed_.begin(), changed_.end(), [](char changed) { return changed != 0; });
  }

  bool immovable(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place != free && projections_[static_cast<std::size_t>(place)].isZero();
  }

  Square free_directions(std::ptrdiff_t i) const {
    const int place = restrained_[static_cast<std::size_t>(i)];
    return place == free ? Square::Identity() : projections_[static_cast<std::size_t>(place)];
  }

  // The nodes to search for additional planes: all, or only those that have planes already.
  enum class MayMiss { any, bounded };

  // Planes that are farther than `beyond` [m] from the path are omitted.
  void find_planes(const Vector& x, const Vector& ahead, double beyond, MayMiss may_miss) {
    groups_.for_each([&](int group) {
      const NodeRegion<dim> around = region(group, x, ahead);
      char& bounded = bounded_[static_cast<std::size_t>(group)] = 0;
      bool begun = false;
      const auto begin_planes = [&] {
        begun = true;
        for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
          auto& planes = planes_[static_cast<std::size_t>(i)];
          planes.count = 0;
          planes.size = std::max(size_, places(x).size(i));
        }
      };
      if (may_miss == MayMiss::any) begin_planes();
      for (int place = 0; place < colliders_.count(); ++place) {
        if (!colliders_.near(place, around, beyond)) continue;
        if (!begun) begin_planes();
        for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
          if (immovable(i)) continue;
          auto& planes = planes_[static_cast<std::size_t>(i)];
          const Point way = point(ahead, i);
          colliders_.meet(place, places(x).of(i), way, detail::contact::length<dim>(way) + beyond, planes);
          if (planes.count > 0) bounded = 1;
        }
      }
    });
  }

  bool find_missed(const Vector& x, const Vector& prescribed, Vector& u, MayMiss may_miss) {
    groups_.for_each([&](int group) {
      char& bounded = bounded_[static_cast<std::size_t>(group)];
      char& changed = changed_[static_cast<std::size_t>(group)] = 0;
      if (may_miss == MayMiss::bounded && bounded == 0) return;
      std::fill(marked_.begin() + groups_.begin(group), marked_.begin() + groups_.end(group), char{0});
      if (!colliders_.any_near(region(group, x, u))) return;
      for (int i = groups_.begin(group); i < groups_.end(group); ++i) {
        auto& planes = planes_[static_cast<std::size_t>(i)];
        if (immovable(i) || (may_miss == MayMiss::bounded && planes.count == 0)) continue;
        const Point from = places(x).of(i), way = point(u, i);
        const int m = bounds_.place(i);
        double rounding = 8 * colliders_.tolerance(planes.size);
        if (m >= 0) {
          const auto& bounded_node = bounds_.nodes()[static_cast<std::size_t>(m)];
          rounding = std::max(rounding, 2 * static_cast<double>(bounded_node.rounding_at(u.node(i))));
        }
        colliders_.for_each_entered(from, way, [&](const ContactPlane<dim>& plane) {
          if (plane.least - detail::algebra::dot<double, dim>(plane.normal, way) <= rounding) return;
          planes.insist(plane, way);
          marked_[static_cast<std::size_t>(i)] = changed = bounded = 1;
        });
      }
    });
    if (!any_changed()) return false;
    if (may_miss == MayMiss::any) holds_.keep(bounds_, colliders_, places(x));
    rebuild(x, prescribed);
    if (may_miss == MayMiss::any) holds_.take(bounds_, colliders_, places(x));
    for (const auto& bounded : bounds_.nodes()) {
      if (marked_[static_cast<std::size_t>(bounded.node)] == 0) continue;
      u.node(bounded.node) = Bounds::nearest(bounded, u.node(bounded.node));
    }
    return true;
  }

  static Point normal_of(const BoundedNode& bounded, int axis, bool from_below) {
    return (from_below ? 1 : -1) * bounded.N.col(axis).template cast<double>();
  }

  // The displacement in the step of the material point of a collider that is at `end` now.
  static Point carried_to(const Point& end, const typename Colliders<dim>::Collider& collider) {
    return end - collider.from.to_world(collider.to.to_local(end));
  }

  // The axis of a bounded node with the largest correction by its planes, and its side.
  struct Pushed {
    int axis = 0;
    bool from_below = true;

    int collider(const BoundedNode& bounded) const {
      const auto k = static_cast<std::size_t>(axis);
      return from_below ? bounded.below[k] : bounded.above[k];
    }
  };

  static Pushed pushed_most(const BoundedNode& bounded, const Point& pushes) {
    Pushed result{0, bounded.below[0] >= 0};
    double most = 0;
    for (int k = 0; k < bounded.axes; ++k) {
      if (std::abs(pushes[k]) <= most || bounded.presser(k, static_cast<Scalar>(pushes[k])) < 0) continue;
      most = std::abs(pushes[k]);
      result = {k, pushes[k] > 0};
    }
    return result;
  }

  // A displacement as the sum of components along the normals of the planes.
  static Point along_normals(const BoundedNode& bounded, const Point& way) {
    return detail::algebra::transposed_times<double, dim, dim, 1>(Square(bounded.T.template cast<double>()),
                                                                  way);
  }

  // The displacement without contact of a bounded node, projected into its bounds and reduced by friction and
  // drag of the collider with the largest correction. `carried(collider)`: the displacement of the collider
  // [m]; `drag_time`: the duration of the drag divided by the mass [s/kg].
  template <class Carried>
  Point settled(const BoundedNode& bounded, const Point& unbound, Carried&& carried, double drag_time) const {
    const auto within_bounds = [&](const Point& u) {
      return Point(Bounds::nearest(bounded, u.template cast<Scalar>()).template cast<double>());
    };
    const Point u = within_bounds(unbound);
    if (u == unbound) return u;
    const Point back = u - unbound;
    const Pushed pushed = pushed_most(bounded, along_normals(bounded, back));
    const auto& collider = colliders_[pushed.collider(bounded)];
    const Point normal = normal_of(bounded, pushed.axis, true);
    Point slip = u - carried(collider);
    slip -= detail::algebra::dot<double, dim>(slip, normal) * normal;
    const double length = detail::contact::length<dim>(slip);
    if (length == 0) return u;
    const double held = std::min(length, collider.surface.friction * detail::contact::length<dim>(back));
    const double left = (length - held) / (1 + collider.surface.viscosity * drag_time);
    const Point less = (1 - left / length) * slip;
    return within_bounds(u -
                         detail::algebra::times<double, dim, dim, 1>(free_directions(bounded.node), less));
  }

  // The bounds for a further displacement `ahead` of a bounded node after u: those of the planes that it has
  // reached, which continue to move with the colliders. Without axes if there are none.
  template <class Carried>
  BoundedNode stopped_by(const BoundedNode& bounded, const Point& u, const Point& ahead,
                         Carried&& carried) const {
    const auto& planes = planes_[static_cast<std::size_t>(bounded.node)];
    const auto rounding = static_cast<double>(bounded.rounding_at(u.template cast<Scalar>()));
    NodePlanes<dim> touched;
    for (ContactPlane<dim> plane : planes) {
      if (detail::algebra::dot<double, dim>(plane.normal, u) - plane.least > rounding) continue;
      plane.least =
          detail::algebra::dot<double, dim>(plane.normal, Point(carried(colliders_[plane.collider])));
      touched.add(plane);
    }
    BoundedNode result;
    if (touched.count == 0) return result;
    if (planes.count == 1 && restrained_[static_cast<std::size_t>(bounded.node)] == free) {
      result = bounded;  // the same plane, moved
      result.lower[0] = static_cast<Scalar>(touched.begin()->least);
      return result;
    }
    const Square S = free_directions(bounded.node);
    return Bounds::bounded_by(bounded.node, touched, S,
                              ahead - detail::algebra::times<double, dim, dim, 1>(S, ahead), planes.size);
  }

  // Records the forces of a correction `way` of a bounded node, with `force_per_way` [N/m]: each plane acts
  // along its normal, and the plane with the largest force has the friction. Contacts are recorded in the
  // order of the nodes.
  void press(const BoundedNode& bounded, const Point& way, double force_per_way) {
    const Point pushes = along_normals(bounded, way);
    const Pushed most = pushed_most(bounded, pushes);
    Point rest = way;
    for (int k = 0; k < bounded.axes; ++k) {
      const int collider = bounded.presser(k, static_cast<Scalar>(pushes[k]));
      if (k == most.axis || collider < 0) continue;
      const Point normal = normal_of(bounded, k, true), push = pushes[k] * normal;
      rest -= push;
      count({bounded.node, collider, normal_of(bounded, k, pushes[k] > 0), force_per_way * push});
    }
    count({bounded.node, most.collider(bounded), normal_of(bounded, most.axis, most.from_below),
           force_per_way * rest});
  }

  void count(const Contact<dim>& contact) {
    const auto before = [](const Contact<dim>& a, const Contact<dim>& b) {
      return a.node != b.node ? a.node < b.node : a.collider < b.collider;
    };
    const auto place = std::lower_bound(found_.begin(), found_.end(), contact, before);
    if (place == found_.end() || before(contact, *place)) {
      found_.insert(place, contact);
    } else {
      place->normal = contact.normal;
      place->force += contact.force;
    }
  }

  // Bounds from the planes.
  void rebuild(const Vector& x, const Vector& prescribed) {
    bounds_.clear(x.nodes());
    for_each_with_planes([&](int i) {
      const auto& planes = planes_[static_cast<std::size_t>(i)];
      bounds_.add(i, planes, free_directions(i), point(prescribed, i), planes.size);
    });
    found_.reserve(dim * bounds_.nodes().size());  // now, because an allocation after a solve should not fail
  }

  Colliders<dim> colliders_;
  NodeGroups<Vector> groups_;
  Holds<Vector> holds_;
  Bounds bounds_;
  Origins<dim> origins_;
  double spacing_ = 0, size_ = 0;  // [m]
  std::vector<int> restrained_;    // of each node: in projections_, or free
  std::vector<Square> projections_;
  std::vector<NodePlanes<dim>> planes_;  // of each node, used if its group may be bounded
  std::vector<char> marked_;             // the same
  std::vector<char> bounded_;            // whether any node of a group has planes
  std::vector<char> changed_;            // whether any node of a group was moved, or got a plane
  Vector free_;                          // a displacement without contact
  std::vector<Contact<dim>> found_, kept_, pressing_;
};

}  // namespace pliant
