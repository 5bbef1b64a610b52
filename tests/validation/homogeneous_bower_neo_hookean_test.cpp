// Uniaxial stress and simple shear of a body of BowerNeoHookean.
#include "validation/homogeneous.hpp"

#include <pliant/energy/bower_neo_hookean.hpp>

using namespace homogeneous;

TEST_CASE("BowerNeoHookean: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::BowerNeoHookean, 3> material{
      "BowerNeoHookean", pliant::BowerNeoHookean(lame), [=](const auto& F, const auto&) {
        const double J = F.determinant(), shear = mu * std::pow(J, -2.0 / 3), bulk = lambda + 2 * mu / 3;
        return Square<3>(shear * F + (bulk * (J - 1) - shear * F.squaredNorm() / (3 * J)) * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "bower_neo_hookean");
  agrees<pliant::Hex8>(record, material);
}
