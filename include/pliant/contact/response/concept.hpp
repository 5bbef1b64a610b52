// The concept of colliders in a step: Contacts, or NoContacts for a System without them.
//
// A Simulation owns one and calls, in each step: start, the functions of the integrator, end. Implicit
// integrators use bounds of nodes and friction (`find` to `finish`); explicit ones move nodes back to
// surfaces (`begin_forces` to `add_found`).
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include <pliant/assembly/concept.hpp>

namespace pliant {

namespace detail {

struct MassOfNode {
  double operator()(int) const { return 1; }
};
struct NodeChanged {
  void operator()(int) const {}
  template <class Change>
  void operator()(int, const Change&) const {}
};

}  // namespace detail

template <class C, class Vector, class Matrix>
concept SystemContacts = std::default_initializable<C> &&
    requires(C& contacts, const C& constant, const Vector& x, Vector& g, Matrix& A,
             typename C::History& history, const typename C::Part& part) {
  { C::takes_colliders } -> std::convertible_to<bool>;           // whether colliders are possible
  { constant.empty() } -> std::convertible_to<bool>;             // whether there are no colliders
  { constant.rubs() } -> std::convertible_to<bool>;              // whether some have friction or drag
  contacts.renew();                                              // discards the data of an interrupted step
  contacts.let_go();                                             // nodes have been moved by hand
  constant.save(history);                                        // see core/history.hpp
  constant.check(history);                                       // throws StateError
  contacts.restore(std::move(history));                          // see core/history.hpp
  { contacts.start(0.0, 0.0, g) } -> std::convertible_to<bool>;  // of a step; whether nodes were moved
  contacts.part(0.0, 0.0, 0.0, 0.0);                             // starts the next part of the step
  contacts.clear();                                              // no contacts
  contacts.end(true);                                            // whether the step was accepted
  constant.blocked().node;                                       // a node that could not be kept outside
  contacts.set_linear(true);                                     // the step is one linear system
  contacts.find(x, x, x);                                        // the bounds of nodes with a displacement
  { contacts.bounds().empty() } -> std::convertible_to<bool>;    // BoundedNodes
  { constant.friction(x, 0.0, g) } -> std::convertible_to<double>;     // adds its gradient; its potential [J]
  constant.friction_stiffness(x, 0.0, x, A);                           // adds its Hessian
  { constant.friction_error(x, 0.0) } -> std::convertible_to<double>;  // relative, of a linear step
  contacts.note_sliding(x);                                            // of a linear step
  contacts.update_normal_forces(x, x, x, 0.0, 1.0).change;             // of friction [N]
  { contacts.find_missed(x, x, g) } -> std::convertible_to<bool>;      // and moves nodes to surfaces
  { contacts.add_forces(x, x, g) } -> std::convertible_to<int>;  // of colliders; returns #nodes in contact
  constant.found();                                              // the contacts
  contacts.scale_forces(1.0);                                    // of those found
  constant.follow(x, x, x, 0.0, g);                              // velocities of nodes in contact
  contacts.finish(x, x);                                         // ends a step to x + u
  contacts.begin_forces();                                       // of a step in parts: none yet
  contacts.keep_forces();                                        // for parts that may be undone
  contacts.restore_forces();                                     // after they were undone
  // moves nodes to surfaces; false if that is not possible
  {
    contacts.put_back(x, x, part, detail::MassOfNode{}, g, detail::NodeChanged{})
    } -> std::convertible_to<bool>;
  contacts.stop_entering(x, x, part, detail::MassOfNode{}, g, detail::NodeChanged{});  // removes velocities
  { constant.add_found(g) } -> std::convertible_to<int>;  // adds forces; returns #nodes in contact
};

}  // namespace pliant
