// The concept of colliders in a step: Contacts, or NoContacts for a System without them.
//
// A Simulation owns one, begins each of its steps with it, and gives the step to the integrator. Integrators
// begin the response that suits them: implicit ones use bounds of nodes and friction, explicit ones move
// nodes back to surfaces. See contacts.hpp for the order of these phases.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <pliant/algebra/pose.hpp>
#include <pliant/assembly/concept.hpp>
#include <pliant/contact/response/contact_search.hpp>
#include <pliant/contact/response/explicit_contact.hpp>

namespace pliant::detail::contact {

struct MassOfNode {
  double operator()(int) const { return 1; }
};
struct NodeChanged {
  void operator()(int) const {}
  template <class Change>
  void operator()(int, const Change&) const {}
};

// The response in integrators that do not solve for contact.
template <class Response, class Vector>
concept ExplicitResponse = requires(Response& response, const Vector& x, Vector& g, const StepPart& part) {
  response.make_room();       // no allocation until the end of the step
  response.keep_forces();     // for parts that may be undone
  response.restore_forces();  // after they were undone
  // moves nodes to surfaces; nothing if that is not possible
  {static_cast<bool>(response.put_back(x, x, part, MassOfNode{}, g, NodeChanged{}))};
  // removes velocities
  response.put_back(x, x, part, MassOfNode{}, g, NodeChanged{})
      ->stop_entering(x, x, part, MassOfNode{}, g, NodeChanged{});
  { std::move(response).end(g) } -> std::convertible_to<int>;  // adds forces; returns #nodes in contact
};

// The response in integrators that solve for contact.
template <class Response, class Vector>
concept ImplicitResponse = requires(Response& response, typename Response::End& end, const Vector& x,
                                    Vector& g) {
  response.set_linear(true);                                           // a pass is one linear system
  { response.friction_error(x, 0.0) } -> std::convertible_to<double>;  // relative, of a linear step
  response.note_sliding(x);                                            // of a linear step
  response.update_normal_forces(x, x, x, 0.0, 1.0).change;             // of friction [N]
  { response.find_missed(x, x, g) } -> std::convertible_to<bool>;      // and moves nodes to surfaces
  { std::move(response).end(x, x, g) } -> std::same_as<typename Response::End>;  // adds forces
  { end.node_count() } -> std::convertible_to<int>;                              // in contact
  end.contacts();                                                                // found in the step
  end.scale_forces(1.0);                                                         // of the contacts
  end.follow(x, x, x, 0.0, g);  // velocities of nodes in contact
  end.finish(x, x);             // of a step to x + u
};

template <class S, class Vector, class Matrix>
concept SystemContactStep = requires(S& step, const S& constant, const Vector& x, Vector& g, Matrix& A) {
  { constant.empty() } -> std::convertible_to<bool>;                // whether there are no colliders
  { constant.has_friction() } -> std::convertible_to<bool>;         // whether some have friction or drag
  { constant.moved_nodes() } -> std::convertible_to<bool>;          // at the start of the step
  step.set_interval(0.0, 0.0, 0.0, 0.0);                            // of the next part of the step
  { step.bounds().empty() } -> std::convertible_to<bool>;           // BoundedNodes
  { constant.friction(x, 0.0, g) } -> std::convertible_to<double>;  // adds its gradient; its potential [J]
  constant.friction_stiffness(x, 0.0, x, A);                        // adds its Hessian
  { step.begin_explicit() } -> ExplicitResponse<Vector>;            // without a solve for contact
  { constant.blocked() } -> std::same_as<BlockedNode>;              // that could not be kept outside
  step.accept();                                                    // otherwise the step is undone
  typename S::Implicit::End;                                        // of the passes of an implicit step
};

// The contacts that are rows of a step, after a pass over the rows.
struct ContactPass {
  double error = 0;           // the largest of a row [m]
  double penetration = 0;     // the largest [m]
  double friction_error = 0;  // of the friction forces [N]
  bool settled = true;        // whether friction is that of Coulomb's law
  bool turned = false;        // rows have changed, on the same nodes
  bool added = false;         // there are new rows
};

// Whether the contacts of a System are rows of the step, see rigid/row_contacts.hpp.
template <class S>
inline constexpr bool contacts_as_rows = requires {
  S::Contacts::as_rows;
};

template <class C, class Vector, class Matrix>
concept SystemContacts = std::default_initializable<C> &&
    requires(C& contacts, const C& constant, Vector& x, typename C::History& history,
             const Pose<Vector::dim>& pose) {
  { C::takes_colliders } -> std::convertible_to<bool>;  // whether colliders are possible
  { contacts.begin_step(0.0, 0.0, x) } -> SystemContactStep<Vector, Matrix>;  // may move nodes
  contacts.renew();                                                           // discards an interrupted step
  contacts.release();                                                         // nodes have been moved by hand
  contacts.move(0, pose);                                                     // a collider; throws IndexError
  contacts.remove(0);                                                         // a collider; throws IndexError
  constant.save(history);                                                     // see core/history.hpp
  constant.check(history);                                                    // throws StateError
  contacts.restore(std::move(history));                                       // see core/history.hpp
} &&(!C::takes_colliders || requires(const C& constant, typename C::Step& step, const Vector& x) {
  constant.active();                                                   // contacts of the last step
  { step.begin_implicit(x, x, x, true) } -> ImplicitResponse<Vector>;  // required with colliders
});

}  // namespace pliant::detail::contact
