// Implicit steps by four integrators: what they cost and how far their motion is from the right one, by size,
// stiffness and time step. The scenes are those of Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM
// using operator splitting", tables 1 to 3 (nu = 0.33, dt = 10 ms, E = 1e6 Pa where they do not vary), with a
// bar of 40 x 16 x 16 cm, held at one end, that starts to swing under its weight, in place of the armadillo.
//
// Two numbers tell how good the first 0.2 s are, both root mean squares over nodes and steps, relative to the
// displacements from rest of the motion compared with. `of_solver` is the distance from backward Euler with
// the same energy and dt, each step solved to 1e-10: what is lost by not solving the steps. `of_motion` is
// the distance from the motion that this energy makes of this mesh, by converged trapezoidal steps of 1/2400
// s: all that is lost, what implicit Euler damps included.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;

constexpr double tick = 1.0 / 2400;  // [s]
constexpr int ticks_of_swing = 480;
constexpr int largest = 3;  // size, whose motion takes longer than everything else, and is left out

struct Scene {
  int size;        // of the mesh, 0 to 3
  double modulus;  // Young's [Pa]
  int ticks;       // of a step

  explicit Scene(const benchmark::State& state)
      : size(static_cast<int>(state.range(0))),
        modulus(static_cast<double>(state.range(1))),
        ticks(static_cast<int>(std::lround(static_cast<double>(state.range(2)) * 1e-6 / tick))) {}

  double dt() const { return ticks * tick; }
  int steps() const { return ticks_of_swing / ticks; }

  // 6,048, 15,000, 61,440 and 329,280 tets.
  template <class Scalar>
  Mesh<Tet4, Scalar> mesh() const {
    const int cells[4][3] = {{18, 7, 8}, {25, 10, 10}, {40, 16, 16}, {70, 28, 28}};
    const auto& c = cells[size];
    return make_box<Tet4, Scalar>(
        {.lengths = {0.4, 0.16, 0.16}, .cells = {c[0], c[1], c[2]}, .split = Split::kuhn});
  }

  template <class Energy, class Scalar>
  auto solid(Rayleigh damping = {}) const {
    return Solid(mesh<Scalar>(), Energy(Lame::from_young_poisson(modulus, 0.33)), Density{1000}, damping);
  }
};

template <class Solid>
Pinned held(const Solid& solid) {
  return Pinned(nodes_where(solid.mesh(), [](const auto& X) { return X.x() < 1e-6; }));
}

// Displacements from rest after every step [m].
using Motion = std::vector<Eigen::Matrix3Xf>;

struct Swing {
  Motion motion;
  int newton_iterations = 0, linear_iterations = 0;
};

template <class Simulation>
StepReport step(Simulation& sim) {
  const StepReport report = sim.step();
  if (!report) throw std::runtime_error(report.message());
  return report;
}

template <class Simulation>
Swing swing(Simulation& sim, int steps) {
  Swing result;
  sim.set_gravity({0, -9.81, 0});
  for (int n = 0; n < steps; ++n) {
    const StepReport report = step(sim);
    result.newton_iterations += report.newton_iterations;
    result.linear_iterations += report.linear_iterations;
    result.motion.push_back((sim.positions() - sim.mesh().nodes).template cast<float>());
  }
  return result;
}

// Of a motion in steps of so many ticks from one that is known at so many ticks as well.
double distance(const Motion& motion, int ticks, const Motion& reference, int reference_ticks) {
  double apart = 0, size = 0;
  for (std::size_t n = 1; n <= motion.size(); ++n) {
    const std::size_t m = n * static_cast<std::size_t>(ticks) / static_cast<std::size_t>(reference_ticks);
    const Eigen::Matrix3Xf &u = motion[n - 1], &v = reference.at(m - 1);
    apart += static_cast<double>((u - v).squaredNorm());
    size += static_cast<double>(v.squaredNorm());
  }
  return std::sqrt(apart / size);
}

// The references, made once.
template <class Energy>
const Motion& solved_steps(const Scene& scene) {
  static std::map<std::tuple<int, double, int>, Motion> known;
  Motion& motion = known[{scene.size, scene.modulus, scene.ticks}];
  if (motion.empty()) {
    const auto solid = scene.solid<Energy, double>();
    Simulation sim(solid, BackwardEuler{.dt = scene.dt(), .newton = {.tolerance = 1e-10}}, Pcg<TwoLevel>{},
                   held(solid));
    motion = swing(sim, scene.steps()).motion;
  }
  return motion;
}

template <class Energy>
const Motion& true_motion(const Scene& scene) {
  static std::map<std::tuple<int, double>, Motion> known;
  Motion& motion = known[{scene.size, scene.modulus}];
  if (motion.empty()) {
    const auto solid = scene.solid<Energy, double>();
    Simulation sim(solid, Newmark{.dt = tick, .newton = {.tolerance = 1e-8}},
                   Pcg<BlockJacobi>{.tolerance = 1e-4}, held(solid));
    motion = swing(sim, ticks_of_swing).motion;
  }
  return motion;
}

template <class Energy, class Simulation>
void run(benchmark::State& state, const Scene& scene, Simulation& sim, const Motion* solved) {
  const Swing found = swing(sim, scene.steps());
  state.counters["tets"] = static_cast<double>(sim.mesh().element_count());
  state.counters["newton"] = static_cast<double>(found.newton_iterations) / scene.steps();
  state.counters["linear"] = static_cast<double>(found.linear_iterations) / scene.steps();
  if (solved) state.counters["of_solver"] = distance(found.motion, scene.ticks, *solved, scene.ticks);
  if (scene.size < largest) {
    state.counters["of_motion"] = distance(found.motion, scene.ticks, true_motion<Energy>(scene), 1);
  }

  set_thread_count(1);
  const auto rest = sim.mesh().nodes;
  const auto still = (0 * rest).eval();
  while (state.KeepRunningBatch(scene.steps())) {
    state.PauseTiming();
    sim.set_positions(rest);
    sim.set_velocities(still);
    state.ResumeTiming();
    for (int n = 0; n < scene.steps(); ++n) step(sim);
  }
  set_thread_count(0);
}

// To four digits: six change no distance from the motion in its second digit.
const Pcg<TwoLevel> solver{.tolerance = 1e-4};

void operator_splitting(benchmark::State& state) {
  const Scene scene(state);
  const auto solid = scene.solid<FixedCorotated, float>();
  Simulation sim(solid, OperatorSplitting{.dt = scene.dt()}, held(solid));
  run<FixedCorotated>(state, scene, sim, &solved_steps<FixedCorotated>(scene));
}

// What most interactive simulators do. `energies` is how far the motions of the two energies are apart.
void backward_euler(benchmark::State& state) {
  const Scene scene(state);
  const auto solid = scene.solid<CorotatedLinear, float>();
  Simulation sim(solid, BackwardEuler{.dt = scene.dt(), .newton = Newton::linearised()}, solver, held(solid));
  run<CorotatedLinear>(state, scene, sim, &solved_steps<CorotatedLinear>(scene));
  if (scene.size < largest) {
    state.counters["energies"] =
        distance(true_motion<CorotatedLinear>(scene), 1, true_motion<FixedCorotated>(scene), 1);
  }
}

void optimization_euler(benchmark::State& state) {
  const Scene scene(state);
  const auto solid = scene.solid<FixedCorotated, float>();
  Simulation sim(solid, OptimizationEuler{.dt = scene.dt()}, solver, held(solid));
  run<FixedCorotated>(state, scene, sim, &solved_steps<FixedCorotated>(scene));
}

// Not of the paper: a step of second order, which damps nothing.
void newmark(benchmark::State& state) {
  const Scene scene(state);
  const auto solid = scene.solid<FixedCorotated, float>();
  Simulation sim(solid, Newmark{.dt = scene.dt()}, solver, held(solid));
  run<FixedCorotated>(state, scene, sim, nullptr);
}

// When the bar is lowest in its first swing with OperatorSplitting, relative to when it is in its motion.
void lowest_point(benchmark::State& state) {
  const Scene scene(state);
  const auto solid = scene.solid<FixedCorotated, float>();
  const auto when = [](const Motion& motion) {
    const auto height = [](const Eigen::Matrix3Xf& u) { return u.row(1).minCoeff(); };
    const auto lowest = std::min_element(motion.begin(), motion.end(),
                                         [&](const auto& u, const auto& v) { return height(u) < height(v); });
    return static_cast<double>(lowest - motion.begin() + 1);
  };
  double found = 0;
  for (auto _ : state) {
    Simulation sim(solid, OperatorSplitting{.dt = scene.dt()}, held(solid));
    found = when(swing(sim, 2 * scene.steps()).motion) * scene.ticks;
  }
  state.counters["relative_time"] = found / when(true_motion<FixedCorotated>(scene));
}

// Where the bar comes to rest with OperatorSplitting, relative to where solved steps have it.
void sinking(benchmark::State& state) {
  const Scene scene(state);
  const auto depth = [](auto& sim) {
    sim.set_gravity({0, -9.81, 0});
    while (sim.time() < 3) step(sim);
    return -static_cast<double>(sim.positions().row(1).minCoeff());
  };
  const auto split = scene.solid<FixedCorotated, float>({.alpha = 15});
  const auto solved = scene.solid<FixedCorotated, double>({.alpha = 15});
  Simulation reference(solved, BackwardEuler{.dt = 1.0 / 30}, Pcg<TwoLevel>{}, held(solved));
  double found = 0;
  for (auto _ : state) {
    Simulation sim(split, OperatorSplitting{.dt = scene.dt()}, held(split));
    found = depth(sim);
  }
  state.counters["relative_sinking"] = found / depth(reference);
}

// Size of the mesh, Young's modulus [Pa], dt [microseconds].
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{0, 1, 2, largest}, {1000000}, {10000}})->Unit(benchmark::kMillisecond);
}
void stiffnesses(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{1}, {10000, 100000, 500000, 1000000, 10000000}, {10000}})
      ->Unit(benchmark::kMillisecond);
}
void time_steps(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgsProduct({{1}, {1000000}, {1250, 2500, 5000, 10000, 16667, 20000, 33333}})
      ->Unit(benchmark::kMillisecond);
}
BENCHMARK(operator_splitting)->Name("by_size/operator_splitting")->Apply(sizes);
BENCHMARK(backward_euler)->Name("by_size/backward_euler")->Apply(sizes);
BENCHMARK(optimization_euler)->Name("by_size/optimization_euler")->Apply(sizes);
BENCHMARK(newmark)->Name("by_size/newmark")->Apply(sizes);
BENCHMARK(operator_splitting)->Name("by_stiffness/operator_splitting")->Apply(stiffnesses);
BENCHMARK(backward_euler)->Name("by_stiffness/backward_euler")->Apply(stiffnesses);
BENCHMARK(optimization_euler)->Name("by_stiffness/optimization_euler")->Apply(stiffnesses);
BENCHMARK(newmark)->Name("by_stiffness/newmark")->Apply(stiffnesses);
BENCHMARK(operator_splitting)->Name("by_time_step/operator_splitting")->Apply(time_steps);
BENCHMARK(backward_euler)->Name("by_time_step/backward_euler")->Apply(time_steps);
BENCHMARK(optimization_euler)->Name("by_time_step/optimization_euler")->Apply(time_steps);
BENCHMARK(newmark)->Name("by_time_step/newmark")->Apply(time_steps);
BENCHMARK(sinking)
    ->ArgsProduct({{0, 1}, {100000, 1000000}, {1250, 2500, 5000, 10000}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lowest_point)
    ->ArgsProduct({{0, 1}, {1000000}, {1250, 2500, 5000, 10000}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
