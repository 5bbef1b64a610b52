// Nodes far from colliders are passed over: implicit contact is the same, bit by bit, as where none is.
#include "integrator/far_colliders.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE("backward Euler: no bound of a collider hides a contact") {
  check_far_colliders<double>(12, 8, 1e-9, [](const auto& solid, double dt) {
    const BackwardEuler integrator{.dt = dt, .newton = Newton::linearised()};
    const Pcg<BlockJacobi> solver{.tolerance = 1e-3};
    using Sim = decltype(Simulation(solid, integrator, solver));
    return std::make_unique<Sim>(solid, integrator, solver);
  });
}
