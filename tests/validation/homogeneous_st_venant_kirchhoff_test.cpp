// Uniaxial stress and simple shear of a body of StVenantKirchhoff.
#include "validation/homogeneous.hpp"

#include <pliant/energy/st_venant_kirchhoff.hpp>

using namespace homogeneous;

TEST_CASE("StVenantKirchhoff: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::StVenantKirchhoff, 3> material{
      "StVenantKirchhoff", pliant::StVenantKirchhoff(lame), [=](const auto& F, const auto&) {
        const Square<3> strain = (F.transpose() * F - Square<3>::Identity()) / 2;
        return Square<3>(F * (2 * mu * strain + lambda * strain.trace() * Square<3>::Identity()));
      }};
  validation::Record record("homogeneous", "st_venant_kirchhoff");
  agrees<pliant::Hex8>(record, material);
}
