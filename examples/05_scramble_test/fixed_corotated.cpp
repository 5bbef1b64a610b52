#include "scramble.hpp"

Outcome scramble_fixed_corotated(const Settings& settings, unsigned seed) {
  return scramble(pliant::FixedCorotated(published_material()), settings, seed);
}
