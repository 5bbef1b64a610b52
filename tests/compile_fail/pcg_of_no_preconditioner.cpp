// A linear solver is no preconditioner.
// must say: P must be a preconditioner
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
using Preconditioner = pliant::Pcg<>;
#else
using Preconditioner = pliant::Jacobi;
#endif
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<Preconditioner>{});
