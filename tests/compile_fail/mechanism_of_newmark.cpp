// Joints are a matter of the integrator.
// must say: this integrator takes no joints: use BackwardEuler or OptimizationEuler
#include <pliant/pliant.hpp>

using namespace pliant;

Mechanism pendulum() {
  Mechanism mechanism;
  mechanism.add(Ball{.second = mechanism.add(RigidBody::sphere(1, Mass{1}))});
  return mechanism;
}

#ifdef SHOULD_FAIL
Simulation simulation(pendulum(), Newmark{}, Condensed{});
#else
Simulation simulation(pendulum(), BackwardEuler{}, Condensed{});
#endif
