// Frames of a real body, cut into substeps by a clock that the test moves.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/frame_rate.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

using Jelly = Simulation<Solid<Tet4, StableNeoHookean>, BackwardEuler, Pcg<BlockJacobi>, Pinned>;

// A short bar, held at its left end, that falls.
Jelly falling_bar(const Newton& newton) {
  const auto mesh = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}});
  return {Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e4, 0.4)), Density{1000}),
          BackwardEuler{.dt = 0.01, .newton = newton}, Pcg<BlockJacobi>{.tolerance = 1e-8},
          Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; }))};
}

}  // namespace

TEST_CASE("A frame is so many steps of an nth of it, to the last bit") {
  Jelly framed = falling_bar({}), stepped = falling_bar({});
  for (Jelly* each : {&framed, &stepped}) each->set_gravity({0, -9.81, 0});
  double now = 0;
  framed.on_progress([&](const Progress& progress) { now += progress.newton_iteration == 0 ? 1e-3 : 0; });
  Frames frames(FrameRate{.frame = 0.02, .budget = 4.5e-3}, [&] { return now; });
  for (const int n : {1, 2, 3, 4, 4, 4}) {
    const FrameReport report = frames.advance(framed);
    REQUIRE(report);
    CHECK(report.substeps == n);
    stepped.set_integrator({.dt = 0.02 / n});
    for (int k = 0; k < n; ++k) REQUIRE(stepped.step());
  }
  CHECK(framed.positions() == stepped.positions());
  CHECK(framed.velocities() == stepped.velocities());
  CHECK(framed.time() == 6 * 0.02);
}

TEST_CASE("A frame too long for its Newton iterations goes on in shorter substeps") {
  const Newton few{.max_iterations = 2, .tolerance = 1e-4};
  Jelly at_once = falling_bar(few), framed = falling_bar(few);
  for (Jelly* each : {&at_once, &framed}) each->set_gravity({0, -9.81, 0});
  at_once.set_integrator({.dt = 0.1, .newton = few});
  CHECK(at_once.step().stop == StepStop::not_converged);

  double now = 0;
  Frames frames(FrameRate{.frame = 0.1, .budget = 1, .max_halvings = 10}, [&] { return now += 1; });
  const FrameReport report = frames.advance(framed);
  INFO(report.message());
  REQUIRE(report);
  CHECK(report.failed_substeps > 0);
  CHECK(report.substeps > 1);
  CHECK(framed.time() == 0.1);
  CHECK(framed.integrator().newton.max_iterations == 2);
  CHECK(report.newton_iterations <= 2 * (report.substeps + report.failed_substeps));
}
