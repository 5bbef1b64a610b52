// What central differences keep: momentum to rounding, energy on the whole, bits on any number of threads.
#include "integrator/bits_on_any_threads.hpp"
#include "integrator/bodies.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

std::unique_ptr<Scene> spinning_block(const Mesh<Tet4>& mesh, double dt) {
  auto scene =
      make_scene<StableNeoHookean, double, CentralDifferences>({.mesh = mesh, .integrator = {.dt = dt}});
  const Eigen::VectorXd mass = node_masses(mesh, 1000);
  scene->set_velocities(rigid_velocity(mass, mesh.nodes, {1, -2, 8}, {0.3, 0.2, -0.1}) +
                        0.5 * noise(mesh.node_count(), 9));
  return scene;
}

}  // namespace

TEST_CASE("CentralDifferences: linear and angular momentum are kept to rounding") {
  const auto mesh = jittered_box({3, 2, 1});
  const Eigen::VectorXd mass = node_masses(mesh, 1000);
  const auto scene = spinning_block(mesh, 0.01);
  const Eigen::Vector3d p = momentum(mass, scene->velocities());
  const Eigen::Vector3d L = angular_momentum(mass, scene->positions(), scene->velocities());
  for (int n = 0; n < 100; ++n) {
    REQUIRE(scene->step());
    CHECK((momentum(mass, scene->velocities()) - p).norm() < 1e-12 * p.norm());
    CHECK((angular_momentum(mass, scene->positions(), scene->velocities()) - L).norm() < 1e-12 * L.norm());
  }
  CHECK(scene->energies().elastic > 0.05);  // it is no rigid motion
}

TEST_CASE("CentralDifferences: over 10,000 steps the energy swings but does not drift") {
  const auto mesh = jittered_box({2, 1, 1});
  const auto scene = spinning_block(mesh, 1e-3);
  const double first = scene->energies().total();
  double lowest = first, highest = first, early = 0, late = 0;
  for (int n = 0; n < 10000; ++n) {
    const StepReport report = scene->step();
    REQUIRE(report);
    REQUIRE(report.substeps == 1);
    const double energy = report.energies.total();
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
    if (n < 1000) early += energy / 1000;
    if (n >= 9000) late += energy / 1000;
  }
  CAPTURE(first, lowest, highest, early, late);
  CHECK(highest - lowest < 0.05 * first);
  CHECK(std::abs(late - early) < 0.002 * first);
}

// With safety = 0.9 the energy of this bar grows by 70 J in the same time, by a resonance of third order.
TEST_CASE("CentralDifferences: a soft bar swings for 30 s and gains no energy") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {12, 3, 3}});
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() > 0.99; });
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000}),
                 CentralDifferences{.dt = 0.01}, Pinned(held));
  sim.set_gravity({0, -9.81, 0});
  double kinetic = 0, change = 0;
  for (int n = 0; n < 3000; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    kinetic = std::max(kinetic, report.energies.kinetic);
    change = std::max(change, std::abs(report.energies.total()));
  }
  CHECK(kinetic > 100);  // J
  CHECK(change < 0.02 * kinetic);
}

TEST_CASE("CentralDifferences: the same bits on any number of threads") {
  for (const Rayleigh damping : {Rayleigh{}, Rayleigh{0.1, 1e-4}}) {
    check_bits_on_any_threads([&](const Mesh<Tet4>& mesh, const std::vector<int>& held) {
      return make_scene<StableNeoHookean, double, CentralDifferences>(
          {.mesh = mesh, .damping = damping, .integrator = {.dt = 0.005}, .pinned = held});
    });
  }
}
