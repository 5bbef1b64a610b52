// Rows with an iterative solver: conjugate gradients among the displacements that meet the rows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/rows/condensed.hpp>
#include <pliant/linear_solver/rows/row_projection.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant {

// Solves the same problem as Condensed without a factorisation of A, for large solids. It minimises
//   (u - p).A (u - p) / 2 - b.(u - p)   subject to the rows of `Rows`
// by projected conjugate gradients (Gould, Hribar and Nocedal 2001): every iterate meets the rows whose
// multipliers are free, and the preconditioner P is applied between two projections onto them. A projection
// is one in the metric of the diagonal blocks of A, whose matrix of the rows is as sparse as the graph of the
// joints, and is factorised. The forces that it takes from the residual are those of the multipliers.
//
// Which rows have multipliers at a bound is guessed, at first from the multipliers before, and updated until
// no multiplier is beyond its bounds and no row at a bound is open. As such sets can cycle, after
// some updates the Schur complement of the rows with bounds is computed, by a solve for each row, and the set
// is that of the solution by Mprgp.
//
// The tolerances are those of the Pcg, for the residual of the forces, relative to its norm after the first
// projection with a matrix. The rows are met by every solve.
template <class Inner = Pcg<>>  // a Pcg
struct Multipliers {
  double gap = 1e-11;    // largest error of a row after a step, unless rounding is larger [m] or [rad]
  int max_passes = 60;   // in a step
  Inner solver = {};     // its tolerances, its limit of iterations and its preconditioner
  int max_changes = 12;  // of the set of multipliers at their bounds, before the Schur complement
  RowRule rule = RowRule::end_of_step;

  static constexpr SolverAbilities abilities{.takes_positions = Inner::abilities.takes_positions,
                                             .follows_steps = Inner::abilities.follows_steps,
                                             .takes_rows = true};

  void check() const {
    detail::core::require_parameter(gap > 0, "Multipliers::gap", gap, "must be positive (m or rad)");
    detail::core::require_parameter(max_passes >= 1, "Multipliers::max_passes", max_passes,
                                    "must be at least 1");
    detail::core::require_parameter(max_changes >= 0, "Multipliers::max_changes", max_changes,
                                    "must not be negative");
    solver.check();
  }

  template <class Matrix>
  struct Workspace {
    static_assert(
        requires { Inner::of_preconditioner; },
        "Multipliers<S>: S must be a Pcg, for example Multipliers<Pcg<TwoLevel>>");
    static_assert(Matrix::dim == 3, "Multipliers takes systems with three numbers per node");
    using System = Matrix;
    using Vector = typename Matrix::Vector;
    using Projection = detail::linear_solver::RowProjection<Matrix>;
    using RowVector = typename Projection::RowVector;
    using RowMatrix = typename Projection::RowMatrix;

    typename Inner::template Workspace<Matrix> inner;
    Projection projection;
    Vector forces;                // b
    Vector change, coarse, rest;  // u - p; of a preconditioner that corrects
    RowVector slack, slack_r, slack_z, slack_p;
    RowVector lambda, fixed;  // multipliers of free rows, and of the others
    RowVector right_side, y;
    double first_residual = 0, enough = 0;  // with this matrix; goal of the last solve
    bool has_guess = false;                 // whether `change` is a solution for the same p and b

    // For sets that cycle.
    RowMatrix schur;
    Vector still;  // zero
    RowVector schur_side, schur_solution;
    BoxConstraints<RowVector> box;
    typename Mprgp<>::template Workspace<RowMatrix> bounded;
    bool has_schur = false;  // for this matrix

    // See Pcg.
    using History = detail::core::HistoryOf<typename Inner::template Workspace<Matrix>>;
    void save(History& history) const { detail::core::save_history(inner, history); }
    void restore(History&& history) { detail::core::restore_history(inner, std::move(history)); }
    void set_positions(const Vector& positions) requires(abilities.takes_positions) {
      inner.set_positions(positions);
    }
    void begin_step() requires(abilities.follows_steps) { inner.begin_step(); }
    void step_undone() requires(abilities.follows_steps) { inner.step_undone(); }
    void keep_from(Workspace& other) requires(abilities.follows_steps) { inner.keep_from(other.inner); }
  };

  // Without rows.
  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    return solver.solve(A, b, x, w.inner, goal, monitor);
  }

  // For a matrix and the derivatives of the rows.
  template <class Matrix, class W>
  LinearStop prepare(const Matrix& A, const Rows& rows, W& w) const {
    for (auto* vector :
         {&w.inner.r, &w.inner.z, &w.inner.p, &w.inner.q, &w.forces, &w.change, &w.coarse, &w.rest}) {
      if (vector->nodes() != A.rows()) vector->resize(A.rows());
    }
    w.forces.set_zero();
    w.first_residual = 0;
    if (const LinearStop stop = renew(A, rows, false, w); stop != LinearStop::converged) return stop;
    w.inner.A.assign(A);
    if (solver.preconditioner.prepare(A, w.inner.preconditioner)) return LinearStop::converged;
    return A.finite() ? LinearStop::indefinite : LinearStop::not_finite;
  }

  // Follows a change of the rows since the last `prepare`, with the same A.
  template <class Matrix, class W>
  LinearStop renew(const Matrix& A, const Rows& rows, bool /*same_nodes*/, W& w) const {
    const auto count = std::ssize(rows.held) + std::ssize(rows.bounded);
    for (auto* vector :
         {&w.slack, &w.slack_r, &w.slack_z, &w.slack_p, &w.lambda, &w.fixed, &w.right_side, &w.y}) {
      if (vector->nodes() != count) vector->resize(count);
    }
    w.has_guess = w.has_schur = false;
    return w.projection.prepare(A, rows);
  }

  // The next solves are those with the forces b, which they take into account themselves: x = 0.
  template <class Vector, class W>
  void apply(const Vector& b, Vector& x, W& w) const {
    w.forces.set_sum(b, 0, b);
    w.has_guess = false;
    x.set_zero();
  }

  // Sets the multipliers and u. `goal` is a sufficient residual, as that of a LinearSolver.
  template <class Vector, class W>
  RowReport solve(const Vector& p, Rows& rows, Vector& u, W& w, double goal = 0) const {
    RowReport report;
    if (!w.has_guess) {
      w.change.set_zero();
      for (std::size_t k = 0; k < w.projection.count(); ++k) {
        const RowBlock& row = k < rows.held.size() ? rows.held[k] : rows.bounded[k - rows.held.size()];
        w.slack.node(at(k)) = row.compliance.cwiseProduct(row.multiplier);
      }
    }
    guess_signs(rows, w);
    for (int change = w.has_schur ? max_changes : 0;; ++change) {
      if (change == max_changes && !choose_by_schur_complement(p, rows, u, w, report)) return report;
      fix_at_bounds(rows, w);
      if (!minimise({p, true, goal}, rows, u, w, report)) return report;
      // Those that the Schur complement has chosen may be open by its error: they are mended once more.
      if (!mend_signs(rows, u, w) || change > max_changes) break;
    }
    w.has_guess = true;
    return report;
  }

 private:
  using Signs = std::array<signed char, 3>;

  // What is minimised: from p, with b and the right sides of the rows or without both, to a residual of
  // `goal`.
  template <class Vector>
  struct Problem {
    const Vector& p;
    bool loaded;
    double goal;
  };
  template <class Vector>
  Problem(const Vector&, bool, double) -> Problem<Vector>;

  static std::ptrdiff_t at(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }

  // A multiplier at a bound is fixed.
  template <class W>
  static void guess_signs(const Rows& rows, W& w) {
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      const RowBlock& row = rows.bounded[k];
      Signs signs{};
      for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = static_cast<Eigen::Index>(i);
        if (row.multiplier[axis] >= row.upper[axis]) signs[i] = 1;
        if (row.multiplier[axis] <= row.lower[axis]) signs[i] = -1;
      }
      w.projection.set_signs(rows.held.size() + k, signs);
    }
  }

  // Fixes the multipliers that exceed their bounds, and frees those of rows that are open. Returns whether
  // there are any. Sets the multipliers. Free rows that contradict others, as a motor that drives against a
  // limit, are left open by `minimise`; what its last projection failed to close them with, which is large
  // then, tells which of them must be fixed.
  template <class Vector, class W>
  bool mend_signs(Rows& rows, const Vector& u, W& w) const {
    for (std::size_t k = 0; k < rows.held.size(); ++k) rows.held[k].multiplier = w.lambda.node(at(k));
    // Up to the residual, the multipliers are not known.
    const double unknown = std::max(1e-12 * w.lambda.largest(), w.enough);
    bool changed = false;
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      RowBlock& row = rows.bounded[k];
      const std::size_t number = rows.held.size() + k;
      Signs signs = w.projection.signs(number);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = static_cast<Eigen::Index>(i);
        if (signs[i] == 0) {
          const double lambda = w.lambda.node(at(number))(axis);
          const double wanted = lambda + w.y.node(at(number))(axis);
          if (wanted < row.lower[axis] - unknown) signs[i] = -1;
          if (wanted > row.upper[axis] + unknown) signs[i] = 1;
          row.multiplier[axis] = std::clamp(lambda, row.lower[axis], row.upper[axis]);
        } else {
          row.multiplier[axis] = signs[i] < 0 ? row.lower[axis] : row.upper[axis];
          if (row.lower[axis] == row.upper[axis]) continue;
          const double open =
              row.right_side[axis] - row.times(axis, u) - row.compliance[axis] * row.multiplier[axis];
          if (-signs[i] * open > 0.5 * gap) signs[i] = 0;
        }
      }
      if (signs == w.projection.signs(number)) continue;
      w.projection.set_signs(number, signs);
      changed = true;
    }
    return changed;
  }

  // Finds u for the present signs and fixed multipliers, from w.change. Returns false if it fails.
  template <class Vector, class W>
  bool minimise(const Problem<Vector>& problem, const Rows& rows, Vector& u, W& w, RowReport& report) const {
    report.stop = w.projection.factorise();
    if (report.stop != LinearStop::converged) return false;
    Vector &r = w.inner.r, &z = w.inner.z, &q = w.inner.q, &direction = w.inner.p;
    mask_slack(w);
    meet_rows(problem, rows, u, w);
    // The gradient by the displacements and by the slacks.
    w.inner.A.multiply(w.change, q);
    r.set_sum(q, problem.loaded ? -1 : 0, w.forces);
    w.projection.add_forces(-1, w.fixed, r);
    w.slack_r.set_zero();
    w.projection.for_each_slack(
        [&](auto k, int i, double C) { w.slack_r.node(k)(i) = w.slack.node(k)(i) / C; });
    w.lambda.set_zero();
    const double before = r.norm();
    double residual = reduce(w);
    if (!std::isfinite(before + residual)) return fail(LinearStop::not_finite, report);
    if (problem.loaded) w.first_residual = std::max(w.first_residual, residual);
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * before;
    const double enough = problem.loaded ? std::max({solver.tolerance * w.first_residual,
                                                     solver.absolute_tolerance, problem.goal, rounding})
                                         : std::max(std::min(solver.tolerance, 1e-8) * residual, rounding);
    if (problem.loaded) w.enough = enough;
    LinearReport linear{.first_residual = residual, .residual = residual, .goal = enough};
    const std::ptrdiff_t limit =
        solver.max_iterations > 0 ? solver.max_iterations : 10 * std::ptrdiff_t{3} * problem.p.nodes();
    double rz = 0;
    while (linear.residual > enough && linear.iterations < limit) {
      const double next = precondition(w);
      const double turn = linear.iterations > 0 ? next / rz : 0;
      rz = next;
      direction.set_sum(z, turn, direction);
      w.slack_p.set_sum(w.slack_z, turn, w.slack_p);
      if (linear.iterations == 0) {
        direction.set_sum(z, 0, z);
        w.slack_p.set_sum(w.slack_z, 0, w.slack_z);
      }
      double pAp = w.inner.A.multiply(direction, q);
      w.projection.for_each_slack(
          [&](auto k, int i, double C) { pAp += w.slack_p.node(k)(i) * w.slack_p.node(k)(i) / C; });
      if (!std::isfinite(pAp)) return fail(LinearStop::not_finite, report);
      if (!(pAp > 0)) return fail(LinearStop::indefinite, report);
      const double step = rz / pAp;
      w.change.add(-step, direction);
      r.add(-step, q);
      w.slack.add(-step, w.slack_p);
      w.projection.for_each_slack(
          [&](auto k, int i, double C) { w.slack_r.node(k)(i) -= step * w.slack_p.node(k)(i) / C; });
      ++linear.iterations;
      linear.residual = reduce(w);
      if (!std::isfinite(linear.residual)) return fail(LinearStop::not_finite, report);
    }
    if constexpr (Inner::of_preconditioner.observes) {
      if (linear.iterations > 0) solver.preconditioner.observe(linear, w.inner.preconditioner);
    }
    meet_rows(problem, rows, u, w);
    // Of the two values of a multiplier with a slack, which differ by the residual, this one meets the row.
    w.projection.for_each_slack(
        [&](auto k, int i, double C) { w.lambda.node(k)(i) = w.slack.node(k)(i) / C; });
    report.iterations += linear.iterations;
    return true;
  }

  static bool fail(LinearStop stop, RowReport& report) {
    report.stop = stop;
    return false;
  }

  // The smallest change that meets the free rows; sets u.
  template <class Vector, class W>
  static void meet_rows(const Problem<Vector>& problem, const Rows& rows, Vector& u, W& w) {
    u.set_sum(problem.p, 1, w.change);
    w.projection.gather(u, w.slack, w.y);
    for (std::size_t k = 0; k < w.projection.count(); ++k) {
      const RowBlock& row = k < rows.held.size() ? rows.held[k] : rows.bounded[k - rows.held.size()];
      const Signs& signs = w.projection.signs(k);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = static_cast<Eigen::Index>(i);
        w.right_side.node(at(k))(axis) =
            signs[i] == 0 ? (problem.loaded ? row.right_side[axis] : 0) - w.y.node(at(k))(axis) : 0;
      }
    }
    w.projection.solve(w.right_side, w.y);
    w.projection.add_spread(1, w.y, w.change);
    w.projection.for_each_slack([&](auto k, int i, double C) { w.slack.node(k)(i) += C * w.y.node(k)(i); });
    u.set_sum(problem.p, 1, w.change);
  }

  // Only free rows with a compliance have a slack.
  template <class W>
  static void mask_slack(W& w) {
    w.y.set_sum(w.slack, 0, w.slack);
    w.slack.set_zero();
    w.projection.for_each_slack([&](auto k, int i, double) { w.slack.node(k)(i) = w.y.node(k)(i); });
  }

  // Fixed multipliers are those of the bounds.
  template <class W>
  static void fix_at_bounds(const Rows& rows, W& w) {
    w.fixed.set_zero();
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      const std::size_t number = rows.held.size() + k;
      const Signs& signs = w.projection.signs(number);
      for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = static_cast<Eigen::Index>(i);
        if (signs[i] == 0) continue;
        w.fixed.node(at(number))(axis) =
            signs[i] < 0 ? rows.bounded[k].lower[axis] : rows.bounded[k].upper[axis];
      }
    }
  }

  // Takes forces of the rows from the gradient such that its norm in the metric D^-1 is least, and adds their
  // multipliers to lambda. Returns the norm of what is left.
  template <class W>
  static double reduce(W& w) {
    w.projection.gather_spread(w.inner.r, w.slack_r, w.right_side);
    w.projection.solve(w.right_side, w.y);
    w.projection.add_forces(-1, w.y, w.inner.r);
    w.lambda.add(1, w.y);
    double slack = 0;
    w.projection.for_each_slack([&](auto k, int i, double) {
      double& force = w.slack_r.node(k)(i);
      force -= w.y.node(k)(i);
      slack += force * force;
    });
    return std::hypot(static_cast<double>(w.inner.r.norm()), std::sqrt(slack));
  }

  // z = P^-1 r, projected onto the rows; returns r.z.
  template <class W>
  double precondition(W& w) const {
    auto &r = w.inner.r, &z = w.inner.z;
    apply_preconditioner(w);
    w.slack_z.set_zero();
    w.projection.for_each_slack(
        [&](auto k, int i, double C) { w.slack_z.node(k)(i) = C * w.slack_r.node(k)(i); });
    w.projection.gather(z, w.slack_z, w.right_side);
    w.projection.solve(w.right_side, w.y);
    w.projection.add_spread(-1, w.y, z);
    double rz = r.dot(z);
    w.projection.for_each_slack([&](auto k, int i, double C) {
      w.slack_z.node(k)(i) -= C * w.y.node(k)(i);
      rz += w.slack_r.node(k)(i) * w.slack_z.node(k)(i);
    });
    return rz;
  }

  // A preconditioner for residuals in a subspace is applied to what is left by its correction, which makes it
  // that for all residuals.
  template <class W>
  void apply_preconditioner(W& w) const {
    auto &r = w.inner.r, &z = w.inner.z, &rest = w.rest;
    const auto& P = solver.preconditioner;
    auto& of_P = w.inner.preconditioner;
    const auto by_node = [&](const auto& preconditioner) {
      for (std::ptrdiff_t i = 0; i < r.nodes(); ++i) z.set_row(i, preconditioner.at(i, r.row(i), of_P));
    };
    if constexpr (NodewisePreconditioner<std::remove_cvref_t<decltype(P)>, typename W::System> &&
                  !Inner::of_preconditioner.sometimes_nodewise) {
      return by_node(P);
    } else {
      if constexpr (Inner::of_preconditioner.sometimes_nodewise) {
        if (P.nodewise(of_P)) return by_node(P);
      }
      if constexpr (Inner::of_preconditioner.corrects) {
        w.coarse.set_zero();
        if (P.correct(r, w.coarse, of_P)) {
          w.inner.A.multiply(w.coarse, z);
          rest.set_sum(r, -1, z);
          P.apply(rest, rest.norm(), z, of_P);
          z.add(1, w.coarse);
          return;
        }
      }
      P.apply(r, r.norm(), z, of_P);
    }
  }

  // Fixes the multipliers that are at a bound in the solution by Mprgp of
  //   S lambda = c - J u,  S = J K J^T + C,
  // where u is the displacement with the held rows alone, and K^-1 is A with them. Returns false if a solve
  // fails.
  template <class Vector, class W>
  bool choose_by_schur_complement(const Vector& p, Rows& rows, Vector& u, W& w, RowReport& report) const {
    const std::size_t held = rows.held.size(), bounded = rows.bounded.size();
    for (std::size_t k = 0; k < bounded; ++k) w.projection.set_signs(held + k, {1, 1, 1});
    w.fixed.set_zero();
    if (!w.has_schur && !find_schur_complement(rows, u, w, report)) return false;
    if (!minimise({p, true, 0.0}, rows, u, w, report)) return false;
    for (std::size_t k = 0; k < bounded; ++k) {
      const RowBlock& row = rows.bounded[k];
      w.schur_side.node(at(k)) = row.right_side - row.times(u);
      w.schur_solution.node(at(k)) = row.multiplier;
      w.box.lower.node(at(k)) = row.lower;
      w.box.upper.node(at(k)) = row.upper;
    }
    report.stop = Mprgp<>{.tolerance = 1e-12, .max_iterations = 1000}
                      .solve(w.schur, w.schur_side, w.box, w.schur_solution, w.bounded)
                      .stop;
    if (report.stop == LinearStop::indefinite || report.stop == LinearStop::not_finite) return false;
    report.stop = LinearStop::converged;
    for (std::size_t k = 0; k < bounded; ++k) rows.bounded[k].multiplier = w.schur_solution.node(at(k));
    guess_signs(rows, w);
    return true;
  }

  // Each column is the answer to a force of one row.
  template <class Vector, class W>
  bool find_schur_complement(const Rows& rows, Vector& u, W& w, RowReport& report) const {
    const std::size_t held = rows.held.size(), bounded = rows.bounded.size();
    if (w.schur_side.nodes() != at(bounded)) {
      std::vector<std::vector<int>> others(bounded);
      for (std::size_t a = 0; a < bounded; ++a) {
        for (std::size_t b = 0; b < bounded; ++b) {
          if (a != b) others[a].push_back(static_cast<int>(b));
        }
      }
      w.schur = detail::linear_solver::matrix_of_rows<typename W::RowMatrix>(others);
      w.box = BoxConstraints<typename W::RowVector>::unbounded(at(bounded));
      w.schur_solution.resize(at(bounded));
      w.still.resize(u.nodes());
      w.schur_side.resize(at(bounded));
    }
    w.schur.set_zero();
    for (std::size_t l = 0; l < bounded; ++l) {
      for (int axis = 0; axis < 3; ++axis) {
        if (!rows.bounded[l].acts(axis)) continue;
        w.change.set_zero();
        w.slack.set_zero();
        w.fixed.set_zero();
        w.fixed.node(at(held + l))(axis) = 1;
        if (!minimise({w.still, false, 0.0}, rows, u, w, report)) return false;
        for (std::size_t k = 0; k <= l; ++k) {
          w.schur.block(w.schur.pattern().slot(static_cast<int>(k), static_cast<int>(l))).col(axis) =
              rows.bounded[k].times(u);
        }
      }
      auto own = w.schur.diagonal(at(l));
      own = (0.5 * (own + own.transpose())).eval();
      own.diagonal() += rows.bounded[l].compliance;
      own.diagonal() *= 1 + W::Projection::raise;
    }
    w.change.set_zero();
    w.slack.set_zero();
    w.fixed.set_zero();
    w.has_schur = true;
    return true;
  }
};

}  // namespace pliant
