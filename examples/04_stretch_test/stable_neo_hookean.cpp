#include "stretch.hpp"

bool stretch_stable_neo_hookean(const Settings& settings) {
  return stretch(pliant::StableNeoHookean(pliant::RawCoefficients{settings.mu, settings.lambda}), settings);
}
