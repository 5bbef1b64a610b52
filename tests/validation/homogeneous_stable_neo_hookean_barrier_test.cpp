// Uniaxial stress and simple shear of a body of StableNeoHookeanBarrier.
#include "validation/homogeneous.hpp"

#include <pliant/energy/stable_neo_hookean_barrier.hpp>

using namespace homogeneous;

TEST_CASE("StableNeoHookeanBarrier: a body in uniaxial stress and in simple shear") {
  const auto lame = pliant::Lame::from_young_poisson(1, 0.3);
  const double mu = lame.mu(), lambda = lame.lambda();
  const Material<pliant::StableNeoHookeanBarrier, 3> material{
      "StableNeoHookeanBarrier", pliant::StableNeoHookeanBarrier(lame), [=](const auto& F, const auto&) {
        // The coefficients of the formula, such that P(I) = 0 and dP/dF(I) is Hooke's law.
        const double m = 4 * mu / 3, l = lambda + 5 * mu / 6;
        return Square<3>(m * (1 - 1 / (F.squaredNorm() + 1)) * F +
                         (l * (F.determinant() - 1) - 3 * m / 4) * cofactor<3>(F));
      }};
  validation::Record record("homogeneous", "stable_neo_hookean_barrier");
  agrees<pliant::Hex8>(record, material);
}
