// Joints are a matter of the integrator and need a solver of their own; bodies are held by joints.
// must say: this integrator takes no joints: use BackwardEuler, OptimizationEuler or Newmark
// must say: joints need a solver that takes rows
// must say: the bodies of a Mechanism are held by joints to the world, not by constraints
#include <pliant/pliant.hpp>

using namespace pliant;

Mechanism pendulum() {
  Mechanism mechanism;
  mechanism.add(Ball{.second = mechanism.add(RigidBody::sphere(1, Mass{1}))});
  return mechanism;
}

#ifdef SHOULD_FAIL
Simulation with_statics(pendulum(), QuasiStatic{}, Condensed{});
Simulation with_cholesky(pendulum(), BackwardEuler{}, Cholesky{});
Simulation with_constraint(pendulum(), BackwardEuler{}, Condensed{}, Pinned({0}));
#else
Simulation simulation(pendulum(), BackwardEuler{}, Condensed{});
#endif
