// Uniaxial stress and simple shear of a body of Arap.
#include "validation/homogeneous.hpp"

#include <pliant/energy/arap.hpp>

using namespace homogeneous;

TEST_CASE("Arap: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu();
  const Material<pliant::Arap, 3> material{
      "Arap", pliant::Arap(lame), [=](const auto& F, const auto& R) { return Square<3>(2 * mu * (F - R)); }};
  validation::Record record("homogeneous", "arap");
  agrees<pliant::Hex8>(record, material);
}
