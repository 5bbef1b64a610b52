// The System concept: the interface of everything that integrators can move.
//
// A System has nodes with `dim` unknowns each: the positions of the nodes of a mesh, the angle of a pendulum,
// the modes of a reduced body. It defines the types of a step,
//   Vector      numbers for each node and axis (SystemVector below): NodeVector, DenseVector
//   Matrix      symmetric, on the same nodes (SystemMatrix below): BlockMatrix, DenseMatrix
//   Filter      applies constraints to both (constraint/concept.hpp): Filter, DenseFilter
//   Contacts    applies colliders to a step (contact/response/concept.hpp): Contacts, NoContacts
// and a constant with its optional abilities,
//   static constexpr SystemAbilities abilities{.adds_displacements = false};
// whose fields have defaults; for each ability that is true the concept requires its functions. A misspelt
// field does not compile, nor does a misspelt function. Terms and functions of a state of its own must be
// declared if they exist. Functions of free bodies and of origins need not be, because a System that
// derives from another one may have to switch these abilities off.
//
// `system_of(solid)` makes the System of a Solid, of Bodies or of Copies (assembly/system.hpp). A custom
// System derives from DenseSystem (assembly/dense_system.hpp), which requires only energy, gradient and
// tangent, and replaces other functions as necessary. A Simulation takes it instead of a solid, and requires
//   move(x, u, result)                        result = the unknowns after the displacement u from x
//   rest()                                    the initial unknowns
//   show_positions(x, P), take_positions(P, x)
//   show_velocities(x, v, V), take_velocities(x, V, v)
//   show_forces(x, f, F), take_forces(x, F, f)
//                                             convert between the unknowns and the user's matrices of `space`
//                                             rows and visible_node_count() columns [m], [m/s], [N]
//   user_number(i)                            the number of the visible node of node i, for messages
//   add_gravity(g, loads)                     adds the loads of the acceleration g [m/s^2] of visible nodes
//   identity()                                fingerprints that identify it in a SavedState
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/origins.hpp>
#include <pliant/assembly/free_motion.hpp>
#include <pliant/assembly/straining.hpp>
#include <pliant/core/history.hpp>
#include <pliant/energy/projection.hpp>

namespace pliant {

// The optional abilities of a System.
struct SystemAbilities {
  // move(x, u, result) is x + u, so that states can be subtracted from each other. False for example for
  // rotational unknowns.
  bool adds_displacements = true;
  // The user's positions and velocities convert back to the same bits of the unknowns. False: a copy of the
  // unknowns is kept for failed steps and in a SavedState.
  bool exact_view = false;
  // take_forces(x, F, f) does not depend on x. False: the user's forces are converted anew at the start of
  // each step, and constant within it.
  bool constant_forces = false;
  // Elastic energies do not change if a connected part is translated as a whole: pattern() connects the nodes
  // of a part, rotation_changes_energy() returns whether its energy changes with a rotation; the axes of a
  // node have the same mass. See integrator/free_bodies.hpp.
  bool free_bodies = false;
  // Positions are relative to origins(): positions_to_user(x, P, relative) returns both kinds.
  bool origins = false;
  // Terms are added to the energy in each step (potential/concept.hpp): terms() is a std::tuple of them, and
  // internal_number(i) is the node of the System for node i of a term, which uses the user's numbers.
  bool terms = false;
  // It has state besides the unknowns and their rates, a History (core/history.hpp): save(history),
  // restore(history), and end_step(x, v, time, dt), called after each accepted step with the unknowns and
  // their rates, the time and the length of the step [s]; it returns whether the forces at x have changed.
  bool own_state = false;
  // Rates are measured in axes that move with the unknowns: turn_rates(x, u, v) converts v from the axes at x
  // to those after the displacement u.
  bool turns_rates = false;
  // Not every node is a place in space: gravitational_energy(g, x) [J] is that of the acceleration g at the
  // unknowns x, zero at rest().
  bool own_gravity = false;
  // Its steps satisfy equations and inequalities (linear_solver/rows/rows.hpp):
  //   begin_rows(x, step)    computes rows() for a RowStep from x, without multipliers
  //   follow_rows(x, u)      corrects the right sides by the errors at x, reached by the displacement u;
  //                          returns the largest error
  //   row_rounding(x)        the rounding of these errors
  // The forces of rows act with their derivatives at the start of a step, and rows are met at its end. For
  // Newmark:
  //   begin_row_rates(x, step)   computes rows() for the rates at x after a step
  //   row_rate_error(v)          the largest error of rates
  //   end_row_rates(dt)          takes note of their multipliers, the impulses of the second half of the step
  bool rows = false;
  // With rows: it has neither elastic energy nor damping nor constraints, so that its steps need no Newton's
  // method.
  bool rows_alone = false;
};

// Identifies the System of a saved state: 64 bits each, 0 for properties that do not exist.
struct SystemIdentity {
  std::uint64_t mesh = 0, rest_shape = 0, masses = 0, poses = 0;
};

// Numbers of inverted elements: det F < 0 at a quadrature point.
struct InvertedElements {
  int all = 0;
  int small_strain = 0;  // of them, those of energies of small strain

  // Those of energies of finite strain, which cannot occur in a real body.
  int wrong() const { return all - small_strain; }
};

namespace detail::assembly {

// Stand-ins for functions of an index, in the requirements below.
struct AtPosition {
  void operator()(std::ptrdiff_t) const {}
};
template <class Block>
struct OfPosition {
  Block operator()(std::ptrdiff_t) const { return Block(0); }
};

// A fingerprint of the numbers of all nodes.
template <class Vector>
std::uint64_t fingerprint_of(const Vector& vector) {
  core::Fingerprint result;
  for (std::ptrdiff_t i = 0; i < vector.nodes(); ++i) result.add_all(vector.node(i));
  return result.value();
}

}  // namespace detail::assembly

// A number for each node and axis. Loops over all numbers visit them in blocks, of one or of several numbers.
template <class V>
concept SystemVector = std::copyable<V> && requires(V& vector, const V& other, std::ptrdiff_t i,
                                                    typename V::Scalar number, typename V::Block block) {
  { V::dim } -> std::convertible_to<int>;                           // numbers per node, 1 to 3
  { other.nodes() } -> std::convertible_to<std::ptrdiff_t>;         // number of nodes; 0 by default
  { other.node(i)(0) } -> std::convertible_to<typename V::Scalar>;  // of node i, a vector of Eigen
  vector.node(i) = other.node(i);                                   // which is assignable
  vector.resize(i);                                                 // sets the number of nodes, all zero
  vector.set_zero();                                                // sets all numbers to zero
  other.for_each_block(detail::assembly::AtPosition{});             // calls run(i) for each block
  other.sum_blocks(detail::assembly::OfPosition<typename V::Block>{}) + number;  // the sum of all run(i)
  { other.block(i) } -> std::convertible_to<typename V::Block>;                  // +, -, *, / entry by entry
  vector.set_block(i, block);                                                    // sets it
  vector.add(number, other);                                                     // += number * other
  vector.set_sum(other, number, other);                                          // = first + number * second
  { other.dot(other) } -> std::convertible_to<typename V::Scalar>;               // the sum of products
  { other.norm() } -> std::convertible_to<typename V::Scalar>;  // the root of the sum of squares
  { other.finite() } -> std::convertible_to<bool>;              // no NaN, no infinity
};

// A symmetric matrix of dim x dim blocks, one for each pair of nodes.
template <class M>
concept SystemMatrix = std::copyable<M> &&
    requires(M& A, const M& other, const typename M::Vector& x, typename M::Vector& y, std::ptrdiff_t i,
             typename M::Scalar number) {
  { M::dim } -> std::convertible_to<int>;                                  // of blocks
  { other.rows() } -> std::convertible_to<std::ptrdiff_t>;                 // nodes
  { other.diagonal(i)(0, 0) } -> std::convertible_to<typename M::Scalar>;  // block (i, i), dim x dim
  A.diagonal(i).diagonal().array() += number;                              // which is assignable
  A.set_zero();                                                            // all entries
  A.blend(number, other);                                                  // = (1 - number) A + number other
  A.shift_diagonal(number);                                                // += number * its mean magnitude
  A.take_magnitudes();                                                     // each entry its absolute value
  { other.multiply(x, y) } -> std::convertible_to<typename M::Scalar>;     // y = A x; returns x.y
};

namespace detail::assembly {

template <class S>
concept HasFreeBodies = requires(const S& system) {
  system.pattern();                                                   // a BlockPattern, of connected nodes
  { system.rotation_changes_energy() } -> std::convertible_to<bool>;  // by rotating a part as a whole
};

template <class S>
concept HasOrigins = requires(const S& system, const typename S::Vector& x, typename S::Vector& to,
                              NodeMatrix<typename S::Scalar, S::space>& P) {
  { system.origins() } -> std::same_as<const Origins<S::dim>&>;  // of positions
  system.positions_to_user(x, P, P);                             // in the world, and relative ones
  system.to_internal(P, to);                                     // from relative ones
};

template <class S>
concept HasTerms = requires(S& system, const S& constant, int node) {
  system.terms();                                                             // a std::tuple of Terms
  constant.terms();                                                           // the same
  { constant.internal_number(node) } -> std::convertible_to<std::ptrdiff_t>;  // of a node of a term
};

template <class S>
concept TurnsRates = requires(const S& system, const typename S::Vector& x, typename S::Vector& v) {
  system.turn_rates(x, x, v);  // the rates v after a displacement, the second argument, from x
};

template <class S>
concept HasOwnGravity = requires(const S& system, const typename S::Vector& x,
                                 const SmallVector<double, S::space>& gravity) {
  { system.gravitational_energy(gravity, x) } -> std::convertible_to<double>;  // [J]
};

template <class S>
concept HasRows = requires(S& system, const typename S::Vector& x) {
  system.begin_rows(x, 0.0);                                            // at the start of a step
  system.rows();                                                        // a Rows&
  { system.follow_rows(x, x).largest } -> std::convertible_to<double>;  // a RowError
  { system.row_rounding(x) } -> std::convertible_to<double>;            // [m] or [rad]
};

// For a System with rows and elastic energy: the number of its nodes with elastic energy, which come first.
template <class S>
concept CountsSoftNodes = requires(const S& system) {
  { system.soft_node_count() } -> std::convertible_to<std::ptrdiff_t>;
};

template <class S>
concept EndsSteps = requires(S& system, const typename S::Vector& x) {
  // the unknowns, their rates, the time [s] and dt [s] of an accepted step; whether the forces have changed
  { system.end_step(x, x, 0.0, 0.0) } -> std::same_as<bool>;
};

// Whether a System has the functions of its own state if, and only if, it declares them.
template <class S>
concept DeclaresOwnState = (S::abilities.own_state && core::HasHistory<S> && EndsSteps<S>) ||
                           (!S::abilities.own_state && !core::HasHistory<S> && !EndsSteps<S>);

// The same for terms, of which there may be none.
template <class S>
concept DeclaresTerms = (S::abilities.terms && HasTerms<S>) || (!S::abilities.terms && !HasTerms<S>) ||
                        (!S::abilities.terms && requires(S & system) {
                          requires std::tuple_size_v<std::remove_cvref_t<decltype(system.terms())>>
                          == 0;
                        });

template <class S>
concept NamesSystemAbilities = requires {
  { S::abilities } -> std::same_as<const SystemAbilities&>;
};

}  // namespace detail::assembly

template <class S>
concept System = requires(S& system, const S& constant, const typename S::Vector& x, typename S::Vector& g,
                          typename S::Matrix& A, typename S::Scalar scale,
                          const Straining<const typename S::Vector*>& straining,
                          const std::vector<HeldDirection<S::dim>>& held) {
  typename S::Scalar;                                                     // float or double
  typename S::Filter;                                                     // of constraints
  typename S::Contacts;                                                   // with colliders
  { S::abilities } -> std::same_as<const SystemAbilities&>;               // its optional abilities
  { S::dim } -> std::convertible_to<int>;                                 // numbers per node
  { constant.node_count() } -> std::convertible_to<std::ptrdiff_t>;       // nodes with unknowns
  { constant.make_vector() } -> std::same_as<typename S::Vector>;         // zeros, one per node and axis
  { constant.make_matrix() } -> std::same_as<typename S::Matrix>;         // zeros, symmetric
  { constant.mass() } -> std::convertible_to<const typename S::Vector&>;  // lumped, per node and axis [kg]
  { constant.rest() } -> std::convertible_to<const typename S::Vector&>;  // the initial unknowns [m]
  constant.move(x, x, g);                                                 // g = x moved by u, the second
  { constant.energy(x) } -> std::convertible_to<double>;                  // elastic energy [J]
  { system.gradient(x, g) } -> std::convertible_to<double>;               // also g = dE/dx [N]
  // also A = scale * d2E/dx2 [N/m], projected
  { system.tangent(x, Projection::clamp, scale, g, A) } -> std::convertible_to<double>;
  { constant.mass_damping() } -> std::convertible_to<const typename S::Vector&>;  // alpha M [kg/s], or empty
  // beta [s] of the stiffness damping, 0 if strain is not damped, positive if it is by another law
  { constant.stiffness_damping() } -> std::same_as<typename S::Scalar>;
  // adds its force to g [N] and its derivative to A, unless that is null; returns its potential [J]
  { system.add_damping(straining, Projection::clamp, g, &A) } -> std::convertible_to<double>;
  { system.undefined_element(x) } -> std::convertible_to<int>;          // whose energy is not finite, or -1
  { constant.inverted_elements(x) } -> std::same_as<InvertedElements>;  // at the positions x [m]
  {
    constant.free_motion(held, x)
    } -> std::convertible_to<std::string>;  // rigid motions that the held
                                            // directions allow, in words; empty: none
}
&&SystemVector<typename S::Vector>&& SystemMatrix<typename S::Matrix> &&
    (!S::abilities.free_bodies || detail::assembly::HasFreeBodies<S>)&&  // required by its abilities
    (!S::abilities.turns_rates || detail::assembly::TurnsRates<S>)&&     // required by its abilities
    (!S::abilities.rows || detail::assembly::HasRows<S>)&&               // required by its abilities
    (!S::abilities.rows_alone || S::abilities.rows) &&
    (!S::abilities.rows || S::abilities.rows_alone || detail::assembly::CountsSoftNodes<S>)&&
    // if, and only if, its abilities name them
    detail::assembly::DeclaresTerms<S>&& detail::assembly::DeclaresOwnState<S>;

// The additional requirements of a Simulation, for its view of the state and for values that the user sets.
template <class S>
concept ViewedSystem = System<S> &&
    requires(const S& system, const typename S::Vector& x, typename S::Vector& to,
             NodeMatrix<typename S::Scalar, S::space>& user, const SmallVector<double, S::space>& gravity,
             int node) {
  { S::space } -> std::convertible_to<int>;                                // coordinates of visible nodes
  { system.visible_node_count() } -> std::convertible_to<std::ptrdiff_t>;  // number of visible nodes
  { system.user_number(node) } -> std::convertible_to<int>;                // the visible node of a node
  system.show_positions(x, user);                                          // of the visible nodes [m]
  system.take_positions(user, to);                                         // the unknowns for these positions
  system.show_velocities(x, x, user);   // of the visible nodes [m/s], from the unknowns and their rates
  system.take_velocities(x, user, to);  // the rates for these velocities
  system.show_forces(x, x, user);       // on the visible nodes [N], from those on the unknowns
  system.take_forces(x, user, to);      // on the unknowns, from forces on the visible nodes
  system.add_gravity(gravity, to);      // adds the loads of gravity
  { system.identity() } -> std::same_as<SystemIdentity>;                // fingerprints
} &&(!S::abilities.origins || detail::assembly::HasOrigins<S>)&&        // required by its abilities
    (!S::abilities.own_gravity || detail::assembly::HasOwnGravity<S>);  // required by its abilities

}  // namespace pliant
