// The LinearSolver concept: solves A x = b for a symmetric A.
//
// A model is a plain aggregate of parameters. Its data at run time are in its nested Workspace<Matrix>, which
// the caller owns and keeps from one solve to the next. Its members:
//   check()
//       throws ParameterError naming the parameter that is out of range
//   solve(A, b, x, workspace, goal, monitor)
//       x holds the first guess on entry and the solution on return; `goal` is a sufficient residual norm
//       even if the tolerances are smaller; `monitor(iterations, residual)` is called occasionally, and
//       stops the solve by returning false
// Optional functions are declared in a constant, which may be omitted if there are none:
//   static constexpr SolverAbilities abilities{.follows_steps = true};
// The concept requires the functions of each declared ability, and the ability for each such function of the
// workspace: a misspelt function is a compile error. A workspace on which the bits of the next solve depend
// has a History, see core/history.hpp.
#pragma once

#include <concepts>
#include <limits>
#include <sstream>
#include <string>

#include <pliant/core/error.hpp>
#include <pliant/core/function_ref.hpp>

namespace pliant {

enum class LinearStop {
  converged,       // a tolerance was met
  max_iterations,  // no tolerance was met
  indefinite,      // a direction with d.Ad <= 0, or a pivot that is not positive: A is not positive definite
  not_finite,      // A, b or the iteration overflowed
  cancelled        // by the monitor
};

// How a linear solve ended. Residuals are Euclidean norms of b - A x, in newtons if b is a force.
struct LinearReport {
  LinearStop stop = LinearStop::converged;
  int iterations = 0;
  double first_residual = 0;  // of the first guess
  double residual = 0;        // of the solution; in double, iterative methods report that of their recurrence
  double goal = 0;            // the upper limit for `residual`

  explicit operator bool() const { return stop == LinearStop::converged; }

  std::string message() const {
    const std::string numbers = "residual " + detail::core::in_words(residual) + ", goal " +
                                detail::core::in_words(goal) + ", " + std::to_string(iterations) +
                                " iterations";
    switch (stop) {
      case LinearStop::converged:
        return "converged: " + numbers;
      case LinearStop::max_iterations:
        return "iteration limit reached: " + numbers;
      case LinearStop::indefinite:
        return "the matrix is not positive definite: " + numbers;
      case LinearStop::not_finite:
        return "the matrix or the right-hand side is not finite: " + numbers;
      case LinearStop::cancelled:
        return "cancelled: " + numbers;
    }
    return numbers;
  }
};

namespace detail::linear_solver {

// The requirements of all solvers on their tolerances; `solver` is the prefix in the ParameterError.
inline void require_tolerances(const std::string& solver, double tolerance, double absolute_tolerance) {
  core::require_parameter(tolerance >= 0 && tolerance < 1, (solver + "::tolerance").c_str(), tolerance,
                          "must lie in [0, 1)");
  core::require_parameter(absolute_tolerance >= 0, (solver + "::absolute_tolerance").c_str(),
                          absolute_tolerance, "must not be negative");
}

// The same for iterative solvers, of whose tolerances one must be positive.
inline void require_iteration(const std::string& solver, double tolerance, double absolute_tolerance,
                              int max_iterations) {
  require_tolerances(solver, tolerance, absolute_tolerance);
  core::require_parameter(max_iterations >= 0, (solver + "::max_iterations").c_str(), max_iterations,
                          "must not be negative");
  core::require_parameter(tolerance > 0 || absolute_tolerance > 0, (solver + "::tolerance").c_str(),
                          tolerance, "must be positive where absolute_tolerance is zero");
}

// A bound of the rounding error of the norm of b - A x: some units in the last place of |A| |x| + |b|.
// Measured: the residual of a solution rounded to its scalar is below a quarter of it.
template <class Matrix, class Vector>
double rounding_of_residual(const Matrix& A, const Vector& b, const Vector& x, Vector& sums) {
  constexpr double units = 4 * std::numeric_limits<typename Matrix::Scalar>::epsilon();
  A.multiply_magnitudes(x, sums);
  return units * (static_cast<double>(sums.norm()) + static_cast<double>(b.norm()));
}

}  // namespace detail::linear_solver

// Refers to a function monitor(iterations, residual) that returns whether a solve goes on. As a parameter it
// may refer to a temporary function; a variable must refer to a function that outlives it. LinearMonitor{}
// never stops a solve.
using LinearMonitor = detail::core::Monitor<int, double>;
using NoMonitor [[deprecated("use LinearMonitor")]] = LinearMonitor;

// The optional abilities of a linear solver, with the functions that its workspace must then have.
struct SolverAbilities {
  // set_positions(x): called with the positions x [m] of the nodes for which the next matrix is computed.
  bool takes_positions = false;
  // begin_step(), step_undone(), keep_from(other): data persist from one step of an integrator to the next,
  // see WorkspaceAbilities in integrator/concept.hpp; step_undone() is called after exceptions.
  bool follows_steps = false;
  // Solves systems with rows (linear_solver/rows/), as those of a Mechanism, by
  //   prepare(A, rows, workspace)          for a matrix and the derivatives of the rows
  //   apply(b, x, workspace)               x = A^-1 b, or x = 0 if the solves that follow take b into account
  //   solve(p, rows, u, workspace, goal)   the displacement u with the rows, from the displacement p without
  //                                        them; a residual of `goal` [N] is sufficient
  //   gap, max_passes, rule                see Condensed
  bool takes_rows = false;
  // The strains of a solid are rows, see DualRows.
  bool takes_strain_rows = false;
};

namespace detail::linear_solver {

// The abilities of a solver; none if it declares none.
template <class S>
inline constexpr SolverAbilities solver_abilities = {};
template <class S>
requires requires { S::abilities; }
inline constexpr SolverAbilities solver_abilities<S> = S::abilities;

template <class W, class Vector>
concept TakesPositions = requires(W& workspace, const Vector& x) {
  workspace.set_positions(x);  // see SolverAbilities
};
template <class W>
concept FollowsSteps = requires(W& workspace) {
  workspace.begin_step();   // see SolverAbilities
  workspace.step_undone();  // see SolverAbilities
};
// Whether a workspace has only some of them, for example because one is misspelt.
template <class W>
concept FollowsSomeSteps = requires(W& workspace) {
  workspace.begin_step();
}
|| requires(W& workspace) { workspace.step_undone(); };
template <class W>
concept KeepsFrom = requires(W& workspace) {
  workspace.keep_from(workspace);  // see SolverAbilities
};

// Whether the declared abilities of a solver are those of its workspace.
// clang-format off
template <class S, class Matrix, class W = typename S::template Workspace<Matrix>>
concept KeepsPromises =
    (solver_abilities<S>.takes_positions == TakesPositions<W, typename Matrix::Vector>) &&
    (solver_abilities<S>.follows_steps == FollowsSteps<W>) &&
    (solver_abilities<S>.follows_steps == FollowsSomeSteps<W>) &&
    (solver_abilities<S>.follows_steps == KeepsFrom<W>);
// clang-format on

}  // namespace detail::linear_solver

template <class S, class Matrix>
concept LinearSolver = std::copy_constructible<S> &&
    requires(const S& solver, const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x,
             typename S::template Workspace<Matrix>& workspace, double goal) {
  solver.check();  // validates parameters
  { solver.solve(A, b, x, workspace, goal, LinearMonitor{}) } -> std::same_as<LinearReport>;  // A x = b
} && detail::linear_solver::KeepsPromises<S, Matrix>;  // its abilities are those of its workspace

// The solver type of an integrator that needs none.
struct NoSolver {
  template <class Matrix>
  struct Workspace {};

  void check() const {}
};

}  // namespace pliant
