#include "bounce.hpp"

Bounce bounce_stable_neo_hookean(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::StableNeoHookean(lame), (1 - 2 * lame.poisson_ratio()) / lame.young_modulus(),
                  drop);
}
