// The compressible neo-Hookean energy with logarithmic volume terms.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/positive_volume.hpp>

namespace pliant {

// psi = mu/2 (|F|^2 - dim) - mu ln J + lambda/2 (ln J)^2 for J > 0, with mu and lambda the Lame parameters.
// Bonet and Wood, "Nonlinear Continuum Mechanics for Finite Element Analysis", 2nd ed., eq. 6.27.
//
// For J <= 0 the energy is undefined: psi is +infinity, so that no line search accepts such a state, and P
// and the Hessian are those of mu/2 |F|^2 alone, finite but without meaning. A J below the smallest normal
// number of the precision (1e-308, 1e-38 in float) counts as zero.
class BonetWoodNeoHookean : public LameMaterial<BonetWoodNeoHookean>,
                            public IsotropicEnergy<BonetWoodNeoHookean> {
 public:
  static constexpr bool linear_in_I2 = true;

  using LameMaterial::LameMaterial;

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    using std::log;
    const RawCoefficients& c = coefficients<Dim>();
    const T log_J = log(detail::energy::inside_domain(J));
    const T value = constant<T>(0.5 * c.mu) * (I2 - constant<T>(Dim)) +
                    log_J * (constant<T>(0.5 * c.lambda) * log_J - constant<T>(c.mu));
    return detail::energy::infinite_outside(J, value);
  }

  // In units of 1/J: J dpsi/dJ = lambda ln J - mu and J^2 d2psi/dJ2 = lambda + mu - lambda ln J.
  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T&, const T& J) const {
    using std::log;
    const RawCoefficients& c = coefficients<Dim>();
    const T slope = constant<T>(c.lambda) * log(detail::energy::inside_domain(J)) - constant<T>(c.mu);
    return {.d2 = constant<T>(0.5 * c.mu),
            .d3 = slope,
            .d33 = constant<T>(c.lambda) - slope,
            .unit = detail::energy::inverse_volume(J)};
  }
};

static_assert(require_energy<BonetWoodNeoHookean, 2>() && require_energy<BonetWoodNeoHookean, 3>());

}  // namespace pliant
