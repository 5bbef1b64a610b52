// The Integrator concept: how a state is advanced by one step.
//
// A model is a plain aggregate of parameters. What it needs at run time lives in its nested
// Workspace<System, Filter>, which the caller owns and keeps from one step to the next. Its members:
//   abilities                                static constexpr IntegratorAbilities abilities{.needs_solver =
//   false};
//                                            what it offers, or does without, beyond the rest
//   time_step()                              the length of a step [s]
//   check()                                  throws ParameterError naming the parameter that is out of range
//   prepare(system, workspace)               makes room for the unknowns where there is none yet: it is
//                                            called again, for the same system, when parameters change
//   step(context, state, workspace, monitor) advances the state and reports; on failure the state may be
//                                            anything: the caller keeps a copy. `monitor(newton_report)` is
//                                            called before each linear solve and may return false to cancel.
//                                            Inverted elements that it leaves uncounted, a Simulation counts
// Those of the workspace:
//   abilities                                static constexpr WorkspaceAbilities abilities{.steps = true};
//   constraint_forces()                      of constraints and colliders on the nodes in the last step [N]
// and, for each field of its abilities that is true, the functions that it names. A misspelt field does not
// compile, and neither does an integrator whose workspace lacks a function that its abilities promise.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/concept.hpp>
#include <pliant/contact/response/concept.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/step_report.hpp>
#include <pliant/linear_solver/concept.hpp>

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

// x becomes where the displacement u takes it; overwrites `scratch`.
template <System SystemType>
void displace(const SystemType& system, typename SystemType::Vector& x, const typename SystemType::Vector& u,
              typename SystemType::Vector& scratch) {
  system.move(x, u, scratch);
  std::swap(x, scratch);
}

// What a step is made with, beside the state.
template <System SystemType,
          class FilterType,           // a SystemFilter of its vectors and matrices
          class SolverType,           // a LinearSolver, or NoSolver
          class SolverWorkspaceType>  // the solver's
struct StepContext {
  using System = SystemType;
  using Filter = FilterType;
  using Scalar = typename System::Scalar;
  using Vector = typename System::Vector;
  using Matrix = typename System::Matrix;
  using Contacts = typename System::Contacts;
  static_assert(SystemFilter<Filter, Vector, Matrix>,
                "the Filter of the System lacks something, see constraint/concept.hpp");
  static_assert(SystemContacts<Contacts, Vector, Matrix>,
                "the Contacts of the System lack something, see contact/response/concept.hpp");

  System& system;
  const Filter& filter;
  Contacts& contacts;
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

}  // namespace detail

// What an integrator offers, or does without, beyond what all of them must.
struct IntegratorAbilities {
  bool keeps_acceleration = false;  // the state holds accelerations too
  bool needs_solver = true;         // linear systems are solved; false: a Simulation is given no solver
  bool knows_colliders = false;     // a Simulation may have colliders
};

// The same of its workspace; beside each the functions that it must then have. Those of a step throw nothing
// but begin_step.
struct WorkspaceAbilities {
  bool history = false;  // more is remembered from step to step than the state has: see core/history.hpp
  // begin_step(): a step begins, and the workspace notes what it remembers from step to step. What it throws,
  // e.g. for want of memory, breaks off the step. step_undone(): the step failed, or an exception broke it
  // off, and the state is the one before it: what was noted becomes what is remembered, if it is still
  // there.
  bool steps = false;
  // keep_from(other): after an exception, the workspace is to replace `other`, which may be half built, and
  // takes from there what is remembered from step to step. Without it nothing is.
  bool keeps = false;
  // check_constraints(system, filter) throws ParameterError for those that the integrator does not take;
  // before the first step, and before they are replaced.
  bool checks_constraints = false;
  bool follows_constraints = false;  // constraints_changed(): they were replaced
  bool follows_state = false;        // state_changed(): positions or velocities were set
};

namespace detail {

// Whether an integrator solves linear systems with a solver that it is given; true of what is no integrator.
template <class I>
inline constexpr bool needs_solver = true;
template <class I>
requires requires { I::abilities.needs_solver; }
inline constexpr bool needs_solver<I> = I::abilities.needs_solver;

template <class W, class System, class Filter>
concept ChecksConstraints = requires(W& workspace, const System& system, const Filter& filter) {
  workspace.check_constraints(system, filter);  // see WorkspaceAbilities
};
template <class W>
concept FollowsConstraints = requires(W& workspace) {
  workspace.constraints_changed();  // see WorkspaceAbilities
};
template <class W>
concept FollowsState = requires(W& workspace) {
  workspace.state_changed();  // see WorkspaceAbilities
};

}  // namespace detail

// The workspace of an integrator.
template <class W, class System, class Filter>
concept IntegratorWorkspace = std::default_initializable<W> && std::movable<W> &&
    requires(const W& workspace) {
  { W::abilities } -> std::same_as<const WorkspaceAbilities&>;  // what it offers
  {
    workspace.constraint_forces()
    } -> std::convertible_to<const typename System::Vector&>;  // last step's [N]
} &&(!W::abilities.history || detail::HasHistory<W>)&&         // as its abilities say
    (!W::abilities.steps || detail::FollowsSteps<W>)&&         // as its abilities say
    (!W::abilities.keeps || detail::KeepsFrom<W>)&&            // as its abilities say
    (!W::abilities.checks_constraints || detail::ChecksConstraints<W, System, Filter>)&&  // the same
    (!W::abilities.follows_constraints || detail::FollowsConstraints<W>)&&                // the same
    (!W::abilities.follows_state || detail::FollowsState<W>);                             // the same

// The part that holds for every system.
template <class I>
concept Integrator = std::copy_constructible<I> && requires(const I& integrator) {
  { I::abilities } -> std::same_as<const IntegratorAbilities&>;  // what it offers beyond the rest
  { integrator.time_step() } -> std::convertible_to<double>;     // [s]
  integrator.check();                                            // validates parameters
};

template <class I, class Context>
concept IntegratorFor = Integrator<I> && IntegratorWorkspace <
                        typename I::template Workspace<typename Context::System, typename Context::Filter>,
typename Context::System,
    typename Context::Filter >
        &&requires(
            const I& integrator, const Context& context, State<typename Context::Vector>& state,
            typename I::template Workspace<typename Context::System, typename Context::Filter>& workspace) {
  integrator.prepare(context.system, workspace);  // makes room for the unknowns
  // advances the state by a step
  { integrator.step(context, state, workspace, detail::NeverCancels{}) } -> std::same_as<StepReport>;
};

}  // namespace pliant
