// A direct solver for small systems: dense Cholesky factorisation.
#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include <pliant/linear_solver/concept.hpp>

namespace pliant {

// Solves by A = L L^T with a matrix whose values() are a dense matrix of Eigen, such as DenseMatrix: exact up
// to rounding, with n^3 / 3 multiplications for n unknowns. For a matrix with a negative eigenvalue the
// result is `indefinite`, and x the first guess. The goal is raised to the rounding error of the residual if
// necessary.
struct DenseCholesky {
  double tolerance = 1e-6;        // relative to |b|; zero: as far as rounding allows [-]
  double absolute_tolerance = 0;  // [N] if b is a force

  template <class Matrix>
  struct Workspace {
    static_assert(
        requires { typename Matrix::Values; },
        "DenseCholesky solves with the dense matrices of small systems; for bodies take Cholesky");
    typename Matrix::Vector r, q;
    typename Matrix::Values factor;
  };

  void check() const { detail::require_tolerances("DenseCholesky", tolerance, absolute_tolerance); }

  template <class Matrix, class Monitor = NoMonitor>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x,
                     Workspace<Matrix>& w, double goal = 0, Monitor&& monitor = {}) const {
    for (auto* vector : {&w.r, &w.q}) {
      if (vector->nodes() != b.nodes()) vector->resize(b.nodes());
    }
    const auto residual = [&] {  // of x
      A.multiply(x, w.q);
      w.r.set_sum(b, typename Matrix::Scalar(-1), w.q);
      return static_cast<double>(w.r.norm());
    };
    LinearReport report;
    const auto finish = [&](LinearStop stop) {
      report.stop = stop;
      return report;
    };
    report.goal = std::max({tolerance * static_cast<double>(b.norm()), absolute_tolerance, goal});
    report.first_residual = report.residual = residual();
    if (!std::isfinite(report.residual)) return finish(LinearStop::not_finite);
    if (report.residual <= report.goal) return finish(LinearStop::converged);
    if (!monitor(0, report.residual)) return finish(LinearStop::cancelled);
    w.factor = A.values();
    const Eigen::LLT<Eigen::Ref<typename Matrix::Values>> factor(w.factor);  // in place
    if (factor.info() != Eigen::Success) return finish(LinearStop::indefinite);
    x.values() = b.values();
    factor.solveInPlace(x.values());
    report.iterations = 1;
    report.residual = residual();
    if (report.residual > report.goal) {
      report.goal = std::max(report.goal, detail::rounding_of_residual(A, b, x, w.q));
    }
    if (!std::isfinite(report.residual)) return finish(LinearStop::not_finite);
    return finish(report.residual <= report.goal ? LinearStop::converged : LinearStop::max_iterations);
  }
};

}  // namespace pliant
