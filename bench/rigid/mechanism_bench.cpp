// A step of a mechanism with many bodies, by its size and its solver: trees of ball joints, and the net with
// chains of a paper (Benevolensky and Voroshilov 2009, "Real-time FEM continuum mechanics coupled with
// articulated rigid body dynamics").
#include <stdexcept>
#include <vector>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;
using Vector = SmallVector<double, 3>;

// Each body hangs from a point above it on the body (b - 1) / 2.
Mechanism tree(int bodies) {
  Mechanism mechanism;
  for (int b = 0; b < bodies; ++b) {
    const Vector centre(0.3 * (b % 10), -0.4 * (b / 10), 0.1 * (b % 3));
    mechanism.add(RigidBody::box({0.1, 0.2, 0.1}, Mass{1}), Pose<3>(centre));
    mechanism.add(Ball{.first = b == 0 ? Mechanism::world : (b - 1) / 2,
                       .second = b,
                       .at = Vector(centre + Vector(0, 0.1, 0))});
  }
  return mechanism;
}

// side x side balls whose neighbours are joined by springs, the corners held, with a chain of rigid ball
// joints below each: 3 (2 side (side - 1) + 4 + side^2 chain) rows.
Mechanism net(int side, int chain) {
  Mechanism mechanism;
  const auto place = [](int i, int j) { return Vector(i, 0.3 * ((i + j) % 2), j); };
  const auto ball = [&](const Vector& at) {
    return mechanism.add(RigidBody::sphere(0.5, Mass{1}), Pose<3>(at));
  };
  for (int k = 0; k < side * side; ++k) ball(place(k / side, k % side));
  const auto join = [&](int a, int b, const Vector& at, const Compliance& compliance) {
    mechanism.add(Ball{.first = a, .second = b, .at = at, .compliance = compliance});
  };
  const Compliance spring{.stiffness = 1e5, .damping = 1e3};
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const Vector at = place(i, j);
      int above = i * side + j;
      if (i + 1 < side) join(above, above + side, (at + place(i + 1, j)) / 2, spring);
      if (j + 1 < side) join(above, above + 1, (at + place(i, j + 1)) / 2, spring);
      if (i % (side - 1) == 0 && j % (side - 1) == 0) join(Mechanism::world, above, at, {});
      for (int k = 0; k < chain; ++k) {
        const int next = ball(at - Vector(0, k + 1, 0));
        join(above, next, at - Vector(0, k + 0.5, 0), {});
        above = next;
      }
    }
  }
  return mechanism;
}

void time_steps(benchmark::State& state, const Mechanism& mechanism) {
  Simulation sim(mechanism, BackwardEuler{.dt = 1. / 240}, Condensed{});
  sim.set_gravity({0, -9.81, 0});
  int passes = 0, steps = 0;
  for (auto _ : state) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    passes += report.newton_iterations;
    ++steps;
  }
  state.counters["bodies"] = mechanism.body_count();
  state.counters["passes"] = static_cast<double>(passes) / steps;
}

void step_of_tree(benchmark::State& state) { time_steps(state, tree(static_cast<int>(state.range(0)))); }
void step_of_net(benchmark::State& state) { time_steps(state, net(20, static_cast<int>(state.range(0)))); }

BENCHMARK(step_of_tree)->Arg(100)->Arg(1000)->Iterations(30)->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_net)->Arg(2)->Arg(16)->Arg(20)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
