// A step of a soft cube at rest on a rigid box: on a collider of the world, on the same one carried by a body
// that a joint holds, and on one carried by a free body that rests on the floor; what contact both ways
// costs.
#include <stdexcept>

#include <benchmark/benchmark.h>

#include <pliant/pliant.hpp>

namespace {

using namespace pliant;
using Vector = SmallVector<double, 3>;

enum class Carrier { world, held_body, free_body };

template <Carrier carrier>
void step_of_cube_on_box(benchmark::State& state) {
  const int cells = static_cast<int>(state.range(0));
  const auto mesh = make_box<Tet4>(
      {.lengths = {0.1, 0.1, 0.1}, .cells = {cells, cells, cells}, .origin = {-0.05, 0.1, -0.05}});
  const Solid cube(mesh, StableNeoHookean(Lame::from_young_poisson(2e4, 0.3)), Density{1000},
                   Rayleigh{.beta = 0.005});
  const Box box(Vector(-0.1, -0.05, -0.1), Vector(0.1, 0.05, 0.1));
  const Pose<3> pose(Vector(0, 0.05, 0));
  Mechanism mechanism;
  const int body = mechanism.add(RigidBody::box({0.2, 0.1, 0.2}, Mass{4}), pose);
  if (carrier != Carrier::free_body) mechanism.add(Fixed{.second = body, .at = {0, 0, 0}});
  if (carrier != Carrier::world) mechanism.add_collider(body, box, {.friction = 0.5});
  Simulation sim(Coupled(cube, mechanism), BackwardEuler{.dt = 0.01}, Condensed{});
  if (carrier == Carrier::world) {
    sim.add_collider(box, {.friction = 0.5}, [=](double) { return pose; });
  }
  if (carrier == Carrier::free_body) {
    sim.add_collider(HalfSpace(Vector(0, 0, 0), Vector(0, 1, 0)), {.friction = 0.5});
  }
  // A wind that turns, so that each step has something to do.
  int contacts = 0, steps = 0;
  for (auto _ : state) {
    const double swing = (steps / 10) % 2 == 0 ? 1 : -1;
    sim.set_gravity({swing, -9.81, 0});
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    contacts = report.contacts;
    ++steps;
  }
  state.counters["contacts"] = contacts;
}

BENCHMARK(step_of_cube_on_box<Carrier::world>)->Arg(4)->Arg(7)->Iterations(60)->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_cube_on_box<Carrier::held_body>)
    ->Arg(4)
    ->Arg(7)
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(step_of_cube_on_box<Carrier::free_body>)
    ->Arg(4)
    ->Arg(7)
    ->Iterations(60)
    ->Unit(benchmark::kMillisecond);

}  // namespace
