// The compressible neo-Hookean energy with a logarithm and a quadratic volume term.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/positive_volume.hpp>

namespace pliant {

// psi = mu/2 (|F|^2 - dim) - mu ln J + lambda/2 (J - 1)^2 for J > 0, with mu and lambda the Lame parameters.
// Ogden, "Non-linear Elastic Deformations". Unlike that of BonetWoodNeoHookean its volume term is convex in
// J.
//
// For J <= 0, as for BonetWoodNeoHookean, psi is +infinity, and P and the Hessian are those of mu/2 |F|^2.
class OgdenNeoHookean : public LameMaterial<OgdenNeoHookean>, public IsotropicEnergy<OgdenNeoHookean> {
 public:
  static constexpr bool linear_in_I2 = true;

  using LameMaterial::LameMaterial;

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    using std::log;
    const RawCoefficients& c = coefficients<Dim>();
    const T excess = J - constant<T>(1);
    return detail::energy::infinite_outside(J, T(constant<T>(0.5 * c.mu) * (I2 - constant<T>(Dim)) -
                                                 constant<T>(c.mu) * log(detail::energy::inside_domain(J)) +
                                                 constant<T>(0.5 * c.lambda) * excess * excess));
  }

  // In units of 1/J: J dpsi/dJ = lambda (J - 1) J - mu and J^2 d2psi/dJ2 = lambda J^2 + mu.
  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T&, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T lambda_J = constant<T>(c.lambda) * J;
    return {.d2 = constant<T>(0.5 * c.mu),
            .d3 = lambda_J * (J - constant<T>(1)) - constant<T>(c.mu),
            .d33 = lambda_J * J + constant<T>(c.mu),
            .unit = detail::energy::inverse_volume(J)};
  }
};

static_assert(require_energy<OgdenNeoHookean, 2>() && require_energy<OgdenNeoHookean, 3>());

}  // namespace pliant
