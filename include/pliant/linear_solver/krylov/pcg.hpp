// The preconditioned conjugate gradient method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pliant/assembly/packed_matrix.hpp>
#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/preconditioner/automatic.hpp>
#include <pliant/linear_solver/preconditioner/preconditioner.hpp>

namespace pliant {

// Stops when |b - A x| <= max(tolerance |b|, absolute_tolerance). A warm start with a larger residual than x
// = 0 is replaced by zero. Breakdown is always reported: a direction d with d.Ad <= 0 ends the iteration as
// `indefinite`, with the best x so far. Hestenes and Stiefel 1952.
//
// In double the reported residual is that of the recurrence. In float the residual of x itself soon differs
// from it: there convergence is decided by b - A x, which is recomputed, and the iteration restarts from it
// as long as that at least halves it. As for Cholesky, the goal is raised to the rounding errors of x and of
// A x if necessary, and the report contains the raised goal.
template <class PreconditionerType =
              Automatic>  // NoPreconditioner, Jacobi, BlockJacobi, TwoLevel, Prefactored
struct Pcg {
  double tolerance = 1e-6;        // relative to |b| [-]
  double absolute_tolerance = 0;  // [N] if b is a force
  int max_iterations = 0;         // 0: ten times the number of unknowns
  PreconditionerType preconditioner = {};

  static constexpr PreconditionerAbilities of_preconditioner =
      detail::linear_solver::preconditioner_abilities<PreconditionerType>;
  static constexpr SolverAbilities abilities{.takes_positions = of_preconditioner.takes_positions,
                                             .follows_steps = of_preconditioner.follows_steps};

  template <class Matrix>
  struct Workspace {
    static_assert(Preconditioner<PreconditionerType, Matrix>,
                  "Pcg<P>: P must be a preconditioner, see linear_solver/preconditioner/preconditioner.hpp");
    typename Matrix::Vector r, z, p, q;
    typename Matrix::Vector scaled;  // b, if its squares could overflow
    detail::assembly::PackedMatrix<Matrix::dim, typename Matrix::Scalar, Matrix::instruction_set> A;
    typename PreconditionerType::template Workspace<Matrix> preconditioner;

    // The history of the preconditioner, see core/history.hpp.
    using History = detail::core::HistoryOf<typename PreconditionerType::template Workspace<Matrix>>;
    void save(History& history) const { detail::core::save_history(preconditioner, history); }
    void restore(History&& history) { detail::core::restore_history(preconditioner, std::move(history)); }

    // Passes the positions of the nodes [m] to a preconditioner that uses them.
    void set_positions(const typename Matrix::Vector& positions) requires(abilities.takes_positions) {
      preconditioner.set_positions(positions);
    }

    // For a preconditioner that keeps data from one step to the next.
    void begin_step() requires(abilities.follows_steps) { preconditioner.begin_step(); }
    void step_undone() requires(abilities.follows_steps) { preconditioner.step_undone(); }
    void keep_from(Workspace& other) requires(abilities.follows_steps) {
      std::swap(preconditioner, other.preconditioner);
    }
  };

  void check() const {
    detail::linear_solver::require_iteration("Pcg", tolerance, absolute_tolerance, max_iterations);
    if constexpr (of_preconditioner.checks) preconditioner.check();
  }

  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    // A limit for norms, low enough that the squares of growing residuals do not overflow.
    const double most =
        1e-4 * std::sqrt(static_cast<double>(std::numeric_limits<typename Matrix::Scalar>::max()));
    const double b_norm = b.norm();
    if (b_norm > most && std::isfinite(b_norm)) return solve_scaled(b_norm, A, b, x, w, goal, monitor);
    return solve_within_range(b_norm, 1, A, b, x, w, goal, monitor);
  }

 private:
  // For a right-hand side whose norm can be squared; the unit of b is `unit`.
  template <class Matrix, class W>
  LinearReport solve_within_range(double b_norm, double unit, const Matrix& A,
                                  const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                                  double goal, LinearMonitor monitor) const {
    using Scalar = typename Matrix::Scalar;
    constexpr int monitor_interval = 64;
    for (auto* vector : {&w.r, &w.z, &w.p, &w.q}) {
      if (vector->nodes() != b.nodes()) vector->resize(b.nodes());
    }

    LinearReport report;
    report.goal = std::max({tolerance * b_norm, absolute_tolerance, goal});
    w.A.assign(A);
    double residual = std::numeric_limits<double>::quiet_NaN();
    if (x.norm() > 0) residual = find_residual(b, x, w);
    if (!(residual <= b_norm)) {
      x.set_zero();
      w.r.set_sum(b, Scalar(0), b);
      residual = b_norm;
    }
    report.first_residual = report.residual = residual;
    if (!std::isfinite(residual)) return finish(report, LinearStop::not_finite);
    if (residual <= report.goal) return finish(report, LinearStop::converged);
    if (!preconditioner.prepare(A, w.preconditioner)) {
      return finish(report, A.finite() ? LinearStop::indefinite : LinearStop::not_finite);
    }

    const auto end = [&](LinearStop stop) {
      report.stop = stop;
      if constexpr (of_preconditioner.observes) {
        preconditioner.observe(report, w.preconditioner);
      }
      return report;
    };
    if constexpr (of_preconditioner.corrects) {
      if (preconditioner.correct(w.r, x, w.preconditioner)) {
        report.residual = find_residual(b, x, w);
        if (!std::isfinite(report.residual)) return end(LinearStop::not_finite);
        if (report.residual <= report.goal) return end(LinearStop::converged);
      }
    }
    const std::ptrdiff_t limit =
        max_iterations > 0 ? max_iterations : 10 * std::ptrdiff_t{Matrix::dim} * b.nodes();
    double confirmed = std::numeric_limits<double>::infinity();
    Scalar rz = start<Matrix>(w);
    for (;;) {
      const Scalar pAp = w.A.multiply(w.p, w.q);
      if (!std::isfinite(pAp)) return end(LinearStop::not_finite);
      if (!(pAp > 0)) return end(LinearStop::indefinite);
      const Scalar step = rz / pAp;
      const Sums<Scalar> products = advance_residual<Matrix>(step, w.r, w, report.goal);
      ++report.iterations;
      report.residual = std::sqrt(static_cast<double>(products.rr));
      if (!std::isfinite(report.residual)) return end(LinearStop::not_finite);
      const bool converged = report.residual <= report.goal;
      if (converged || report.iterations == limit) {
        x.add(step, w.p);
        if constexpr (sizeof(Scalar) < sizeof(double)) confirm(A, b, x, w, report);
        if (!std::isfinite(report.residual)) return end(LinearStop::not_finite);
        if (converged && report.residual <= report.goal) return end(LinearStop::converged);
        if (report.iterations == limit || !(report.residual < confirmed / 2)) {
          return end(LinearStop::max_iterations);
        }
        confirmed = report.residual;
        rz = start<Matrix>(w);
        continue;
      }
      advance_solution(step, products.rz / rz, x, w);
      rz = products.rz;
      if (report.iterations % monitor_interval == 0 && !monitor(report.iterations, unit * report.residual)) {
        return end(LinearStop::cancelled);
      }
    }
  }

  // The same with a right-hand side scaled to norm one.
  template <class Matrix, class W>
  LinearReport solve_scaled(double size, const Matrix& A, const typename Matrix::Vector& b,
                            typename Matrix::Vector& x, W& w, double goal, LinearMonitor monitor) const {
    using Vector = typename Matrix::Vector;
    const auto set_scaled = [](Vector& to, double factor, const Vector& from) {
      const typename Vector::Block scale(static_cast<typename Vector::Scalar>(factor));
      to.for_each_block([&](std::ptrdiff_t k) { to.set_block(k, scale * from.block(k)); });
    };
    if (w.scaled.nodes() != b.nodes()) w.scaled.resize(b.nodes());
    set_scaled(w.scaled, 1 / size, b);
    set_scaled(x, 1 / size, x);
    Pcg scaled = *this;
    scaled.absolute_tolerance /= size;
    LinearReport report = scaled.solve_within_range(1, size, A, w.scaled, x, w, goal / size, monitor);
    set_scaled(x, size, x);
    report.first_residual *= size;
    report.residual *= size;
    report.goal *= size;
    return report;
  }

  template <class Scalar>
  struct Sums {
    Scalar rr = 0, rz = 0;

    Sums& operator+=(const Sums& other) {
      rr += other.rr;
      rz += other.rz;
      return *this;
    }
  };

  // r = b - A x; returns |r|.
  template <class Vector, class W>
  static double find_residual(const Vector& b, const Vector& x, W& w) {
    w.A.multiply(x, w.q);
    w.r.set_sum(b, typename Vector::Scalar(-1), w.q);
    return static_cast<double>(w.r.norm());
  }

  // r = b - A x and the true residual; the goal is raised to its rounding error if it is below that.
  template <class Matrix, class Vector, class W>
  static void confirm(const Matrix& A, const Vector& b, const Vector& x, W& w, LinearReport& report) {
    report.residual = find_residual(b, x, w);
    if (report.residual > report.goal) {
      report.goal = std::max(report.goal, detail::linear_solver::rounding_of_residual(A, b, x, w.q));
    }
  }

  // The first direction, from r; returns r.z. Overwrites the product in q.
  template <class Matrix, class W>
  auto start(W& w) const {
    using Scalar = typename Matrix::Scalar;
    w.q.set_zero();
    const Scalar rz = advance_residual<Matrix>(Scalar(0), w.r, w, -1).rz;
    w.p.set_sum(w.z, Scalar(0), w.z);
    return rz;
  }

  // An iteration makes two passes over its vectors besides the product, and its cost is that of reading them.

  // r -= step q and z = P^-1 r; returns r.r and r.z. If |r| has reached the goal z is not needed, and a
  // preconditioner with passes of its own is not applied.
  template <class Matrix, class Vector, class W>
  Sums<typename Vector::Scalar> advance_residual(typename Vector::Scalar step, Vector& r, W& w,
                                                 double goal) const {
    using Scalar = typename Vector::Scalar;
    if constexpr (NodewisePreconditioner<PreconditionerType, Matrix> &&
                  !of_preconditioner.sometimes_nodewise) {
      return advance_residual_nodewise(step, r, w);
    } else {
      if constexpr (of_preconditioner.sometimes_nodewise) {
        if (preconditioner.nodewise(w.preconditioner)) return advance_residual_nodewise(step, r, w);
      }
      using Block = typename Vector::Block;
      const Scalar rr = r.sum_blocks([&, step = Block(-step)](std::ptrdiff_t k) {
        const Block r_k = simd::multiply_add(step, w.q.block(k), r.block(k));
        r.set_block(k, r_k);
        return r_k * r_k;
      });
      const double norm = std::sqrt(static_cast<double>(rr));
      if (norm <= goal) return {rr, 0};
      return {rr, preconditioner.apply(r, norm, w.z, w.preconditioner)};
    }
  }

  template <class Vector, class W>
  auto advance_residual_nodewise(typename Vector::Scalar step, Vector& r, W& w) const {
    using Scalar = typename Vector::Scalar;
    using Row = typename Vector::Row;
    constexpr std::ptrdiff_t grain = Vector::grain / Vector::stride;
    return detail::core::parallel_sum<Sums<Scalar>>(
        r.nodes(), grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          Row rr(Scalar(0)), rz(Scalar(0));
          for (std::ptrdiff_t i = begin; i < end; ++i) {
            const Row r_i = simd::multiply_add(Row(-step), w.q.row(i), r.row(i));
            const Row z_i = preconditioner.at(i, r_i, w.preconditioner);
            r.set_row(i, r_i);
            w.z.set_row(i, z_i);
            rr = simd::multiply_add(r_i, r_i, rr);
            rz = simd::multiply_add(r_i, z_i, rz);
          }
          return Sums<Scalar>{simd::sum(rr), simd::sum(rz)};
        });
  }

  // x += step p, then p = z + beta p.
  template <class Vector, class W>
  static void advance_solution(typename Vector::Scalar step, typename Vector::Scalar beta, Vector& x, W& w) {
    using Block = typename Vector::Block;
    x.for_each_block([&, step = Block(step), beta = Block(beta)](std::ptrdiff_t k) {
      const Block p = w.p.block(k);
      x.set_block(k, simd::multiply_add(step, p, x.block(k)));
      w.p.set_block(k, simd::multiply_add(beta, p, w.z.block(k)));
    });
  }

  static LinearReport finish(LinearReport report, LinearStop stop) {
    report.stop = stop;
    return report;
  }
};

}  // namespace pliant
