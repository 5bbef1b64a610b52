// Projecting the Hessian only where, or as far as, it is needed: the same motion, in fewer iterations.
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
Run swing(HessianStrategy strategy) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {12, 3, 3}});
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(5e4, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-9, .hessian = strategy}},
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

TEST_CASE("projection on demand, and progressive: the same motion in at most two thirds of the iterations") {
  const Run always = swing(HessianStrategy::always_project);
  for (const auto strategy : {HessianStrategy::on_demand, HessianStrategy::progressive}) {
    const Run run = swing(strategy);
    CHECK((always.positions - run.positions).cwiseAbs().maxCoeff() < 1e-6);
    CHECK(run.newton_iterations * 3 < always.newton_iterations * 2);
  }
}

TEST_CASE("projection on demand: a crushed body, whose Hessian is indefinite, is still solved") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {3, 3, 3}});
  NodeMatrix<double, 3> crushed = mesh.nodes;
  crushed.row(1) *= 0.1;
  std::vector<int> iterations;
  for (const auto strategy :
       {HessianStrategy::always_project, HessianStrategy::on_demand, HessianStrategy::progressive}) {
    Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                   BackwardEuler{.dt = 0.01, .newton = {.max_iterations = 100, .hessian = strategy}},
                   Pcg<BlockJacobi>{});
    sim.set_positions(crushed);
    const double before = sim.energies().total();
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(report.energies.total() <= before);
    iterations.push_back(report.newton_iterations);
  }
  CHECK(iterations[1] <= 2 * iterations[0]);
  CHECK(iterations[2] <= 2 * iterations[0]);

  // Without any projection the same step has no positive definite matrix to start with.
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 0.01, .newton = {.projection = Projection::none}}, Pcg<BlockJacobi>{});
  sim.set_positions(crushed);
  CHECK(sim.step().stop == StepStop::indefinite);
}
