#include "scramble.hpp"

Outcome scramble_stable_neo_hookean_barrier(const Settings& settings, unsigned seed) {
  return scramble(pliant::StableNeoHookeanBarrier(published_material()), settings, seed);
}
