#include "crush.hpp"

Outcome crush_arap(const Crush& crush) {
  return crush_and_release(pliant::Arap(pliant::Lame::from_mu_lambda(1, 9)), crush);
}
