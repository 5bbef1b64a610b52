#include "crush.hpp"

Outcome crush_stable_neo_hookean(const Crush& crush) {
  return crush_and_release(pliant::StableNeoHookean(pliant::Lame::from_mu_lambda(1, 9)), crush);
}
