#include "scramble.hpp"

Outcome scramble_corotated_linear(const Settings& settings, unsigned seed) {
  return scramble(pliant::CorotatedLinear(published_material()), settings, seed);
}
