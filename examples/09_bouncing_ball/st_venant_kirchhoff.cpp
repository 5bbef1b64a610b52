#include "bounce.hpp"

Bounce bounce_st_venant_kirchhoff(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::StVenantKirchhoff(lame), (1 - 2 * lame.poisson_ratio()) / lame.young_modulus(),
                  drop);
}
