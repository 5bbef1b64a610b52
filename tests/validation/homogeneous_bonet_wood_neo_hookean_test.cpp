// Uniaxial stress and simple shear of a body of BonetWoodNeoHookean.
#include "validation/homogeneous.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>

using namespace homogeneous;

TEST_CASE("BonetWoodNeoHookean: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::BonetWoodNeoHookean, 3> material{
      "BonetWoodNeoHookean", pliant::BonetWoodNeoHookean(lame), [=](const auto& F, const auto&) {
        const double J = F.determinant();
        return Square<3>(mu * F + (lambda * std::log(J) - mu) / J * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "bonet_wood_neo_hookean");
  agrees<pliant::Hex8>(record, material);
}
