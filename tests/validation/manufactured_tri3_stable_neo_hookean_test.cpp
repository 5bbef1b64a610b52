// Manufactured solutions on Tri3, StableNeoHookean.
#include "validation/manufactured.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

TEST_CASE("Tri3: the orders of convergence with StableNeoHookean") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  manufactured::converges<pliant::Tri3>("StableNeoHookean",
                                        manufactured::StableNeoHookean{lame.mu(), lame.lambda()},
                                        pliant::StableNeoHookean(lame), {8, 16, 32, 64});
}
