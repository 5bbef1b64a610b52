// An implicit integrator needs a linear solver, also where nothing is held.
// must say: the third argument of Simulation must be a linear solver
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid, pliant::Newmark{});
#else
pliant::Simulation simulation(solid, pliant::Newmark{}, pliant::Pcg<pliant::BlockJacobi>{});
#endif
