// The stable neo-Hookean energy with its logarithmic barrier.
#pragma once

#include <cmath>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu/2 (|F|^2 - dim) + lambda/2 ((J - alpha)^2 - (1 - alpha)^2) - mu/2 ln((|F|^2 + 1) / (dim + 1)) with
// alpha = 1 + mu/lambda dim/(dim + 1), defined for every F. Smith, de Goes, Kim 2018, "Stable neo-Hookean
// flesh simulation", eq. 14, shifted so that psi(I) = 0. The logarithm makes F = 0 a saddle, which is a
// stable equilibrium of StableNeoHookean in 3D. Hooke's law needs mu = mu_L (dim + 1)/dim and lambda =
// lambda_L + mu_L (1 - 2/(dim (dim + 1))).
class StableNeoHookeanBarrier : public LameMaterial<StableNeoHookeanBarrier>,
                                public IsotropicEnergy<StableNeoHookeanBarrier> {
 public:
  using LameMaterial::LameMaterial;

  template <int Dim>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu * (Dim + 1) / Dim, lambda + mu * (1 - 2.0 / (Dim * (Dim + 1)))};
  }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    using std::log;
    const RawCoefficients& c = coefficients<Dim>();
    const T excess = J - constant<T>(1);
    return constant<T>(0.5 * c.mu) *
               (I2 - constant<T>(Dim) - log(T(constant<T>(1.0 / (Dim + 1)) * (I2 + constant<T>(1))))) +
           excess * (constant<T>(0.5 * c.lambda) * excess - constant<T>(c.mu * Dim / (Dim + 1)));
  }

  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T& I2, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T inverse = constant<T>(1) / (I2 + constant<T>(1));
    const T half_mu = constant<T>(0.5 * c.mu);
    return {.d2 = half_mu * (I2 * inverse),
            .d3 = constant<T>(c.lambda) * (J - constant<T>(1)) - constant<T>(c.mu * Dim / (Dim + 1)),
            .d33 = constant<T>(c.lambda),
            .d22 = half_mu * inverse * inverse};
  }
};

static_assert(require_energy<StableNeoHookeanBarrier, 2>() && require_energy<StableNeoHookeanBarrier, 3>());

}  // namespace pliant
