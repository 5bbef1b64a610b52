// The solver and the constraints among the arguments of a Simulation.
#pragma once

#include <pliant/constraint/together.hpp>
#include <pliant/constraint/unconstrained.hpp>
#include <pliant/linear_solver/concept.hpp>

namespace pliant::detail {

// Whether a linear solver is in the place of constraints.
template <class Matrix, class T>
inline constexpr bool is_solver = LinearSolver<T, Matrix>;
template <class Matrix, class... Constraints>
inline constexpr bool is_solver<Matrix, Together<Constraints...>> = (LinearSolver<Constraints, Matrix> ||
                                                                     ...);

// The solver and the constraint among the types of the arguments after the integrator.
template <bool has_solver, class... Rest>
struct Roles {
  using Solver = NoSolver;
  using Constraint = Together<Rest...>;
};
template <>
struct Roles<false> {
  using Solver = NoSolver;
  using Constraint = Unconstrained;
};
template <class Only>
struct Roles<false, Only> {
  using Solver = NoSolver;
  using Constraint = Only;
};
template <>
struct Roles<true> : Roles<false> {};  // the solver is missing
template <class SolverType, class... Constraints>
struct Roles<true, SolverType, Constraints...> {
  using Solver = SolverType;
  using Constraint = typename Roles<false, Constraints...>::Constraint;
};

}  // namespace pliant::detail
