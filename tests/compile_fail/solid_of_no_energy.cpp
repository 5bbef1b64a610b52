// Arguments of Solid in the wrong order.
// must say: the second argument of Solid must be an energy for the dimension of the mesh
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
const pliant::Solid other(mesh, pliant::Density{1000}, pliant::Density{1000});
#else
const pliant::Solid other(mesh, energy, pliant::Density{1000});
#endif
