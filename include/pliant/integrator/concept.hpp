// The Integrator concept: how a state is advanced by one step.
//
// A model is a plain aggregate of parameters. What it needs at run time lives in its nested
// Workspace<System, Filter>, which the caller owns and keeps from one step to the next. Its members:
//   time_step()                              the length of a step [s]
//   check()                                  throws ParameterError naming the parameter that is out of range
//   prepare(system, workspace)               makes room for the unknowns where there is none yet: it is
//                                            called again, for the same system, when parameters change
//   step(context, state, workspace, monitor) advances the state and reports; on failure the state may be
//                                            anything: the caller keeps a copy. `monitor(newton_report)` is
//                                            called before each linear solve and may return false to cancel.
//                                            Inverted elements that it leaves uncounted, a Simulation counts
// and, where it wants what most do not,
//   keeps_acceleration = true                a constant: the state holds accelerations too
//   needs_solver = false                     a constant: no linear system is solved, and a Simulation is
//                                            given no solver
//   knows_colliders                          a constant: whether a Simulation may have colliders; without it,
//                                            whether it needs a solver
// A workspace may refuse constraints, and may want to know
//   check_constraints(system, filter)        throws ParameterError for those that the integrator does not
//                                            take; before the first step, and before they are replaced
//   constraints_changed()                    that constraints were replaced
//   state_changed()                          that positions or velocities were set
//   begin_step()                             that a step begins: the workspace notes what it remembers from
//                                            step to step. What it throws, e.g. for want of memory, breaks
//                                            off the step
//   step_undone()                            that the step failed, or that an exception broke it off, and the
//                                            state is the one before it: what the workspace has noted becomes
//                                            what it remembers, as far as it is still there. Throws nothing
//   keep_from(other)                         after an exception: that it is to replace `other`, which may be
//                                            half built, and takes from there what is remembered from step to
//                                            step; a workspace without it remembers nothing. Throws nothing
// One that remembers more from step to step than the state has a History, see core/history.hpp.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/integrator/step_report.hpp>

namespace pliant {

// Positions and velocities, in the system's numbering, at a time. The accelerations are those of the free
// nodes that balance the present loads; whoever changes positions, velocities or loads makes them unknown.
template <class Vector>
struct State {
  Vector x;                         // [m]
  Vector v;                         // [m/s]
  Vector a;                         // [m/s^2]; without nodes where the integrator keeps none
  bool acceleration_known = false;  // a is that of x, v and the loads
  double time = 0;                  // [s]

  // Becomes equal to another state with as many nodes; allocates nothing.
  void copy(const State& other) {
    using Scalar = typename Vector::Scalar;
    x.set_sum(other.x, Scalar(0), other.x);
    v.set_sum(other.v, Scalar(0), other.v);
    a.set_sum(other.a, Scalar(0), other.a);
    acceleration_known = other.acceleration_known;
    time = other.time;
  }
};

// What a step is made with, beside the state.
template <System SystemType,
          class FilterType,           // a Filter of the same dimension and precision
          class SolverType,           // a LinearSolver, or NoSolver
          class SolverWorkspaceType>  // the solver's
struct StepContext {
  using System = SystemType;
  using Filter = FilterType;
  using Scalar = typename System::Scalar;
  using Vector = typename System::Vector;
  using Matrix = typename System::Matrix;

  System& system;
  const Filter& filter;
  Contacts<Vector>& contacts;
  const Vector& loads;  // external forces and gravity [N]
  const SolverType& solver;
  SolverWorkspaceType& solver_workspace;
};

namespace detail {

// The quotient of two blocks, of forces [N] and masses [kg] say, zero in the padding, which has no mass.
template <class Block>
PLIANT_INLINE Block per_mass(const Block& force, const Block& mass) {
  const Block zero(0), one(1);
  return force / select(mass > zero, mass, one);
}

// Whether the rounding of a time [s] is small beside a step of dt [s]: otherwise paths would not see it.
inline bool time_advances(double time, double dt) {
  return std::abs(time) * std::numeric_limits<double>::epsilon() <= 0.01 * dt;
}

struct NeverCancels {
  bool operator()(const NewtonReport&) const { return true; }
};

// What a monitor is told by an integrator that has done some substeps, or none, and knows no residual.
inline NewtonReport progress_without_residual(int done) {
  NewtonReport report;
  report.iterations = done;
  report.gradient = report.linear.residual = std::numeric_limits<double>::quiet_NaN();
  return report;
}

// Whether the state must hold accelerations for an integrator.
template <class I>
inline constexpr bool keeps_acceleration = false;
template <class I>
requires requires { I::keeps_acceleration; }
inline constexpr bool keeps_acceleration<I> = I::keeps_acceleration;

// Whether an integrator solves linear systems with a solver that it is given.
template <class I>
inline constexpr bool needs_solver = true;
template <class I>
requires requires { I::needs_solver; }
inline constexpr bool needs_solver<I> = I::needs_solver;

// Whether a Simulation with an integrator may have colliders.
template <class I>
inline constexpr bool knows_colliders = needs_solver<I>;
template <class I>
requires requires { I::knows_colliders; }
inline constexpr bool knows_colliders<I> = I::knows_colliders;

}  // namespace detail

// The part that holds for every system.
template <class I>
concept Integrator = std::copy_constructible<I> && requires(const I& integrator) {
  { integrator.time_step() } -> std::convertible_to<double>;  // [s]
  integrator.check();                                         // validates parameters
};

template <class I, class Context>
concept IntegratorFor = Integrator<I> &&
    requires(const I& integrator, const Context& context, State<typename Context::Vector>& state,
             typename I::template Workspace<typename Context::System, typename Context::Filter>& workspace) {
  integrator.prepare(context.system, workspace);  // makes room for the unknowns
  // advances the state by a step
  { integrator.step(context, state, workspace, detail::NeverCancels{}) } -> std::same_as<StepReport>;
};

}  // namespace pliant
