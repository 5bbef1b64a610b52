// Uniaxial stress and simple shear of a body of FixedCorotated.
#include "validation/homogeneous.hpp"

#include <pliant/energy/fixed_corotated.hpp>

using namespace homogeneous;

TEST_CASE("FixedCorotated: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::FixedCorotated, 3> material{
      "FixedCorotated", pliant::FixedCorotated(lame), [=](const auto& F, const auto& R) {
        return Square<3>(2 * mu * (F - R) + lambda * (F.determinant() - 1) * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "fixed_corotated");
  agrees<pliant::Hex8>(record, material);
}
