// A body in space has no thickness.
// must say: only a plane body has a thickness
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/solid/solid.hpp>

#ifdef SHOULD_FAIL
const auto mesh = pliant::make_box<pliant::Tet4>();
#else
const auto mesh = pliant::make_rectangle<pliant::Tri3>();
#endif

const pliant::LinearElastic energy{pliant::Lame::from_young_poisson(1e6, 0.3)};
const pliant::Solid solid(mesh, energy, pliant::Density{1000}, pliant::Thickness{0.01});
