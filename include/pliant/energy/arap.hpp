// As rigid as possible.
#pragma once

#include <pliant/energy/concept.hpp>
#include <pliant/energy/corotational.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu |F - R|^2 with R the rotation nearest to F. The only energy of the library that does not fulfil
// the contract of Lame: it has no lambda, so that at rest it is Hooke's law with nu = 0 and the given shear
// modulus. Sorkine and Alexa 2007, "As-rigid-as-possible surface modeling", for solids.
class Arap : public LameMaterial<Arap>, public CorotationalEnergy<Arap> {
 public:
  using LameMaterial::LameMaterial;

  template <int>
  static RawCoefficients coefficients_from(double mu, double) {
    return {mu, 0};
  }

  RawCoefficients split_coefficients() const { return {coefficients<3>().mu, 0}; }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I1, const T& I2, const T&) const {
    const T mu = constant<T>(coefficients<Dim>().mu);
    return mu * (I2 - (I1 + I1) + constant<T>(Dim));
  }

  template <int Dim, class T>
  PLIANT_INLINE CorotationalDerivatives<T> derivatives(const T&, const T&, const T&) const {
    const double mu = coefficients<Dim>().mu;
    return {.d1 = constant<T>(-2 * mu), .d2 = constant<T>(mu), .d3 = constant<T>(0)};
  }
};

static_assert(require_energy<Arap, 2>() && require_energy<Arap, 3>());

}  // namespace pliant
