// Steps with rows allocate nothing once the first have run.
#include "allocations.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/linear_solver/rows/dual_rows.hpp>
#include <pliant/linear_solver/rows/multipliers.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/mechanisms.hpp>

#if CAN_COUNT_ALLOCATIONS

using namespace pliant;

// A link whose motor drives against its limit, with a bar welded to it.
TEST_CASE("A step allocates nothing once the first have run: solvers of rows") {
  Mechanism mechanism;
  const int link = mechanism.add(RigidBody::box({0.02, 0.2, 0.02}, Mass{0.5}), Pose({0, 0.1, 0}));
  mechanism.add(Hinge{.second = link,
                      .at = {0, 0.2, 0},
                      .axis = {0, 0, 1},
                      .limits = {-0.01, 0.01},
                      .motor = {.speed = 1, .force = 0.1}});
  const auto mesh =
      make_box<Tet4>({.lengths = {0.1, 0.3, 0.1}, .cells = {1, 3, 1}, .origin = {-0.05, -0.3, -0.05}});
  Coupled coupled(Solid(mesh, LinearElastic(Lame::from_young_poisson(1e5, 0.3)), Density{1000}), mechanism);
  coupled.add(
      WeldToNodes{.body = link, .nodes = nodes_where(mesh, [](const auto& X) { return X.y() > -1e-9; })});
  const auto check = [&](const auto& solver) {
    const WithThreads with(1);
    Simulation sim(coupled, BackwardEuler{.dt = 0.01, .newton = Newton::linearised()}, solver);
    sim.set_gravity({-2, -9.81, 0});
    for (int step = 0; step < 5; ++step) REQUIRE(sim.step());
    const long before = allocations;
    bool done = true;
    for (int step = 0; step < 5; ++step) done = done && sim.step();
    const long after = allocations;
    CHECK(after - before == 0);
    CHECK(done);
  };
  check(Condensed{});
  check(Multipliers<Pcg<BlockJacobi>>{});
  check(DualRows<Jacobi>{.gap = 1e-6, .solver = {.tolerance = 1e-11}});
}

#endif
