// Manufactured solutions on Hex8, LinearElastic.
#include "validation/manufactured.hpp"

#include <pliant/energy/linear_elastic.hpp>

TEST_CASE("Hex8: the orders of convergence with LinearElastic") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  manufactured::converges<pliant::Hex8>("LinearElastic", manufactured::Linear{lame.mu(), lame.lambda()},
                                        pliant::LinearElastic(lame), {4, 8, 16});
}
