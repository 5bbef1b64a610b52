#include "scramble.hpp"

Outcome scramble_arap(const Settings& settings, unsigned seed) {
  return scramble(pliant::Arap(published_material()), settings, seed);
}
