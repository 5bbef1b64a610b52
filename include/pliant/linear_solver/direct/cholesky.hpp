// A direct solver: sparse Cholesky factorisation.
#pragma once

#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/direct/direct_solve.hpp>
#include <pliant/linear_solver/direct/multifrontal.hpp>

namespace pliant {

// Solves by a factorisation A = L L^T: exact up to rounding, at a cost independent of the condition of A. The
// order of elimination (by minimum degree, nested dissection or, in a program with METIS, that of METIS) is
// computed once per pattern; every solve factorises anew, by dense fronts (multifrontal.hpp).
//
// The factor is in double even if the matrix is in float: x is then the solution rounded to float, and a
// matrix is reported as indefinite only if it is so itself, not because of rounding to float. The reported
// residual is that of x itself. If it cannot fall below the rounding errors of x and of the products in A x,
// the reported goal is raised to these; in float that is usual. For a matrix with an eigenvalue that is
// negative, or zero up to rounding, the result is `indefinite`, and x the first guess or zero. `iterations`
// is the number of solves: one, unless the first guess was good enough. The monitor is called before and
// after the factorisation.
struct Cholesky {
  double tolerance = 1e-6;        // relative to |b|; zero: as far as rounding allows [-]
  double absolute_tolerance = 0;  // [N] if b is a force

  template <class Matrix>
  struct Workspace : detail::linear_solver::DirectWorkspace<
                         Matrix, detail::linear_solver::Multifrontal<Matrix::dim, Matrix::instruction_set>> {
  };

  void check() const { detail::linear_solver::require_tolerances("Cholesky", tolerance, absolute_tolerance); }

  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    return detail::linear_solver::solve_directly(*this, A, b, x, w, goal, monitor);
  }
};

}  // namespace pliant
