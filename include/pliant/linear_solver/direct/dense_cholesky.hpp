// A direct solver for small systems: dense Cholesky factorisation.
#pragma once

#include <Eigen/Cholesky>

#include <pliant/linear_solver/direct/direct_solve.hpp>

namespace pliant {

// Solves by A = L L^T with a matrix whose values() are a dense matrix of Eigen, such as DenseMatrix: exact up
// to rounding, with n^3 / 3 multiplications for n unknowns. For a matrix with a negative eigenvalue the
// result is `indefinite`, and x the first guess or zero. The goal is raised to the rounding error of the
// residual if necessary.
struct DenseCholesky {
  double tolerance = 1e-6;        // relative to |b|; zero: as far as rounding allows [-]
  double absolute_tolerance = 0;  // [N] if b is a force

  template <class Matrix>
  class Workspace {
    static_assert(
        requires { typename Matrix::Values; },
        "DenseCholesky solves with the dense matrices of small systems; for bodies take Cholesky");

    struct Factor {
      Eigen::LLT<typename Matrix::Values> L;

      detail::linear_solver::FactorResult factorise(const Matrix& A) {
        return L.compute(A.values()).info() == Eigen::Success
                   ? detail::linear_solver::FactorResult::done
                   : detail::linear_solver::FactorResult::not_definite;
      }
      void solve(const typename Matrix::Vector& b, typename Matrix::Vector& x) const {
        x.values() = b.values();
        L.solveInPlace(x.values());
      }
    };

   public:
    typename Matrix::Vector r, q;
    Factor factor;

    void analyse(const Matrix&) {}  // a dense matrix has no pattern
  };

  void check() const {
    detail::linear_solver::require_tolerances("DenseCholesky", tolerance, absolute_tolerance);
  }

  template <class Matrix>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x,
                     Workspace<Matrix>& w, double goal = 0, LinearMonitor monitor = {}) const {
    return detail::linear_solver::solve_directly(*this, A, b, x, w, goal, monitor);
  }
};

}  // namespace pliant
