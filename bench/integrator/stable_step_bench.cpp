// What explicit integration pays for its stability: the bound of the highest frequency against an evaluation
// of the forces, which is a substep but for some passes over vectors, and how long the stable substep is.
#include "baseline/scene.hpp"

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

struct Body {
  explicit Body(int n)
      : mesh(baseline::cube(n)),
        system(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.45)), Density{1000})),
        x(system.make_vector()),
        g(system.make_vector()),
        scratch(system.make_vector()),
        A(system.make_matrix()),
        filter(NodeConstraints<3>(mesh.node_count()), mesh.nodes, system.numbering(), A.pattern()) {
    system.to_internal(mesh.nodes, x);
  }

  Mesh<Tet4> mesh;
  ElasticSystem<Solid<Tet4, StableNeoHookean, double>> system;
  NodeVector<3, double> x, g, scratch;
  BlockMatrix<3, double> A;
  Filter<3, double> filter;
};

void forces(benchmark::State& state) {
  set_thread_count(1);
  Body body(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(body.system.gradient(body.x, body.g));
  set_thread_count(0);
}

void bound(benchmark::State& state) {
  set_thread_count(1);
  Body body(static_cast<int>(state.range(0)));
  double omega_squared = 0;
  for (auto _ : state) {
    body.system.tangent(body.x, Projection::none, 1.0, body.g, body.A);
    omega_squared =
        detail::integrator::bound_eigenvalues(body.filter, body.system.mass(), body.A, body.g, body.scratch);
    benchmark::DoNotOptimize(omega_squared);
  }
  state.counters["stable_dt"] = detail::integrator::longest_stable_step(omega_squared, 0);
  set_thread_count(0);
}

// A cube of 1 m with so many cells along an edge, E = 1e5 Pa, nu = 0.45, 1000 kg/m^3.
BENCHMARK(forces)->Arg(14)->Arg(24)->Unit(benchmark::kMicrosecond);
BENCHMARK(bound)->Arg(14)->Arg(24)->Unit(benchmark::kMicrosecond);

}  // namespace
