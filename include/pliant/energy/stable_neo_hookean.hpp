// The stable neo-Hookean energy.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu/2 (|F|^2 - dim) - mu (J - 1) + lambda/2 (J - 1)^2, defined for every F, including inverted and
// flat ones. Smith, de Goes, Kim 2018, "Stable neo-Hookean flesh simulation", eq. 13 without the logarithmic
// barrier, shifted so that psi(I) = 0. Rest stability and Hooke's law need mu = mu_L and lambda = lambda_L +
// mu_L, in every dimension. F = 0 is a stable equilibrium of a single element in 3D, and a saddle in 2D.
class StableNeoHookean : public LameMaterial<StableNeoHookean>, public IsotropicEnergy<StableNeoHookean> {
 public:
  static constexpr bool linear_in_I2 = true;

  using LameMaterial::LameMaterial;

  template <int>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda + mu};
  }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T excess = J - constant<T>(1);
    return constant<T>(0.5 * c.mu) * (I2 - constant<T>(Dim)) +
           excess * (constant<T>(0.5 * c.lambda) * excess - constant<T>(c.mu));
  }

  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T&, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    return {.d2 = constant<T>(0.5 * c.mu),
            .d3 = constant<T>(c.lambda) * (J - constant<T>(1)) - constant<T>(c.mu),
            .d33 = constant<T>(c.lambda)};
  }
};

static_assert(require_energy<StableNeoHookean, 2>() && require_energy<StableNeoHookean, 3>());

}  // namespace pliant
