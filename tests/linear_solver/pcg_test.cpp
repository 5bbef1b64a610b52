#include "linear_solver/problem.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>

#include <pliant/linear_solver/krylov/pcg.hpp>

using namespace pliant;
using namespace pliant::test;
using namespace eigen_view;

namespace {

template <class P, int Dim, class Scalar>
LinearReport solve(const Pcg<P>& solver, const BlockMatrix<Dim, Scalar>& A, const NodeVector<Dim, Scalar>& b,
                   NodeVector<Dim, Scalar>& x, double goal = 0) {
  typename Pcg<P>::template Workspace<BlockMatrix<Dim, Scalar>> workspace;
  return solver.solve(A, b, x, workspace, goal);
}

// A chain of springs between neighbours: the graph Laplacian plus `ground` on the diagonal.
BlockMatrix<3, double> chain(int nodes, double ground) {
  Adjacency graph;
  graph.begin.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    if (i > 0) graph.list.push_back(i - 1);
    if (i + 1 < nodes) graph.list.push_back(i + 1);
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  auto pattern = std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  BlockMatrix<3, double> A(pattern);
  for (int i = 0; i < nodes; ++i) {
    const int springs = (i > 0) + (i + 1 < nodes);
    A.diagonal(i).diagonal().setConstant(springs + ground);
    if (i + 1 < nodes) A.block(pattern->slot(i, i + 1)).diagonal().setConstant(-1);
  }
  return A;
}

template <class P, int Dim, class Scalar>
void solves(double tolerance, double accuracy) {
  for (const int nodes : {1, 2, 7, 150}) {
    INFO(nodes << " nodes");
    const auto problem = definite_problem<Dim, Scalar>(nodes, 1);
    NodeVector<Dim, Scalar> x(nodes);
    const LinearReport report = solve(Pcg<P>{.tolerance = tolerance}, problem.A, problem.b, x);
    CHECK(report);
    CHECK(report.stop == LinearStop::converged);
    CHECK(report.residual <= report.goal);
    CHECK(report.goal == Approx(tolerance * stacked(problem.b).norm()).epsilon(1e-5));
    CHECK(report.first_residual == Approx(stacked(problem.b).norm()).epsilon(1e-5));
    CHECK(padding_is_zero(x));
    const Eigen::VectorXd exact = dense(problem.A).llt().solve(stacked(problem.b));
    CHECK((stacked(x) - exact).norm() <= accuracy * exact.norm());
  }
}

}  // namespace

static_assert(LinearSolver<Pcg<NoPreconditioner>, BlockMatrix<3, double>>);
static_assert(LinearSolver<Pcg<Jacobi>, BlockMatrix<2, float>>);
static_assert(LinearSolver<Pcg<BlockJacobi>, BlockMatrix<3, float>>);

TEMPLATE_TEST_CASE("Pcg: solutions equal those of a dense Cholesky factorisation", "", NoPreconditioner,
                   Jacobi, BlockJacobi) {
  solves<TestType, 3, double>(1e-12, 1e-10);
  solves<TestType, 2, double>(1e-12, 1e-10);
  solves<TestType, 3, float>(1e-5, 1e-3);
}

TEST_CASE("Pcg: the residual reported is the true one") {
  const auto problem = definite_problem<3, double>(500, 2);
  for (const double tolerance : {1e-2, 1e-5, 1e-9}) {
    NodeVector<3, double> x(500);
    const auto report = solve(Pcg<BlockJacobi>{.tolerance = tolerance}, problem.A, problem.b, x);
    REQUIRE(report);
    CHECK(report.residual <= tolerance * stacked(problem.b).norm());
    CHECK(report.residual == Approx(true_residual(problem.A, problem.b, x)).epsilon(1e-4));
    CHECK(report.residual > 1e-3 * report.goal);  // no more work than asked for
  }
}

TEST_CASE("Pcg: the loosest of relative tolerance, absolute tolerance and goal ends the iteration") {
  const auto problem = definite_problem<3, double>(500, 3);
  const double norm = stacked(problem.b).norm();
  NodeVector<3, double> x(500);
  const auto relative = solve(Pcg<BlockJacobi>{.tolerance = 1e-6}, problem.A, problem.b, x);
  CHECK(relative.goal == Approx(1e-6 * norm));
  x.set_zero();
  const auto absolute =
      solve(Pcg<BlockJacobi>{.tolerance = 1e-6, .absolute_tolerance = 1e-3 * norm}, problem.A, problem.b, x);
  REQUIRE(absolute);
  CHECK(absolute.goal == Approx(1e-3 * norm));
  CHECK(absolute.iterations < relative.iterations);
  CHECK(true_residual(problem.A, problem.b, x) <= 1e-3 * norm);
  x.set_zero();
  const auto only_absolute =
      solve(Pcg<BlockJacobi>{.tolerance = 0, .absolute_tolerance = 1e-8 * norm}, problem.A, problem.b, x);
  REQUIRE(only_absolute);
  CHECK(true_residual(problem.A, problem.b, x) <= 1.01e-8 * norm);
  x.set_zero();
  const auto by_goal = solve(Pcg<BlockJacobi>{.tolerance = 1e-6}, problem.A, problem.b, x, 1e-2 * norm);
  REQUIRE(by_goal);
  CHECK(by_goal.goal == Approx(1e-2 * norm));
  CHECK(by_goal.iterations < absolute.iterations);
}

TEST_CASE("Pcg: a warm start is used, an exact one needs nothing, a bad one is dropped") {
  const auto problem = definite_problem<3, double>(500, 4);
  const Pcg<BlockJacobi> solver{.tolerance = 1e-8};
  NodeVector<3, double> x(500);
  const auto cold = solve(solver, problem.A, problem.b, x);
  REQUIRE(cold);
  const NodeVector<3, double> solution = x;

  const auto exact = solve(solver, problem.A, problem.b, x);
  CHECK(exact);
  CHECK(exact.iterations == 0);
  CHECK(same_bits(x, solution));

  std::mt19937 random(5);
  x.add(1e-4, random_vector<3, double>(500, random));
  const auto warm = solve(solver, problem.A, problem.b, x);
  CHECK(warm);
  CHECK(warm.iterations > 0);
  CHECK(warm.iterations < cold.iterations);
  CHECK(warm.first_residual < 1e-2 * cold.first_residual);
  CHECK((stacked(x) - stacked(solution)).norm() <= 1e-6 * stacked(solution).norm());

  for (const double factor : {-1.0, 1e6, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    x.set_sum(solution, 0, solution);
    for (std::ptrdiff_t i = 0; i < 500; ++i) x.node(i) *= factor;
    const auto dropped = solve(solver, problem.A, problem.b, x);
    CHECK(dropped);
    CHECK(dropped.iterations == cold.iterations);
    CHECK(dropped.first_residual == cold.first_residual);
    CHECK(same_bits(x, solution));
  }
}

TEST_CASE("Pcg: without a right-hand side the solution is zero, whatever the start") {
  const auto problem = definite_problem<3, double>(50, 6);
  const NodeVector<3, double> zero(50);
  for (const double start : {0.0, 1.0}) {
    NodeVector<3, double> x(50);
    for (std::ptrdiff_t i = 0; i < 50; ++i) x.node(i).setConstant(start);
    const auto report = solve(Pcg<BlockJacobi>{}, problem.A, zero, x);
    CHECK(report);
    CHECK(report.iterations == 0);
    CHECK(report.residual == 0);
    CHECK(stacked(x).isZero(0));
  }
}

TEST_CASE("Pcg: the error in the norm of A falls in every iteration") {
  const auto problem = definite_problem<3, double>(100, 7, 1.0);
  const Eigen::MatrixXd full = dense(problem.A);
  const Eigen::VectorXd exact = full.llt().solve(stacked(problem.b));
  double last = exact.dot(full * exact);
  for (int iterations = 1; iterations <= 15; ++iterations) {
    NodeVector<3, double> x(100);
    const auto report =
        solve(Pcg<BlockJacobi>{.tolerance = 1e-14, .max_iterations = iterations}, problem.A, problem.b, x);
    CHECK(report.stop == LinearStop::max_iterations);
    CHECK(report.iterations == iterations);
    const Eigen::VectorXd error = stacked(x) - exact;
    const double now = error.dot(full * error);
    CHECK(now < last);
    last = now;
  }
}

TEST_CASE("Pcg: as many iterations as distinct eigenvalues, and not a loop more") {
  // A chain of n equal nodes with three equal axes has n distinct eigenvalues.
  constexpr int n = 12;
  const BlockMatrix<3, double> A = chain(n, 0.1);
  std::mt19937 random(8);
  const auto b = random_vector<3, double>(n, random);
  NodeVector<3, double> x(n);
  const auto report = solve(Pcg<NoPreconditioner>{.tolerance = 1e-10}, A, b, x);
  CHECK(report);
  CHECK(report.iterations <= n);
  // With the diagonal alone, Jacobi is exact.
  BlockMatrix<3, double> diagonal = A;
  for (int i = 0; i + 1 < n; ++i) diagonal.block(A.pattern().slot(i, i + 1)).setZero();
  for (int i = 0; i < n; ++i) diagonal.diagonal(i)(1, 1) = 1 + i;
  x.set_zero();
  CHECK(solve(Pcg<Jacobi>{.tolerance = 1e-12}, diagonal, b, x).iterations == 1);
}

TEST_CASE("Pcg: the iteration limit is reported; by default it is ten times the unknowns") {
  const BlockMatrix<3, double> A = chain(400, 1e-9);  // hard for any pointwise preconditioner
  std::mt19937 random(9);
  const auto b = random_vector<3, double>(400, random);
  NodeVector<3, double> x(400);
  const auto report = solve(Pcg<BlockJacobi>{.tolerance = 1e-6, .max_iterations = 5}, A, b, x);
  CHECK(!report);
  CHECK(report.stop == LinearStop::max_iterations);
  CHECK(report.iterations == 5);
  CHECK(report.message().find("iteration limit") != std::string::npos);
  CHECK(stacked(x).norm() > 0);

  const BlockMatrix<3, double> two = chain(2, 0.1);
  NodeVector<3, double> y(2), c(2);
  c.node(0).setOnes();
  const auto endless = solve(Pcg<BlockJacobi>{.tolerance = 1e-300}, two, c, y);
  CHECK(endless.iterations <= 60);
}

TEMPLATE_TEST_CASE("Pcg: an indefinite matrix is reported, never solved", "", NoPreconditioner, Jacobi,
                   BlockJacobi) {
  std::mt19937 random(10);
  // One clearly negative eigenvalue, first visible on the diagonal, then only between nodes.
  auto visible = chain(60, 0.5);
  visible.diagonal(17)(1, 1) = -3;
  auto hidden = chain(60, 0.5);
  hidden.block(hidden.pattern().slot(20, 21)).diagonal().setConstant(5);
  auto within_a_node = chain(60, 0.5);
  within_a_node.diagonal(5)(0, 1) = within_a_node.diagonal(5)(1, 0) = 9;
  for (const auto& A : {visible, hidden, within_a_node}) {
    REQUIRE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense(A)).eigenvalues()(0) < -0.1);
    for (int trial = 0; trial < 5; ++trial) {
      const auto b = random_vector<3, double>(60, random);
      NodeVector<3, double> x(60);
      const auto report = solve(Pcg<TestType>{.tolerance = 1e-10}, A, b, x);
      CHECK(!report);
      CHECK(report.stop == LinearStop::indefinite);
      CHECK(report.message().find("not positive definite") != std::string::npos);
      CHECK(x.finite());
    }
  }
}

TEMPLATE_TEST_CASE("Pcg: a singular matrix with a solution is solved", "", NoPreconditioner, Jacobi,
                   BlockJacobi) {
  const BlockMatrix<3, double> A = chain(50, 0);  // free to move along each axis
  std::mt19937 random(11);
  auto b = random_vector<3, double>(50, random);
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (std::ptrdiff_t i = 0; i < 50; ++i) mean += b.node(i) / 50;
  for (std::ptrdiff_t i = 0; i < 50; ++i) b.node(i) -= mean;
  NodeVector<3, double> x(50);
  const auto report = solve(Pcg<TestType>{.tolerance = 1e-8}, A, b, x);
  CHECK(report);
  CHECK(true_residual(A, b, x) <= 2e-8 * stacked(b).norm());
}

TEMPLATE_TEST_CASE("Pcg: numbers that are not finite are reported as such", "", NoPreconditioner, Jacobi,
                   BlockJacobi) {
  for_each_not_finite(definite_problem<3, double>(100, 12), [](const auto& A, const auto& b) {
    NodeVector<3, double> x(100);
    const auto report = solve(Pcg<TestType>{}, A, b, x);
    CHECK(report.stop == LinearStop::not_finite);
    CHECK(report.message().find("not finite") != std::string::npos);
  });
}

TEMPLATE_TEST_CASE("Pcg: pointwise preconditioners do not care about the units of a node", "", Jacobi,
                   BlockJacobi) {
  const auto problem = definite_problem<3, double>(300, 13, 1.0);
  NodeVector<3, double> x(300);
  const Pcg<TestType> solver{.tolerance = 1e-9};
  const auto plain = solve(solver, problem.A, problem.b, x);
  REQUIRE(plain);
  // x = S y turns A x = b into S A S y = S b. The norm of the residual changes, so compare after a fixed
  // number of iterations, where x and S y are the same vector.
  std::mt19937 random(14);
  std::uniform_real_distribution<double> exponent(-4, 4);
  std::vector<double> scale;
  for (int i = 0; i < 300; ++i) scale.push_back(std::pow(10, exponent(random)));
  auto A = problem.A;
  auto b = problem.b;
  const auto& pattern = *problem.pattern;
  for (int i = 0; i < 300; ++i) {
    b.node(i) *= scale[static_cast<std::size_t>(i)];
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      A.block(k) *= scale[static_cast<std::size_t>(i)] *
                    scale[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])];
    }
  }
  const Pcg<TestType> fixed{.tolerance = 1e-300, .max_iterations = 10};
  NodeVector<3, double> y(300);
  x.set_zero();
  CHECK(solve(fixed, problem.A, problem.b, x).iterations == 10);
  CHECK(solve(fixed, A, b, y).iterations == 10);
  for (int i = 0; i < 300; ++i) y.node(i) *= scale[static_cast<std::size_t>(i)];
  CHECK((stacked(x) - stacked(y)).norm() <= 1e-9 * stacked(x).norm());
}

TEST_CASE("Pcg: better preconditioners need fewer iterations") {
  auto problem = definite_problem<3, double>(300, 15, 1.001);
  std::mt19937 random(16);
  std::uniform_real_distribution<double> exponent(0, 3);
  for (std::ptrdiff_t i = 0; i < 300; ++i) {  // stiff directions that are no axes
    const Eigen::Vector3d n = Eigen::Vector3d::Random().normalized();
    problem.A.diagonal(i) += 30 * std::pow(10, exponent(random)) * n * n.transpose();
  }
  NodeVector<3, double> x(300), y(300), z(300);
  const auto none = solve(Pcg<NoPreconditioner>{.tolerance = 1e-8}, problem.A, problem.b, x);
  const auto diagonal = solve(Pcg<Jacobi>{.tolerance = 1e-8}, problem.A, problem.b, y);
  const auto blocks = solve(Pcg<BlockJacobi>{.tolerance = 1e-8}, problem.A, problem.b, z);
  REQUIRE((none && diagonal && blocks));
  CHECK(blocks.iterations < diagonal.iterations / 2);
  CHECK(diagonal.iterations < none.iterations);
  CHECK((stacked(x) - stacked(z)).norm() <= 1e-5 * stacked(z).norm());
}

TEMPLATE_TEST_CASE("Pcg: the same bits on any number of threads", "", NoPreconditioner, Jacobi, BlockJacobi) {
  const auto large = definite_problem<3, double>(6000, 17);
  const auto single = definite_problem<2, float>(9000, 18);
  const WithThreads one(1);
  NodeVector<3, double> x(6000);
  NodeVector<2, float> y(9000);
  const auto report = solve(Pcg<TestType>{}, large.A, large.b, x);
  REQUIRE(report);
  REQUIRE(solve(Pcg<TestType>{.tolerance = 1e-4}, single.A, single.b, y));
  for (const int threads : thread_counts) {
    set_thread_count(threads);
    NodeVector<3, double> again(6000);
    NodeVector<2, float> single_again(9000);
    const auto other = solve(Pcg<TestType>{}, large.A, large.b, again);
    CHECK(other.iterations == report.iterations);
    CHECK(same_bits(other.residual, report.residual));
    CHECK(same_bits(again, x));
    CHECK(solve(Pcg<TestType>{.tolerance = 1e-4}, single.A, single.b, single_again));
    CHECK(same_bits(single_again, y));
  }
}

TEST_CASE("Pcg: the monitor hears of the iteration and may end it") {
  const BlockMatrix<3, double> A = chain(400, 1e-9);
  std::mt19937 random(19);
  const auto b = random_vector<3, double>(400, random);
  Pcg<BlockJacobi>::Workspace<BlockMatrix<3, double>> workspace;
  NodeVector<3, double> x(400);
  std::vector<int> heard;
  const auto report = Pcg<BlockJacobi>{.max_iterations = 300}.solve(A, b, x, workspace, 0,
                                                                    [&](int iterations, double residual) {
                                                                      heard.push_back(iterations);
                                                                      CHECK(residual > 0);
                                                                      return true;
                                                                    });
  CHECK(report.stop == LinearStop::max_iterations);
  REQUIRE(heard.size() >= 3);
  CHECK(std::is_sorted(heard.begin(), heard.end()));
  x.set_zero();
  int calls = 0;
  const auto cancelled =
      Pcg<BlockJacobi>{}.solve(A, b, x, workspace, 0, [&](int, double) { return ++calls < 2; });
  CHECK(cancelled.stop == LinearStop::cancelled);
  CHECK(calls == 2);
  CHECK(cancelled.iterations < 300);
  CHECK(cancelled.message().find("cancelled") != std::string::npos);
}

TEST_CASE("Pcg: one workspace serves matrices of several sizes") {
  Pcg<BlockJacobi>::Workspace<BlockMatrix<3, double>> workspace;
  for (const int nodes : {20, 300, 5}) {
    const auto problem = definite_problem<3, double>(nodes, 20);
    NodeVector<3, double> x(nodes);
    REQUIRE(Pcg<BlockJacobi>{.tolerance = 1e-10}.solve(problem.A, problem.b, x, workspace));
    CHECK(true_residual(problem.A, problem.b, x) <= 2e-10 * stacked(problem.b).norm());
  }
}

TEST_CASE("Pcg: parameters out of range are named") {
  const auto name = [](const Pcg<BlockJacobi>& solver) -> std::string {
    try {
      solver.check();
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(name({}) == "");
  CHECK(name({.tolerance = 0, .absolute_tolerance = 1}) == "");
  for (const double tolerance : {-1e-9, 1.0, 2.0, infinity, nan}) {
    CHECK(name({.tolerance = tolerance}) == "Pcg::tolerance");
  }
  CHECK(name({.tolerance = 0}) == "Pcg::tolerance");  // nothing would ever end it
  for (const double absolute : {-1.0, infinity, nan}) {
    CHECK(name({.absolute_tolerance = absolute}) == "Pcg::absolute_tolerance");
  }
  CHECK(name({.max_iterations = -1}) == "Pcg::max_iterations");
}
