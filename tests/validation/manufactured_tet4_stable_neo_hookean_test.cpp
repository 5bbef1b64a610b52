// Manufactured solutions on Tet4, StableNeoHookean.
#include "validation/manufactured.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

TEST_CASE("Tet4: the orders of convergence with StableNeoHookean") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  manufactured::converges<pliant::Tet4>("StableNeoHookean",
                                        manufactured::StableNeoHookean{lame.mu(), lame.lambda()},
                                        pliant::StableNeoHookean(lame), {4, 8, 16});
}
