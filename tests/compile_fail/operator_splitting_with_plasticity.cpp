// Its matrix is that of elastic stretches.
// must say: OperatorSplitting takes no plasticity
#include <pliant/pliant.hpp>

const pliant::Lame lame = pliant::Lame::from_young_poisson(1e6, 0.3);
#ifdef SHOULD_FAIL
const pliant::Plastic energy(pliant::CorotatedLinear(lame), {.yield = 0.02, .creep = 10});
#else
const pliant::FixedCorotated energy(lame);
#endif
const pliant::Solid solid(pliant::make_box<pliant::Tet4>(), energy, pliant::Density{1000});
pliant::Simulation simulation(solid, pliant::OperatorSplitting{});
