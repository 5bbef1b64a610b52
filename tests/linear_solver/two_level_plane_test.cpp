// The two-level preconditioner of plane bodies.
#include "linear_solver/two_level_facts.hpp"
#include "support/catch.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE("TwoLevel, plane: symmetric and positive definite, with both factors, with and without positions") {
  using enum detail::linear_solver::FactorKind;
  for (const bool positions : {true, false}) {
    is_positive_definite(elastic_problem(strip_mesh(4, 16)), incomplete_cholesky, positions);
    is_positive_definite(elastic_problem(strip_mesh(4, 16), {.nu = 0.499}), symmetric_gauss_seidel,
                         positions);
  }
}

TEST_CASE("TwoLevel, plane: solutions equal those of a sparse Cholesky factorisation") {
  for (const Deformed state : {Deformed::rest, Deformed::twisted, Deformed::scrambled}) {
    for (const double nu : {0.33, 0.499}) {
      INFO("state " << static_cast<int>(state) << ", nu " << nu);
      solves(elastic_problem(strip_mesh(8, 40), {.nu = nu, .state = state}), 1e-10, 1e-6);
    }
  }
}
