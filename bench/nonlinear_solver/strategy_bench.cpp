// How many Newton iterations the strategies of projecting the Hessian take: a soft bar of 6,480 tets that
// swings through a quarter turn, 100 steps of 10 ms.
#include <memory>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

void swing(benchmark::State& state, HessianStrategy strategy) {
  set_thread_count(1);
  const auto bar = make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {30, 6, 6}});
  const auto held = nodes_where(bar, [](const auto& X) { return X.x() < 1e-9; });
  int newton = 0, most = 0, linear = 0;
  for (auto _ : state) {
    Simulation sim(Solid(bar, StableNeoHookean(Lame::from_young_poisson(1e5, 0.45)), Density{1000}),
                   BackwardEuler{.dt = 0.01, .newton = {.hessian = strategy}}, Pcg<BlockJacobi>{},
                   Pinned(held));
    sim.set_gravity(Eigen::Vector3d(0, -9.81, 0));
    newton = most = linear = 0;
    for (int n = 0; n < 100; ++n) {
      const StepReport report = sim.step();
      if (!report) return state.SkipWithError("a step failed");
      newton += report.newton_iterations;
      linear += report.linear_iterations;
      most = std::max(most, report.newton_iterations);
    }
  }
  state.counters["newton"] = newton;
  state.counters["most"] = most;
  state.counters["linear"] = linear;
  set_thread_count(0);
}

BENCHMARK_CAPTURE(swing, always_project, HessianStrategy::always_project)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(swing, on_demand, HessianStrategy::on_demand)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(swing, progressive, HessianStrategy::progressive)->Unit(benchmark::kMillisecond);

}  // namespace
