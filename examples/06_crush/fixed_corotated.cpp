#include "crush.hpp"

Outcome crush_fixed_corotated(const Crush& crush) {
  return crush_and_release(pliant::FixedCorotated(pliant::Lame::from_mu_lambda(1, 9)), crush);
}
