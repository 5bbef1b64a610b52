// Which preconditioner suits a time step: solves to 1e-6 from zero by Pcg with BlockJacobi, with TwoLevel and
// with what Automatic settles on, for a compact and a limbed body, at rest, twisted and scrambled, for time
// steps of 1 to 33 ms and up to nearly incompressible (E = 1e6; ten times as stiff is a step 3.2 times as
// long). The table of docs/performance.md.
#include "baseline/scene.hpp"

#include <cmath>
#include <random>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

enum Body : int { box, armadillo };
enum Shape : int { at_rest, twisted, scrambled };

Mesh<Tet4> mesh_of(std::int64_t body) {
  if (body == box) {
    return make_box<Tet4>({.lengths = {0.1, 0.11, 0.24}, .cells = {10, 11, 24}, .split = Split::kuhn});
  }
  const std::string file = baseline::measured_mesh("tetgen/pbd__armadillo_4k.node");
  return file.empty() ? Mesh<Tet4>{} : read_mesh<Tet4>(file);
}

// The system matrix M / dt^2 + K, the elements' Hessians clamped, and the forces out of balance.
struct Problem {
  Problem(Mesh<Tet4> body, double nu, std::int64_t shape, double dt)
      : mesh(std::move(body)),
        system(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, nu)), Density{1000})),
        A(system.make_matrix()),
        b(system.make_vector()),
        x(system.make_vector()),
        positions(system.make_vector()) {
    NodeMatrix<double, 3> X = mesh.nodes;
    const auto bounds = bounding_box(mesh);
    const Eigen::Vector3d size = bounds.lengths(), centre = (bounds.lower + bounds.upper) / 2;
    int axis = 0;
    size.maxCoeff(&axis);
    std::mt19937 random(1);
    for (std::ptrdiff_t i = 0; i < X.cols(); ++i) {
      if (shape == twisted) {
        const double turn = std::acos(0.0) * (X(axis, i) - bounds.lower(axis)) / size(axis);
        X.col(i) = centre + Eigen::AngleAxisd(turn, Eigen::Vector3d::Unit(axis)) * (X.col(i) - centre);
      } else if (shape == scrambled) {
        for (int k = 0; k < 3; ++k) {
          X(k, i) += 0.05 * size.minCoeff() * (2.0 * static_cast<double>(random()) / std::mt19937::max() - 1);
        }
      }
    }
    system.to_internal(X, positions);
    system.tangent(positions, Projection::clamp, 1.0, b, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      A.diagonal(i).diagonal() += system.mass().node(i) / (dt * dt);
      b.node(i) = -b.node(i) - 9.81 * system.mass().node(i)(1) * Eigen::Vector3d::UnitY();
    }
    NodeConstraints<3> held(mesh.node_count());
    const double end = bounds.lower(axis) + 0.05 * size(axis);
    Pinned(nodes_where(mesh, [&](const auto& node) { return node(axis) < end; })).describe(held);
    const Filter<3, double> filter(held, mesh.nodes, system.numbering(), A.pattern());
    filter.apply(A);
    filter.apply(b);
  }

  Mesh<Tet4> mesh;
  ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system;
  BlockMatrix<3, double> A;
  NodeVector<3, double> b, x, positions;
};

template <class Preconditioner>
void solve(benchmark::State& state) {
  Mesh<Tet4> mesh = mesh_of(state.range(0));
  if (mesh.element_count() == 0) return state.SkipWithError("the measured meshes are absent");
  set_thread_count(1);
  Problem problem(std::move(mesh), static_cast<double>(state.range(1)) / 1000, state.range(2),
                  static_cast<double>(state.range(3)) / 1000);
  const Pcg<Preconditioner> solver{.tolerance = 1e-6};
  typename Pcg<Preconditioner>::template Workspace<BlockMatrix<3, double>> workspace;
  if constexpr (requires { workspace.set_positions(problem.positions); }) {
    workspace.set_positions(problem.positions);
  }
  LinearReport report;
  for (int first = 0; first < 2; ++first) {  // analyses the pattern, and settles
    problem.x.set_zero();
    report = solver.solve(problem.A, problem.b, problem.x, workspace);
  }
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
  state.counters["reported"] = report.residual / problem.b.norm();
  state.counters["true"] = residual.norm() / problem.b.norm();
  set_thread_count(0);
}

// Body, 1000 nu, shape, dt in ms.
void cases(benchmark::internal::Benchmark* benchmark) {
  for (const int body : {box, armadillo}) {
    for (const int nu : {330, 450, 499}) {
      for (const int shape : {at_rest, twisted, scrambled}) {
        for (const int dt : {1, 10, 33}) benchmark->Args({body, nu, shape, dt});
      }
    }
  }
  benchmark->Unit(benchmark::kMillisecond)->MinTime(0.05);
}

BENCHMARK(solve<BlockJacobi>)->Name("defaults/block_jacobi")->Apply(cases);
BENCHMARK(solve<TwoLevel>)->Name("defaults/two_level")->Apply(cases);
BENCHMARK(solve<Automatic>)->Name("defaults/automatic")->Apply(cases);

}  // namespace
