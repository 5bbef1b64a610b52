#include "bounce.hpp"

Bounce bounce_fixed_corotated(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::FixedCorotated(lame), (1 - 2 * lame.poisson_ratio()) / lame.young_modulus(), drop);
}
