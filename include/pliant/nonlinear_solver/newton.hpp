// Newton's method with a line search, for minimising an energy-like function of the nodes' positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <pliant/core/error.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/linear_solver/concept.hpp>

namespace pliant {

// Parameters. The defaults solve each step to convergence and guard every iteration by a line search;
// `Newton::linearised()` is the one-iteration scheme of interactive simulators.
struct Newton {
  int max_iterations = 30;
  double tolerance = 1e-4;        // of |gradient|, relative to the forces at play [-]
  double absolute_tolerance = 0;  // of |gradient| [N]
  bool require_convergence =
      true;  // false: max_iterations are what the time allows; the result is taken as is
  Projection projection = Projection::clamp;  // of the elements' Hessians
  bool project_on_demand = true;      // true: only where the unprojected Hessian is not positive definite
  bool line_search = true;            // backtracking by halves, Armijo
  double sufficient_decrease = 1e-4;  // Armijo's constant [-]
  int max_line_search_steps = 40;

  // One iteration, full step, whatever it leads to.
  static Newton linearised() {
    return {
        .max_iterations = 1, .require_convergence = false, .project_on_demand = false, .line_search = false};
  }

  void check() const {
    detail::require_parameter(max_iterations >= 1, "Newton::max_iterations", max_iterations,
                              "must be at least 1");
    detail::require_parameter(tolerance >= 0, "Newton::tolerance", tolerance, "must not be negative");
    detail::require_parameter(absolute_tolerance >= 0, "Newton::absolute_tolerance", absolute_tolerance,
                              "must not be negative (N)");
    detail::require_parameter(sufficient_decrease > 0 && sufficient_decrease < 0.5,
                              "Newton::sufficient_decrease", sufficient_decrease, "must lie in (0, 0.5)");
    detail::require_parameter(max_line_search_steps >= 1, "Newton::max_line_search_steps",
                              max_line_search_steps, "must be at least 1");
  }
};

enum class NewtonStop {
  converged,             // |gradient| met its tolerance
  iteration_limit,       // max_iterations done
  stalled,               // no step lowers the function further although |gradient| is above its tolerance
  undefined,             // the function is not finite at the start, or after a full step without line search
  linear_solver_failed,  // see the linear report
  cancelled              // the monitor asked for it
};

// How a minimisation ended. Gradients are in newtons.
struct NewtonReport {
  NewtonStop stop = NewtonStop::converged;
  int iterations = 0;
  int linear_iterations = 0;
  int line_search_steps = 0;  // evaluations of the function beyond one per iteration
  double first_gradient = 0;  // |gradient| at the start
  double gradient = 0;        // |gradient| at the end
  double goal = 0;            // what `gradient` had to reach
  double value = 0;           // of the function at the end [J]
  LinearReport linear;        // of the last linear solve
};

// What `minimize` needs between iterations. The caller owns it and keeps it from one call to the next.
template <class Vector, class Matrix>
struct NewtonWorkspace {
  Vector gradient, right_side, step, trial;
  Matrix hessian;
};

// Minimises a function over x, which holds the start on entry and the best iterate on return. `step` of the
// workspace holds the first guess of the first linear solve. The problem offers
//   gradient(x, g)                         returns the value; g its gradient
//   tangent(x, projection, g, A)           the same; A its Hessian, projected as asked
//   constrain(g), constrain(A)             removes the constrained unknowns
//   force_scale()                          the size of the forces at play [N]
//   force_rounding(), value_rounding()     what rounding makes of a gradient [N] and of the last value [J]
// where the last three are asked for after the first tangent, and `monitor(report)` is called before each
// linear solve and may return false to cancel. No gradient is asked to fall below its rounding.
template <class Problem, class Solver, class SolverWorkspace, class Vector, class Matrix, class Monitor>
NewtonReport minimize(const Newton& newton, Problem& problem, const Solver& solver,
                      SolverWorkspace& solver_workspace, Vector& x, NewtonWorkspace<Vector, Matrix>& w,
                      Monitor&& monitor) {
  using Scalar = typename Vector::Scalar;
  NewtonReport report;
  const auto finish = [&report](NewtonStop stop) {
    report.stop = stop;
    return report;
  };

  // With projection on demand the true Hessian is tried first: it converges faster and costs less. Where it
  // proves not to be positive definite, the projected one serves for a while, longer each time.
  const bool on_demand = newton.project_on_demand && newton.projection != Projection::none;
  Projection projection = on_demand ? Projection::none : newton.projection;
  int projected_iterations = 0, penalty = 1;
  constexpr int longest_penalty = 8;

  report.value = problem.tangent(x, projection, w.gradient, w.hessian);
  problem.constrain(w.gradient);
  report.first_gradient = report.gradient = w.gradient.norm();
  const double wanted = std::max(newton.tolerance * problem.force_scale(), newton.absolute_tolerance);
  report.goal = std::max(wanted, problem.force_rounding());
  if (!std::isfinite(report.value) || !std::isfinite(report.gradient)) return finish(NewtonStop::undefined);
  // A residual below the rounding of the forces, or well below what convergence asks for, is as good as zero.
  const double enough = std::max(std::numeric_limits<Scalar>::epsilon() * problem.force_scale(),
                                 newton.require_convergence ? 0.1 * wanted : 0.0);

  for (;;) {
    if (!monitor(report)) return finish(NewtonStop::cancelled);
    problem.constrain(w.hessian);
    w.right_side.set_sum(w.gradient, Scalar(-2), w.gradient);
    const auto linear_monitor = [&](int iterations, double residual) {
      report.linear.iterations = iterations;
      report.linear.residual = residual;
      return monitor(report);
    };
    report.linear = solver.solve(w.hessian, w.right_side, w.step, solver_workspace, enough, linear_monitor);
    report.linear_iterations += report.linear.iterations;
    if (report.linear.stop == LinearStop::cancelled) return finish(NewtonStop::cancelled);
    const bool truncated = report.linear.stop == LinearStop::max_iterations && newton.line_search;
    const double slope = w.gradient.dot(w.step), rounding = problem.value_rounding();
    const bool indefinite = report.linear.stop == LinearStop::indefinite ||
                            (newton.line_search && !(slope < 0) && report.gradient > report.goal);
    if (indefinite && projection != newton.projection) {
      projection = newton.projection;
      projected_iterations = penalty;
      penalty = std::min(2 * penalty, longest_penalty);
      report.value = problem.tangent(x, projection, w.gradient, w.hessian);
      problem.constrain(w.gradient);
      w.step.set_zero();
      continue;
    }
    if (!report.linear && !truncated) return finish(NewtonStop::linear_solver_failed);
    if (newton.line_search && !(slope < 0)) {
      return finish(report.gradient <= report.goal ? NewtonStop::converged : NewtonStop::stalled);
    }
    // Armijo's condition on the values; where these differ by no more than their rounding, the same condition
    // in terms of slopes, to which it is equal for a quadratic function (Hager and Zhang 2005, eq. 4.1).
    const auto acceptable = [&](double value, double length, double end_slope) {
      return value <= report.value + newton.sufficient_decrease * length * slope ||
             (value <= report.value + rounding && end_slope <= (2 * newton.sufficient_decrease - 1) * slope);
    };
    double value = 0, length = 1;
    for (int k = 0;; ++k, length /= 2) {
      w.trial.set_sum(x, static_cast<Scalar>(length), w.step);
      value = problem.gradient(w.trial, w.gradient);
      problem.constrain(w.gradient);
      if (!newton.line_search || acceptable(value, length, w.gradient.dot(w.step))) break;
      ++report.line_search_steps;
      if (k + 1 >= newton.max_line_search_steps) {
        return finish(report.gradient <= report.goal ? NewtonStop::converged : NewtonStop::stalled);
      }
    }
    std::swap(x, w.trial);
    ++report.iterations;
    report.value = value;
    report.gradient = w.gradient.norm();
    if (!std::isfinite(report.value) || !std::isfinite(report.gradient)) return finish(NewtonStop::undefined);
    if (report.gradient <= report.goal) return finish(NewtonStop::converged);
    if (report.iterations >= newton.max_iterations) return finish(NewtonStop::iteration_limit);
    if (projected_iterations > 0) --projected_iterations;
    if (on_demand) projection = projected_iterations > 0 ? newton.projection : Projection::none;
    report.value = problem.tangent(x, projection, w.gradient, w.hessian);
    problem.constrain(w.gradient);
    w.step.set_zero();
  }
}

}  // namespace pliant
