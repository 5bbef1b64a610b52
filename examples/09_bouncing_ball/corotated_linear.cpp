#include "bounce.hpp"

Bounce bounce_corotated_linear(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::CorotatedLinear(lame), (1 - 2 * lame.poisson_ratio()) / lame.young_modulus(), drop);
}
