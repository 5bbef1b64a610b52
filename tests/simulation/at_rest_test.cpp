// What stiff bodies do that have nothing to do.
#include "support/catch.hpp"

#include <cmath>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

const Eigen::Vector3d up(0, 1, 0);

}  // namespace

TEST_CASE("A block of concrete stays put on the floor, in steps of a sixtieth of a second") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {4, 4, 4}});
  const double E = 1e9, density = 2400, g = 9.81;
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, 0.2)), Density{density}),
                   BackwardEuler{.dt = 1.0 / 60, .newton = newton}, Pcg<BlockJacobi>{.tolerance = 1e-8});
    sim.set_gravity(-g * up);
    sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = 0.6});
    for (int n = 0; n < 300; ++n) {
      const StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
      REQUIRE((sim.positions() - mesh.nodes).cwiseAbs().maxCoeff() < 1e-4);
    }
    // Under its weight it is shorter by rho g / (2 E), roughly: its foot does not slide.
    const double sunk = mesh.nodes.row(1).maxCoeff() - sim.positions().row(1).mean() - 0.5;
    CHECK(sunk == Approx(density * g / (3 * E)).epsilon(0.35));
    CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-5);
    CHECK(sim.constraint_forces().row(1).sum() == Approx(density * g).epsilon(1e-4));
    CHECK(sim.positions().row(1).minCoeff() > -1e-13);
  }
}

TEST_CASE("A bar that is held at both ends comes to rest where statics has it") {
  const auto bar = make_box<Tet4>({.lengths = {2, 0.2, 0.2}, .cells = {16, 2, 2}});
  const auto ends = nodes_where(bar, [](const auto& X) { return X.x() < 1e-9 || X.x() > 2 - 1e-9; });
  const auto solid =
      Solid(bar, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}, Rayleigh{.beta = 0.05});
  Simulation statics(solid, QuasiStatic{.newton = {.max_iterations = 100, .tolerance = 1e-10}},
                     Pcg<BlockJacobi>{.tolerance = 1e-11}, Pinned(ends));
  statics.set_gravity(-9.81 * up);
  REQUIRE(statics.step());
  Simulation sim(solid, BackwardEuler{.dt = 1.0 / 60, .newton = {.tolerance = 1e-9}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10}, Pinned(ends));
  sim.set_gravity(-9.81 * up);
  for (int n = 0; n < 600; ++n) REQUIRE(sim.step());
  CHECK((sim.positions() - statics.positions()).cwiseAbs().maxCoeff() < 1e-6);
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-6);
  CHECK(sim.positions().row(1).minCoeff() < -0.05);
}

TEST_CASE("A body that hangs and is let go falls as its centre of mass does, and its tension goes") {
  const auto mesh = make_box<Tet4>({.lengths = {0.5, 1, 0.5}, .cells = {2, 4, 2}});
  const auto top = nodes_where(mesh, [](const auto& X) { return X.y() > 1 - 1e-9; });
  const auto mass = lumped_mass<Tet4>(mesh.nodes, mesh.elements, 1000).eval();
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000},
                       Rayleigh{.beta = 0.02}),
                 BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-9}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10}, Pinned(top));
  sim.set_gravity(-9.81 * up);
  for (int n = 0; n < 500; ++n) REQUIRE(sim.step());
  CHECK(sim.constraint_forces().row(1).sum() == Approx(9.81 * mass.sum()).epsilon(1e-6));
  sim.set_constraint(Pinned(std::vector<int>{}));
  const double before = sim.positions().row(1).dot(mass.transpose()) / mass.sum();
  const int steps = 40;
  for (int n = 0; n < steps; ++n) REQUIRE(sim.step());
  const double after = sim.positions().row(1).dot(mass.transpose()) / mass.sum();
  CHECK(before - after == Approx(9.81 * 0.01 * 0.01 * steps * (steps + 1) / 2).epsilon(1e-6));
  CHECK(sim.constraint_forces().isZero(0));
}
