#include "bounce.hpp"

Bounce bounce_stable_neo_hookean_barrier(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::StableNeoHookeanBarrier(lame),
                  (1 - 2 * lame.poisson_ratio()) / lame.young_modulus(), drop);
}
