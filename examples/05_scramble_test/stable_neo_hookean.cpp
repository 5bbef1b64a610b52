#include "scramble.hpp"

Outcome scramble_stable_neo_hookean(const Settings& settings, unsigned seed) {
  return scramble(pliant::StableNeoHookean(published_material()), settings, seed);
}
