// The integrator comes before the linear solver.
// must say: the second argument of Simulation must be an integrator
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid, pliant::Pcg<pliant::BlockJacobi>{}, pliant::BackwardEuler{});
#else
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{});
#endif
