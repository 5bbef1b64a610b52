// The common part of direct solvers, for any factor.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/direct/multifrontal.hpp>

namespace pliant::detail::linear_solver {

// A Factor has analyse(pattern), factorise(A), which returns a FactorResult, and solve(b, x).
template <class Matrix, class Factor>
struct DirectWorkspace {
  typename Matrix::Vector r, q;
  std::shared_ptr<const BlockPattern> pattern;  // of the last analysis
  int analyses = 0;                             // number of analyses so far
  Factor factor;

  // Analyses the pattern of A if it is a new one.
  void analyse(const Matrix& A) {
    if (pattern == A.shared_pattern()) return;
    pattern = nullptr;  // until the analysis is complete, because an allocation may fail
    factor.analyse(A.pattern());
    pattern = A.shared_pattern();
    ++analyses;
  }
};

// r = b - A x; returns its norm.
template <class Matrix, class W>
double residual_of(const Matrix& A, const typename Matrix::Vector& b, const typename Matrix::Vector& x,
                   W& w) {
  A.multiply(x, w.q);
  w.r.set_sum(b, typename Matrix::Scalar(-1), w.q);
  return w.r.norm();
}

// The `solve` of a LinearSolver with a workspace like DirectWorkspace. `tolerances` has a `tolerance` and an
// `absolute_tolerance`.
template <class Tolerances, class Matrix, class W>
LinearReport solve_directly(const Tolerances& tolerances, const Matrix& A, const typename Matrix::Vector& b,
                            typename Matrix::Vector& x, W& w, double goal, LinearMonitor monitor) {
  for (auto* vector : {&w.r, &w.q}) {
    if (vector->nodes() != b.nodes()) vector->resize(b.nodes());
  }

  LinearReport report;
  const auto finish = [&report](LinearStop stop) {
    report.stop = stop;
    return report;
  };
  const double b_norm = b.norm();
  report.goal = std::max({tolerances.tolerance * b_norm, tolerances.absolute_tolerance, goal});
  double residual = residual_of(A, b, x, w);
  if (!(residual <= b_norm)) {
    x.set_zero();
    residual = b_norm;
  }
  report.first_residual = report.residual = residual;
  if (!std::isfinite(residual)) return finish(LinearStop::not_finite);
  if (residual <= report.goal) return finish(LinearStop::converged);
  if (!monitor(0, residual)) return finish(LinearStop::cancelled);

  w.analyse(A);
  if (const FactorResult result = w.factor.factorise(A); result != FactorResult::done) {
    const bool indefinite = result == FactorResult::not_definite && A.finite();
    return finish(indefinite ? LinearStop::indefinite : LinearStop::not_finite);
  }
  if (!monitor(0, residual)) return finish(LinearStop::cancelled);

  // Solves for x, not for a correction of the first guess, which would contain the rounding errors of A x.
  w.factor.solve(b, x);
  ++report.iterations;
  report.residual = residual_of(A, b, x, w);
  if (report.residual > report.goal) {
    report.goal = std::max(report.goal, rounding_of_residual(A, b, x, w.q));
  }
  if (!std::isfinite(report.residual)) return finish(LinearStop::not_finite);
  return finish(report.residual <= report.goal ? LinearStop::converged : LinearStop::max_iterations);
}

}  // namespace pliant::detail::linear_solver
