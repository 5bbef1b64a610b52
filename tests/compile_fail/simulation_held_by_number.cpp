// A node number is no constraint, as the only one or among several.
// must say: the arguments of Simulation from the fourth on must be constraints
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{},
                              pliant::Pinned({0, 1}), 2);
#else
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{},
                              pliant::Pinned({0, 1}), pliant::Pinned({2}));
#endif
