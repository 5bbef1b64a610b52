// The preconditioned conjugate gradient method.
#pragma once

#include <cmath>

#include <pliant/assembly/packed_matrix.hpp>
#include <pliant/core/error.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/preconditioner.hpp>

namespace pliant {

// Stops when |b - A x| <= max(tolerance |b|, absolute_tolerance). A warm start that is worse than x = 0 is
// dropped. Breakdown is reported, never hidden: a direction d with d.Ad <= 0 ends the iteration as
// `indefinite`, with the best x so far. Hestenes and Stiefel 1952; the residual reported is the one of the
// recurrence.
template <class PreconditionerType = BlockJacobi>  // Identity, Jacobi, BlockJacobi
struct Pcg {
  double tolerance = 1e-6;        // relative to |b| [-]
  double absolute_tolerance = 0;  // [N] where b is a force
  int max_iterations = 0;         // 0: ten times the number of unknowns
  PreconditionerType preconditioner = {};

  template <int Dim, class Scalar>
  struct Workspace {
    NodeVector<Dim, Scalar> r, z, p, q;
    PackedMatrix<Dim, Scalar> A;
    typename PreconditionerType::template Workspace<Dim, Scalar> preconditioner;
  };

  void check() const {
    detail::require_parameter(tolerance >= 0 && tolerance < 1, "Pcg::tolerance", tolerance,
                              "must lie in [0, 1)");
    detail::require_parameter(absolute_tolerance >= 0, "Pcg::absolute_tolerance", absolute_tolerance,
                              "must not be negative");
    detail::require_parameter(max_iterations >= 0, "Pcg::max_iterations", max_iterations,
                              "must not be negative");
    detail::require_parameter(tolerance > 0 || absolute_tolerance > 0, "Pcg::tolerance", tolerance,
                              "must be positive where absolute_tolerance is zero");
  }

  template <class Matrix, class W, class Monitor = NoMonitor>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, Monitor&& monitor = {}) const {
    using Scalar = typename Matrix::Scalar;
    static_assert(Preconditioner<PreconditionerType, Matrix>,
                  "Pcg<P>: P must be a preconditioner, see linear_solver/preconditioner.hpp");
    constexpr int monitor_interval = 64;
    for (auto* vector : {&w.r, &w.z, &w.p, &w.q}) {
      if (vector->nodes() != b.nodes()) vector->resize(b.nodes());
    }

    LinearReport report;
    const double b_norm = b.norm();
    report.goal = std::max({tolerance * b_norm, absolute_tolerance, goal});
    w.A.assign(A);
    w.A.multiply(x, w.q);
    w.r.set_sum(b, Scalar(-1), w.q);
    double residual = w.r.norm();
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

    const std::ptrdiff_t limit =
        max_iterations > 0 ? max_iterations : 10 * std::ptrdiff_t{Matrix::dim} * b.nodes();
    Scalar rz = preconditioner.apply(w.r, w.z, w.preconditioner);
    w.p.set_sum(w.z, Scalar(0), w.z);
    while (report.iterations < limit) {
      const Scalar pAp = w.A.multiply(w.p, w.q);
      if (!std::isfinite(pAp)) return finish(report, LinearStop::not_finite);
      if (!(pAp > 0)) return finish(report, LinearStop::indefinite);
      const Scalar step = rz / pAp;
      const Scalar rr = w.r.sum_blocks([&, step = typename Matrix::Vector::Block(step)](std::ptrdiff_t i) {
        const auto r = w.r.block(i) - step * w.q.block(i);
        x.set_block(i, multiply_add(step, w.p.block(i), x.block(i)));
        w.r.set_block(i, r);
        return r * r;
      });
      ++report.iterations;
      report.residual = std::sqrt(static_cast<double>(rr));
      if (!std::isfinite(report.residual)) return finish(report, LinearStop::not_finite);
      if (report.residual <= report.goal) return finish(report, LinearStop::converged);
      if (report.iterations % monitor_interval == 0 && !monitor(report.iterations, report.residual)) {
        return finish(report, LinearStop::cancelled);
      }
      const Scalar next = preconditioner.apply(w.r, w.z, w.preconditioner);
      w.p.set_sum(w.z, next / rz, w.p);
      rz = next;
    }
    return finish(report, LinearStop::max_iterations);
  }

 private:
  static LinearReport finish(LinearReport report, LinearStop stop) {
    report.stop = stop;
    return report;
  }
};

}  // namespace pliant
