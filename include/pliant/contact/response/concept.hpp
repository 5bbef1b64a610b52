// The concept of what colliders make of a step: Contacts, or NoContacts of a System that has none.
//
// A Simulation owns one and brings it through each step: start, what the integrator asks for, end. Implicit
// integrators ask for bounds of nodes and friction (`find` to `finish`), explicit ones have nodes put back
// (`begin_forces` to `add_found`).
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
  { C::takes_colliders } -> std::convertible_to<bool>;  // whether there can be any
  { constant.empty() } -> std::convertible_to<bool>;    // no colliders are there
  { constant.rubs() } -> std::convertible_to<bool>;     // some have friction or drag
  contacts.renew();                                     // forgets the step that was broken off
  contacts.let_go();                                    // nodes have been put elsewhere
  constant.save(history);                               // see core/history.hpp
  constant.check(history);                              // throws StateError
  contacts.restore(std::move(history));                 // see core/history.hpp
  {
    contacts.start(0.0, 0.0, g)
    } -> std::convertible_to<bool>;                            // of a step; whether nodes were put elsewhere
  contacts.part(0.0, 0.0, 0.0, 0.0);                           // of the step, which comes next
  contacts.clear();                                            // nothing touches
  contacts.end(true);                                          // the step was accepted, or not
  constant.blocked().node;                                     // that could not be kept outside
  contacts.set_linear(true);                                   // the step is one linear system
  contacts.find(x, x, x);                                      // what bounds nodes on their way
  { contacts.bounds().empty() } -> std::convertible_to<bool>;  // BoundedNodes
  { constant.friction(x, 0.0, g) } -> std::convertible_to<double>;     // adds its gradient; its potential [J]
  constant.friction_stiffness(x, 0.0, x, A);                           // adds its Hessian
  { constant.friction_error(x, 0.0) } -> std::convertible_to<double>;  // relative, of a linear step
  contacts.note_sliding(x);                                            // of a linear step
  contacts.update_normal_forces(x, x, x, 0.0, 1.0).change;             // of friction [N]
  { contacts.find_missed(x, x, g) } -> std::convertible_to<bool>;      // and puts nodes on surfaces
  { contacts.add_forces(x, x, g) } -> std::convertible_to<int>;        // of colliders; how many nodes press
  constant.found();                                                    // what presses
  contacts.scale_forces(1.0);                                          // of those found
  constant.follow(x, x, x, 0.0, g);                                    // velocities of what presses
  contacts.finish(x, x);                                               // the step leads to x + u
  contacts.begin_forces();                                             // of a step in parts: none so far
  contacts.keep_forces();                                              // for parts that may be taken back
  contacts.restore_forces();                                           // they are
  // puts nodes on surfaces; false where that is not possible
  {
    contacts.put_back(x, x, part, detail::MassOfNode{}, g, detail::NodeChanged{})
    } -> std::convertible_to<bool>;
  contacts.stop_entering(x, x, part, detail::MassOfNode{}, g, detail::NodeChanged{});  // takes out velocities
  { constant.add_found(g) } -> std::convertible_to<int>;  // adds forces; how many nodes press
};

}  // namespace pliant
