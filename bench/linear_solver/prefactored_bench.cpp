// Fifty steps of 10 ms, after a first one, of a bar of 4,320 or 15,840 tets that is held at one end and
// swings under its weight through a third of its length: Pcg with several preconditioners, and Cholesky.
// `per_solve` are the iterations of a linear solve, `solves` those of a step.
#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

// Cells of 1 cm.
Mesh<Tet4> bar(bool large) {
  const std::array<int, 3> cells = large ? std::array{10, 11, 24} : std::array{6, 6, 20};
  return make_box<Tet4>(
      {.lengths = {0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2]}, .cells = cells, .split = Split::kuhn});
}

template <class Solver>
void swing(benchmark::State& state) {
  set_thread_count(1);
  const auto mesh = bar(state.range(0) != 0);
  const Newton newton = state.range(1) != 0 ? Newton::linearised() : Newton{};
  double solves = 0, iterations = 0, lowest = 0;
  constexpr int steps = 50;
  for (auto _ : state) {
    state.PauseTiming();
    Solver solver;
    solver.tolerance = 1e-6;
    Simulation simulation(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(2e5, 0.33)), Density{1000}),
                          BackwardEuler{.dt = 0.01, .newton = newton}, solver,
                          Pinned(nodes_where(mesh, [](const auto& X) { return X.z() < 1e-6; })));
    simulation.set_gravity({0, -9.81, 0});
    bool done = static_cast<bool>(simulation.step());  // it analyses the pattern
    solves = iterations = lowest = 0;
    state.ResumeTiming();
    for (int step = 0; step < steps; ++step) {
      const StepReport report = simulation.step();
      done = done && report;
      solves += report.newton_iterations;
      iterations += report.linear_iterations;
      lowest = std::min(lowest, simulation.positions().row(1).minCoeff());
    }
    if (!done) state.SkipWithError("a step failed");
  }
  state.counters["solves"] = solves / steps;
  state.counters["per_solve"] = iterations / solves;
  state.counters["lowest"] = lowest;
  state.counters["cpu_per_step"] =
      benchmark::Counter(steps, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  set_thread_count(0);
}

// Large or not, linearised or not.
void cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{0, 1}, {0, 1}})->Unit(benchmark::kMillisecond)->Iterations(2);
}

BENCHMARK(swing<Pcg<Prefactored>>)->Apply(cases);
BENCHMARK(swing<Pcg<TwoLevel>>)->Apply(cases);
BENCHMARK(swing<Pcg<BlockJacobi>>)->Apply(cases);
BENCHMARK(swing<Cholesky>)->Apply(cases);

}  // namespace
