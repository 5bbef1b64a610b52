#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <limits>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>

#include <pliant/linear_solver/cholesky.hpp>
#include <pliant/linear_solver/cholmod.hpp>
#include <pliant/mesh/make_ball.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <int Dim, class Scalar>
using Workspace = Cholmod::Workspace<BlockMatrix<Dim, Scalar>>;

template <class Solver, int Dim, class Scalar>
LinearReport solve(const Solver& solver, const BlockMatrix<Dim, Scalar>& A, const NodeVector<Dim, Scalar>& b,
                   NodeVector<Dim, Scalar>& x) {
  typename Solver::template Workspace<BlockMatrix<Dim, Scalar>> workspace;
  return solver.solve(A, b, x, workspace);
}

template <int Dim, class Scalar>
void solves(double tolerance, double accuracy) {
  for (const int nodes : {1, 2, 7, 150, 400}) {
    INFO(nodes << " nodes");
    const auto problem = definite_problem<Dim, Scalar>(nodes, 1);
    NodeVector<Dim, Scalar> x(nodes);
    const LinearReport report = solve(Cholmod{.tolerance = tolerance}, problem.A, problem.b, x);
    CHECK(report.stop == LinearStop::converged);
    CHECK(report.iterations == 1);
    CHECK(report.residual <= report.goal);
    CHECK(report.first_residual == Approx(stacked(problem.b).norm()).epsilon(1e-5));
    CHECK(padding_is_zero(x));
    const Eigen::VectorXd exact = dense(problem.A).llt().solve(stacked(problem.b));
    CHECK((stacked(x) - exact).norm() <= accuracy * exact.norm());
  }
}

}  // namespace

static_assert(LinearSolver<Cholmod, BlockMatrix<3, double>>);
static_assert(LinearSolver<Cholmod, BlockMatrix<2, float>>);

TEST_CASE("Cholmod: solutions equal those of a dense factorisation to rounding") {
  solves<3, double>(1e-12, 1e-14);
  solves<2, double>(1e-12, 1e-14);
  solves<3, float>(1e-5, 1e-7);  // half a unit in the last place of a float
  solves<2, float>(1e-5, 1e-7);
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

TEST_CASE("Cholmod: a matrix is indefinite exactly where an eigenvalue is negative, as for Cholesky") {
  std::mt19937 random(11);
  for (const int nodes : {1, 2, 5, 20, 60}) {
    INFO(nodes << " nodes");
    const auto pattern = random_pattern(nodes, random);
    const auto base = random_symmetric<3, double>(pattern, random);
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense(base)).eigenvalues();
    const double least = eigenvalues(0), size = eigenvalues.cwiseAbs().maxCoeff();
    const auto b = random_vector<3, double>(nodes, random);
    for (const double distance : {1e-10, 1e-6, 1e-2, 1.0}) {
      for (const bool definite : {true, false}) {
        auto A = base;
        for (int i = 0; i < nodes; ++i) {
          A.diagonal(i).diagonal().array() -= least + (definite ? -distance : distance) * size;
        }
        NodeVector<3, double> x(nodes), y(nodes);
        const auto report = solve(Cholmod{}, A, b, x);
        CHECK(report.stop == (definite ? LinearStop::converged : LinearStop::indefinite));
        CHECK(report.stop == solve(Cholesky{}, A, b, y).stop);
        CHECK(x.finite());
        if (!definite) CHECK(stacked(x).isZero(0));
      }
    }
  }
}

TEST_CASE("Cholmod: a matrix that is singular but for rounding is not positive definite") {
  // A chain of springs that is free to move along each axis.
  for (const int nodes : {2, 50, 400}) {
    Adjacency graph;
    graph.begin.push_back(0);
    for (int i = 0; i < nodes; ++i) {
      if (i > 0) graph.list.push_back(i - 1);
      if (i + 1 < nodes) graph.list.push_back(i + 1);
      graph.begin.push_back(static_cast<int>(graph.list.size()));
    }
    const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
    BlockMatrix<3, double> A(pattern);
    for (int i = 0; i < nodes; ++i) {
      A.diagonal(i).diagonal().setConstant((i > 0 ? 0.3 : 0) + (i + 1 < nodes ? 0.3 : 0));
      if (i + 1 < nodes) A.block(pattern->slot(i, i + 1)).diagonal().setConstant(-0.3);
    }
    std::mt19937 random(12);
    const auto b = random_vector<3, double>(nodes, random);
    NodeVector<3, double> x(nodes);
    CHECK(solve(Cholmod{}, A, b, x).stop == LinearStop::indefinite);
    A.diagonal(nodes / 2).diagonal().array() += 1e-9;
    CHECK(solve(Cholmod{}, A, b, x).stop == LinearStop::converged);
  }
}

TEST_CASE("Cholmod: numbers that are not finite are reported as such") {
  const auto good = definite_problem<3, double>(100, 13);
  for (const double bad : {infinity, -infinity, nan_value}) {
    INFO(bad);
    auto b = good.b;
    b.node(57)(2) = bad;
    NodeVector<3, double> x(100);
    CHECK(solve(Cholmod{}, good.A, b, x).stop == LinearStop::not_finite);
    for (const std::ptrdiff_t slot : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, good.pattern->blocks() - 1}) {
      for (int entry = 0; entry < 9; entry += 2) {
        INFO("entry " << entry << " of block " << slot);
        auto A = good.A;
        A.block(slot)(entry % 3, entry / 3) = A.block(slot)(entry / 3, entry % 3) = bad;
        x.set_zero();
        CHECK(solve(Cholmod{}, A, good.b, x).stop == LinearStop::not_finite);
      }
    }
  }
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

TEST_CASE("Cholmod: parameters out of range are named") {
  const auto name = [](const Cholmod& solver) -> std::string {
    try {
      solver.check();
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  CHECK(name({.tolerance = 0}) == "");
  CHECK(name({.tolerance = 1}) == "Cholmod::tolerance");
  CHECK(name({.absolute_tolerance = -1}) == "Cholmod::absolute_tolerance");
}
