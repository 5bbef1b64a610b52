// The Integrator concept: how a state is advanced by one step.
//
// A model is a plain aggregate of parameters. Its data at run time are in its nested Workspace<System,
// Filter>, which the caller owns and keeps from one step to the next. Its members:
//   abilities                                its optional properties, for example
//                                            static constexpr IntegratorAbilities abilities{
//                                                .needs_solver = false};
//   time_step()                              the length of a step [s]
//   check()                                  throws ParameterError naming the parameter that is out of range
//   prepare(system, workspace)               allocates the unknowns if necessary; it is called again, for the
//                                            same system, after parameters have changed
//   step(context, state, workspace, monitor) advances the state and returns a report; after a failure
//                                            the state is undefined, and the caller restores a copy.
//                                            `monitor(newton_report)` is called before each linear solve, and
//                                            cancels by returning false. A Simulation counts the inverted
//                                            elements if the integrator does not
// Members of the workspace:
//   abilities                                static constexpr WorkspaceAbilities abilities{.steps = true};
//   constraint_forces()                      of constraints and colliders on the nodes in the last step [N]
// and the functions of each ability that is true. A misspelt field does not compile, nor does an integrator
// whose workspace lacks a function of its abilities, or has one that they do not name.
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

// Positions and velocities, in the system's numbering, at a time. The accelerations of the free nodes balance
// the current loads; code that changes positions, velocities or loads resets acceleration_known.
template <class Vector>
struct State {
  Vector x;                         // [m]
  Vector v;                         // [m/s]
  Vector a;                         // [m/s^2]; without nodes if the integrator stores none
  bool acceleration_known = false;  // whether a belongs to x, v and the loads
  double time = 0;                  // [s]

  // Copies another state with the same number of nodes, without allocation.
  void copy(const State& other) {
    using Scalar = typename Vector::Scalar;
    x.set_sum(other.x, Scalar(0), other.x);
    v.set_sum(other.v, Scalar(0), other.v);
    a.set_sum(other.a, Scalar(0), other.a);
    acceleration_known = other.acceleration_known;
    time = other.time;
  }
};

// Moves x by the displacement u; overwrites `scratch`. For a System that turns rates, call turn_rates before.
template <System SystemType>
void displace(const SystemType& system, typename SystemType::Vector& x, const typename SystemType::Vector& u,
              typename SystemType::Vector& scratch) {
  system.move(x, u, scratch);
  std::swap(x, scratch);
}

// The data of a step besides the state.
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
  static_assert(detail::contact::SystemContacts<Contacts, Vector, Matrix>,
                "the Contacts of the System lack something, see contact/response/concept.hpp");

  System& system;
  const Filter& filter;
  typename Contacts::Step& contacts;
  const Vector& loads;  // external forces and gravity [N]
  const SolverType& solver;
  SolverWorkspaceType& solver_workspace;
};

namespace detail::integrator {

// The quotient of two blocks, for example of forces [N] and masses [kg]; zero in the padding, which has no
// mass.
template <class Block>
PLIANT_INLINE Block per_mass(const Block& force, const Block& mass) {
  const Block zero(0), one(1);
  return force / select(mass > zero, mass, one);
}

// Whether the rounding error of a time [s] is small compared with a step of dt [s]; otherwise paths would not
// advance.
inline bool time_advances(double time, double dt) {
  return std::abs(time) * std::numeric_limits<double>::epsilon() <= 0.01 * dt;
}

// The progress report of an integrator without residual, after some substeps.
inline NewtonReport progress_without_residual(int done) {
  NewtonReport report;
  report.iterations = done;
  report.gradient = report.linear.residual = std::numeric_limits<double>::quiet_NaN();
  return report;
}

}  // namespace detail::integrator

// The optional properties of an integrator.
struct IntegratorAbilities {
  bool keeps_acceleration = false;  // the state contains accelerations
  bool needs_solver = true;         // linear systems are solved; false: a Simulation has no solver
  bool knows_colliders = false;     // colliders are allowed
  bool takes_rows = false;          // Systems with rows are allowed, see SystemAbilities
  bool takes_contact_rows = false;  // colliders are allowed too, if their contacts are rows
};

// The optional abilities of a workspace, each with the functions that it then must have. Of these, begin_step
// may throw; step_undone must not.
struct WorkspaceAbilities {
  bool history = false;  // it has persistent data besides the state: see core/history.hpp
  // begin_step(): called at the start of a step; the workspace saves its persistent data. An exception, such
  // as for lack of memory, aborts the step. step_undone(): called after a failed step or an exception, when
  // the state before the step has been restored: restores the saved data, as far as they still exist.
  bool steps = false;
  // keep_from(other): called after an exception, on a new workspace that replaces `other`, which may be
  // incomplete; takes over its persistent data. Without this ability they are lost.
  bool keeps = false;
  // check_constraints(system, filter): throws ParameterError for constraints that the integrator does not
  // support; called before the first step, and before constraints are replaced.
  bool checks_constraints = false;
  bool follows_constraints = false;  // constraints_changed(): called after a replacement
  bool follows_state = false;        // state_changed(): called after positions or velocities were set
};

namespace detail::integrator {

// Whether an integrator needs a linear solver; true for types that are no integrators.
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

// Whether a workspace has the functions of each ability if, and only if, it is true.
// clang-format off
template <class W, class System, class Filter>
concept DeclaresWorkspace =
    (W::abilities.history == core::HasHistory<W>) &&
    (W::abilities.steps == linear_solver::FollowsSteps<W>) &&
    (W::abilities.steps == linear_solver::FollowsSomeSteps<W>) &&
    (W::abilities.keeps == linear_solver::KeepsFrom<W>) &&
    (W::abilities.checks_constraints == ChecksConstraints<W, System, Filter>) &&
    (W::abilities.follows_constraints == FollowsConstraints<W>) &&
    (W::abilities.follows_state == FollowsState<W>);
// clang-format on

}  // namespace detail::integrator

// The workspace of an integrator.
template <class W, class System, class Filter>
concept IntegratorWorkspace = std::default_initializable<W> && std::movable<W> &&
    requires(const W& workspace) {
  { W::abilities } -> std::same_as<const WorkspaceAbilities&>;  // its abilities
  {
    workspace.constraint_forces()
    } -> std::convertible_to<const typename System::Vector&>;  // last step's [N]
} && detail::integrator::DeclaresWorkspace<W, System, Filter>;

// The requirements that do not depend on a system.
template <class I>
concept Integrator = std::copy_constructible<I> && requires(const I& integrator) {
  { I::abilities } -> std::same_as<const IntegratorAbilities&>;  // its optional properties
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
  integrator.prepare(context.system, workspace);  // allocates the unknowns
  // advances the state by a step
  { integrator.step(context, state, workspace, NewtonMonitor{}) } -> std::same_as<StepReport>;
};

}  // namespace pliant
