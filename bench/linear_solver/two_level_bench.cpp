// Solves to 1e-6 from zero by Pcg with the two-level preconditioner and with the simple ones, and by
// Cholesky, its analysis done before: boxes of 15,840 and of 61,440 tets that are held at one end, in a step
// of 10 ms, at rest and twisted by a quarter of a turn, up to nearly incompressible. The figures of "Which
// solver when" in docs/settings.md.
#include <cmath>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

// Cells of 1 cm.
Mesh<Tet4> box(bool large) {
  const std::array<int, 3> cells = large ? std::array{16, 16, 40} : std::array{10, 11, 24};
  return make_box<Tet4>(
      {.lengths = {0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2]}, .cells = cells, .split = Split::kuhn});
}

// The system matrix M / dt^2 + K, the elements' Hessians clamped, and the forces out of balance.
struct Problem {
  Problem(bool large, double nu, bool twisted)
      : mesh(box(large)),
        system(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, nu)), Density{1000})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        positions(system.make_vector()) {
    NodeMatrix<double, 3> X = mesh.nodes;
    const Eigen::Vector3d size = X.rowwise().maxCoeff();
    for (std::ptrdiff_t i = 0; twisted && i < X.cols(); ++i) {
      const double angle = std::acos(0.0) * X(2, i) / size.z();
      const Eigen::Vector2d centre = size.head<2>() / 2;
      X.col(i).head<2>() = centre + Eigen::Rotation2Dd(angle) * (X.col(i).head<2>() - centre);
    }
    system.to_internal(X, positions);
    system.tangent(positions, Projection::clamp, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      A.diagonal(i).diagonal() += system.mass().node(i) / (0.01 * 0.01);
      b.node(i) = -b.node(i) - 9.81 * system.mass().node(i)(1) * Eigen::Vector3d::UnitY();
    }
    NodeConstraints<3> held(mesh.node_count());
    Pinned(nodes_where(mesh, [](const auto& node) { return node.z() < 1e-6; })).describe(held);
    const Filter<3, double> filter(held, mesh.nodes, system.numbering(), A.pattern());
    filter.apply(A);
    filter.apply(b);
  }

  Mesh<Tet4> mesh;
  ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system;
  BlockMatrix<3, double> A;
  NodeVector<3, double> b, x, positions;
};

template <class Solver>
void solve(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(state.range(0) != 0, static_cast<double>(state.range(1)) / 1000, state.range(2) != 0);
  typename Solver::template Workspace<BlockMatrix<3, double>> workspace;
  if constexpr (requires { workspace.set_positions(problem.positions); }) {
    workspace.set_positions(problem.positions);
  }
  Solver solver;
  solver.tolerance = 1e-6;
  LinearReport report = solver.solve(problem.A, problem.b, problem.x, workspace);  // analyses the pattern
  for (auto _ : state) {
    problem.x.set_zero();
    report = solver.solve(problem.A, problem.b, problem.x, workspace);
    benchmark::DoNotOptimize(problem.x.data());
  }
  if (!report) state.SkipWithError("not solved");
  state.counters["iterations"] = report.iterations;
  NodeVector<3, double> residual = problem.b;
  problem.A.multiply(problem.x, residual);
  residual.set_sum(problem.b, -1, residual);
  state.counters["residual"] = residual.norm() / problem.b.norm();
  set_thread_count(0);
}

// What a solve pays before its first iteration.
void prepare(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(state.range(0) != 0, static_cast<double>(state.range(1)) / 1000, state.range(2) != 0);
  TwoLevel::Workspace<BlockMatrix<3, double>> workspace;
  workspace.set_positions(problem.positions);
  TwoLevel{}.prepare(problem.A, workspace);
  for (auto _ : state) benchmark::DoNotOptimize(TwoLevel{}.prepare(problem.A, workspace));
  state.counters["aggregates"] = workspace.coarse.aggregates().count();
  state.counters["ssor"] = workspace.kind == FactorKind::symmetric_gauss_seidel;
  set_thread_count(0);
}

// Large or not, 1000 nu, twisted or not.
void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int large : {0, 1}) {
    for (const int nu : {330, 450, 490, 499}) {
      for (const int twisted : {0, 1}) benchmark->Args({large, nu, twisted});
    }
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.1);
}

BENCHMARK(prepare)->Apply(cases);
BENCHMARK(solve<Pcg<TwoLevel>>)->Apply(cases);
BENCHMARK(solve<Pcg<BlockJacobi>>)->Apply(cases);
BENCHMARK(solve<Pcg<Jacobi>>)->Apply(cases);
BENCHMARK(solve<Cholesky>)->Apply(cases);

}  // namespace
