// A direct solver: sparse Cholesky factorisation.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include <pliant/core/error.hpp>
#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/multifrontal.hpp>

namespace pliant {

// Solves by a factorisation A = L L^T: exact but for rounding, at a cost that does not depend on how badly
// conditioned A is. Which columns are eliminated when (minimum degree) is found once per pattern; every
// solve factorises anew, by dense fronts (multifrontal.hpp).
//
// The factor is in double also where the matrix is in float: x is then the solution rounded to float, and a
// matrix is found indefinite because it is, not by the rounding of floats. The residual reported is that of
// x itself. It is not asked to fall below what the rounding of x and of the products in A x makes of it, and
// the goal reported says so: in float that is usual. A matrix with an eigenvalue that is negative, or zero
// but for rounding, is `indefinite`, and x then the first guess or zero. `iterations` is the number of
// solves: one, unless the first guess was good enough. The monitor is heard before and after the
// factorisation.
struct Cholesky {
  double tolerance = 1e-6;        // relative to |b|; zero: as far as rounding allows [-]
  double absolute_tolerance = 0;  // [N] where b is a force

  template <class Matrix>
  struct Workspace {
    typename Matrix::Vector r, q;
    std::shared_ptr<const BlockPattern> pattern;  // that has been analysed
    int analyses = 0;                             // so far
    Multifrontal<Matrix::dim, Matrix::instruction_set> factor;
  };

  void check() const { detail::require_tolerances("Cholesky", tolerance, absolute_tolerance); }

  template <class Matrix, class W, class Monitor = NoMonitor>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, Monitor&& monitor = {}) const {
    for (auto* vector : {&w.r, &w.q}) {
      if (vector->nodes() != b.nodes()) vector->resize(b.nodes());
    }

    LinearReport report;
    const double b_norm = b.norm();
    report.goal = std::max({tolerance * b_norm, absolute_tolerance, goal});
    double residual = residual_of(A, b, x, w);
    if (!(residual <= b_norm)) {
      x.set_zero();
      residual = b_norm;
    }
    report.first_residual = report.residual = residual;
    if (!std::isfinite(residual)) return finish(report, LinearStop::not_finite);
    if (residual <= report.goal) return finish(report, LinearStop::converged);
    if (!monitor(0, residual)) return finish(report, LinearStop::cancelled);

    if (w.pattern != A.shared_pattern()) {
      w.pattern = nullptr;  // until the analysis is complete: an allocation may fail
      w.factor.analyse(A.pattern());
      w.pattern = A.shared_pattern();
      ++w.analyses;
    }
    if (const FactorResult result = w.factor.factorise(A); result != FactorResult::done) {
      const bool indefinite = result == FactorResult::not_definite && A.finite();
      return finish(report, indefinite ? LinearStop::indefinite : LinearStop::not_finite);
    }
    if (!monitor(0, residual)) return finish(report, LinearStop::cancelled);

    // Not from the first guess: the rounding of A x would come in.
    w.factor.solve(b, x);
    ++report.iterations;
    report.residual = residual_of(A, b, x, w);
    if (report.residual > report.goal) {
      report.goal = std::max(report.goal, detail::rounding_of_residual(A, b, x, w.q));
    }
    if (!std::isfinite(report.residual)) return finish(report, LinearStop::not_finite);
    return finish(report,
                  report.residual <= report.goal ? LinearStop::converged : LinearStop::max_iterations);
  }

 private:
  // r = b - A x; returns its norm.
  template <class Matrix, class W>
  static double residual_of(const Matrix& A, const typename Matrix::Vector& b,
                            const typename Matrix::Vector& x, W& w) {
    A.multiply(x, w.q);
    w.r.set_sum(b, typename Matrix::Scalar(-1), w.q);
    return w.r.norm();
  }

  static LinearReport finish(LinearReport report, LinearStop stop) {
    report.stop = stop;
    return report;
  }
};

}  // namespace pliant
