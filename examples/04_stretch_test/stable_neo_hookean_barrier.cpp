#include "stretch.hpp"

bool stretch_stable_neo_hookean_barrier(const Settings& settings) {
  return stretch(pliant::StableNeoHookeanBarrier(pliant::RawCoefficients{settings.mu, settings.lambda}),
                 settings);
}
