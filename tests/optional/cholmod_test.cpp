#include "linear_solver/direct_solver_facts.hpp"
#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/direct/cholmod.hpp>
#include <pliant/mesh/make_ball.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;
using namespace direct_solver;

namespace {

template <int Dim, class Scalar>
using Workspace = Cholmod::Workspace<BlockMatrix<Dim, Scalar>>;

}  // namespace

static_assert(LinearSolver<Cholmod, BlockMatrix<3, double>>);
static_assert(LinearSolver<Cholmod, BlockMatrix<2, float>>);

TEST_CASE("Cholmod: solutions equal those of a dense factorisation to rounding") {
  solves_as_dense_factorisations_do<Cholmod>();
}

TEST_CASE("Cholmod: bodies bend as by Cholesky, and the residual reported is the true one") {
  const auto check = [](auto problem, double accuracy) {
    auto x = problem.x, y = problem.x;
    const LinearReport report = solve(Cholmod{.tolerance = 0}, problem.A, problem.b, x),
                       reference = solve(Cholesky{.tolerance = 0}, problem.A, problem.b, y);
    INFO(report.message());
    CHECK(report);
    REQUIRE(reference);
    CHECK(report.residual < 10 * reference.residual);
    const double ratio = report.residual / true_residual(problem.A, problem.b, x);
    CHECK(ratio > 0.3);
    CHECK(ratio < 3);
    CHECK((stacked(x) - stacked(y)).norm() <= accuracy * stacked(y).norm());
  };
  check(elastic_problem(bar_mesh(20, 6, 5), {.state = State::twisted}), 1e-12);
  check(elastic_problem(bar_mesh<float>(20, 6, 5), {.state = State::twisted}), 1e-6);
  check(elastic_problem(strip_mesh(60, 15)), 1e-12);
  check(elastic_problem(make_ball<Tet4>({.shells = 5}), {.held = false}), 1e-12);
}

TEST_CASE("Cholmod: a matrix is indefinite exactly where an eigenvalue is negative") {
  finds_negative_eigenvalues<Cholmod>();
}

TEST_CASE("Cholmod: a matrix that is singular but for rounding is not positive definite") {
  refuses_singular_matrices<Cholmod>();
}

TEST_CASE("Cholmod: numbers that are not finite are reported as such") {
  reports_what_is_not_finite<Cholmod>();
}

TEST_CASE("Cholmod: the pattern is analysed once, also where a matrix on it is indefinite") {
  const auto first = definite_problem<3, double>(200, 14), second = definite_problem<3, double>(90, 15);
  Workspace<3, double> workspace;
  const auto solved = [](const auto& problem, Workspace<3, double>& w) {
    NodeVector<3, double> x(problem.b.nodes());
    REQUIRE(Cholmod{.tolerance = 1e-12}.solve(problem.A, problem.b, x, w));
    CHECK(true_residual(problem.A, problem.b, x) <= 1e-12 * stacked(problem.b).norm());
    return w.analyses;
  };
  CHECK(solved(first, workspace) == 1);
  auto changed = first;
  for (int i = 0; i < 200; ++i) changed.A.diagonal(i) *= 1.5;
  CHECK(solved(changed, workspace) == 1);
  changed.A.diagonal(60)(1, 1) = -1;
  NodeVector<3, double> x(200);
  CHECK(Cholmod{}.solve(changed.A, changed.b, x, workspace).stop == LinearStop::indefinite);
  CHECK(solved(first, workspace) == 1);

  // A copy is on its own.
  Workspace<3, double> copy = workspace;
  CHECK(solved(second, workspace) == 2);
  CHECK(solved(first, copy) == 1);
  workspace = copy;
  CHECK(solved(first, workspace) == 1);
}

TEST_CASE("Cholmod: parameters out of range are named") { names_parameters<Cholmod>("Cholmod"); }
