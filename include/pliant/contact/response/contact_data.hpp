// The data of contact that the responses of implicit and of explicit integrators share.
#pragma once

#include <cstddef>
#include <vector>

#include <pliant/contact/response/contact_search.hpp>
#include <pliant/contact/response/friction_anchors.hpp>

namespace pliant {

// A contact of a node with a collider.
template <int Dim>
struct Contact {
  int node;
  int collider;                     // its number; during a step its index, see Colliders
  SmallVector<double, Dim> normal;  // of its surface, unit, towards the node
  SmallVector<double, Dim> force;   // on the node, friction included [N]
};

namespace detail::contact {

template <class VectorType>  // a NodeVector
struct ContactData {
  using Vector = VectorType;
  static constexpr int dim = Vector::dim;
  using Point = SmallVector<double, dim>;
  using Search = ContactSearch<Vector>;
  using Node = typename Search::Bounds::Node;

  Search search;
  FrictionAnchors<Vector> friction;
  double spacing = 0;                     // the mean distance between nodes [m]
  Vector without;                         // a displacement without contact [m]
  std::vector<Contact<dim>> found, kept;  // in this step
  std::vector<Contact<dim>> active;       // at the end of the last accepted step

  bool empty() const { return search.colliders.empty(); }

  void clear() {
    search.bounds.clear(search.node_count());
    friction.clear();
    found.clear();
  }

  void rebuild(const Vector& x, const Vector& prescribed) {
    search.rebuild(x, prescribed);
    found.reserve(dim * search.bounds.nodes().size());  // an allocation after a solve should not fail
  }

  static Point point(const Vector& vector, std::ptrdiff_t i) {
    return vector.node(i).template cast<double>();
  }

  static Point normal_of(const Node& bounded, int axis, bool from_below) {
    return (from_below ? 1 : -1) * bounded.N.col(axis).template cast<double>();
  }

  // The displacement in the step of the material point of a collider that is at `end` now.
  static Point carried_to(const Point& end, const typename Colliders<dim>::Collider& collider) {
    return end - collider.from.to_world(collider.to.to_local(end));
  }
};

}  // namespace detail::contact

}  // namespace pliant
