// The constraints come after the linear solver.
// must say: the third argument of Simulation must be a linear solver
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pinned({0, 1, 2}));
#else
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<pliant::BlockJacobi>{},
                              pliant::Pinned({0, 1, 2}));
#endif
