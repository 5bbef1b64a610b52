// Uniaxial stress and simple shear of a body of OgdenNeoHookean.
#include "validation/homogeneous.hpp"

#include <pliant/energy/ogden_neo_hookean.hpp>

using namespace homogeneous;

TEST_CASE("OgdenNeoHookean: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::OgdenNeoHookean, 3> material{
      "OgdenNeoHookean", pliant::OgdenNeoHookean(lame), [=](const auto& F, const auto&) {
        const double J = F.determinant();
        return Square<3>(mu * F + (lambda * (J - 1) - mu / J) * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "ogden_neo_hookean");
  agrees<pliant::Hex8>(record, material);
}
