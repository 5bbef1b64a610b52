#include "crush.hpp"

Outcome crush_corotated_linear(const Crush& crush) {
  return crush_and_release(pliant::CorotatedLinear(pliant::Lame::from_mu_lambda(1, 9)), crush);
}
