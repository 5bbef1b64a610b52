// Uniaxial stress and simple shear of a body of LinearElastic.
#include "validation/homogeneous.hpp"

#include <pliant/energy/linear_elastic.hpp>

using namespace homogeneous;

TEST_CASE("LinearElastic: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::LinearElastic, 3> material{
      "LinearElastic", pliant::LinearElastic(lame), [=](const auto& F, const auto&) {
        const Square<3> strain = (F + F.transpose()) / 2 - Square<3>::Identity();
        return Square<3>(2 * mu * strain + lambda * strain.trace() * Square<3>::Identity());
      }};
  validation::Record record("homogeneous", "linear_elastic");
  agrees<pliant::Hex8>(record, material);
}
