// Contact is a part of the linear systems of the integrators that know it.
// must say: this integrator knows no colliders
#include <pliant/pliant.hpp>

void put_on_floor() {
  const auto mesh = pliant::make_box<pliant::Tet4>();
  const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
  const pliant::Solid solid(mesh, energy, pliant::Density{1000});
  const pliant::HalfSpace floor(Eigen::Vector3d(0, -1, 0), Eigen::Vector3d(0, 1, 0));
#ifdef SHOULD_FAIL
  pliant::Simulation simulation(solid, pliant::CentralDifferences{});
#else
  pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{});
#endif
  simulation.add_collider(floor);
}
