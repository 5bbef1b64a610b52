// What a time step says about itself.
#pragma once

#include <sstream>
#include <string>

#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant {

// Energies of a body [J]. The potentials of gravity and of the external forces are zero in the rest shape.
struct Energies {
  double kinetic = 0;
  double elastic = 0;
  double gravitational = 0;
  double external = 0;

  double total() const { return kinetic + elastic + gravitational + external; }
};

enum class StepStop {
  converged,             // Newton met its tolerance
  linearised,            // the iterations asked for were done, convergence was not required
  not_converged,         // the iteration limit came first
  stalled,               // no step lowers the incremental potential further
  energy_undefined,      // an element has left the domain of its energy
  not_finite,            // positions, velocities or forces overflowed
  indefinite,            // the linear solver met a matrix that is not positive definite
  linear_solver_failed,  // the linear solver ran into its iteration limit
  cancelled              // the progress callback asked for it
};

// How a step ended: why it stopped, what it cost, and how good it is. True where the step was accepted;
// otherwise the state is what it was before the step.
struct StepReport {
  StepStop stop = StepStop::converged;
  int newton_iterations = 0;
  int linear_iterations = 0;
  int line_search_steps = 0;
  double residual = 0;         // |unbalanced force| at the end, over the free nodes [N]
  double residual_goal = 0;    // what it had to reach [N]
  double linear_residual = 0;  // of the last linear solve [N]
  double linear_goal = 0;      // [N]
  double time = 0;             // of the state after the step [s]
  int undefined_element = -1;  // user's number of the element that left the domain of its energy
  Energies energies;           // after the step [J]

  explicit operator bool() const { return stop == StepStop::converged || stop == StepStop::linearised; }

  // One sentence that says why the step stopped.
  std::string message() const {
    std::ostringstream text;
    text.precision(3);
    text << "t = " << time << " s: " << reason() << " (" << newton_iterations << " Newton and "
         << linear_iterations << " linear iterations, residual " << residual << " N, goal " << residual_goal
         << " N)";
    return text.str();
  }

 private:
  std::string reason() const {
    std::ostringstream text;
    text.precision(3);
    switch (stop) {
      case StepStop::converged:
        return "converged";
      case StepStop::linearised:
        return "done, convergence not required";
      case StepStop::not_converged:
        return "Newton did not converge within its iteration limit; the state is unchanged";
      case StepStop::stalled:
        return "the line search found no decrease, the gradient is above its tolerance; the state is "
               "unchanged";
      case StepStop::energy_undefined:
        text << "the energy is not defined";
        if (undefined_element >= 0) text << " in element " << undefined_element << " (inverted or flat)";
        text << "; the state is unchanged";
        return text.str();
      case StepStop::not_finite:
        return "positions, velocities or forces are not finite; the state is unchanged";
      case StepStop::indefinite:
        return "the system matrix is not positive definite (project the Hessian, or take a smaller dt); the "
               "state is "
               "unchanged";
      case StepStop::linear_solver_failed:
        text << "the linear solver did not converge (residual " << linear_residual << " N, goal "
             << linear_goal << " N); the state is unchanged";
        return text.str();
      case StepStop::cancelled:
        return "cancelled by the progress callback; the state is unchanged";
    }
    return {};
  }
};

// What a progress callback is told, before each Newton iteration and every 64 iterations of the linear
// solver.
struct Progress {
  double time;             // of the state before the step [s]
  int newton_iteration;    // done so far in this step
  int linear_iteration;    // of the current linear solve
  double residual;         // |unbalanced force| [N]
  double linear_residual;  // [N]
};

}  // namespace pliant
