// Operator splitting needs an energy that splits.
// must say: OperatorSplitting takes tetrahedra of FixedCorotated or Arap
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
#ifdef SHOULD_FAIL
const pliant::CorotatedLinear energy(pliant::Lame::from_young_poisson(1e6, 0.3));
#else
const pliant::FixedCorotated energy(pliant::Lame::from_young_poisson(1e6, 0.3));
#endif
const pliant::Solid solid(mesh, energy, pliant::Density{1000});
pliant::Simulation simulation(solid, pliant::OperatorSplitting{}, pliant::Pinned({0, 1}));
