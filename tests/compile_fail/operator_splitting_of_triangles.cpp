// There is no volume constraint in the plane.
// must say: OperatorSplitting takes bodies of tetrahedra
#include <pliant/pliant.hpp>

const pliant::FixedCorotated energy(pliant::Lame::from_young_poisson(1e6, 0.3));
#ifdef SHOULD_FAIL
const auto mesh = pliant::make_rectangle<pliant::Tri3>();
#else
const auto mesh = pliant::make_box<pliant::Tet4>();
#endif
const pliant::Solid solid(mesh, energy, pliant::Density{1000});
pliant::Simulation simulation(solid, pliant::OperatorSplitting{});
