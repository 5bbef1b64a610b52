// What a time step says about itself.
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
  double terms = 0;  // stored by terms of the program's own, see TermAbilities::stores_energy

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
  accepted,              // not converged, which was not required either
  not_converged,         // the iteration limit came first
  stalled,               // no step lowers the incremental potential further
  energy_undefined,      // an element has left the domain of its energy
  not_finite,            // positions, velocities, forces or stiffnesses are not
  indefinite,            // the linear solver met a matrix that is not positive definite
  linear_solver_failed,  // the linear solver ran into its iteration limit
  cancelled,             // the progress callback asked for it
  penetration,           // a node could not be kept out of the colliders
  too_stiff,             // an explicit step would need more substeps than it is allowed
  inverted,              // a static step ends with elements turned inside out, however small its parts
  too_many_iterations,   // a static step needs more Newton iterations than all its parts may take
  time_stands_still,     // the time is so great that its rounding is not small beside dt
  free_motion  // a part of the body is not held against moving as a rigid body, and statics asks for it
};

// How a step ended: why it stopped, what it cost, and how good it is. True where the step was accepted;
// otherwise the state is what it was before the step. Forces and potentials are NaN where an integrator knows
// none, see without_residual.
struct StepReport {
  StepStop stop = StepStop::converged;
  int newton_iterations = 0;
  int linear_iterations = 0;
  int truncated_solves = 0;  // linear solves that ran into their iteration limit
  int line_search_steps = 0;
  int contacts = 0;            // nodes that press on colliders
  int contact_passes = 0;      // minimisations that contact and friction asked for
  double friction_change = 0;  // of the forces of friction, were there another pass [N]
  double residual = 0;         // |unbalanced force| at the end, over the free nodes [N]
  double residual_goal = 0;    // what it had to reach [N]
  bool rounding_goal = false;  // that is the rounding of the forces, which is above what was asked for
  double first_residual = 0;   // at the start of the step, its constrained nodes moved [N]
  double potential_drop = 0;   // by how much the step lowered the potential that it minimises [J]
  double linear_residual = 0;  // of the last linear solve [N]
  double linear_goal = 0;      // [N]
  int substeps = 0;            // of an explicit step
  int factorisations = 0;      // of OperatorSplitting: matrices that had to be made
  int pieces = 0;              // of OperatorSplitting: bodies, or parts of them, that do not hang together
  int copies = 0;              // how many of these are solved together, as copies of each other
  int inverted_elements = -1;  // turned inside out after the step, see InvertedElements; of OperatorSplitting
                               // where its last solve evaluated them. -1, not known, where a step has failed
                               // for another reason than StepStop::inverted
  double stable_dt = 0;        // longest stable substep of an explicit step, by a safe bound [s]; infinity
                               // where nothing that is free to move has any stiffness
  double time = 0;             // of the state after the step [s]
  int undefined_element = -1;  // user's number of the element that left the domain of its energy; those of
                               // Bodies are numbered solid after solid
  int blocked_node = -1;       // user's number of a node that could not be kept out of the colliders
  std::array<int, 2> blocking_colliders{-1, -1};  // numbers of those in its way, -1 where there are fewer
  std::string free_motion;               // which rigid motions nothing holds, where it stopped for that
  std::vector<NewtonIteration> history;  // with Newton::keep_history
  Energies energies;                     // after the step [J]

  explicit operator bool() const { return stop == StepStop::converged || stop == StepStop::accepted; }

  // Of an integrator that does not know what forces it leaves unbalanced, nor minimises a potential.
  static StepReport without_residual() {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    StepReport report;
    report.residual = report.residual_goal = report.first_residual = report.potential_drop = unknown;
    report.linear_residual = report.linear_goal = unknown;
    return report;
  }

  // One sentence that says why the step stopped.
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
           << " linear iterations, residual " << detail::in_words(residual, "N") << ", goal "
           << detail::in_words(residual_goal, "N") << (rounding_goal ? ", the rounding of the forces" : "");
      if (truncated_solves > 0) {
        text << "; " << truncated_solves << " linear solves ran into their iteration limit";
      }
      text << ')';
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
        text << "the linear solver did not converge (residual " << detail::in_words(linear_residual, "N")
             << ", goal " << detail::in_words(linear_goal, "N") << "); the state is unchanged";
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
    }
    return {};
  }
};

// A StepReport without what only the integrator knows: energies and free motions.
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

// Names the element that has left the domain of its energy at the positions x, where the step stopped for
// that.
template <class System, class Vector>
void blame_element(StepReport& report, System& system, const Vector& x) {
  if (report.stop != StepStop::energy_undefined) return;
  report.undefined_element = system.undefined_element(x);
  if (report.undefined_element < 0) report.stop = StepStop::not_finite;  // it was not the elastic energy
}

// What a progress callback is told, before each Newton iteration, every 64 iterations of the linear solver,
// before each substep of an explicit integrator, and once at the start of a step of OperatorSplitting.
struct Progress {
  double time;             // of the state before the step [s]
  int newton_iteration;    // done so far in this step; of an explicit integrator, substeps
  int linear_iteration;    // of the current linear solve
  double residual;         // |unbalanced force| [N]; NaN of an integrator that knows none
  double linear_residual;  // [N]; the same
};

}  // namespace pliant
