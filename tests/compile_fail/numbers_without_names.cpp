// Two numbers could be several pairs of parameters: a Lame and an energy say which function names them.
// must say: Lame is made by a function that names its parameters: Lame::from_young_poisson(1e6, 0.45)
// must say: an energy is constructed from a Lame, which names its parameters
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;

#ifdef SHOULD_FAIL
const Lame rubber(1e6, 0.45);
const Lame in_braces{1e6, 0};
const StableNeoHookean energy({1e6, 0.45});
const LinearElastic linear{1e6, 0.45};
#else
const Lame rubber = Lame::from_young_poisson(1e6, 0.45);
const Lame in_braces{Lame::from_mu_lambda(1e6, 0)};
const StableNeoHookean energy(RawCoefficients{.mu = 1e6, .lambda = 1e6}), copy(energy);
const LinearElastic linear{rubber};
#endif
