// A mesh alone has no material.
// must say: the first argument of Simulation must be a Solid, Bodies or Copies
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(mesh, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{});
#else
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{});
#endif
