// Bodies are made of solids.
// must say: each argument of Bodies must be a Solid
#include <pliant/pliant.hpp>

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});

#ifdef SHOULD_FAIL
const pliant::Bodies bodies(solid, mesh);
#else
const pliant::Bodies bodies(solid, solid);
#endif
