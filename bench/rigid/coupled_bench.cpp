// A step of a soft bar on a chain of three rigid links, beside one of the same bar held at its upper end, by
// size: what the joints cost. Backward Euler, converged, with direct solvers; a swing of 50 steps. For a
// large bar the same with iterative ones, in 5 steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;
using Vector = SmallVector<double, 3>;

constexpr double link = 0.2;  // [m]
constexpr int links = 3;

auto bar(int cells) {
  const auto mesh = make_box<Tet4>({.lengths = {0.1, 0.3, 0.1},
                                    .cells = {cells, 3 * cells, cells},
                                    .origin = {-0.05, -links * link - 0.3, -0.05}});
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(2e4, 0.3)), Density{1000});
}

auto nodes_of_upper_end(const Mesh<Tet4>& mesh) {
  return nodes_where(mesh, [](const auto& X) { return X.y() > -links * link - 1e-9; });
}

std::array<int, 3> face_of_upper_end(const Mesh<Tet4>& mesh) {
  const auto faces = boundary_faces(mesh).faces;
  for (const auto& face : faces.colwise()) {
    const auto height = [&](int k) { return mesh.nodes(1, face[k]); };
    if (std::min({height(0), height(1), height(2)}) > -links * link - 1e-9)
      return {face[0], face[1], face[2]};
  }
  throw std::logic_error("the bar has no upper end");
}

Mechanism chain() {
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = 0; k < links; ++k) {
    const int body =
        chain.add(RigidBody::box({0.02, link, 0.02}, Mass{0.5}), Pose({0, -link * (k + 0.5), 0}));
    chain.add(Ball{.first = above, .second = body, .at = {0, -link * k, 0}});
    above = body;
  }
  return chain;
}

template <class Simulation>
void time_steps(benchmark::State& state, Simulation&& sim) {
  sim.set_gravity({-5, -8.4, 0});
  int iterations = 0, linear = 0, steps = 0;
  for (auto _ : state) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    iterations += report.newton_iterations;
    linear += report.linear_iterations;
    ++steps;
  }
  state.counters["tets"] = std::pow(static_cast<double>(state.range(0)), 3) * 3 * 5;
  state.counters["newton"] = static_cast<double>(iterations) / steps;
  state.counters["linear"] = static_cast<double>(linear) / steps;
}

void step_of_held_bar(benchmark::State& state) {
  const auto solid = bar(static_cast<int>(state.range(0)));
  time_steps(state, Simulation(solid, BackwardEuler{.dt = 0.01}, Cholesky{},
                               Pinned(nodes_of_upper_end(solid.mesh()))));
}

void step_of_bar_on_ball_joint(benchmark::State& state) {
  Coupled scene(bar(static_cast<int>(state.range(0))), chain());
  scene.add(BallToFace{.body = links - 1, .face = face_of_upper_end(scene.solid().mesh())});
  time_steps(state, Simulation(scene, BackwardEuler{.dt = 0.01}, Condensed{}));
}

void step_of_welded_bar(benchmark::State& state) {
  Coupled scene(bar(static_cast<int>(state.range(0))), chain());
  scene.add(WeldToNodes{.body = links - 1, .nodes = nodes_of_upper_end(scene.solid().mesh())});
  time_steps(state, Simulation(scene, BackwardEuler{.dt = 0.01}, Condensed{}));
}

void iterative_step_of_held_bar(benchmark::State& state) {
  const auto solid = bar(static_cast<int>(state.range(0)));
  time_steps(state, Simulation(solid, BackwardEuler{.dt = 0.01}, Pcg<TwoLevel>{},
                               Pinned(nodes_of_upper_end(solid.mesh()))));
}

void iterative_step_of_bar_on_ball_joint(benchmark::State& state) {
  Coupled scene(bar(static_cast<int>(state.range(0))), chain());
  scene.add(BallToFace{.body = links - 1, .face = face_of_upper_end(scene.solid().mesh())});
  time_steps(state, Simulation(scene, BackwardEuler{.dt = 0.01}, Multipliers<Pcg<TwoLevel>>{}));
}

void iterative_step_of_welded_bar(benchmark::State& state) {
  Coupled scene(bar(static_cast<int>(state.range(0))), chain());
  scene.add(WeldToNodes{.body = links - 1, .nodes = nodes_of_upper_end(scene.solid().mesh())});
  time_steps(state, Simulation(scene, BackwardEuler{.dt = 0.01}, Multipliers<Pcg<TwoLevel>>{}));
}

BENCHMARK(iterative_step_of_held_bar)->Arg(16)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(iterative_step_of_bar_on_ball_joint)->Arg(16)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(iterative_step_of_welded_bar)->Arg(16)->Iterations(5)->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_held_bar)->Arg(4)->Arg(8)->Iterations(50)->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_bar_on_ball_joint)->Arg(4)->Arg(8)->Iterations(50)->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_welded_bar)->Arg(4)->Arg(8)->Iterations(50)->Unit(benchmark::kMillisecond);

}  // namespace
