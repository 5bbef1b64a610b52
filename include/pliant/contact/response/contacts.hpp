// Contact of the nodes of a body with colliders.
//
// Between steps a Contacts has the colliders. Each phase of a step is a type of its own, whose functions can
// only be called in that phase:
//
//   Contacts  --begin_step-->  ContactStep  --begin_implicit-->  ImplicitContact  --end-->  its End
//                                           --begin_explicit-->  ExplicitContact  --put_back-->  its Bounded
//
// Phases refer to the data of the Contacts, and allocate nothing themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/contact/response/explicit_contact.hpp>
#include <pliant/contact/response/implicit_contact.hpp>

namespace pliant {

// The effect of the colliders on the nodes in a step. If the step is not accepted, its end restores the state
// before it. Outside the passes of a response no node has bounds or friction.
template <class VectorType>  // a NodeVector
class [[nodiscard]] ContactStep {
  using Data = detail::contact::ContactData<VectorType>;

 public:
  using Vector = VectorType;
  using Bounds = BoundedNodes<Vector>;
  using Implicit = detail::contact::ImplicitContact<Vector>;
  using Explicit = detail::contact::ExplicitContact<Vector>;
  static constexpr bool takes_colliders = true;

  ContactStep(const ContactStep&) = delete;
  ContactStep& operator=(const ContactStep&) = delete;
  ~ContactStep() {
    if (undoes_) data_.friction.restore();
  }

  bool empty() const { return data_.empty(); }  // whether there are no colliders
  bool has_friction() const { return data_.search.colliders.have_friction(); }

  // Whether begin_step has moved nodes out of colliders.
  bool moved_nodes() const { return moved_nodes_; }

  // Sets the poses of a part of the step; see Colliders::set_interval.
  void set_interval(double begin, double end, double begun, double done) {
    data_.search.colliders.set_interval(begin, end, begun, done);
  }

  // The passes of a step, or of a part of it, from x, whose displacement without contact would be `ahead`.
  // `prescribed`: the displacements by constraints [m]; `linear`: whether a pass is one linear system.
  Implicit begin_implicit(const Vector& x, const Vector& ahead, const Vector& prescribed, bool linear) {
    return {data_, x, ahead, prescribed, linear};
  }

  // The response in a step without a solve; the forces of the step are zero.
  Explicit begin_explicit() {
    data_.found.clear();
    return Explicit(data_);
  }

  // ---- for potentials and Newton's method, which are evaluated in the passes

  Bounds& bounds() { return data_.search.bounds; }
  const Bounds& bounds() const { return data_.search.bounds; }

  // Friction at the displacement u in a step of `dt` [s]; see FrictionAnchors.
  double friction(const Vector& u, double dt, Vector& g) const {
    return data_.friction.potential(bounds(), u, dt, g);
  }
  template <class Matrix>
  void friction_stiffness(const Vector& u, double dt, const Vector& g, Matrix& A) const {
    data_.friction.add_stiffness(bounds(), u, dt, g, A);
  }
  template <class Displacement, class Use>
  void for_each_friction(double dt, Displacement&& displacement, Use&& use) const {
    data_.friction.for_each_response(bounds(), dt, displacement, use);
  }

  // ---- at the end

  detail::contact::BlockedNode blocked() const { return data_.search.blocked(); }

  // Completes the motions of the colliders, and makes the contacts found the active ones.
  void accept() {
    undoes_ = false;
    std::swap(data_.active, data_.found);
    for (auto& contact : data_.active) contact.collider = data_.search.colliders.number(contact.collider);
    data_.search.colliders.arrive();
  }

 private:
  template <class>
  friend class Contacts;

  ContactStep(Data& data, double time, double dt, Vector& x) : data_(data), undoes_(!data.empty()) {
    data_.clear();
    if (data_.empty()) return;
    data_.friction.save();
    set_interval(time, time + dt, 0, 1);
    moved_nodes_ = data_.search.push_out(x);
  }

  Data& data_;
  bool undoes_;
  bool moved_nodes_ = false;
};

// The colliders of a simulation, and the contacts of its nodes.
template <class VectorType>  // a NodeVector
class Contacts {
 public:
  using Vector = VectorType;
  static constexpr int dim = Vector::dim;
  using Step = ContactStep<Vector>;
  using Path = typename Colliders<dim>::Path;
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
    data_.spacing = edges > 0 ? length / static_cast<double>(edges) : size;
    data_.search.prepare(system.node_count(), size, system.origins());
    data_.friction.prepare(system.node_count(), data_.spacing);
    data_.without.resize(system.node_count());
  }

  template <class Filter>
  void set_constraints(const Filter& filter) {
    data_.search.set_constraints(filter);
  }

  // Discards the data of a step that was interrupted.
  void renew() {
    data_.search.bounds = BoundedNodes<Vector>();
    data_.friction.clear();
    data_.found.clear();
    data_.kept.clear();
  }

  // See Colliders.
  int add(detail::contact::AnyCollider<dim> shape, const Surface& surface, Path path, double time) {
    return data_.search.colliders.add(std::move(shape), surface, std::move(path), time);
  }
  void move(int number, const Pose<dim>& pose) { data_.search.colliders.move(number, pose); }
  void remove(int number) { data_.friction.release_collider(data_.search.colliders.remove(number)); }

  // Drops all friction anchors, after positions have been set.
  void release() { data_.friction.release(); }

  // The contacts at the end of the last accepted step; nodes in the internal numbering.
  const std::vector<Contact<dim>>& active() const { return data_.active; }

  // See core/history.hpp.
  struct History {
    typename Colliders<dim>::History colliders;
    typename detail::contact::FrictionAnchors<Vector>::History friction;
    std::vector<Contact<dim>> active;
  };
  void save(History& history) const {
    data_.search.colliders.save(history.colliders);
    data_.friction.save(history.friction);
    history.active = data_.active;
  }
  void check(const History& history) const { data_.search.colliders.check(history.colliders); }
  void restore(History&& history) {
    data_.search.colliders.restore(std::move(history.colliders));
    data_.friction.restore(std::move(history.friction));
    data_.active = std::move(history.active);
  }

  // Begins a step of `dt` [s] at `time` [s]: moves the colliders to their poses at its end. Nodes inside a
  // collider at the start are moved to its surface without gaining velocity (the position alteration of
  // Baraff and Witkin 1998).
  Step begin_step(double time, double dt, Vector& x) { return {data_, time, dt, x}; }

 private:
  detail::contact::ContactData<Vector> data_;
};

}  // namespace pliant
