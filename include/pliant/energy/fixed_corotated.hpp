// Fixed corotated elasticity.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/corotational.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu |F - R|^2 + lambda/2 (J - 1)^2 with R the rotation nearest to F, defined for every F. Stomakhin,
// Howes, Schroeder, Teran 2012, "Energetically consistent invertible elasticity", section 3.
class FixedCorotated : public LameMaterial<FixedCorotated>, public CorotationalEnergy<FixedCorotated> {
 public:
  using LameMaterial::LameMaterial;

  RawCoefficients split_coefficients() const { return coefficients<3>(); }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I1, const T& I2, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T excess = J - constant<T>(1);
    return constant<T>(c.mu) * (I2 - (I1 + I1) + constant<T>(Dim)) +
           constant<T>(0.5 * c.lambda) * excess * excess;
  }

  template <int Dim, class T>
  PLIANT_INLINE CorotationalDerivatives<T> derivatives(const T&, const T&, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    return {.d1 = constant<T>(-2 * c.mu),
            .d2 = constant<T>(c.mu),
            .d3 = constant<T>(c.lambda) * (J - constant<T>(1)),
            .d33 = constant<T>(c.lambda)};
  }
};

static_assert(require_energy<FixedCorotated, 2>() && require_energy<FixedCorotated, 3>());

}  // namespace pliant
