// Minimises a potential of the nodes' displacements subject to contact with colliders.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <pliant/integrator/concept.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant::detail::integrator {

// The report of several minimisations in sequence: that of the last one, with the total work.
inline void append(StepReport& total, StepReport report) {
  report.newton_iterations += total.newton_iterations;
  report.linear_iterations += total.linear_iterations;
  report.truncated_solves += total.truncated_solves;
  report.line_search_steps += total.line_search_steps;
  report.contact_passes += total.contact_passes;
  report.potential_drop += total.potential_drop;
  if (total.contact_passes > 0) report.first_residual = total.first_residual;
  report.history.insert(report.history.begin(), total.history.begin(), total.history.end());
  total = std::move(report);
}

// Shortens the change of u from `start`, where the potential was last computed, to its safe fraction.
template <class Potential, class Vector>
void keep_safe(const Potential& potential, const Vector& start, Vector& change, Vector& u) {
  using Scalar = typename Vector::Scalar;
  change.set_sum(u, Scalar(-1), start);
  const double fraction = potential.safe_fraction(start, change);
  if (fraction < 1) u.set_sum(start, static_cast<Scalar>(fraction), change);
}

// The report of minimize_with_contacts and, if it has succeeded with colliders, the end of its last pass.
template <class Context>
struct Minimized {
  StepReport report;
  std::optional<typename Context::Contacts::Step::Implicit::End> contact = {};
};

// Sets `u`, the displacement [m] from x, zero on entry, to the minimiser of a potential. Without colliders
// this is one minimisation. With colliders it is repeated until no node has passed through one and the normal
// forces in the friction model agree with those of the result; if a step is one linear system, until the
// sticking and sliding of these nodes is approximately right. `newton_workspace.step` holds the expected
// displacement; `w` has members prescribed and held. The forces of the colliders are added to w.held. If all
// minimisations together take more than `most_iterations` Newton iterations, the result is
// StepStop::not_converged. The caller calls finish of the last pass if it accepts the result.
template <class Context, class Potential, class PotentialWorkspace, class NewtonWorkspace>
Minimized<Context> minimize_with_contacts(const Context& context, Potential& potential, const Newton& newton,
                                          const typename Context::Vector& x, PotentialWorkspace& w,
                                          NewtonWorkspace& newton_workspace, typename Context::Vector& u,
                                          NewtonMonitor monitor,
                                          int most_iterations = std::numeric_limits<int>::max()) {
  using Scalar = typename Context::Scalar;
  const auto minimize_once = [&](Newton how, int done) {
    how.max_iterations = std::min(how.max_iterations, most_iterations - done);
    StepReport report = report_of(
        minimize(how, potential, context.solver, context.solver_workspace, u, newton_workspace, monitor),
        how.require_convergence);
    if constexpr (Potential::balances_bodies) {
      if (report) potential.balance_bodies(u, newton_workspace.gradient);
    }
    return report;
  };
  if constexpr (!Context::Contacts::takes_colliders) {
    return {minimize_once(newton, 0)};
  } else {
    if (context.contacts.empty()) return {minimize_once(newton, 0)};
    constexpr int most_passes = 20, most_full_updates = 4;
    constexpr int most_linear_passes = 3;        // if each is one linear system
    constexpr double linear_tolerance = 0.1;     // in that case, of the forces of friction, relative to them
    constexpr double friction_tolerance = 1e-4;  // of the forces of friction, relative to them
    newton_workspace.trial.set_sum(newton_workspace.step, Scalar(1), w.prescribed);
    auto contact =
        context.contacts.begin_implicit(x, newton_workspace.trial, w.prescribed, !newton.line_search);
    const double contact_time = potential.contact_time();
    StepReport total;
    if (newton.line_search && contact.friction_error(u, contact_time) > linear_tolerance) {
      // At u = 0 every node on a moving collider slides relative to it, even those that will stick: a first
      // linear step moves these along with the collider.
      Newton linear = newton;
      linear.max_iterations = 1;
      linear.require_convergence = linear.line_search = false;
      contact.set_linear(true);
      total = report_of(
          minimize(linear, potential, context.solver, context.solver_workspace, u, newton_workspace, monitor),
          false);
      contact.set_linear(false);
      if (total.stop == StepStop::cancelled) return {std::move(total)};
      if (!total) u.set_zero();
      newton_workspace.step.set_zero();
    }
    bool moved_back = false;
    for (int pass = 1;; ++pass) {
      if (total.newton_iterations >= most_iterations) {
        total.stop = StepStop::not_converged;
        return {std::move(total)};
      }
      StepReport report = minimize_once(newton, total.newton_iterations);
      report.contact_passes = 1;
      const bool undefined = report.stop == StepStop::energy_undefined;
      append(total, std::move(report));
      if (undefined && moved_back) {  // nodes that were moved to a surface have crushed an element
        u.set_zero();
        newton_workspace.step.set_zero();
        moved_back = false;
        continue;
      }
      if (!total) return {std::move(total)};
      const auto& g = newton_workspace.gradient;
      const auto friction =
          contact.update_normal_forces(x, u, g, contact_time, pass <= most_full_updates ? 1 : 0.5);
      total.friction_change = friction.change;
      bool settled = !newton.require_convergence ||
                     friction.change <= std::max(total.residual_goal, friction_tolerance * friction.force);
      if (!newton.line_search && pass < most_linear_passes) {
        settled = settled && contact.friction_error(u, contact_time) <= linear_tolerance;
      }
      auto& start = newton_workspace.trial;
      start.set_sum(u, Scalar(0), u);
      moved_back = contact.find_missed(x, w.prescribed, u);
      if (moved_back) keep_safe(potential, start, newton_workspace.step, u);
      if (!moved_back && (settled || pass >= most_passes)) break;
      if (!newton.line_search) contact.note_sliding(u);
      if (pass >= most_passes) {
        total.stop = StepStop::penetration;
        return {std::move(total)};
      }
      newton_workspace.step.set_zero();
    }
    const auto end = std::move(contact).end(u, newton_workspace.gradient, w.held);
    total.contacts = end.node_count();
    return {std::move(total), end};
  }
}

}  // namespace pliant::detail::integrator
