// Bodies are held by joints.
// must say: the bodies of a Mechanism are held by joints to the world, not by constraints
#include <pliant/pliant.hpp>

using namespace pliant;

Mechanism pendulum() {
  Mechanism mechanism;
  mechanism.add(Ball{.second = mechanism.add(RigidBody::sphere(1, Mass{1}))});
  return mechanism;
}

#ifdef SHOULD_FAIL
Simulation simulation(pendulum(), BackwardEuler{}, Condensed{}, Pinned({0}));
#else
Simulation simulation(pendulum(), BackwardEuler{}, Condensed{});
#endif
