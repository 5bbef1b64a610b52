#include "linear_solver/two_level_facts.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>
#include <vector>

using namespace pliant;
using namespace pliant::test;

static_assert(Preconditioner<TwoLevel, BlockMatrix<3, double>>);
static_assert(!NodewisePreconditioner<TwoLevel, BlockMatrix<3, double>>);
static_assert(LinearSolver<Pcg<TwoLevel>, BlockMatrix<3, double>>);
static_assert(LinearSolver<Pcg<TwoLevel>, BlockMatrix<2, float>>);

TEST_CASE("TwoLevel: symmetric and positive definite, with both factors, with and without positions") {
  using enum detail::linear_solver::FactorKind;
  for (const bool positions : {true, false}) {
    is_positive_definite(elastic_problem(bar_mesh(2, 2, 7)), incomplete_cholesky, positions);
    is_positive_definite(elastic_problem(bar_mesh(2, 2, 7), {.nu = 0.49, .state = Deformed::scrambled}),
                         symmetric_gauss_seidel, positions);
  }
}

TEST_CASE("TwoLevel: the incomplete factor's inverse, and the coarse correction of what that leaves") {
  const auto problem = elastic_problem(bar_mesh(2, 2, 7), {.state = Deformed::twisted});
  const std::ptrdiff_t nodes = problem.A.rows();
  const TwoLevel preconditioner{.nodes_per_aggregate = 20};
  WorkspaceOf<3, double> workspace;
  workspace.set_positions(problem.positions);
  REQUIRE(preconditioner.prepare(problem.A, workspace));
  const Eigen::MatrixXd A = dense(problem.A), one = Eigen::MatrixXd::Identity(A.rows(), A.cols());
  const Eigen::MatrixXd both = inverse_of<3, double>(preconditioner, workspace, nodes),
                        coarse = coarse_of<3, double>(preconditioner, workspace, nodes);
  workspace.has_coarse = false;
  const Eigen::MatrixXd fine = inverse_of<3, double>(preconditioner, workspace, nodes);
  CHECK((both - fine).norm() > 0.1 * both.norm());
  CHECK((both - fine - coarse * (one - A * fine)).norm() <= 1e-5 * both.norm());
}

TEST_CASE("TwoLevel: corrected, x leaves a residual that the rigid modes do not see") {
  const auto problem = elastic_problem(bar_mesh(3, 3, 20), {.state = Deformed::twisted});
  const TwoLevel preconditioner{.nodes_per_aggregate = 20};
  WorkspaceOf<3, double> workspace;
  workspace.set_positions(problem.positions);
  REQUIRE(preconditioner.prepare(problem.A, workspace));
  auto x = problem.x, again = problem.x, r = problem.b;
  x.set_zero();
  again.set_zero();
  REQUIRE(preconditioner.correct(problem.b, x, workspace));
  problem.A.multiply(x, r);
  r.set_sum(problem.b, -1, r);
  REQUIRE(preconditioner.correct(r, again, workspace));
  CHECK(stacked(x).norm() > 0);
  CHECK(stacked(again).norm() <= 1e-5 * stacked(x).norm());
}

TEST_CASE("TwoLevel: the factor is kept while the matrix changes little, and made anew when it does not") {
  const auto rest = elastic_problem(bar_mesh(2, 2, 7)),
             twisted = elastic_problem(bar_mesh(2, 2, 7), {.state = Deformed::twisted});
  auto A = rest.A;  // all on one pattern
  const auto fine_of = [&](WorkspaceOf<3, double>& workspace) {
    REQUIRE(TwoLevel{}.prepare(A, workspace));
    workspace.has_coarse = false;
    return inverse_of<3, double>(TwoLevel{}, workspace, A.rows());
  };
  const auto set_to = [&](const BlockMatrix<3, double>& values, double factor) {
    for (std::ptrdiff_t k = 0; k < A.pattern().blocks() * 9; ++k) A.values()[k] = factor * values.values()[k];
  };
  WorkspaceOf<3, double> workspace;
  const Eigen::MatrixXd first = fine_of(workspace);
  set_to(rest.A, 1.01);
  CHECK(fine_of(workspace) == first);
  for (const auto* values : {&twisted.A, &rest.A}) {
    set_to(*values, 1);
    WorkspaceOf<3, double> fresh;
    CHECK(fine_of(workspace) == fine_of(fresh));
  }
  set_to(rest.A, 2);
  CHECK((fine_of(workspace) - first / 2).norm() <= 1e-5 * first.norm());
}

TEST_CASE("TwoLevel: with the factor of a matrix a little different the iteration takes hardly longer") {
  const auto start = elastic_problem(bar_mesh(4, 4, 30), {.nu = 0.45, .state = Deformed::twisted}),
             later =
                 elastic_problem(bar_mesh(4, 4, 30), {.nu = 0.45, .state = Deformed::twisted, .angle = 1.6});
  auto end = later;
  end.A = start.A;  // on its pattern
  std::copy(later.A.values(), later.A.values() + later.A.pattern().blocks() * 9, end.A.values());
  Pcg<TwoLevel>::Workspace<BlockMatrix<3, double>> kept, fresh;
  auto x = start.x;
  REQUIRE(solve(start, x, 1e-6, kept));
  const double change = kept.preconditioner.change.measure(end.A);
  CHECK(change > 0.02);
  CHECK(change < 0.05);
  const int with_kept = solve(end, x, 1e-6, kept).iterations,
            with_fresh = solve(end, x, 1e-6, fresh).iterations;
  CHECK(with_kept <= with_fresh + with_fresh / 10);
}

TEST_CASE("TwoLevel: solutions equal those of a sparse Cholesky factorisation") {
  for (const Deformed state : {Deformed::rest, Deformed::twisted, Deformed::scrambled}) {
    for (const double nu : {0.33, 0.499}) {
      INFO("state " << static_cast<int>(state) << ", nu " << nu);
      solves(elastic_problem(bar_mesh(4, 5, 12), {.nu = nu, .state = state}), 1e-10, 1e-6);
    }
  }
  solves(elastic_problem(bar_mesh(4, 5, 12), {.held = false}), 1e-10, 1e-6);
}

TEST_CASE("TwoLevel: a few iterations where BlockJacobi needs many; positions bring more than half of that") {
  const auto problem = elastic_problem(bar_mesh(5, 5, 40));
  auto x = problem.x;
  const auto iterations = [&](auto solver, bool knows_positions) {
    typename decltype(solver)::template Workspace<BlockMatrix<3, double>> workspace;
    if constexpr (requires { workspace.set_positions(problem.positions); }) {
      if (knows_positions) workspace.set_positions(problem.positions);
    }
    x.set_zero();
    const LinearReport report = solver.solve(problem.A, problem.b, x, workspace);
    CHECK(report);
    return report.iterations;
  };
  const int simple = iterations(Pcg<BlockJacobi>{}, false), translations = iterations(Pcg<TwoLevel>{}, false),
            rigid = iterations(Pcg<TwoLevel>{}, true);
  CHECK(simple > 8 * rigid);
  CHECK(translations > 2 * rigid);
  CHECK(simple > 2 * translations);
}

TEST_CASE("TwoLevel: the same bits on any number of threads") {
  for (const Deformed state : {Deformed::twisted, Deformed::scrambled}) {
    // Large enough for several domains.
    const auto problem = elastic_problem(bar_mesh(6, 6, 80), {.state = state});
    NodeVector<3, double> first = problem.x, x = problem.x;
    int iterations = 0;
    for (const int threads : thread_counts) {
      INFO(threads << " threads");
      const WithThreads with(threads);
      Pcg<TwoLevel>::Workspace<BlockMatrix<3, double>> fresh;
      const LinearReport report = solve(problem, x, 1e-6, fresh);
      REQUIRE(report);
      CHECK(fresh.preconditioner.factor.shares() == (thread_count() > 1 ? 2 : 1));
      if (iterations == 0) {
        iterations = report.iterations;
        first = x;
      }
      CHECK(report.iterations == iterations);
      CHECK(same_bits(x, first));
    }
  }
}

TEST_CASE("TwoLevel: a breakdown is remembered for a while, longer each time, and then tried again") {
  const auto good = elastic_problem(bar_mesh(2, 2, 7)),
             bad = elastic_problem(bar_mesh(2, 2, 7), {.nu = 0.499});
  // On one pattern.
  auto A = good.A;
  WorkspaceOf<3, double> workspace;
  const auto kind_of = [&](const BlockMatrix<3, double>& values) {
    std::copy(values.values(), values.values() + values.pattern().blocks() * 9, A.values());
    REQUIRE(TwoLevel{}.prepare(A, workspace));
    return workspace.kind;
  };
  using enum detail::linear_solver::FactorKind;
  CHECK(kind_of(good.A) == incomplete_cholesky);
  for (int wait : {4, 8, 16, 32, 64, 64}) {
    CHECK(kind_of(bad.A) == symmetric_gauss_seidel);
    for (; wait > 0; --wait) REQUIRE(kind_of(good.A) == symmetric_gauss_seidel);
    CHECK(kind_of(good.A) == incomplete_cholesky);
  }
}

TEST_CASE("TwoLevel: bodies that are not connected, and lone nodes, are solved as if each were alone") {
  const auto bar = elastic_problem(bar_mesh(3, 3, 12)),
             free = elastic_problem(bar_mesh(2, 2, 9), {.held = false}),
             single = elastic_problem(bar_mesh(1, 1, 1), {.held = false});
  BlockMatrix<3, double> lone(std::make_shared<const BlockPattern>(BlockPattern::from_graph({{0, 0}, {}})));
  lone.diagonal(0) = Eigen::Vector3d(1, 2, 3).asDiagonal();
  ElasticProblem<3, double> all;
  all.A = side_by_side<3, double>({&bar.A, &lone, &free.A, &single.A});
  all.b = all.x = all.positions = NodeVector<3, double>(all.A.rows());
  std::ptrdiff_t i = 0;
  for (const auto* part : {&bar, static_cast<const ElasticProblem<3, double>*>(nullptr), &free, &single}) {
    if (part == nullptr) {
      all.b.node(i++).setConstant(6);
      continue;
    }
    for (std::ptrdiff_t k = 0; k < part->b.nodes(); ++k, ++i) {
      all.b.node(i) = part->b.node(k);
      all.positions.node(i) = part->positions.node(k);
    }
  }
  solves(all, 1e-10, 1e-6);
}

TEST_CASE(
    "TwoLevel: whole aggregates that are held, nodes on a line or in one place, positions that are none") {
  auto problem = elastic_problem(bar_mesh(3, 3, 8));
  const auto check = [&](const char* what) {
    INFO(what);
    for (const int size : {1, 2, 3, 20}) {
      const TwoLevel preconditioner{.nodes_per_aggregate = size};
      WorkspaceOf<3, double> workspace;
      workspace.set_positions(problem.positions);
      REQUIRE(preconditioner.prepare(problem.A, workspace));
      CHECK(workspace.has_coarse);
      NodeVector<3, double> z(problem.b.nodes());
      CHECK(preconditioner.apply(problem.b, problem.b.norm(), z, workspace) > 0);
      CHECK(z.finite());
    }
    solves(problem, 1e-10, 1e-6);
  };
  check("as it is");
  const auto positions = problem.positions;
  for (std::ptrdiff_t i = 0; i < positions.nodes(); ++i) problem.positions.node(i).head(2).setZero();
  check("on a line");
  problem.positions.set_zero();
  check("in one place");
  problem.positions = positions;
  problem.positions.node(7)(1) = std::numeric_limits<double>::quiet_NaN();
  problem.positions.node(80)(1) = std::numeric_limits<double>::infinity();
  check("not finite");
  problem.positions = NodeVector<3, double>(3);
  check("of another body");
  problem.positions = positions;
  // All but one node held.
  for (int i = 0; i < problem.A.rows(); ++i) {
    const auto& pattern = problem.A.pattern();
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      problem.A.block(k).setZero();
    }
  }
  check("nothing is coupled");
}

TEST_CASE("TwoLevel: numbers that are not finite, and indefinite matrices, leave nothing behind") {
  const auto good = elastic_problem(bar_mesh(3, 3, 12), {.state = Deformed::twisted});
  Pcg<TwoLevel>::Workspace<BlockMatrix<3, double>> workspace;
  auto x = good.x, expected = good.x;
  REQUIRE(solve(good, expected, 1e-8, workspace));
  const auto again = [&] {
    workspace.preconditioner.waits = 0;  // so that the same factor is chosen
    CHECK(solve(good, x, 1e-8, workspace));
    CHECK(same_bits(x, expected));
  };
  again();
  for (const double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto bad = good;
    bad.A.diagonal(20)(1, 1) = number;
    CHECK(solve(bad, x, 1e-8, workspace).stop == LinearStop::not_finite);
    again();
    bad = good;
    for (std::ptrdiff_t k = 0; k < bad.A.pattern().blocks() * 9; ++k) bad.A.values()[k] = number;
    CHECK(solve(bad, x, 1e-8, workspace).stop == LinearStop::not_finite);
    again();
    bad = good;
    bad.b.node(3)(0) = number;
    CHECK(solve(bad, x, 1e-8, workspace).stop == LinearStop::not_finite);
    again();
    bad = good;
    for (std::ptrdiff_t i = 0; i < bad.positions.nodes(); ++i) bad.positions.node(i).setConstant(number);
    CHECK(solve(bad, x, 1e-8, workspace));
    again();
  }
  auto bad = good;
  for (std::ptrdiff_t k = 0; k < bad.A.pattern().blocks() * 9; ++k) bad.A.values()[k] *= -1;
  CHECK(solve(bad, x, 1e-8, workspace).stop == LinearStop::indefinite);
  again();
  bad = good;
  bad.A.diagonal(bad.A.rows() - 1)(1, 1) *= -1;
  CHECK(solve(bad, x, 1e-8, workspace).stop == LinearStop::indefinite);
  again();
}

TEST_CASE("TwoLevel: one workspace serves matrices of several sizes, and any unit") {
  Pcg<TwoLevel>::Workspace<BlockMatrix<3, double>> workspace;
  for (const int cells : {6, 20, 1}) {
    for (const double unit : {1.0, 1e-90, 1e90}) {
      auto problem = elastic_problem(bar_mesh(2, 3, cells), {.state = Deformed::twisted});
      for (std::ptrdiff_t k = 0; k < problem.A.pattern().blocks() * 9; ++k) problem.A.values()[k] *= unit;
      auto x = problem.x;
      REQUIRE(solve(problem, x, 1e-9, workspace));
      CHECK(true_residual(problem.A, problem.b, x) <= 2e-9 * stacked(problem.b).norm());
    }
  }
}

TEST_CASE("TwoLevel: a right-hand side as small or as large as numbers get") {
  const auto problem = elastic_problem(bar_mesh(2, 3, 8));
  WorkspaceOf<3, double> workspace;
  REQUIRE(TwoLevel{}.prepare(problem.A, workspace));
  NodeVector<3, double> z(problem.b.nodes()), scaled_z = z, r = z;
  TwoLevel{}.apply(problem.b, problem.b.norm(), z, workspace);
  for (const double factor : {1e-140, 1e-30, 1e30, 1e140}) {
    r.set_zero();
    r.add(factor, problem.b);
    TwoLevel{}.apply(r, r.norm(), scaled_z, workspace);
    CHECK((stacked(scaled_z) / factor - stacked(z)).norm() <= 1e-5 * stacked(z).norm());
  }
  r.set_zero();
  CHECK(TwoLevel{}.apply(r, r.norm(), z, workspace) == 0);
  CHECK(stacked(z).isZero(0));
}

TEST_CASE("TwoLevel: a parameter out of range is named") {
  const Pcg<TwoLevel> solver{.preconditioner = {.nodes_per_aggregate = -1}};
  CHECK_THROWS_AS(solver.check(), ParameterError);
  CHECK_NOTHROW(Pcg<TwoLevel>{}.check());
}
