// The report of a time step.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant {

// Energies of a body [J]. The potentials of gravity and of the external forces are zero in the rest shape.
struct Energies {
  double kinetic = 0;
  double elastic = 0;
  double gravitational = 0;
  double external = 0;
  double terms = 0;  // stored by additional terms, see TermAbilities::stores_energy

  double total() const { return kinetic + elastic + gravitational + external + terms; }

  Energies& operator+=(const Energies& other) {
    kinetic += other.kinetic;
    elastic += other.elastic;
    gravitational += other.gravitational;
    external += other.external;
    terms += other.terms;
    return *this;
  }
};

enum class StepStop {
  converged,             // Newton met its tolerance
  accepted,              // not converged; convergence was not required
  not_converged,         // the iteration limit came first
  stalled,               // no step lowers the incremental potential further
  energy_undefined,      // an element is outside the domain of its energy
  not_finite,            // positions, velocities, forces or stiffnesses are not
  indefinite,            // the linear solver found a matrix that is not positive definite
  linear_solver_failed,  // the linear solver reached its iteration limit
  cancelled,             // by the progress callback
  penetration,           // a node could not be kept out of the colliders
  too_stiff,             // an explicit step would need more substeps than allowed
  inverted,              // a static step ends with inverted elements, even with the smallest parts
  too_many_iterations,   // a static step exceeds the limit of Newton iterations of all its parts
  time_stands_still,     // the rounding error of the time is not small compared with dt
  free_motion,           // statics only: a part of the body can move as a rigid body
  rows_unmet             // a joint could not be met at the end of the step
};

// How a step ended: why it stopped, its cost, and its accuracy. True if the step was accepted; otherwise the
// state is that before the step. Forces and potentials are NaN if an integrator does not compute them, see
// without_residual.
struct StepReport {
  StepStop stop = StepStop::converged;
  int newton_iterations = 0;  // of a Mechanism alone: passes over its joints
  int linear_iterations = 0;
  int truncated_solves = 0;  // linear solves that reached their iteration limit
  int line_search_steps = 0;
  int contacts = 0;            // number of nodes in contact
  int contact_passes = 0;      // minimisations for contact and friction
  double friction_change = 0;  // of the friction forces, in another pass [N]
  // |unbalanced force| at the end, over the free nodes [N]; with rigid bodies also their torques [N m]
  double residual = 0;
  double residual_goal = 0;    // upper limit for `residual` [N]
  bool rounding_goal = false;  // the goal was raised to the rounding level of the forces
  double first_residual = 0;   // at the start of the step, after its constrained nodes were moved [N]
  double potential_drop = 0;   // decrease of the minimised potential [J]
  double linear_residual = 0;  // of the last linear solve [N]
  double linear_goal = 0;      // [N]
  int substeps = 0;            // of an explicit step
  int factorisations = 0;      // of OperatorSplitting: number of factorised matrices
  int pieces = 0;              // of OperatorSplitting: number of connected components
  int copies = 0;              // number of components solved together, as instances of the same mesh
  int inverted_elements = -1;  // after the step, see InvertedElements; of OperatorSplitting at its last
                               // evaluation of elements. -1, unknown, if a step has failed for another reason
                               // than StepStop::inverted
  double stable_dt = 0;        // longest stable substep of an explicit step, a lower bound [s]; infinity
                               // if the free nodes have no stiffness
  double time = 0;             // of the state after the step [s]
  int undefined_element = -1;  // user's number of the element outside the domain of its energy; those of
                               // Bodies are numbered solid after solid
  int blocked_node = -1;       // user's number of a node that could not be kept out of the colliders
  std::array<int, 2> blocking_colliders{-1, -1};  // their numbers, -1 if there are fewer
  double row_error = 0;     // largest error of a joint or a contact of a body at the end [m] or [rad]
  double penetration = 0;   // largest depth of a node or a body in a collider, where contacts are rows [m]
  int unmet_joint = -1;     // the joint with this error, if it stopped the step
  std::string free_motion;  // unconstrained rigid motions, if these stopped the step
  std::vector<NewtonIteration> history;  // if Newton::keep_history
  Energies energies;                     // after the step [J]

  explicit operator bool() const { return stop == StepStop::converged || stop == StepStop::accepted; }

  // For an integrator without residual or potential.
  static StepReport without_residual() {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    StepReport report;
    report.residual = report.residual_goal = report.first_residual = report.potential_drop = unknown;
    report.linear_residual = report.linear_goal = unknown;
    return report;
  }

  // One sentence with the reason why the step stopped.
  std::string message() const {
    std::ostringstream text;
    text.precision(3);
    text << "t = " << time << " s: " << reason();
    if (stable_dt > 0) {
      text << " (" << substeps << (substeps == 1 ? " substep, " : " substeps, ");
      if (std::isinf(stable_dt)) text << "any length of which is stable)";
      else text << "the longest stable one " << stable_dt << " s)";
    } else if (!std::isnan(residual_goal)) {
      text << " (" << newton_iterations << " Newton and " << linear_iterations
           << " linear iterations, residual " << detail::core::in_words(residual, "N") << ", goal "
           << detail::core::in_words(residual_goal, "N")
           << (rounding_goal ? ", the rounding of the forces" : "");
      if (truncated_solves > 0) {
        text << "; " << truncated_solves << " linear solves ran into their iteration limit";
      }
      text << ')';
    } else if (newton_iterations > 0) {
      text << " (" << newton_iterations << (newton_iterations == 1 ? " pass" : " passes")
           << " over the joints, largest error " << detail::core::in_words(row_error) << " m or rad)";
    } else if (*this) {
      text << "; this integrator knows no residual";
    }
    if (*this && inverted_elements > 0) {
      text << "; " << inverted_elements << (inverted_elements == 1 ? " element was" : " elements were")
           << " inverted";
    }
    return text.str();
  }

 private:
  std::string reason() const {
    std::ostringstream text;
    text.precision(3);
    switch (stop) {
      case StepStop::converged:
        return "converged";
      case StepStop::accepted:
        return std::isnan(residual_goal) ? "done" : "done, convergence not required";
      case StepStop::not_converged:
        return "Newton did not converge within its iteration limit (allow more iterations, or take a smaller "
               "dt); the state is unchanged";
      case StepStop::stalled:
        return "the line search found no decrease, the gradient is above its tolerance; the state is "
               "unchanged";
      case StepStop::energy_undefined:
        text << "the energy is not defined";
        if (undefined_element >= 0) text << " in element " << undefined_element << " (inverted or flat)";
        text << "; the state is unchanged";
        return text.str();
      case StepStop::not_finite:
        return "positions, velocities, forces or stiffnesses are not finite; the state is unchanged";
      case StepStop::indefinite:
        return "the system matrix is not positive definite (project the Hessian, or take a smaller dt); "
               "the state is unchanged";
      case StepStop::linear_solver_failed:
        text << "the linear solver did not converge (residual "
             << detail::core::in_words(linear_residual, "N") << ", goal "
             << detail::core::in_words(linear_goal, "N") << "); the state is unchanged";
        return text.str();
      case StepStop::cancelled:
        return "cancelled by the progress callback; the state is unchanged";
      case StepStop::penetration:
        if (blocked_node < 0) return "a node could not be kept out of the colliders; the state is unchanged";
        text << "node " << blocked_node;
        if (blocking_colliders[1] >= 0) {
          text << " finds no room between colliders " << blocking_colliders[0] << " and "
               << blocking_colliders[1];
        } else {
          text << " could not be kept out of collider " << blocking_colliders[0];
        }
        text << "; the state is unchanged";
        return text.str();
      case StepStop::too_stiff:
        return "stability asks for more substeps than max_substeps (allow more, take a smaller dt, or an "
               "implicit integrator); the state is unchanged";
      case StepStop::inverted:
        return "the static equilibrium has elements of negative volume, however small the increments: " +
               std::to_string(inverted_elements) +
               " (take smaller steps, or allow inverted elements); the state is unchanged";
      case StepStop::too_many_iterations:
        return "the parts of the static step took more Newton iterations than max_newton_iterations (allow "
               "more, or take smaller steps); the state is unchanged";
      case StepStop::time_stands_still:
        return "the time is so great that dt is lost in its rounding (set an earlier time); the state is "
               "unchanged";
      case StepStop::free_motion:
        return "no unique static equilibrium: " + free_motion + "; the state is unchanged";
      case StepStop::rows_unmet:
        return "joint " + std::to_string(unmet_joint) + " could not be met, its error is " +
               detail::core::in_words(row_error) +
               " m or rad (its rows contradict others, or the bodies turn too far in a step: take a smaller "
               "dt); "
               "the state is unchanged";
    }
    return {};
  }
};

// A StepReport without the data of the integrator: energies and free motions.
inline StepReport report_of(NewtonReport newton, bool require_convergence) {
  const auto stop = [&] {
    switch (newton.stop) {
      case NewtonStop::converged:
        return StepStop::converged;
      case NewtonStop::iteration_limit:
        return require_convergence ? StepStop::not_converged : StepStop::accepted;
      case NewtonStop::stalled:
        return require_convergence || newton.iterations == 0 ? StepStop::stalled : StepStop::accepted;
      case NewtonStop::undefined:
        return std::isinf(newton.value) ? StepStop::energy_undefined : StepStop::not_finite;
      case NewtonStop::cancelled:
        return StepStop::cancelled;
      case NewtonStop::linear_solver_failed:
        break;
    }
    switch (newton.linear.stop) {
      case LinearStop::indefinite:
        return StepStop::indefinite;
      case LinearStop::not_finite:
        return StepStop::not_finite;
      default:
        return StepStop::linear_solver_failed;
    }
  };
  StepReport report;
  report.stop = stop();
  report.newton_iterations = newton.iterations;
  report.linear_iterations = newton.linear_iterations;
  report.truncated_solves = newton.truncated_solves;
  report.line_search_steps = newton.line_search_steps;
  report.residual = newton.gradient;
  report.residual_goal = newton.goal;
  report.rounding_goal = newton.rounding_goal;
  report.first_residual = newton.first_gradient;
  report.potential_drop = newton.first_value - newton.value;
  report.linear_residual = newton.linear.residual;
  report.linear_goal = newton.linear.goal;
  report.history = std::move(newton.history);
  return report;
}

// If the step stopped with an undefined energy, finds an element that is outside the domain of its energy at
// the positions x.
template <class System, class Vector>
void blame_element(StepReport& report, System& system, const Vector& x) {
  if (report.stop != StepStop::energy_undefined) return;
  report.undefined_element = system.undefined_element(x);
  if (report.undefined_element < 0) report.stop = StepStop::not_finite;  // not because of the elastic energy
}

// The argument of a progress callback, which is called before each Newton iteration, every 64 iterations of
// the linear solver, before each substep of an explicit integrator, and once at the start of a step of
// OperatorSplitting.
struct Progress {
  double time;             // of the state before the step [s]
  int newton_iteration;    // completed in this step; of an explicit integrator, substeps
  int linear_iteration;    // of the current linear solve
  double residual;         // |unbalanced force| [N]; NaN if the integrator does not compute it
  double linear_residual;  // [N]; the same
};

}  // namespace pliant
