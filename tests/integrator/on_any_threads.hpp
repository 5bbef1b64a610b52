// One scene of an integrator, on several threads: a body that is held at one end falls on a floor. Small
// enough for ThreadSanitizer; the tests of the integrators compare the bits of larger bodies.
#pragma once

#include "integrator/bodies.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/pliant.hpp>

namespace pliant::test {

template <class Energy, class Integrator, class... Solver>
void same_bits(const Integrator& integrator, const Solver&... solver) {
  const auto mesh = jittered_box({15, 8, 8}, 0.05);
  const Solid solid(mesh, Energy(Lame::from_young_poisson(1e5, 0.3)), Density{1000});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 0.02; }));
  const double lowest = mesh.nodes.row(1).minCoeff();
  const auto end_with = [&](int threads) {
    const WithThreads with(threads);
    Simulation simulation(solid, integrator, solver..., held);
    simulation.set_gravity({0, -9.81, 0});
    simulation.add_collider(HalfSpace<3>({0, lowest - 1e-4, 0}, {0, 1, 0}));
    for (int n = 0; n < 2; ++n) {
      const StepReport report = simulation.step();
      INFO(report.message());
      REQUIRE(report);
    }
    CHECK_FALSE(simulation.contacts().empty());
    return Points(simulation.positions());
  };
  const Points alone = end_with(1);
  CHECK(end_with(2) == alone);
  CHECK(end_with(3) == alone);
}

}  // namespace pliant::test
