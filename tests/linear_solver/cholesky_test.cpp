#include "linear_solver/direct_solver_facts.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;
using namespace direct_solver;

namespace {

template <int Dim, class Scalar>
using Workspace = Cholesky::Workspace<BlockMatrix<Dim, Scalar>>;

}  // namespace

static_assert(LinearSolver<Cholesky, BlockMatrix<3, double>>);
static_assert(LinearSolver<Cholesky, BlockMatrix<2, float>>);

TEST_CASE("Cholesky: solutions equal those of a dense factorisation to rounding") {
  solves_as_dense_factorisations_do<Cholesky>();
}

TEST_CASE("Cholesky: solutions equal those of conjugate gradients") {
  for (const int nodes : {30, 500}) {
    const auto problem = definite_problem<3, double>(nodes, 2, 1.001);
    NodeVector<3, double> x(nodes), y(nodes);
    REQUIRE(solve(Cholesky{.tolerance = 1e-12}, problem.A, problem.b, x));
    Pcg<BlockJacobi>::Workspace<BlockMatrix<3, double>> workspace;
    REQUIRE(Pcg<BlockJacobi>{.tolerance = 1e-13}.solve(problem.A, problem.b, y, workspace));
    CHECK((stacked(x) - stacked(y)).norm() <= 1e-11 * stacked(x).norm());
  }
}

TEST_CASE("Cholesky: bodies that nothing connects, and nodes that stand alone") {
  // Three bands side by side, every fifth node without neighbours.
  Adjacency graph;
  graph.begin.push_back(0);
  constexpr int nodes = 300;
  const auto alone = [](int i) { return i % 5 == 3; };
  for (int i = 0; i < nodes; ++i) {
    for (int j = std::max(0, i - 4); j <= std::min(nodes - 1, i + 4); ++j) {
      if (j != i && j / 100 == i / 100 && !alone(i) && !alone(j)) graph.list.push_back(j);
    }
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  const auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  std::mt19937 random(3);
  const auto A = random_symmetric<3, double>(pattern, random, 1.01);
  const auto b = random_vector<3, double>(nodes, random);
  NodeVector<3, double> x(nodes);
  REQUIRE(solve(Cholesky{.tolerance = 1e-13}, A, b, x));
  const Eigen::VectorXd exact = dense(A).llt().solve(stacked(b));
  CHECK((stacked(x) - exact).norm() <= 1e-14 * exact.norm());
}

TEST_CASE("Multifrontal: blocks of the inverse between nodes equal those of a dense one, in any order") {
  const int nodes = 300;
  const auto problem = definite_problem<3, double>(nodes, 5);
  const Eigen::MatrixXd exact = dense(problem.A).inverse();
  const std::vector<int> chosen = {3, 17, 130, 298, 150};
  const auto check = [&](detail::linear_solver::Fronts fronts) {
    detail::linear_solver::Multifrontal<3> factor;
    factor.analyse(std::move(fronts));
    REQUIRE(factor.factorise(problem.A) == detail::linear_solver::FactorResult::done);
    std::vector<SmallMatrix<double, 3, 3>> blocks;
    factor.inverse_between(chosen, blocks);
    REQUIRE(blocks.size() == 25);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        const auto truth = exact.block<3, 3>(3 * chosen[i], 3 * chosen[j]);
        CHECK((blocks[5 * i + j] - truth).norm() < 1e-12 * exact.norm());
      }
    }
    factor.inverse_between({}, blocks);
    CHECK(blocks.empty());
  };
  using detail::linear_solver::Fronts;
  check(Fronts::of(*problem.pattern));
  std::vector<int> order = Fronts::of(*problem.pattern).order;
  std::stable_partition(order.begin(), order.end(), [&](int node) {
    return std::find(chosen.begin(), chosen.end(), node) == chosen.end();
  });
  check(Fronts::of(*problem.pattern, order));
}

TEST_CASE("Cholesky: the residual reported is the true one") {
  const auto problem = definite_problem<3, double>(500, 4);
  NodeVector<3, double> x(500);
  const auto report = solve(Cholesky{}, problem.A, problem.b, x);
  REQUIRE(report);
  // It is rounding, and so is what its evaluation adds.
  const double ratio = report.residual / true_residual(problem.A, problem.b, x);
  CHECK(ratio > 0.3);
  CHECK(ratio < 3);
  // Of a first guess that is good enough nothing is left to rounding.
  x.node(250)(1) += 1e-4;
  const auto passed = solve(Cholesky{.tolerance = 0.1}, problem.A, problem.b, x);
  REQUIRE(passed.iterations == 0);
  CHECK(passed.residual == Approx(true_residual(problem.A, problem.b, x)).epsilon(1e-9));
}

TEST_CASE("Cholesky: no residual is asked to fall below rounding, and the goal reported says so") {
  const auto check = [](const auto& problem, double epsilon) {
    auto x = problem.b;
    x.set_zero();
    const auto report = solve(Cholesky{.tolerance = 0}, problem.A, problem.b, x);
    CHECK(report);
    const Eigen::VectorXd sums = sparse(problem.A).cwiseAbs() * stacked(x).cwiseAbs();
    CHECK(report.goal == Approx(4 * epsilon * (sums.norm() + stacked(problem.b).norm())).epsilon(1e-3));
    CHECK(report.residual < 0.5 * report.goal);
    CHECK(report.residual > 1e-3 * report.goal);
  };
  check(definite_problem<3, double>(300, 5), std::numeric_limits<double>::epsilon());
  check(definite_problem<2, float>(300, 5), std::numeric_limits<float>::epsilon());
}

TEST_CASE("Cholesky: rows and columns of any size are solved to rounding") {
  // Scaling by D A D changes nothing about a factorisation but its units.
  for (const unsigned seed : {6u, 7u, 8u}) {
    auto problem = definite_problem<3, double>(200, seed, 1.0);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> exponent(-4.5, 4.5);
    std::vector<double> scale;
    for (int i = 0; i < 200; ++i) scale.push_back(std::pow(10, exponent(random)));
    const auto& pattern = *problem.pattern;
    for (std::size_t i = 0; i < 200; ++i) {
      for (int k = pattern.row_begin[i]; k < pattern.row_begin[i + 1]; ++k) {
        problem.A.block(k) *=
            scale[i] * scale[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])];
      }
    }
    NodeVector<3, double> x(200);
    const auto report = solve(Cholesky{.tolerance = 0}, problem.A, problem.b, x);
    CHECK(report);
    const Eigen::VectorXd exact = dense(problem.A).ldlt().solve(stacked(problem.b));
    CHECK((stacked(x) - exact).norm() <= 1e-12 * exact.norm());
  }
}

TEST_CASE(
    "Cholesky: the loosest of relative tolerance, absolute tolerance and goal lets a first guess pass") {
  const auto problem = definite_problem<3, double>(100, 9);
  const double norm = stacked(problem.b).norm();
  NodeVector<3, double> solution(100);
  REQUIRE(solve(Cholesky{}, problem.A, problem.b, solution));
  const auto from_near = [&](const Cholesky& solver, double goal) {
    NodeVector<3, double> x = solution;
    x.node(50)(0) += 1e-4 * norm / problem.A.diagonal(50)(0, 0);  // a residual of about 1e-4
    return solve(solver, problem.A, problem.b, x, goal);
  };
  CHECK(from_near({.tolerance = 1e-6}, 0).iterations == 1);
  CHECK(from_near({.tolerance = 1e-3}, 0).iterations == 0);
  CHECK(from_near({.tolerance = 1e-6, .absolute_tolerance = 1e-3 * norm}, 0).iterations == 0);
  CHECK(from_near({.tolerance = 1e-6}, 1e-3 * norm).iterations == 0);
  CHECK(from_near({.tolerance = 1e-6}, 1e-3 * norm).goal == Approx(1e-3 * norm));
  CHECK(from_near({.tolerance = 1e-6}, 1e-3 * norm).residual == Approx(1e-4 * norm).epsilon(1));
}

TEST_CASE("Cholesky: a guess changes nothing but whether there is anything to do") {
  const auto problem = definite_problem<3, float>(200, 10);
  NodeVector<3, float> solution(200);
  const auto cold = solve(Cholesky{}, problem.A, problem.b, solution);
  REQUIRE(cold);
  for (const double factor : {0.5, -1.0, 1e30, nan_value}) {
    NodeVector<3, float> x(200);
    for (std::ptrdiff_t i = 0; i < 200; ++i) x.node(i) = solution.node(i) * static_cast<float>(factor);
    const auto report = solve(Cholesky{}, problem.A, problem.b, x);
    CHECK(report);
    CHECK(same_bits(x, solution));
    CHECK(report.first_residual <= cold.first_residual);
  }
  const NodeVector<3, float> zero(200);
  NodeVector<3, float> x = solution;
  const auto nothing = solve(Cholesky{}, problem.A, zero, x);
  CHECK(nothing);
  CHECK(nothing.iterations == 0);
  CHECK(stacked(x).isZero(0));
}

TEST_CASE("Cholesky: a matrix is indefinite exactly where an eigenvalue is negative") {
  finds_negative_eigenvalues<Cholesky>();
}

TEST_CASE("Cholesky: in float, definite and indefinite are told apart below the rounding of floats") {
  std::mt19937 random(19);
  int definite = 0, indefinite = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const auto pattern = random_pattern(25, random);
    auto A = random_symmetric<3, float>(pattern, random);
    const auto eigenvalues = [&] {
      return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense(A)).eigenvalues().eval();
    };
    const auto least = static_cast<float>(eigenvalues()(0));
    for (int i = 0; i < 25; ++i) A.diagonal(i).diagonal().array() -= least;  // what is left is rounding
    const double left = eigenvalues()(0);
    REQUIRE(std::abs(left) < 1e-6);
    if (std::abs(left) < 1e-12) continue;
    ++(left > 0 ? definite : indefinite);
    const auto b = random_vector<3, float>(25, random);
    NodeVector<3, float> x(25);
    CHECK(solve(Cholesky{}, A, b, x).stop == (left > 0 ? LinearStop::converged : LinearStop::indefinite));
  }
  CHECK(definite > 5);
  CHECK(indefinite > 5);
}

TEST_CASE("Cholesky: a matrix that is singular but for rounding is not positive definite") {
  refuses_singular_matrices<Cholesky>();
}

TEST_CASE("Cholesky: numbers that are not finite are reported as such") {
  reports_what_is_not_finite<Cholesky>();
}

TEST_CASE("Cholesky: the pattern is analysed once, and again where it changes") {
  const auto first = definite_problem<3, double>(200, 14);
  const auto second = definite_problem<3, double>(90, 15);
  Workspace<3, double> workspace;
  NodeVector<3, double> x(200), y(90);
  const auto solved = [&](const auto& problem, auto& solution) {
    solution.set_zero();
    REQUIRE(Cholesky{.tolerance = 1e-12}.solve(problem.A, problem.b, solution, workspace));
    CHECK(true_residual(problem.A, problem.b, solution) <= 1e-12 * stacked(problem.b).norm());
    return workspace.analyses;
  };
  CHECK(solved(first, x) == 1);
  auto changed = first;
  for (int i = 0; i < 200; ++i) changed.A.diagonal(i) *= 1.5;
  CHECK(solved(changed, x) == 1);
  CHECK(solved(second, y) == 2);
  CHECK(solved(second, y) == 2);
  CHECK(solved(first, x) == 3);
  // A guess that is good enough needs no analysis, nor does a right-hand side that is none.
  Workspace<3, double> fresh;
  REQUIRE(Cholesky{}.solve(first.A, first.b, x, fresh));
  CHECK(fresh.analyses == 0);
}

TEST_CASE("Cholesky: after an indefinite matrix the same workspace solves a definite one") {
  const auto problem = definite_problem<3, double>(120, 16);
  Workspace<3, double> workspace;
  NodeVector<3, double> x(120), y(120);
  auto A = problem.A;
  A.diagonal(60)(1, 1) = -1;
  CHECK(Cholesky{}.solve(A, problem.b, x, workspace).stop == LinearStop::indefinite);
  REQUIRE(Cholesky{}.solve(problem.A, problem.b, x, workspace));
  REQUIRE(solve(Cholesky{}, problem.A, problem.b, y));
  CHECK(same_bits(x, y));
}

TEST_CASE("Cholesky: the monitor is heard before and after the factorisation and may end it") {
  const auto problem = definite_problem<3, double>(100, 17);
  for (int allowed = 0; allowed <= 2; ++allowed) {
    Workspace<3, double> workspace;
    NodeVector<3, double> x(100);
    int calls = 0;
    const auto report =
        Cholesky{}.solve(problem.A, problem.b, x, workspace, 0, [&](int iterations, double residual) {
          CHECK(iterations == 0);
          CHECK(residual == Approx(stacked(problem.b).norm()));
          return ++calls <= allowed;
        });
    CHECK(report.stop == (allowed == 2 ? LinearStop::converged : LinearStop::cancelled));
    CHECK(calls == std::min(allowed + 1, 2));
    CHECK(workspace.analyses == (allowed > 0 ? 1 : 0));
  }
}

TEST_CASE("Cholesky: the same bits on any number of threads") {
  // Large enough for subtrees side by side and for fronts whose rows are shared.
  const auto check = [](auto scalar, const Mesh<Tet4>& mesh) {
    using Scalar = decltype(scalar);
    const int nodes = static_cast<int>(mesh.node_count());
    const auto pattern = std::make_shared<const BlockPattern>(
        BlockPattern::from_graph(neighbours_of_nodes<Tet4>(mesh.elements, nodes)));
    std::mt19937 random(18);
    const auto A = random_symmetric<3, Scalar>(pattern, random, 1.01);
    const auto b = random_vector<3, Scalar>(nodes, random);
    const WithThreads one(1);
    NodeVector<3, Scalar> x(nodes);
    Workspace<3, Scalar> workspace;
    REQUIRE(Cholesky{}.solve(A, b, x, workspace));
    REQUIRE(workspace.factor.fronts().parts.size() == detail::linear_solver::Fronts::most_parts);
    for (const int threads : thread_counts) {
      set_thread_count(threads);
      NodeVector<3, Scalar> again(nodes);
      REQUIRE(solve(Cholesky{}, A, b, again));
      CHECK(same_bits(again, x));
    }
  };
  check(double{}, make_box<Tet4>({.cells = {9, 9, 9}}));
  check(float{}, make_box<Tet4>({.cells = {20, 7, 7}}));
}

TEST_CASE("Cholesky: parameters out of range are named") { names_parameters<Cholesky>("Cholesky"); }
