// What contact costs: a body of 61,440 tets that stands on a floor which turns and twists it by friction, by
// each way to find what presses, against the same body whose lowest nodes are held on the plane, as if one
// knew; one Newton iteration to 1e-3 per step. And what a substep of CentralDifferences costs without
// contact, on a half-space, and on the mesh of a slab.
#include <memory>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

constexpr double dt = 1.0 / 60, side = 0.4;
const Eigen::Vector3d up(0, 1, 0);

// 16 x 40 x 16 cells, 11,849 nodes, lying on one of its long sides: 697 nodes touch.
Mesh<Tet4> body() {
  return make_box<Tet4>({.lengths = {1, side, side}, .cells = {40, 16, 16}, .split = Split::kuhn});
}

auto solid() { return Solid(body(), StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}); }

BackwardEuler one_iteration() { return {.dt = dt, .newton = Newton::linearised()}; }

template <class Simulation>
void run(benchmark::State& state, Simulation& sim) {
  set_thread_count(static_cast<int>(state.range(0)));
  sim.set_gravity(-9.81 * up);
  for (int n = 0; n < 20; ++n) {
    if (!sim.step()) return state.SkipWithError("a step failed");
  }
  long iterations = 0, contacts = 0, steps = 0, passes = 0, substeps = 0;
  for (auto _ : state) {
    const StepReport report = sim.step();
    if (!report) return state.SkipWithError("a step failed");
    iterations += report.linear_iterations;
    contacts += report.contacts;
    passes += report.contact_passes;
    substeps += report.substeps;
    ++steps;
  }
  const auto per_step = [&](long count) { return static_cast<double>(count) / static_cast<double>(steps); };
  state.counters["iterations"] = per_step(iterations);
  state.counters["contacts"] = per_step(contacts);
  state.counters["passes"] = per_step(passes);
  state.counters["substeps"] = per_step(substeps);
  state.counters["lowest"] = sim.positions().row(1).minCoeff();
  state.counters["carried"] =
      sim.constraint_forces().row(1).sum() / (1000 * 9.81 * side * side);  // of the weight
  set_thread_count(0);
}

template <class Solver>
void held(benchmark::State& state) {
  const auto lowest = nodes_where(body(), [](const auto& X) { return X.y() < 1e-9; });
  Simulation sim(solid(), one_iteration(), Solver{.tolerance = 1e-3}, Sliding::on_plane(lowest, up));
  run(state, sim);
}

template <class Solver>
void floor(benchmark::State& state, double friction) {
  Simulation sim(solid(), one_iteration(), Solver{.tolerance = 1e-3});
  const Eigen::Vector3d middle(0.5, 0, side / 2);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = friction}, [=](double t) {
    const Eigen::AngleAxisd turn(friction > 0 ? t : 0, up);
    return Pose<3>(turn, Eigen::Vector3d(middle - turn * middle));
  });
  run(state, sim);
}

template <class Solver>
void smooth_floor(benchmark::State& state) {
  floor<Solver>(state, 0);
}
template <class Solver>
void turning_floor(benchmark::State& state) {
  floor<Solver>(state, 0.5);
}

// `floor(sim)` gives the body what it stands on.
template <class Constraint, class Floor>
void substeps(benchmark::State& state, const Constraint& constraint, Floor&& floor) {
  Simulation sim(solid(), CentralDifferences{.dt = 0.1 * dt}, constraint);
  floor(sim);
  run(state, sim);
}

void explicit_held(benchmark::State& state) {
  const auto lowest = nodes_where(body(), [](const auto& X) { return X.y() < 1e-9; });
  substeps(state, Sliding::on_plane(lowest, up), [](auto&) {});
}
void explicit_half_space(benchmark::State& state) {
  substeps(state, Unconstrained{},
           [](auto& sim) { sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = 0.5}); });
}
void explicit_mesh(benchmark::State& state) {
  const auto slab = make_box<Tet4>(
      {.lengths = {2, 0.2, 1.4}, .cells = {40, 4, 28}, .origin = {-0.5, -0.2, -0.5}, .split = Split::kuhn});
  substeps(state, Unconstrained{},
           [&](auto& sim) { sim.add_collider(make_triangle_mesh(slab), {.friction = 0.5}); });
}

void threads(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);
}

BENCHMARK(held<Pcg<BlockJacobi>>)->Apply(threads);
BENCHMARK(smooth_floor<Pcg<BlockJacobi>>)->Apply(threads);
BENCHMARK(turning_floor<Pcg<BlockJacobi>>)->Apply(threads);
BENCHMARK(held<Pcg<TwoLevel>>)->Apply(threads);
BENCHMARK(smooth_floor<Pcg<TwoLevel>>)->Apply(threads);
BENCHMARK(turning_floor<Pcg<TwoLevel>>)->Apply(threads);
BENCHMARK(held<Mprgp<Jacobi>>)->Apply(threads);
BENCHMARK(smooth_floor<Mprgp<Jacobi>>)->Apply(threads);
BENCHMARK(turning_floor<Mprgp<Jacobi>>)->Apply(threads);
BENCHMARK(explicit_held)->Apply(threads);
BENCHMARK(explicit_half_space)->Apply(threads);
BENCHMARK(explicit_mesh)->Apply(threads);

}  // namespace
