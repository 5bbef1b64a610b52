// A step of a System with rows: joints, limits, motors.
#pragma once

#include <algorithm>

#include <pliant/integrator/concept.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant::detail::integrator {

inline bool contacts_met(const contact::ContactPass& contact, double allowed) {
  return contact.error <= allowed && contact.settled && !contact.added;
}

// Prepares the solver for the rows that contact has changed in a pass.
template <class Context>
LinearStop follow_contacts(const Context& context, const typename Context::Matrix& A, const Rows& rows,
                           const contact::ContactPass& contact) {
  if (!contact.turned && !contact.added) return LinearStop::converged;
  return context.solver.renew(A, rows, !contact.added, context.solver_workspace);
}

// Sets u, the displacement [m] from x in a step, such that the forces of the rows and the inertia
// balance, A (u - p) = J^T lambda with the derivatives J of the rows at the start, and the rows are met at
// the end, at move(x, u). `predicted` is p, the displacement without rows; A is the matrix of the step.
//
// Each pass solves the rows with what the pass before has left of them, and the matrix of the start: the
// method of SHAKE (Ryckaert, Ciccotti and Berendsen 1977), with bounds. In each pass the error falls by a
// factor that decreases with the rotation in the step. As the forces of rows act at the start of the step,
// they do not change the momentum or the angular momentum; with rigid joints alone, which are met there, the
// step is symplectic.
template <class Context>
StepReport satisfy_rows(const Context& context, const typename Context::Vector& x, const RowStep& step,
                        const typename Context::Matrix& A, const typename Context::Vector& predicted,
                        typename Context::Vector& u, typename Context::Vector& position,
                        NewtonMonitor monitor) {
  StepReport report = StepReport::without_residual();
  auto& system = context.system;
  auto& w = context.solver_workspace;
  const bool by_velocities = context.solver.rule == RowRule::velocities;
  system.begin_rows(x, step);
  context.contacts.begin_rows(x, predicted);
  Rows& rows = system.rows();
  const auto failed = [&](LinearStop stop) {
    report.stop = stop == LinearStop::indefinite ? StepStop::indefinite : StepStop::not_finite;
    return report;
  };
  if (const LinearStop stop = context.solver.prepare(A, rows, w); stop != LinearStop::converged) {
    return failed(stop);
  }
  NewtonReport progress = progress_without_residual(0);
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
    RowError error;  // none where velocities meet the rows: their right sides stay
    if (!by_velocities) error = system.follow_rows(position, u);
    if (!position.finite()) return failed(LinearStop::not_finite);
    const double allowed = std::max(context.solver.gap, system.row_rounding(position));
    const contact::ContactPass contact = context.contacts.follow_rows(x, position, u, allowed);
    report.row_error = std::max(error.largest, contact.error);
    report.penetration = contact.penetration;
    report.friction_change = contact.friction_error;
    if (error.largest <= allowed && contacts_met(contact, allowed)) {
      if (by_velocities) report.row_error = system.follow_rows(position, u).largest;
      return report;
    }
    if (report.newton_iterations >= context.solver.max_passes) {
      report.stop = error.largest > allowed ? StepStop::rows_unmet : StepStop::penetration;
      report.unmet_joint = error.joint;
      return report;
    }
    if (const LinearStop stop = follow_contacts(context, A, rows, contact); stop != LinearStop::converged) {
      return failed(stop);
    }
  }
}

// Changes the rates v [m/s] at x, the end of a step whose rows are met, by impulses such that rigid rows stay
// met: M (v - v before) = J^T lambda, J v = 0, as in RATTLE (Andersen 1983). A is scratch. Returns whether
// the factor of the rows exists.
template <class Context>
LinearStop satisfy_row_rates(const Context& context, const typename Context::Vector& x, const RowStep& step,
                             typename Context::Matrix& A, typename Context::Vector& predicted,
                             typename Context::Vector& v) {
  auto& system = context.system;
  auto& w = context.solver_workspace;
  A.set_zero();
  for (std::ptrdiff_t i = 0; i < A.rows(); ++i) A.diagonal(i).diagonal() = system.mass().node(i);
  system.begin_row_rates(x, step);
  Rows& rows = system.rows();
  if (const LinearStop stop = context.solver.prepare(A, rows, w); stop != LinearStop::converged) return stop;
  predicted.set_sum(v, 0, v);
  const double allowed = std::max(context.solver.gap, system.row_rounding(x)) / step.dt;
  // Redundant rows need more than one pass.
  for (int pass = 0; pass < context.solver.max_passes; ++pass) {
    if (const auto solved = context.solver.solve(predicted, rows, v, w);
        solved.stop != LinearStop::converged) {
      return solved.stop;
    }
    if (system.row_rate_error(v) <= allowed) break;
  }
  system.end_row_rates(step.dt);
  return LinearStop::converged;
}

}  // namespace pliant::detail::integrator
