// The LinearSolver concept: solves A x = b for a symmetric A.
//
// A model is a plain aggregate of parameters. What it needs at run time lives in its nested
// Workspace<Matrix>, which the caller owns and keeps from one solve to the next. Its members:
//   check()
//       throws ParameterError naming the parameter that is out of range
//   solve(A, b, x, workspace, goal, monitor)
//       x holds the first guess on entry and the solution on return; `goal` is a residual norm that is good
//       enough whatever the tolerances say; `monitor(iterations, residual)` is called now and then and may
//       return false to stop
// What it offers beyond that it says in a constant, which it may leave out if that is nothing:
//   static constexpr SolverAbilities abilities{.follows_steps = true};
// The concept asks for the functions of each ability, and for the ability where a workspace has its
// functions: what is misspelt is no LinearSolver. A workspace on which the bits of the next solve depend has
// a History, see core/history.hpp.
#pragma once

#include <concepts>
#include <limits>
#include <sstream>
#include <string>

#include <pliant/core/error.hpp>

namespace pliant {

enum class LinearStop {
  converged,       // a tolerance was met
  max_iterations,  // it was not
  indefinite,      // a direction with d.Ad <= 0, or a pivot that is not positive: A is not positive definite
  not_finite,      // A, b or the iteration overflowed
  cancelled        // the monitor asked for it
};

// How a linear solve ended. Residuals are the Euclidean norm of b - A x, in newtons where b is a force.
struct LinearReport {
  LinearStop stop = LinearStop::converged;
  int iterations = 0;
  double first_residual = 0;  // of the first guess
  double residual = 0;        // of the solution; in double, iterative methods tell it by their recurrence
  double goal = 0;            // what `residual` had to reach

  explicit operator bool() const { return stop == LinearStop::converged; }

  std::string message() const {
    const std::string numbers = "residual " + detail::in_words(residual) + ", goal " +
                                detail::in_words(goal) + ", " + std::to_string(iterations) + " iterations";
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

namespace detail {

// What all solvers ask of their tolerances; `solver` names them in the ParameterError.
inline void require_tolerances(const std::string& solver, double tolerance, double absolute_tolerance) {
  require_parameter(tolerance >= 0 && tolerance < 1, (solver + "::tolerance").c_str(), tolerance,
                    "must lie in [0, 1)");
  require_parameter(absolute_tolerance >= 0, (solver + "::absolute_tolerance").c_str(), absolute_tolerance,
                    "must not be negative");
}

// The same of an iteration, which must have something to reach.
inline void require_iteration(const std::string& solver, double tolerance, double absolute_tolerance,
                              int max_iterations) {
  require_tolerances(solver, tolerance, absolute_tolerance);
  require_parameter(max_iterations >= 0, (solver + "::max_iterations").c_str(), max_iterations,
                    "must not be negative");
  require_parameter(tolerance > 0 || absolute_tolerance > 0, (solver + "::tolerance").c_str(), tolerance,
                    "must be positive where absolute_tolerance is zero");
}

// The norm of b - A x that the rounding of x and of the sums explains: some units in the last place of
// |A| |x| + |b|. Measured: that of a solution rounded to its scalar is below a quarter of it.
template <class Matrix, class Vector>
double rounding_of_residual(const Matrix& A, const Vector& b, const Vector& x, Vector& sums) {
  constexpr double units = 4 * std::numeric_limits<typename Matrix::Scalar>::epsilon();
  A.multiply_magnitudes(x, sums);
  return units * (static_cast<double>(sums.norm()) + static_cast<double>(b.norm()));
}

}  // namespace detail

// Never asks to stop.
struct NoMonitor {
  bool operator()(int, double) const { return true; }
};

// What a linear solver offers beyond what all of them must, with the functions that its workspace then has.
struct SolverAbilities {
  // set_positions(x): the nodes are at the positions x [m] for which the next matrix is computed.
  bool takes_positions = false;
  // begin_step(), step_undone(), keep_from(other): something is remembered from one step of an integrator to
  // the next, see WorkspaceAbilities in integrator/concept.hpp; step_undone() is called after exceptions.
  bool follows_steps = false;
};

namespace detail {

// Those of a solver, which may leave them out.
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
template <class W>
concept KeepsFrom = requires(W& workspace) {
  workspace.keep_from(workspace);  // see SolverAbilities
};

// Whether a solver says what its workspace offers.
template <class S, class Matrix, class W = typename S::template Workspace<Matrix>>
concept KeepsPromises = solver_abilities<S>
.takes_positions == TakesPositions<W, typename Matrix::Vector>&& solver_abilities<S>.follows_steps ==
    FollowsSteps<W>&& solver_abilities<S>.follows_steps == KeepsFrom<W>;

}  // namespace detail

template <class S, class Matrix>
concept LinearSolver = std::copy_constructible<S> &&
    requires(const S& solver, const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x,
             typename S::template Workspace<Matrix>& workspace, double goal) {
  solver.check();  // validates parameters
  { solver.solve(A, b, x, workspace, goal, NoMonitor{}) } -> std::same_as<LinearReport>;  // A x = b
} && detail::KeepsPromises<S, Matrix>;  // its abilities are those of its workspace

// Stands for the solver where an integrator needs none.
struct NoSolver {
  template <class Matrix>
  struct Workspace {};

  void check() const {}
};

}  // namespace pliant
