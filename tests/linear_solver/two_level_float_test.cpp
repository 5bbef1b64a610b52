// The two-level preconditioner of matrices in float, where conjugate gradients are in float too.
#include "linear_solver/two_level_facts.hpp"
#include "support/catch.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE("TwoLevel, float: symmetric and positive definite, with and without positions") {
  for (const bool positions : {true, false}) {
    is_positive_definite(elastic_problem(bar_mesh<float>(2, 2, 7), {.state = Deformed::twisted}),
                         detail::linear_solver::FactorKind::incomplete_cholesky, positions);
  }
}

TEST_CASE("TwoLevel, float: solutions equal those of a sparse Cholesky factorisation") {
  solves(elastic_problem(bar_mesh<float>(4, 5, 12), {.state = Deformed::twisted}), 1e-5, 1e-2);
  solves(elastic_problem(bar_mesh<float>(4, 5, 12), {.nu = 0.499}), 1e-5, 1e-1);
}

// In float the residual of the recurrence goes on falling when that of x has long stopped.
TEMPLATE_TEST_CASE("Pcg, float: the residual reported is the true one, and so is its goal", "", Pcg<TwoLevel>,
                   Pcg<BlockJacobi>) {
  for (const Deformed state : {Deformed::rest, Deformed::twisted}) {
    const auto problem = elastic_problem(bar_mesh<float>(3, 3, 40), {.nu = 0.45, .state = state});
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
      INFO("tolerance " << tolerance);
      typename TestType::template Workspace<BlockMatrix<3, float>> workspace;
      if constexpr (requires { workspace.set_positions(problem.positions); }) {
        workspace.set_positions(problem.positions);
      }
      auto x = problem.x;
      const LinearReport report =
          TestType{.tolerance = tolerance, .max_iterations = 20000}.solve(problem.A, problem.b, x, workspace);
      INFO(report.message());
      CHECK(report);
      CHECK(report.residual <= report.goal);
      const double rounding = 1e-6 * (sparse(problem.A).cwiseAbs() * stacked(x).cwiseAbs()).norm();
      const double residual = true_residual(problem.A, problem.b, x);
      CHECK(std::abs(report.residual - residual) <= rounding);
      CHECK(residual <= 5 * report.residual);
      CHECK(report.goal <= tolerance * stacked(problem.b).norm() * 1.001 + rounding);
    }
  }
}
