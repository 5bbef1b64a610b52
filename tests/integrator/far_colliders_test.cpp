// Nodes far from colliders are passed over: explicit contact is the same, bit by bit, as where none is.
#include "integrator/far_colliders.hpp"

using namespace pliant;
using namespace pliant::test;

TEST_CASE("operator splitting: no bound of a collider hides a contact") {
  check_far_colliders<float>(60, 12, 1e-3, [](const auto& solid, double dt) {
    using Sim = decltype(Simulation(solid, OperatorSplitting{.dt = dt}));
    return std::make_unique<Sim>(solid, OperatorSplitting{.dt = dt});
  });
}

TEST_CASE("central differences: no bound of a collider hides a contact") {
  check_far_colliders<double>(40, 4, 1e-9, [](const auto& solid, double dt) {
    const CentralDifferences integrator{.dt = std::min(dt, 1e-3), .renewal = 2};
    using Sim = decltype(Simulation(solid, integrator));
    return std::make_unique<Sim>(solid, integrator);
  });
}
