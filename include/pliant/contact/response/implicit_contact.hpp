// The response of colliders in a step that solves for contact.
#pragma once

#include <cstddef>

#include <pliant/contact/response/contact_data.hpp>

namespace pliant {

template <class VectorType>
class ContactStep;

namespace detail::contact {

// The passes of an implicit step: each minimises a potential within the bounds of the nodes, with the
// friction of the normal forces of the last pass. ContactStep::begin_implicit returns it.
template <class VectorType>  // a NodeVector
class [[nodiscard]] ImplicitContact {
  using Data = ContactData<VectorType>;

 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Bounds = BoundedNodes<Vector>;

  // The end of the last pass.
  class [[nodiscard]] End {
   public:
    // The number of nodes in contact.
    int node_count() const { return nodes_; }

    // The contacts, with colliders by their indices.
    const std::vector<Contact<dim>>& contacts() const { return data_.found; }

    // Multiplies the forces of the contacts, to make them those of the step.
    void scale_forces(double factor) {
      for (Contact<dim>& contact : data_.found) contact.force *= factor;
    }

    // Nodes in contact move with the colliders along the normals, and sticking nodes in all directions: sets
    // the velocities v [m/s] accordingly at the end x + u of a step of `dt` [s] with the gradient g.
    void follow(const Vector& x, const Vector& u, const Vector& g, double dt, Vector& v) const {
      const Bounds& bounds = data_.search.bounds;
      for (std::size_t m = 0; m < bounds.nodes().size(); ++m) {
        const auto& bounded = bounds.nodes()[m];
        const int i = bounded.node;
        const auto pressures = bounds.pressures(bounded, u.node(i), g.node(i));
        if (pressures.isZero()) continue;
        const Point end = data_.search.world_end(x, u, i);
        auto speed = Bounds::in_frame(bounded, v.node(i));
        for (int axis = 0; axis < bounded.axes; ++axis) {
          if (pressures[axis] == 0) continue;
          const auto& collider = data_.search.colliders[bounded.presser(axis, pressures[axis])];
          const Point carried = Data::carried_to(end, collider);
          const NodeFriction<dim>& friction = data_.friction.at(m, axis);
          if (friction.normal_force() > 0 && friction.sticks(Data::point(u, i))) {
            speed = Bounds::in_frame(bounded, Point(carried / dt).template cast<Scalar>());
            break;
          }
          const Point normal = bounded.N.col(axis).template cast<double>();
          speed[axis] = static_cast<Scalar>(algebra::dot<double, dim>(normal, carried) / dt);
        }
        v.node(i) = algebra::times<Scalar, dim, dim, 1>(bounded.T, speed);
      }
    }

    // Ends the step, or a part of it, from x to x + u: the friction anchors follow. Without it they stay.
    void finish(const Vector& x, const Vector& u) {
      data_.friction.finish(data_.search.bounds, data_.search.colliders, data_.search.world(x), u);
    }

   private:
    friend ImplicitContact;
    End(Data& data, int nodes) : data_(data), nodes_(nodes) {}

    Data& data_;
    int nodes_;
  };

  // Whether the step is one linear system, with the friction law without its kink.
  void set_linear(bool linear) { data_.friction.set_linear(linear); }

  double friction_error(const Vector& u, double dt) const {
    return data_.friction.error(data_.search.bounds, u, dt);
  }
  void note_sliding(const Vector& u) { data_.friction.note_sliding(data_.search.bounds, u); }
  auto update_normal_forces(const Vector& x, const Vector& u, const Vector& g, double dt, double fraction) {
    return data_.friction.update(data_.search.bounds, data_.search.colliders, data_.search.world(x), u, g, dt,
                                 fraction);
  }

  // Surfaces that u crosses and that no recorded plane predicted: adds their planes to the nodes, and moves
  // these back to them. Returns whether there were any.
  bool find_missed(const Vector& x, const Vector& prescribed, Vector& u) {
    auto& search = data_.search;
    if (!search.find_entered(x, u, Data::Search::Nodes::all)) return false;
    data_.friction.keep(search.bounds, search.colliders, search.world(x));
    data_.rebuild(x, prescribed);
    data_.friction.take(search.bounds, search.colliders, search.world(x));
    search.move_back(u);
    return true;
  }

  // For passes that end at the displacement u with the gradient g: adds the forces of the colliders on the
  // nodes to `forces` [N], and records the contacts.
  End end(const Vector& u, const Vector& g, Vector& forces) && {
    const Bounds& bounds = data_.search.bounds;
    data_.found.clear();
    int nodes = 0;
    for (std::size_t m = 0; m < bounds.nodes().size(); ++m) {
      const auto& bounded = bounds.nodes()[m];
      const auto pressures = bounds.pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      if (!pressures.isZero()) ++nodes;
      for (int axis = 0; axis < bounded.axes; ++axis) {
        if (pressures[axis] == 0) continue;
        const Point along =
            static_cast<double>(pressures[axis]) * bounded.N.col(axis).template cast<double>();
        const Point force = along - data_.friction.at(m, axis).acted();
        forces.node(bounded.node) += force.template cast<Scalar>();
        data_.found.push_back({bounded.node, bounded.presser(axis, pressures[axis]),
                               Data::normal_of(bounded, axis, pressures[axis] > 0), force});
      }
    }
    return {data_, nodes};
  }

 private:
  template <class>
  friend class pliant::ContactStep;

  ImplicitContact(Data& data, const Vector& x, const Vector& ahead, const Vector& prescribed, bool linear)
      : data_(data) {
    auto& search = data_.search;
    set_linear(linear);
    search.find(x, ahead, data_.spacing, Data::Search::Nodes::all);
    data_.rebuild(x, prescribed);
    data_.friction.take(search.bounds, search.colliders, search.world(x));
  }

  Data& data_;
};

}  // namespace detail::contact

}  // namespace pliant
