// The guarded step: never a rise of the incremental potential, the same minimum as BackwardEuler.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

const Lame soft = Lame::from_young_poisson(1e5, 0.45);

using Guarded =
    Simulation<Solid<Tet4, StableNeoHookean, double>, OptimizationEuler, Pcg<BlockJacobi>, Pinned>;

Guarded guarded(const Mesh<Tet4>& mesh, OptimizationEuler integrator, std::vector<int> held = {}) {
  return {Solid(mesh, StableNeoHookean(soft), Density{1000}), integrator,
          Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(std::move(held))};
}

}  // namespace

TEST_CASE("OptimizationEuler: the steps of BackwardEuler") {
  const auto mesh = jittered_box({4, 2, 2});
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 0.02; });
  Guarded sim = guarded(mesh, {.dt = 0.02, .newton = {.tolerance = 1e-10}}, held);
  const auto scene = make_scene<StableNeoHookean>({.mesh = mesh,
                                                   .lame = soft,
                                                   .integrator = {.dt = 0.02, .newton = {.tolerance = 1e-10}},
                                                   .pinned = held});
  sim.set_gravity({0, -9.81, 1});
  scene->set_gravity({0, -9.81, 1});
  for (int i = 0; i < 10; ++i) {
    REQUIRE(sim.step());
    REQUIRE(scene->step());
    CHECK((sim.positions() - scene->positions()).cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE("OptimizationEuler: |v+ - v|^2 / 2 + E(x+) <= |v|^2 / 2 + E(x), however few the iterations") {
  const auto mesh = jittered_box({3, 3, 3});
  const Eigen::VectorXd mass = node_masses(mesh, 1000);
  const Points scrambled = 0.15 * noise(mesh.node_count(), 7).array() + 0.15;
  for (const int iterations : {1, 3, 100}) {
    CAPTURE(iterations);
    Guarded sim =
        guarded(mesh, {.dt = 0.02, .newton = {.max_iterations = iterations, .require_convergence = false}});
    sim.set_positions(scrambled);
    Energies before = sim.energies();
    const double first = before.total();
    for (int i = 0; i < 40; ++i) {
      const Points v = sim.velocities();
      const StepReport report = sim.step();
      REQUIRE(report);
      CHECK(report.potential_drop >= -1e-12 * first);
      CHECK(report.energies.elastic == Approx(sim.energies().elastic).epsilon(1e-12));
      CHECK(kinetic_energy(mass, sim.velocities() - v) + report.energies.elastic <=
            before.total() + 1e-12 * first);
      before = report.energies;
    }
    CHECK(before.total() < 0.5 * first);
  }
}

TEST_CASE("OptimizationEuler: what would take its guarantee away is refused") {
  CHECK_THROWS_WITH((OptimizationEuler{.newton = {.line_search = false}}.check()),
                    Catch::Contains("line_search"));
  CHECK_THROWS_WITH((OptimizationEuler{.newton = {.projection = Projection::none}}.check()),
                    Catch::Contains("projection"));
  CHECK_THROWS_WITH(OptimizationEuler{.dt = -1}.check(), Catch::Contains("dt"));
}
