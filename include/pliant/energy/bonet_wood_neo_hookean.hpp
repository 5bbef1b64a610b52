// The compressible neo-Hookean energy with logarithmic volume terms.
#pragma once

#include <limits>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu/2 (|F|^2 - dim) - mu ln J + lambda/2 (ln J)^2 for J > 0, with mu and lambda the Lame parameters.
// Bonet and Wood, "Nonlinear Continuum Mechanics for Finite Element Analysis", 2nd ed., eq. 6.27. For J <= 0
// the energy is not defined: psi is +infinity there, so that no line search accepts such a state, and P and
// the Hessian are those of the smallest positive J, finite and without meaning.
class BonetWoodNeoHookean : public LameMaterial<BonetWoodNeoHookean>,
                            public IsotropicEnergy<BonetWoodNeoHookean> {
 public:
  static constexpr bool linear_in_I2 = true;

  using LameMaterial::LameMaterial;

  template <int>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda};
  }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    using std::log;
    const RawCoefficients c = coefficients<Dim>();
    const auto defined = J > constant<T>(0);
    const T log_J = log(select(defined, J, constant<T>(1)));
    const T value = constant<T>(0.5 * c.mu) * (I2 - constant<T>(Dim)) +
                    log_J * (constant<T>(0.5 * c.lambda) * log_J - constant<T>(c.mu));
    return select(defined, value, T(std::numeric_limits<scalar_of<T>>::infinity()));
  }

  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T&, const T& J) const {
    using std::log;
    const RawCoefficients c = coefficients<Dim>();
    const T smallest = T(std::sqrt(std::numeric_limits<scalar_of<T>>::min()));
    const T positive = select(J > smallest, J, smallest);
    const T inverse = constant<T>(1) / positive;
    const T slope = constant<T>(c.lambda) * log(positive) - constant<T>(c.mu);  // J dpsi/dJ
    return {.d2 = constant<T>(0.5 * c.mu),
            .d3 = slope * inverse,
            .d33 = (constant<T>(c.lambda) - slope) * inverse * inverse};
  }
};

static_assert(Energy<BonetWoodNeoHookean, 2> && Energy<BonetWoodNeoHookean, 3>);

}  // namespace pliant
