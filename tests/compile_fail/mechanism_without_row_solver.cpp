// Joints need a solver of their own.
// must say: joints need a solver that takes rows
#include <pliant/pliant.hpp>

using namespace pliant;

Mechanism pendulum() {
  Mechanism mechanism;
  mechanism.add(Ball{.second = mechanism.add(RigidBody::sphere(1, Mass{1}))});
  return mechanism;
}

#ifdef SHOULD_FAIL
Simulation simulation(pendulum(), BackwardEuler{}, Cholesky{});
#else
Simulation simulation(pendulum(), BackwardEuler{}, Condensed{});
#endif
