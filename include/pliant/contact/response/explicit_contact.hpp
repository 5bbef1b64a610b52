// The response of colliders in a step that does not solve for contact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <pliant/contact/response/contact_data.hpp>

namespace pliant {

template <class VectorType>
class ContactStep;

namespace detail::contact {

// The length of a part of a step, absolute and relative to the step.
struct StepPart {
  double dt;      // [s]
  double weight;  // [-]
};

// Moves nodes back to the surfaces that they cross, in a step or in each part of one, and sums up the forces
// that this takes. ContactStep::begin_explicit returns it.
template <class VectorType>  // a NodeVector
class [[nodiscard]] ExplicitContact {
  using Data = ContactData<VectorType>;

 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Bounds = BoundedNodes<Vector>;

  // The nodes near colliders after put_back.
  class [[nodiscard]] Bounded {
   public:
    // For nodes that touch colliders at x, to which put_back has taken them by the displacement u: removes
    // the inward part of their velocities v [m/s], and reduces their speed along the surface by friction.
    // Calls changed(i, change) for each change of a velocity [m/s], which is caused by the force m change /
    // dt.
    template <class Mass, class Changed>
    void stop_entering(const Vector& x, const Vector& u, const StepPart& part, Mass&& mass, Vector& v,
                       Changed&& changed) const {
      const ExplicitContact response(data_);
      for (const auto& bounded : data_.search.bounds.nodes()) {
        const int i = bounded.node;
        const auto carried = [&](const auto& collider) {
          return Data::carried_to(data_.search.world(x).of(i), collider);
        };
        const Point before = Data::point(v, i), ahead = part.dt * before;
        const BoundedNode stopped = response.stopped_by(bounded, Data::point(u, i), ahead, carried);
        if (stopped.axes == 0) continue;
        const Point allowed = response.settled(stopped, ahead, carried, 0);
        if (allowed == ahead) continue;
        v.node(i) = Point(allowed / part.dt).template cast<Scalar>();
        const Point change = Data::point(v, i) - before;
        response.press(stopped, change, part.weight * mass(i) / part.dt);
        changed(i, change);
      }
    }

   private:
    friend ExplicitContact;
    explicit Bounded(Data& data) : data_(data) {}

    Data& data_;
  };

  // After this nothing allocates until the end of the step.
  void make_room() {
    if (data_.empty()) return;
    data_.search.bounds.reserve(data_.search.node_count());
    for (auto* contacts : {&data_.found, &data_.active}) {
      contacts->reserve(dim * static_cast<std::size_t>(data_.search.node_count()));
    }
  }

  // For parts of a step that may have to be repeated.
  void keep_forces() { data_.kept = data_.found; }
  void restore_forces() { data_.found = data_.kept; }

  // Moves the nodes that the displacement u takes into or through colliders back to their surfaces. With m =
  // mass(i) [kg] and d the correction, the normal force is m d / dt^2; friction and drag reduce the
  // displacement along the surface accordingly. Calls changed(i) for each of these nodes. Returns nothing if
  // some could not be kept out.
  template <class Mass, class Changed>
  std::optional<Bounded> put_back(const Vector& x, const Vector& prescribed, const StepPart& part,
                                  Mass&& mass, Vector& u, Changed&& changed) {
    constexpr int most_passes = 20;
    using Nodes = typename Data::Search::Nodes;
    if (data_.empty()) return Bounded(data_);
    auto& search = data_.search;
    search.find(x, u, 0, Nodes::bounded);
    data_.rebuild(x, prescribed);
    data_.friction.clear();
    search.for_each_with_planes([&](int i) { data_.without.node(i) = u.node(i); });
    for (const auto& bounded : search.bounds.nodes()) {
      const int i = bounded.node;
      const auto carried = [&](const auto& collider) {
        const Point at = search.world(x).of(i);
        return Point(collider.to.to_world(collider.from.to_local(at)) - at);
      };
      u.node(i) = settled(bounded, Data::point(u, i), carried, part.dt / mass(i)).template cast<Scalar>();
    }
    // Nodes without planes keep their displacement, which has been checked already.
    for (int pass = 0; search.find_entered(x, u, Nodes::bounded); ++pass) {
      data_.rebuild(x, prescribed);
      search.move_back(u);
      if (pass == most_passes) return {};
    }
    for (const auto& bounded : search.bounds.nodes()) {
      const int i = bounded.node;
      const Point correction = Data::point(u, i) - Data::point(data_.without, i);
      if (correction == Point(Point::Zero())) continue;
      press(bounded, correction, part.weight * mass(i) / (part.dt * part.dt));
      changed(i);
    }
    return Bounded(data_);
  }

  // Adds the forces of the step, the weighted sums of those of its parts, to `forces` [N]. Returns the number
  // of nodes in contact.
  int end(Vector& forces) && {
    int nodes = 0, last = -1;
    for (const Contact<dim>& contact : data_.found) {
      forces.node(contact.node) += contact.force.template cast<Scalar>();
      if (contact.node != last) ++nodes;
      last = contact.node;
    }
    return nodes;
  }

 private:
  template <class>
  friend class pliant::ContactStep;
  using BoundedNode = typename Bounds::Node;
  using Square = SmallMatrix<double, dim, dim>;

  explicit ExplicitContact(Data& data) : data_(data) {}

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
  static Point along_normals(const BoundedNode& bounded, const Point& displacement) {
    return algebra::transposed_times<double, dim, dim, 1>(Square(bounded.T.template cast<double>()),
                                                          displacement);
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
    const auto& collider = data_.search.colliders[pushed.collider(bounded)];
    const Point normal = Data::normal_of(bounded, pushed.axis, true);
    Point slip = u - carried(collider);
    slip -= algebra::dot<double, dim>(slip, normal) * normal;
    const double length = contact::length<dim>(slip);
    if (length == 0) return u;
    const double held = std::min(length, collider.surface.friction * contact::length<dim>(back));
    const double left = (length - held) / (1 + collider.surface.viscosity * drag_time);
    const Point less = (1 - left / length) * slip;
    const Square S = data_.search.free_directions(bounded.node);
    return within_bounds(u - algebra::times<double, dim, dim, 1>(S, less));
  }

  // The bounds for a further displacement `ahead` of a bounded node after u: those of the planes that it has
  // reached, which continue to move with the colliders. Without axes if there are none.
  template <class Carried>
  BoundedNode stopped_by(const BoundedNode& bounded, const Point& u, const Point& ahead,
                         Carried&& carried) const {
    const auto& planes = data_.search.planes(bounded.node);
    const auto rounding = static_cast<double>(bounded.rounding_at(u.template cast<Scalar>()));
    NodePlanes<dim> touched;
    for (ContactPlane<dim> plane : planes) {
      if (algebra::dot<double, dim>(plane.normal, u) - plane.least > rounding) continue;
      plane.least =
          algebra::dot<double, dim>(plane.normal, Point(carried(data_.search.colliders[plane.collider])));
      touched.add(plane);
    }
    BoundedNode result;
    if (touched.count == 0) return result;
    if (planes.count == 1 && !data_.search.is_constrained(bounded.node)) {
      result = bounded;  // the same plane, moved
      result.lower[0] = static_cast<Scalar>(touched.begin()->least);
      return result;
    }
    const Square S = data_.search.free_directions(bounded.node);
    return Bounds::bounded_by(bounded.node, touched, S, ahead - algebra::times<double, dim, dim, 1>(S, ahead),
                              planes.size);
  }

  // Records the forces of a correction of a bounded node, with `stiffness` [N/m] (or [N s/m], of a velocity):
  // each plane acts along its normal, and the plane with the largest force has the friction.
  void press(const BoundedNode& bounded, const Point& correction, double stiffness) const {
    const Point pushes = along_normals(bounded, correction);
    const Pushed most = pushed_most(bounded, pushes);
    Point rest = correction;
    for (int k = 0; k < bounded.axes; ++k) {
      const int collider = bounded.presser(k, static_cast<Scalar>(pushes[k]));
      if (k == most.axis || collider < 0) continue;
      const Point normal = Data::normal_of(bounded, k, true), push = pushes[k] * normal;
      rest -= push;
      add({bounded.node, collider, Data::normal_of(bounded, k, pushes[k] > 0), stiffness * push});
    }
    add({bounded.node, most.collider(bounded), Data::normal_of(bounded, most.axis, most.from_below),
         stiffness * rest});
  }

  // Contacts are recorded in the order of the nodes.
  void add(const Contact<dim>& contact) const {
    const auto before = [](const Contact<dim>& a, const Contact<dim>& b) {
      return a.node != b.node ? a.node < b.node : a.collider < b.collider;
    };
    const auto at = std::lower_bound(data_.found.begin(), data_.found.end(), contact, before);
    if (at == data_.found.end() || before(contact, *at)) {
      data_.found.insert(at, contact);
    } else {
      at->normal = contact.normal;
      at->force += contact.force;
    }
  }

  Data& data_;
};

}  // namespace detail::contact

}  // namespace pliant
