// Uniaxial stress and simple shear of a body of StableNeoHookean.
#include "validation/homogeneous.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>

using namespace homogeneous;

TEST_CASE("StableNeoHookean: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::StableNeoHookean, 3> material{
      "StableNeoHookean", pliant::StableNeoHookean(lame), [=](const auto& F, const auto&) {
        return Square<3>(mu * F + ((lambda + mu) * (F.determinant() - 1) - mu) * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "stable_neo_hookean");
  agrees<pliant::Hex8>(record, material);
}
