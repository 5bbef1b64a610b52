// The neo-Hookean energy of the isochoric part of F.
#pragma once

#include <limits>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu/2 (|J|^(-2/dim) |F|^2 - dim) + kappa/2 (J - 1)^2 for J != 0: the first term is invariant under
// changes of volume, the second depends on the volume alone. Bower, "Applied Mechanics of Solids", section
// 3.5. mu is the shear modulus and the second coefficient the bulk modulus, kappa = lambda_L + 2 mu_L / dim.
//
// psi grows without bound as J tends to 0, except if F shrinks uniformly in all directions, when it stays
// finite. It is finite for J < 0 too, so that a long step can invert an element, which then stays inverted.
// |J| below the smallest normal number of the precision counts as zero: then psi is +infinity, and P and the
// Hessian are zero, without meaning.
class BowerNeoHookean : public LameMaterial<BowerNeoHookean>, public IsotropicEnergy<BowerNeoHookean> {
 public:
  using LameMaterial::LameMaterial;

  template <int Dim>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda + 2 * mu / Dim};
  }

  template <int Dim, class T>
  PLIANT_INLINE T density(const T& I2, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T excess = J - constant<T>(1);
    const T value = constant<T>(0.5 * c.mu) * (inverse_square_size<Dim>(J) * I2 - constant<T>(Dim)) +
                    constant<T>(0.5 * c.lambda) * excess * excess;
    return simd::select(defined(J), value, T(std::numeric_limits<simd::scalar_of<T>>::infinity()));
  }

  // In units of 1/J, with a = |J|^(-2/dim):
  //   J dpsi/dJ = -mu a I2 / dim + kappa (J - 1) J,  J^2 d2psi/dJ2 = mu a I2 (1 + 2/dim) / dim + kappa J^2,
  //   J d2psi/dI2 dJ = -mu a / dim.
  template <int Dim, class T>
  PLIANT_INLINE InvariantDerivatives<T> derivatives(const T& I2, const T& J) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T zero = constant<T>(0);
    const T shear = constant<T>(c.mu) * inverse_square_size<Dim>(J);
    const T part = constant<T>(1.0 / Dim) * shear * I2;
    const T kappa_J = constant<T>(c.lambda) * J;
    return {
        .d2 = constant<T>(0.5) * shear,
        .d3 = kappa_J * (J - constant<T>(1)) - part,
        .d33 = constant<T>(1 + 2.0 / Dim) * part + kappa_J * J,
        .d23 = constant<T>(-1.0 / Dim) * shear,
        .unit = simd::select(defined(J), constant<T>(1) / simd::select(defined(J), J, constant<T>(1)), zero)};
  }

 private:
  template <class T>
  static PLIANT_INLINE auto defined(const T& J) {
    using std::abs;
    return abs(J) >= T(std::numeric_limits<simd::scalar_of<T>>::min());
  }

  // |J|^(-2/dim), 0 if J = 0.
  template <int Dim, class T>
  static PLIANT_INLINE T inverse_square_size(const T& J) {
    using std::abs;
    using std::cbrt;
    const T size = simd::select(defined(J), T(abs(J)), constant<T>(1));
    T square = size;
    if constexpr (Dim == 3) {
      const T root = cbrt(size);
      square = root * root;
    }
    return simd::select(defined(J), constant<T>(1) / square, constant<T>(0));
  }
};

static_assert(require_energy<BowerNeoHookean, 2>() && require_energy<BowerNeoHookean, 3>());

}  // namespace pliant
