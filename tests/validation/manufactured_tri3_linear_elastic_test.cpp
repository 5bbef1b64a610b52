// Manufactured solutions on Tri3, LinearElastic.
#include "validation/manufactured.hpp"

#include <pliant/energy/linear_elastic.hpp>

TEST_CASE("Tri3: the orders of convergence with LinearElastic") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  manufactured::converges<pliant::Tri3>("LinearElastic", manufactured::Linear{lame.mu(), lame.lambda()},
                                        pliant::LinearElastic(lame), {8, 16, 32, 64});
}
