// Projecting the Hessian only where it is needed: the same motion, in fewer iterations.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

struct Run {
  NodeMatrix<double, 3> positions;
  int newton_iterations = 0;
};

// A soft bar that is held at one end and swings far, for half a second.
Run swing(bool on_demand) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {12, 3, 3}});
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(5e4, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-9, .project_on_demand = on_demand}},
                 Pcg<BlockJacobi>{.tolerance = 1e-9},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; })));
  sim.set_gravity({0, -9.81, 0});
  Run run;
  for (int i = 0; i < 50; ++i) {
    const StepReport report = sim.step();
    REQUIRE(report);
    run.newton_iterations += report.newton_iterations;
  }
  run.positions = sim.positions();
  return run;
}

}  // namespace

TEST_CASE("projection on demand: the same motion in at most two thirds of the iterations") {
  const Run always = swing(false), on_demand = swing(true);
  CHECK((always.positions - on_demand.positions).cwiseAbs().maxCoeff() < 1e-6);
  CHECK(on_demand.newton_iterations * 3 < always.newton_iterations * 2);
}

TEST_CASE("projection on demand: a crushed body, whose Hessian is indefinite, is still solved") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {3, 3, 3}});
  NodeMatrix<double, 3> crushed = mesh.nodes;
  crushed.row(1) *= 0.1;
  int iterations[2];
  for (const bool on_demand : {false, true}) {
    Simulation sim(
        Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
        BackwardEuler{.dt = 0.01, .newton = {.max_iterations = 100, .project_on_demand = on_demand}},
        Pcg<BlockJacobi>{});
    sim.set_positions(crushed);
    const double before = sim.energies().total();
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(report.energies.total() <= before);
    iterations[on_demand] = report.newton_iterations;
  }
  CHECK(iterations[1] <= 2 * iterations[0]);

  // Without any projection the same step has no positive definite matrix to start with.
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 0.01, .newton = {.projection = Projection::none}}, Pcg<BlockJacobi>{});
  sim.set_positions(crushed);
  CHECK(sim.step().stop == StepStop::indefinite);
}
