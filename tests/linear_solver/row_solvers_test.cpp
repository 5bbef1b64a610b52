// The solvers of systems with rows, by the conditions that characterise the solution, in dense matrices.
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <Eigen/Dense>

#include <pliant/linear_solver/preconditioner/two_level.hpp>
#include <pliant/linear_solver/rows/condensed.hpp>
#include <pliant/linear_solver/rows/multipliers.hpp>

using namespace pliant;

namespace {

using Matrix = BlockMatrix<3, double>;
using Vector = Matrix::Vector;
constexpr double inf = std::numeric_limits<double>::infinity();

// A grid of 4 x 4 nodes that springs connect, and after them three nodes without neighbours, as those of
// bodies. Rows act on both.
struct Problem {
  static constexpr int side = 4, coupled = side * side, nodes = coupled + 3;
  std::mt19937 random;
  Matrix A;
  Rows rows;
  Vector p, forces;

  explicit Problem(unsigned seed, double softness = 1) : random(seed), A(pattern()), p(nodes), forces(nodes) {
    A.set_zero();
    for (int i = 0; i < nodes; ++i) {
      A.add(i, i, RowBlock::Block(RowBlock::Triple(1, 2, 3).asDiagonal()) * softness);
      p.node(i) = triple();
      forces.node(i) = triple();
    }
    for (int i = 0; i < coupled; ++i) {
      for (const int j : {i + 1, i + side}) {
        if (j >= coupled || (j == i + 1 && j % side == 0)) continue;
        RowBlock::Block spring = block();
        spring = (10 * spring * spring.transpose()).eval();
        A.add(i, i, spring);
        A.add(j, j, spring);
        A.add(i, j, -spring);
      }
    }
  }

  double number() { return std::uniform_real_distribution<double>(-1, 1)(random); }
  RowBlock::Triple triple() { return {number(), number(), number()}; }
  RowBlock::Block block() {
    RowBlock::Block result;
    for (int k = 0; k < 9; ++k) result(k) = number();
    return result;
  }

  RowBlock row(std::initializer_list<int> on) {
    RowBlock result;
    std::size_t k = 0;
    for (const int node : on) {
      result.node[k] = node;
      result.J[k++] = 0.5 * block() + RowBlock::Block::Identity();
    }
    result.compliance.setZero();
    result.right_side = triple();
    return result;
  }
  RowBlock bounded_row(std::initializer_list<int> on) {
    RowBlock result = row(on);
    result.lower = {0, -inf, -0.5};
    result.upper = {inf, 0, 0.5};
    return result;
  }

  static std::shared_ptr<const BlockPattern> pattern() {
    Adjacency graph;
    graph.begin.push_back(0);
    for (int i = 0; i < nodes; ++i) {
      for (const int j : {i - side, i - 1, i + 1, i + side}) {
        const bool in_row = std::abs(i - j) != 1 || i / side == j / side;
        if (i < coupled && j >= 0 && j < coupled && in_row) graph.list.push_back(j);
      }
      graph.begin.push_back(static_cast<int>(graph.list.size()));
    }
    return std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
  }

  // A with some held rows, some with a compliance, and some with bounds.
  static Problem with_rows(unsigned seed) {
    Problem problem(seed);
    problem.rows.held = {problem.row({2, 3, 7, coupled}), problem.row({coupled, coupled + 1}),
                         problem.row({12})};
    problem.rows.held[1].compliance = {0.1, 0, 2};
    problem.rows.bounded = {problem.bounded_row({coupled + 1, coupled + 2}),
                            problem.bounded_row({0, 1, coupled + 2}), problem.bounded_row({9, 10})};
    problem.rows.bounded[1].compliance = {0, 0.2, 0.1};
    return problem;
  }

  RowReport solve(const auto& solver, Vector& u) {
    typename std::remove_cvref_t<decltype(solver)>::template Workspace<Matrix> w;
    solver.check();
    REQUIRE(solver.prepare(A, rows, w) == LinearStop::converged);
    Vector start(nodes);
    solver.apply(forces, start, w);
    start.add(1, p);
    RowReport report = solver.solve(start, rows, u, w);
    for (int pass = 0; pass < 3; ++pass) report.iterations += solver.solve(start, rows, u, w).iterations;
    return report;
  }

  // The largest violation: of the balance of forces, and of each row and its multiplier; relative to the
  // largest multiplier.
  double violation(const Vector& u) const {
    Vector d(nodes), r(nodes);
    d.set_sum(u, -1, p);
    A.multiply(d, r);
    r.add(-1, forces);
    double largest = 0, size = 1;
    for (const auto* blocks : {&rows.held, &rows.bounded}) {
      for (const RowBlock& block : *blocks) {
        block.for_each_node(
            [&](int i, const RowBlock::Block& J) { r.node(i) -= J.transpose() * block.multiplier; });
        const RowBlock::Triple open =
            block.right_side - block.times(u) - block.compliance.cwiseProduct(block.multiplier);
        for (int i = 0; i < 3; ++i) {
          const double lambda = block.multiplier[i];
          size = std::max(size, std::abs(lambda));
          CHECK(lambda >= block.lower[i]);
          CHECK(lambda <= block.upper[i]);
          double off = std::abs(open[i]);
          if (lambda <= block.lower[i]) off = std::max(open[i], 0.0);
          if (lambda >= block.upper[i]) off = std::max(-open[i], 0.0);
          largest = std::max(largest, off);
        }
      }
    }
    return std::max(largest, static_cast<double>(r.largest())) / size;
  }

  int at_bounds() const {
    int count = 0;
    for (const RowBlock& block : rows.bounded) {
      for (int i = 0; i < 3; ++i) {
        count += block.multiplier[i] == block.lower[i] || block.multiplier[i] == block.upper[i];
      }
    }
    return count;
  }
};

}  // namespace

TEST_CASE("Solvers of rows: balance of forces, and each row is met or its multiplier is at a bound") {
  const Pcg<BlockJacobi> exact{.tolerance = 1e-12};
  int fewest = 9, most = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    INFO(seed);
    const auto check = [&](const auto& solver) {
      Problem problem = Problem::with_rows(seed);
      Vector u(Problem::nodes);
      CHECK(problem.solve(solver, u).stop == LinearStop::converged);
      CHECK(problem.violation(u) < 1e-8);
      fewest = std::min(fewest, problem.at_bounds());
      most = std::max(most, problem.at_bounds());
      return u;
    };
    const Vector u = check(Condensed{});
    const auto check_same = [&](const auto& solver) {
      Vector other = check(solver);
      other.add(-1, u);
      CHECK(other.largest() < 1e-8);
    };
    check_same(Multipliers<Pcg<BlockJacobi>>{.solver = exact});
    check_same(Multipliers<Pcg<BlockJacobi>>{.solver = exact, .max_changes = 0});
    check_same(Multipliers<Pcg<TwoLevel>>{.solver = {.tolerance = 1e-12}});
  }
  CHECK(fewest <= 4);
  CHECK(most > 6);
}

TEST_CASE("Solvers of rows: the dense solution of a system with held rows") {
  Problem problem = Problem::with_rows(5);
  problem.rows.bounded.clear();
  constexpr int n = 3 * Problem::nodes, m = 9;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd right(n + m);
  Vector in(Problem::nodes), out(Problem::nodes);
  for (int k = 0; k < n; ++k) {
    in.set_zero();
    in.node(k / 3)(k % 3) = 1;
    problem.A.multiply(in, out);
    for (int i = 0; i < Problem::nodes; ++i) all.block<3, 1>(3 * i, k) = out.node(i);
  }
  problem.A.multiply(problem.p, out);
  out.add(1, problem.forces);
  for (int i = 0; i < Problem::nodes; ++i) right.segment<3>(3 * i) = out.node(i);
  for (int k = 0; k < 3; ++k) {
    const RowBlock& row = problem.rows.held[static_cast<std::size_t>(k)];
    row.for_each_node([&](int i, const RowBlock::Block& J) {
      all.block<3, 3>(n + 3 * k, 3 * i) = J;
      all.block<3, 3>(3 * i, n + 3 * k) = -J.transpose();
    });
    all.block<3, 3>(n + 3 * k, n + 3 * k) = row.compliance.asDiagonal();
    right.segment<3>(n + 3 * k) = row.right_side;
  }
  const Eigen::VectorXd truth = all.partialPivLu().solve(right);
  const auto check = [&](const auto& solver) {
    Vector u(Problem::nodes);
    problem.solve(solver, u);
    for (int i = 0; i < Problem::nodes; ++i) CHECK((u.node(i) - truth.segment<3>(3 * i)).norm() < 1e-9);
    for (int k = 0; k < 3; ++k) {
      const auto& lambda = problem.rows.held[static_cast<std::size_t>(k)].multiplier;
      CHECK((lambda - truth.segment<3>(n + 3 * k)).norm() < 1e-8);
    }
  };
  check(Condensed{});
  check(Multipliers<Pcg<BlockJacobi>>{.solver = {.tolerance = 1e-13}});
}

TEST_CASE("Multipliers: the tolerance is that of the forces, and rows are met with any") {
  double last = 0;
  for (const double tolerance : {1e-10, 1e-3, 0.3}) {
    Problem problem = Problem::with_rows(3);
    problem.rows.bounded.clear();
    Vector u(Problem::nodes);
    problem.solve(Multipliers<Pcg<BlockJacobi>>{.solver = {.tolerance = tolerance}}, u);
    for (const RowBlock& row : problem.rows.held) {
      if (row.compliance.isZero(0)) CHECK((row.times(u) - row.right_side).norm() < 1e-12);
    }
    const double error = problem.violation(u);
    CHECK(error > last);
    CHECK(error < 300 * tolerance);
    last = error;
  }
}

TEST_CASE("Multipliers: rows that repeat others, and a motor that drives against a limit") {
  Problem problem(7);
  problem.rows.held = {problem.row({2, Problem::coupled}), problem.row({5, Problem::coupled})};
  problem.rows.held.push_back(problem.rows.held[0]);
  problem.rows.bounded = {problem.bounded_row({3, Problem::coupled + 1})};
  RowBlock& row = problem.rows.bounded[0];
  for (auto& J : row.J) J.row(1) = J.row(2) = J.row(0).eval();
  row.right_side = {-0.1, 0.1, 5};  // the motor drives to 5 with a force of at most 0.5, the limit is 0.1
  row.lower[2] = -1e4;
  row.upper[2] = 1e4;
  Vector u(Problem::nodes);
  CHECK(problem.solve(Multipliers<Pcg<BlockJacobi>>{.solver = {.tolerance = 1e-12}}, u).stop ==
        LinearStop::converged);
  CHECK(problem.violation(u) < 1e-7);
  CHECK(row.multiplier[2] == 1e4);
  CHECK(row.times(u)[0] == Approx(0.1).margin(1e-9));
}

TEST_CASE("Multipliers: a matrix that is indefinite among the displacements that meet the rows is refused") {
  Problem problem = Problem::with_rows(2);
  problem.rows.bounded.clear();
  problem.A.add(15, 15, RowBlock::Block(RowBlock::Block::Identity() * -500));
  const Multipliers<Pcg<NoPreconditioner>> solver;
  Multipliers<Pcg<NoPreconditioner>>::Workspace<Matrix> w;
  REQUIRE(solver.prepare(problem.A, problem.rows, w) == LinearStop::converged);
  Vector u(Problem::nodes), start(Problem::nodes);
  solver.apply(problem.forces, start, w);
  CHECK(solver.solve(start, problem.rows, u, w).stop == LinearStop::indefinite);
  problem.A.add(15, 15, RowBlock::Block(RowBlock::Block::Identity() * 1000));
  problem.forces.node(15)(1) = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(solver.prepare(problem.A, problem.rows, w) == LinearStop::converged);
  solver.apply(problem.forces, start, w);
  CHECK(solver.solve(start, problem.rows, u, w).stop == LinearStop::not_finite);
}

TEST_CASE("Row solvers refuse settings out of range") {
  CHECK_THROWS_AS(Multipliers<>{.gap = 0}.check(), ParameterError);
  CHECK_THROWS_AS(Multipliers<>{.max_passes = 0}.check(), ParameterError);
  CHECK_THROWS_AS(Multipliers<>{.max_changes = -1}.check(), ParameterError);
  CHECK_THROWS_AS((Multipliers<Pcg<>>{.solver = {.tolerance = -1}}.check()), ParameterError);
}
