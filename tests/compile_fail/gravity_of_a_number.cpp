// Gravity is a vector.
// must say: set_gravity takes a vector, in braces or of Eigen: set_gravity({0, -9.81, 0})
// must say: set_gravity takes a vector of as many numbers as the mesh has dimensions
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

void set(pliant::Simulation<pliant::Solid<pliant::Tet4, pliant::StableNeoHookean>, pliant::CentralDifferences,
                            pliant::NoSolver, pliant::Pinned>& simulation) {
#ifdef SHOULD_FAIL
  simulation.set_gravity(-9.81);
  simulation.set_gravity(0, -9.81, 0);
  simulation.set_gravity(Eigen::Vector2d(0, -9.81));
#else
  simulation.set_gravity({0, -9.81, 0});
  simulation.set_gravity(Eigen::Vector3f(0, -9.81F, 0));
  simulation.set_gravity(-9.81 * Eigen::Vector3d::UnitY());
#endif
}
