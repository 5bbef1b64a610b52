// Manufactured solutions on Tet4, LinearElastic.
#include "validation/manufactured.hpp"

#include <pliant/energy/linear_elastic.hpp>

TEST_CASE("Tet4: the orders of convergence with LinearElastic") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  manufactured::converges<pliant::Tet4>("LinearElastic", manufactured::Linear{lame.mu(), lame.lambda()},
                                        pliant::LinearElastic(lame), {4, 8, 16});
}
