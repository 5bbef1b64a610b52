// Corotated linear elasticity.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/corotational.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu |F - R|^2 + lambda/2 tr(S - I)^2 with F = R S: Hooke's law in the frame rotated by R, defined for
// every F, with weak resistance to inversion. Mueller and Gross 2004, "Interactive virtual materials", with
// the full derivative of R.
class CorotatedLinear : public LameMaterial<CorotatedLinear>, public CorotationalEnergy<CorotatedLinear> {
 public:
  using LameMaterial::LameMaterial;

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I1, const T& I2, const T&) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T trace = I1 - constant<T>(Dim);
    return constant<T>(c.mu) * (I2 - (I1 + I1) + constant<T>(Dim)) +
           constant<T>(0.5 * c.lambda) * trace * trace;
  }

  template <int Dim, class T>
  PLIANT_INLINE CorotationalDerivatives<T> derivatives(const T& I1, const T&, const T&) const {
    const RawCoefficients& c = coefficients<Dim>();
    return {.d1 = constant<T>(c.lambda) * (I1 - constant<T>(Dim)) - constant<T>(2 * c.mu),
            .d2 = constant<T>(c.mu),
            .d3 = constant<T>(0),
            .d11 = constant<T>(c.lambda)};
  }
};

static_assert(require_energy<CorotatedLinear, 2>() && require_energy<CorotatedLinear, 3>());

}  // namespace pliant
