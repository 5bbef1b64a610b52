// Uniaxial stress and simple shear of a body of CorotatedLinear.
#include "validation/homogeneous.hpp"

#include <pliant/energy/corotated_linear.hpp>

using namespace homogeneous;

TEST_CASE("CorotatedLinear: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::CorotatedLinear, 3> material{
      "CorotatedLinear", pliant::CorotatedLinear(lame), [=](const auto& F, const auto& R) {
        return Square<3>(2 * mu * (F - R) + lambda * ((R.transpose() * F).trace() - 3) * R);
      }};
  validation::Record record("homogeneous", "corotated_linear");
  agrees<pliant::Hex8>(record, material);
}
