// The solve of one step to 1e-6, of a bar in swing: Eigen's conjugate gradients from zero and from the step
// of the body if it were not elastic, which is where ours begins.
#include "baseline/eigen_body.hpp"
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace pliant;

constexpr double dt = 0.01, density = 1000, tolerance = 1e-6;
const Lame lame = Lame::from_young_poisson(1e6, 0.45);
const Eigen::Vector3d gravity(0, -9.81, 0);

// After 20 steps from rest. A bar of 4n x n x n cells, held at one end.
struct Problem {
  explicit Problem(int n)
      : mesh(make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {4 * n, n, n}})),
        held(nodes_where(mesh, [](const auto& X) { return X.x() > 0.9; })),
        body(mesh, lame, density, held),
        system(Solid(mesh, StableNeoHookean(lame), Density{density})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        start(system.make_vector()) {
    for (int i = 0; i < 20; ++i) body.step(dt, gravity, tolerance, baseline::as_it_is);
    body.build_system(dt, gravity, baseline::as_it_is);
    guess = dt * body.v;
    for (Eigen::Index i = 0; i < guess.size(); ++i) guess(i) += dt * dt * gravity(i % 3);
    for (const int node : held) guess.segment<3>(3 * node).setZero();

    const Eigen::Map<const NodeMatrix<double, 3>> positions(body.x.data(), 3, mesh.node_count());
    const Eigen::Map<const NodeMatrix<double, 3>> steps(guess.data(), 3, mesh.node_count());
    const Eigen::Map<const NodeMatrix<double, 3>> right(body.right_side.data(), 3, mesh.node_count());
    system.to_internal(positions, x);
    system.tangent(x, Projection::none, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i)
      A.diagonal(i).diagonal() += system.mass().node(i) / (dt * dt);
    NodeConstraints<3> constraints(mesh.node_count());
    Pinned(held).describe(constraints);
    Filter<3, double>(constraints, mesh.nodes, system.numbering(), A.pattern()).apply(A);
    system.to_internal(right, b);
    system.to_internal(steps, start);
  }

  Mesh<Tet4> mesh;
  std::vector<int> held;
  baseline::Body body;
  ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system;
  BlockMatrix<3, double> A;
  NodeVector<3, double> b, x, start;
  Eigen::VectorXd guess;
};

template <bool warm>
void eigen_solve(benchmark::State& state) {
  Problem problem(static_cast<int>(state.range(0)));
  baseline::Body::Solver solver;
  solver.setTolerance(tolerance);
  Eigen::VectorXd x(problem.guess.size());
  for (auto _ : state) {
    solver.compute(problem.body.matrix);
    if constexpr (warm) x = solver.solveWithGuess(problem.body.right_side, problem.guess);
    else x = solver.solve(problem.body.right_side);
    benchmark::DoNotOptimize(x.data());
  }
  state.counters["iterations"] = static_cast<double>(solver.iterations());
}

template <class P>
void pcg(benchmark::State& state) {
  set_thread_count(1);
  Problem problem(static_cast<int>(state.range(0)));
  const Pcg<P> solver{.tolerance = tolerance};
  typename Pcg<P>::template Workspace<BlockMatrix<3, double>> workspace;
  LinearReport report;
  const auto solve = [&] {
    problem.x.set_sum(problem.start, 0.0, problem.start);
    report = solver.solve(problem.A, problem.b, problem.x, workspace);
  };
  solve();
  NodeMatrix<double, 3> ours(3, problem.mesh.node_count());
  problem.system.to_user(problem.x, ours);
  const Eigen::VectorXd residual =
      problem.body.right_side -
      problem.body.matrix * Eigen::Map<const Eigen::VectorXd>(ours.data(), ours.size());
  if (!report || !(residual.norm() <= 1.01 * tolerance * problem.body.right_side.norm())) {
    return state.SkipWithError("ours does not solve Eigen's system");
  }
  for (auto _ : state) {
    solve();
    benchmark::DoNotOptimize(problem.x.data());
  }
  state.counters["iterations"] = report.iterations;
  set_thread_count(0);
}

void eigen_from_zero(benchmark::State& state) { eigen_solve<false>(state); }
void eigen_with_guess(benchmark::State& state) { eigen_solve<true>(state); }
void pcg_jacobi(benchmark::State& state) { pcg<Jacobi>(state); }
void pcg_block_jacobi(benchmark::State& state) { pcg<BlockJacobi>(state); }

// 10,240 tets, 2,673 nodes.
#define PLIANT_BARS ->Arg(8)->Unit(benchmark::kMillisecond)
BENCHMARK(eigen_from_zero) PLIANT_BARS;
BENCHMARK(eigen_with_guess) PLIANT_BARS;
BENCHMARK(pcg_jacobi) PLIANT_BARS;
BENCHMARK(pcg_block_jacobi) PLIANT_BARS;

}  // namespace
