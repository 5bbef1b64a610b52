// An explicit integrator solves no linear system.
// must say: this integrator solves no linear system, so that Simulation takes no solver
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid, pliant::CentralDifferences{}, pliant::Pcg<pliant::BlockJacobi>{},
                              pliant::Pinned({0, 1}));
#else
pliant::Simulation simulation(solid, pliant::CentralDifferences{}, pliant::Pinned({0, 1}));
pliant::Simulation free_one(solid, pliant::CentralDifferences{});
pliant::Simulation doubly_held(solid, pliant::CentralDifferences{}, pliant::Pinned({0, 1}),
                               pliant::Pinned({2}));
#endif
