// Newton's method for a step of a System with elastic energy and rows: joints, limits, motors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/integrator/row_passes.hpp>
#include <pliant/linear_solver/rows/rows.hpp>
#include <pliant/linear_solver/rows/strain_rows.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant::detail::integrator {

// The exact penalty of rows in a line search: a function of u that rises, from where the rows are met, with
// forces twice as large as their multipliers. With r = c - J u it is, for each row, the maximum of
//   l r - C l^2 / 2   over   l between the bounds of the row, with |l| <= 2 |lambda|,
// which is convex; its derivative is -J^T lambda where the multipliers lambda solve the row.
template <class Vector>
double penalty_of(const Rows& rows, const Vector& u) {
  double sum = 0;
  for (const auto* blocks : {&rows.held, &rows.bounded}) {
    for (const RowBlock& block : *blocks) {
      const RowBlock::Triple r = block.right_side - block.times(u);
      for (int i = 0; i < 3; ++i) {
        const double most = 2 * std::abs(block.multiplier[i]), C = block.compliance[i];
        const double lowest = std::max(block.lower[i], -most), highest = std::min(block.upper[i], most);
        const double force = C > 0 ? std::clamp(r[i] / C, lowest, highest) : r[i] > 0 ? highest : lowest;
        sum += force * (r[i] - C * force / 2);
      }
    }
  }
  return sum;
}

// How much the penalty rises per unit of all errors, at most.
inline double slope_of_penalty(const Rows& rows) {
  double sum = 0;
  for (const auto* blocks : {&rows.held, &rows.bounded}) {
    for (const RowBlock& block : *blocks) sum += 2 * block.multiplier.cwiseAbs().sum();
  }
  return sum;
}

// g -= J^T lambda.
template <class Vector>
void subtract_row_forces(const Rows& rows, Vector& g) {
  for (const auto* blocks : {&rows.held, &rows.bounded}) {
    for (const RowBlock& block : *blocks) {
      block.for_each_node(
          [&](int i, const RowBlock::Block& J) { g.node(i) -= J.transpose() * block.multiplier; });
    }
  }
}

// One step, see minimize_with_rows.
template <class Context, class Potential>
class RowMinimization {
 public:
  using Vector = typename Context::Vector;
  using Matrix = typename Context::Matrix;
  static_assert(!Potential::bounded,
                "the contacts of a System with rows are rows or none: its Contacts bound no unknowns");

  RowMinimization(const Context& context, Potential& potential, const Newton& newton, const Vector& x,
                  NewtonWorkspace<Vector, Matrix>& workspace, Vector& u, NewtonMonitor monitor)
      : context_(context),
        potential_(potential),
        newton_(newton),
        x_(x),
        w_(workspace),
        u_(u),
        monitor_(monitor),
        schedule_(newton),
        rows_(context.system.rows()) {}

  StepReport run() {
    context_.system.begin_rows(x_, potential_.row_step());
    context_.contacts.begin_rows(x_, w_.step);
    report_.stop = iterate();
    report_.potential_drop = first_value_ - value_;
    return std::move(report_);
  }

 private:
  StepStop iterate() {
    bool linearises = true, met = false;
    for (int passes = 1;; ++passes) {
      if (linearises) {
        if (const auto stop = linearise(); stop != StepStop::converged) return stop;
        passes = 1;
      }
      if (linearises || newton_.line_search) predict();
      const auto solved = solve();
      report_.linear_iterations += solved.iterations;
      current_.linear_iterations += solved.iterations;
      if (solved.stop != LinearStop::converged) {
        if (linearises && schedule_.raise()) continue;  // as after a failed factorisation
        return stop_of(solved.stop);
      }
      w_.right_side.set_sum(w_.trial, -1, u_);  // the change of u
      const bool searches = linearises && newton_.line_search && !moves_;
      if (!searches) {
        take_all();
      } else if (!search()) {
        if (schedule_.raise()) continue;  // with the same u and another matrix
        restore_multipliers();
        return met && !newton_.require_convergence ? StepStop::accepted : StepStop::stalled;
      }
      if (linearises) schedule_.settle();
      keep_multipliers();
      RowError error;  // none where velocities meet the rows: their right sides stay
      if (context_.solver.rule == RowRule::end_of_step) {
        error = context_.system.follow_rows(potential_.position(), u_);
      }
      const contact::ContactPass contact =
          context_.contacts.follow_rows(x_, potential_.position(), u_, allowed_gap());
      report_.row_error = std::max(error.largest, contact.error);
      report_.penetration = contact.penetration;
      report_.friction_change = contact.friction_error;
      find_residual();
      if (linearises && newton_.keep_history) {
        current_.value = value_;
        current_.gradient = report_.residual;
        report_.history.push_back(std::exchange(current_, {}));
      }
      if (std::isinf(value_)) return StepStop::energy_undefined;
      if (!std::isfinite(value_) || !std::isfinite(report_.residual)) return StepStop::not_finite;
      met = error.largest <= allowed_gap() && contacts_met(contact, allowed_gap());
      const bool balanced = report_.residual <= report_.residual_goal;
      const bool last = report_.newton_iterations >= newton_.max_iterations;
      if (met && balanced) return StepStop::converged;
      if (met && last && !newton_.require_convergence) return StepStop::accepted;
      if (!balanced && last && newton_.require_convergence) return StepStop::not_converged;
      if (passes >= context_.solver.max_passes) {
        report_.unmet_joint = error.joint;
        return error.largest > allowed_gap() ? StepStop::rows_unmet : StepStop::penetration;
      }
      linearises = !balanced && !last;
      if (linearises) continue;
      if (const LinearStop stop = follow_contacts(context_, w_.hessian, rows_, contact);
          stop != LinearStop::converged) {
        return stop_of(stop);
      }
    }
  }

  // Sets w_.trial. A residual well below the required one is enough.
  RowReport solve() {
    const double enough = newton_.require_convergence ? 0.1 * report_.residual_goal : 0.0;
    return context_.solver.solve(w_.step, rows_, w_.trial, context_.solver_workspace, enough);
  }

  // The multipliers that belong to u.
  void keep_multipliers() {
    for (auto* blocks : {&rows_.held, &rows_.bounded}) {
      for (RowBlock& block : *blocks) block.accepted = block.multiplier;
    }
  }
  void restore_multipliers() {
    for (auto* blocks : {&rows_.held, &rows_.bounded}) {
      for (RowBlock& block : *blocks) block.multiplier = block.accepted;
    }
  }

  static StepStop stop_of(LinearStop stop) {
    return stop == LinearStop::indefinite ? StepStop::indefinite : StepStop::not_finite;
  }

  // Computes the gradient and the matrix at u, and factorises it for the rows.
  StepStop linearise() {
    for (;;) {
      const double part = current_.projected = schedule_.part();
      value_ =
          potential_.tangent(u_, part < 1 ? Projection::none : newton_.projection, w_.gradient, w_.hessian);
      if (part > 0 && part < 1) {
        potential_.tangent(u_, newton_.projection, w_.gradient, w_.projected);
        w_.hessian.blend(part, w_.projected);
      }
      if (schedule_.shift() > 0) w_.hessian.shift_diagonal(schedule_.shift());
      moves_ = false;
      if (potential_.constraints_move()) {
        potential_.prescribe(u_, w_.trial);
        moves_ = w_.trial.norm() > 0;
      }
      if (moves_) {  // the gradient after the move, in the linear model
        w_.hessian.multiply(w_.trial, w_.right_side);
        w_.right_side.add(1, w_.gradient);
        potential_.constrain(w_.right_side);
      }
      potential_.constrain(w_.gradient);
      if (!std::isfinite(value_)) {
        return std::isinf(value_) ? StepStop::energy_undefined : StepStop::not_finite;
      }
      if (report_.newton_iterations == 0) {
        report_.first_residual = progress_.gradient = (moves_ ? w_.right_side : w_.gradient).norm();
        first_value_ = value_;
      }
      set_goal();
      progress_.iterations = report_.newton_iterations;
      if (!monitor_(progress_)) return StepStop::cancelled;
      potential_.constrain(w_.hessian);
      const LinearStop stop = prepare_solver();
      if (stop == LinearStop::converged) break;
      if (!schedule_.raise()) return stop_of(stop);
    }
    ++report_.newton_iterations;
    return StepStop::converged;
  }

  LinearStop prepare_solver() {
    constexpr SolverAbilities abilities =
        linear_solver::solver_abilities<std::remove_cvref_t<decltype(context_.solver)>>;
    auto& w = context_.solver_workspace;
    if constexpr (abilities.takes_positions) w.set_positions(potential_.position());
    if constexpr (abilities.takes_strain_rows) {
      invert_inertia(w.inverse);
      const StrainRows& strains = context_.system.strain_rows(potential_.position(), potential_.dt());
      return context_.solver.prepare(rows_, &strains, w);
    } else {
      return context_.solver.prepare(w_.hessian, rows_, w);
    }
  }

  // The inverse of the inertia among the displacements that constraints allow, a block for each node.
  void invert_inertia(std::vector<RowBlock::Block>& inverse) {
    inverse.assign(static_cast<std::size_t>(w_.trial.nodes()), RowBlock::Block::Zero());
    Vector& allowed = w_.step;
    for (int axis = 0; axis < 3; ++axis) {
      allowed.set_zero();
      for (std::ptrdiff_t i = 0; i < allowed.nodes(); ++i) allowed.node(i)(axis) = 1;
      potential_.constrain(allowed);
      for (std::ptrdiff_t i = 0; i < allowed.nodes(); ++i) {
        const RowBlock::Triple column = allowed.node(i);
        inverse[static_cast<std::size_t>(i)] += column * column.transpose() / potential_.inertia(i, axis);
      }
    }
  }

  // Sets w_.step to u after a Newton step without rows. Moved nodes go to their prescribed positions, which
  // is part of the linear system.
  void predict() {
    if (!moves_) w_.right_side.set_sum(w_.gradient, 0, w_.gradient);
    w_.right_side.set_sum(w_.right_side, -2, w_.right_side);
    context_.solver.apply(w_.right_side, w_.step, context_.solver_workspace);
    w_.step.add(1, u_);
    if (moves_) w_.step.add(1, w_.trial);
  }

  // Takes the change of u at full length.
  void take_all() {
    u_.add(1, w_.right_side);
    evaluate(u_);
    if (moves_) first_value_ = value_;
    moves_ = false;
  }

  // Halves the change of u until it lowers the potential plus the penalty of the rows. Its derivative in the
  // direction of a Newton step is at most that of the potential plus the change of the penalty, because the
  // penalty is convex. Returns false, with u and its gradient as before, if there is no such length.
  bool search() {
    const double before = value_, penalty = penalty_of(rows_, u_);
    const double rounding = potential_.value_rounding() + slope_of_penalty(rows_) * allowed_gap();
    const double slope = w_.gradient.dot(w_.right_side) + penalty_of(rows_, w_.trial) - penalty;
    double length = std::min(1.0, potential_.safe_fraction(u_, w_.right_side));
    for (int k = 0; length > 0 && k < newton_.max_line_search_steps; ++k, length /= 2) {
      w_.trial.set_sum(u_, length, w_.right_side);
      evaluate(w_.trial);
      if (value_ + penalty_of(rows_, w_.trial) <=
          before + penalty + newton_.sufficient_decrease * length * slope + rounding) {
        std::swap(u_, w_.trial);
        current_.step_length = length;
        return true;
      }
      ++report_.line_search_steps;
      ++current_.line_search_steps;
    }
    evaluate(u_);
    return false;
  }

  // The error of a row that counts as none [m] or [rad].
  double allowed_gap() const {
    return std::max(context_.solver.gap, context_.system.row_rounding(potential_.position()));
  }

  void evaluate(const Vector& u) {
    value_ = potential_.gradient(u, w_.gradient);
    potential_.constrain(w_.gradient);
  }

  // The forces that neither rows nor constraints balance; overwrites w_.right_side.
  void find_residual() {
    w_.right_side.set_sum(w_.gradient, 0, w_.gradient);
    subtract_row_forces(rows_, w_.right_side);
    report_.residual = progress_.gradient = w_.right_side.norm();
  }

  void set_goal() {
    const double wanted = std::max({newton_.tolerance * potential_.force_scale(), newton_.absolute_tolerance,
                                    newton_.reduction * report_.first_residual});
    const double rounding = potential_.force_rounding();
    report_.residual_goal = std::max(wanted, rounding);
    report_.rounding_goal = rounding > wanted;
  }

  const Context& context_;
  Potential& potential_;
  const Newton& newton_;
  const Vector& x_;
  NewtonWorkspace<Vector, Matrix>& w_;
  Vector& u_;
  NewtonMonitor monitor_;
  nonlinear_solver::ProjectionSchedule schedule_;
  Rows& rows_;
  StepReport report_;
  NewtonReport progress_;
  NewtonIteration current_;
  double first_value_ = 0, value_ = 0;
  bool moves_ = false;  // whether constrained nodes still have to move
};

// Sets u, the displacement [m] from x, zero on entry, such that the gradient of the potential balances the
// forces of the rows, grad = J^T lambda with the derivatives J of the rows at the start of the step, and the
// rows are met at its end, at move(x, u).
//
// With the rows c = J u of the start this is a minimum of the potential, found by Newton's method with a line
// search on the potential and an exact penalty of the rows. After each iteration c is corrected by what the
// rows lack at the end, as in satisfy_rows. When the forces are in balance and rows are still open, further
// passes have the same matrix. A step of a single linear system (Newton::linearised()) keeps its gradient as
// well: then only the multipliers change from pass to pass.
template <class Context, class Potential>
StepReport minimize_with_rows(const Context& context, Potential& potential, const Newton& newton,
                              const typename Context::Vector& x,
                              NewtonWorkspace<typename Context::Vector, typename Context::Matrix>& workspace,
                              typename Context::Vector& u, NewtonMonitor monitor) {
  return RowMinimization<Context, Potential>(context, potential, newton, x, workspace, u, monitor).run();
}

}  // namespace pliant::detail::integrator
