#include "bounce.hpp"

Bounce bounce_arap(const Drop& drop) {
  const auto lame = rubber();
  return let_fall(pliant::Arap(lame), 1 / (2 * lame.mu()), drop);
}
