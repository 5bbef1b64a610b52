// Its constraints are those of tetrahedra.
// must say: OperatorSplitting takes tetrahedra of FixedCorotated or Arap
#include <pliant/pliant.hpp>

#ifdef SHOULD_FAIL
using Element = pliant::Hex8;
#else
using Element = pliant::Tet4;
#endif

const pliant::FixedCorotated energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(pliant::make_box<Element>(), energy, pliant::Density{1000});
pliant::Simulation simulation(solid, pliant::OperatorSplitting{});
