// A soft body that joints connect to a mechanism needs an integrator and a solver for them, and is one in space, in
// doubles, alone and without terms.
// must say: this integrator takes no joints: use BackwardEuler, OptimizationEuler or Newmark
// must say: joints need a solver that takes rows
// must say: Coupled takes a solid in space, in doubles
// must say: Coupled takes a Solid or Bodies, and no Copies
// must say: the first argument of Coupled must be a Solid or Bodies
#include <pliant/pliant.hpp>

using namespace pliant;

template <class Scalar = double>
auto solid() {
  return Solid(make_box<Tet4, Scalar>({}), CorotatedLinear(Lame::from_young_poisson(1e4, 0.3)), Density{1000});
}

auto coupled() {
  Mechanism mechanism;
  mechanism.add(RigidBody::sphere(1, Mass{1}));
  return Coupled(solid(), mechanism);
}

#ifdef SHOULD_FAIL
Simulation with_statics(coupled(), QuasiStatic{}, Condensed{});
Simulation explicitly(coupled(), CentralDifferences{});
Simulation split(coupled(), OperatorSplitting{});
Simulation with_cholesky(coupled(), BackwardEuler{}, Cholesky{});
Coupled in_floats(solid<float>(), Mechanism());
Coupled of_copies(Copies(solid(), {Pose<3>()}), Mechanism());
Coupled of_mesh(make_box<Tet4>({}), Mechanism());
#else
Simulation simulation(coupled(), BackwardEuler{}, Condensed{});
#endif
