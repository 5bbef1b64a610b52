// A direct solver: sparse Cholesky factorisation.
#pragma once

#include <pliant/linear_solver/concept.hpp>
#include <pliant/linear_solver/direct/direct_solve.hpp>
#include <pliant/linear_solver/direct/multifrontal.hpp>

namespace pliant {

// Solves by a factorisation A = L L^T: exact but for rounding, at a cost that does not depend on how badly
// conditioned A is. Which columns are eliminated when (by minimum degree, nested dissection or, where a
// program has it, METIS) is found once per pattern; every solve factorises anew, by dense fronts
// (multifrontal.hpp).
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
  struct Workspace : detail::DirectWorkspace<Matrix, Multifrontal<Matrix::dim, Matrix::instruction_set>> {};

  void check() const { detail::require_tolerances("Cholesky", tolerance, absolute_tolerance); }

  template <class Matrix, class W, class Monitor = NoMonitor>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, Monitor&& monitor = {}) const {
    return detail::solve_directly(*this, A, b, x, w, goal, monitor);
  }
};

}  // namespace pliant
