// A step of a System with rows: joints, limits, motors.
#pragma once

#include <algorithm>

#include <pliant/integrator/concept.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant {

// Sets u, the displacement [m] from x in a step of dt [s], such that the forces of the rows and the inertia
// balance, A (u - p) = J^T lambda with the derivatives J of the rows at the start, and the rows are met at
// the end, at move(x, u). `predicted` is p, the displacement without rows; A is the matrix of the step.
//
// Each pass solves the rows with what the pass before has left of them, and the matrix of the start: the
// method of SHAKE (Ryckaert, Ciccotti and Berendsen 1977), with bounds. In each pass the error falls by a
// factor that decreases with the rotation in the step. As the forces of rows act at the start of the step,
// they do not change the momentum or the angular momentum; with rigid joints alone, which are met there, the
// step is symplectic.
template <class Context>
StepReport satisfy_rows(const Context& context, const typename Context::Vector& x, double dt,
                        const typename Context::Matrix& A, const typename Context::Vector& predicted,
                        typename Context::Vector& u, typename Context::Vector& position,
                        NewtonMonitor monitor) {
  StepReport report = StepReport::without_residual();
  auto& system = context.system;
  auto& w = context.solver_workspace;
  system.begin_rows(x, dt);
  Rows& rows = system.rows();
  const auto failed = [&](LinearStop stop) {
    report.stop = stop == LinearStop::indefinite ? StepStop::indefinite : StepStop::not_finite;
    return report;
  };
  if (const LinearStop stop = context.solver.prepare(A, rows, w); stop != LinearStop::converged) {
    return failed(stop);
  }
  NewtonReport progress = detail::progress_without_residual(0);
  for (;;) {
    if (!monitor(progress)) {
      report.stop = StepStop::cancelled;
      return report;
    }
    const auto solved = context.solver.solve(predicted, rows, u, w);
    report.linear_iterations += solved.iterations;
    if (solved.stop != LinearStop::converged) return failed(solved.stop);
    ++report.newton_iterations;
    progress.iterations = report.newton_iterations;
    system.move(x, u, position);
    const RowError error = system.follow_rows(position, u);
    report.row_error = error.largest;
    if (!position.finite()) return failed(LinearStop::not_finite);
    if (context.solver.rule == RowRule::velocities) return report;
    if (error.largest <= std::max(context.solver.gap, system.row_rounding(position))) return report;
    if (report.newton_iterations >= context.solver.max_passes) {
      report.stop = StepStop::rows_unmet;
      report.unmet_joint = error.joint;
      return report;
    }
  }
}

}  // namespace pliant
