// Plane stress has a closed form for linear elasticity alone.
// must say: PlaneStress exists for LinearElastic only
#include <pliant/energy/plane_stress.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

#ifdef SHOULD_FAIL
using Energy = pliant::StableNeoHookean;
#else
using Energy = pliant::LinearElastic;
#endif

const pliant::PlaneStress sheet{Energy(pliant::Lame::from_young_poisson(1e6, 0.3))};
