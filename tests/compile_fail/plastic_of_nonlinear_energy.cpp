// Plastic strain is a part of the strain of Hooke's law.
// must say: Plastic exists for LinearElastic and CorotatedLinear only
#include <pliant/energy/plastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

#ifdef SHOULD_FAIL
using Energy = pliant::StableNeoHookean;
#else
using Energy = pliant::CorotatedLinear;
#endif

const pliant::Plastic clay(Energy(pliant::Lame::from_young_poisson(1e6, 0.3)), {.yield = 0.02, .creep = 10});
