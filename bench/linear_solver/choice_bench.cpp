// One solve to 1e-6 by Pcg from zero, with two preconditioners, and by Cholesky, its analysis done before,
// for bodies that are held at one end: slender and compact ones, in a time step and at rest, up to nearly
// incompressible. The figures of "Which solver when" in docs/settings.md.
#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

enum Body : int { bar, cube, large_cube };

Mesh<Tet4> mesh_of(std::int64_t body) {
  if (body == bar) return make_box<Tet4>({.lengths = {20, 1, 1}, .cells = {100, 5, 5}});  // 12,500 tets
  const int n = body == cube ? 14 : 24;                                                   // 13,720; 69,120
  return make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {n, n, n}});
}

// The system matrix at rest, in a time step of 10 ms or in statics, and the weight.
struct Problem {
  Problem(std::int64_t body, double nu, bool dynamic)
      : mesh(mesh_of(body)),
        system(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, nu)), Density{1000})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        positions(system.make_vector()) {
    system.to_internal(mesh.nodes, positions);
    system.tangent(positions, Projection::none, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      if (dynamic) A.diagonal(i).diagonal() += system.mass().node(i) / (0.01 * 0.01);
      b.node(i) = -9.81 * system.mass().node(i)(1) * Eigen::Vector3d::UnitY();
    }
    NodeConstraints<3> held(mesh.node_count());
    Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })).describe(held);
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
  Problem problem(state.range(0), static_cast<double>(state.range(1)) / 1000, state.range(2) != 0);
  typename Solver::template Workspace<BlockMatrix<3, double>> workspace;
  if constexpr (requires { workspace.set_positions(problem.positions); }) {
    workspace.set_positions(problem.positions);
  }
  Solver solver;
  solver.tolerance = 1e-6;
  LinearReport report;
  for (auto _ : state) {
    problem.x.set_zero();
    report = solver.solve(problem.A, problem.b, problem.x, workspace);
    benchmark::DoNotOptimize(problem.x.data());
  }
  if (!report) state.SkipWithError("not solved");
  state.counters["iterations"] = report.iterations;
  set_thread_count(0);
}

// Body, 1000 nu, dynamic or not.
void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int body : {bar, cube, large_cube}) {
    benchmark->Args({body, 300, 1})->Args({body, 300, 0})->Args({body, 450, 0});
    benchmark->Args({body, 499, 1})->Args({body, 499, 0});
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.2);
}

BENCHMARK(solve<Pcg<TwoLevel>>)->Apply(cases);
BENCHMARK(solve<Pcg<BlockJacobi>>)->Apply(cases);
BENCHMARK(solve<Cholesky>)->Apply(cases);

}  // namespace
