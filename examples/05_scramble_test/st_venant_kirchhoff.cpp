#include "scramble.hpp"

Outcome scramble_st_venant_kirchhoff(const Settings& settings, unsigned seed) {
  return scramble(pliant::StVenantKirchhoff(published_material()), settings, seed);
}
