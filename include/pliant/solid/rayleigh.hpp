// Rayleigh damping.
#pragma once

#include <cmath>
#include <limits>

#include <pliant/core/error.hpp>

namespace pliant {

// Damping force -(alpha M + D) v, M the mass. A mode of angular frequency omega of a body near rest has the
// damping ratio (alpha / omega + beta omega) / 2; a ratio above one is overdamped: the motion is slow, but
// stable.
//
// D damps deformation: with the deformation gradient F of each quadrature point and its rest volume w,
//   v.D v = sum w G':beta C:G',   G' = sym(F^T grad v) the rate of Green's strain,
// which is the Kelvin-Voigt viscous stress F beta C:G', with Hooke's law C of the energy at rest
// (viscosity.hpp). At rest D is beta K, K the stiffness; with LinearElastic this holds everywhere. In other
// states beta K v does not vanish when a stressed body rotates, and would slow the rotation. In every state
// the forces of D v sum to zero, as do their moments, and D is positive semidefinite.
struct Rayleigh {
  double alpha = 0;  // 1/s, >= 0
  double beta = 0;   // s, >= 0

  // The coefficients that give the damping ratios zeta1, zeta2 [-] at the angular frequencies omega1, omega2
  // [rad/s]. Throws ParameterError if no pair of non-negative coefficients does: between the frequencies the
  // damping ratio may not change by a greater factor than the frequency.
  static Rayleigh from_ratios(double omega1, double zeta1, double omega2, double zeta2) {
    detail::core::require_parameter(omega1 > 0, "omega1", omega1, "must be positive (rad/s)");
    detail::core::require_parameter(omega2 > 0 && omega2 != omega1, "omega2", omega2,
                                    "must be positive and differ from omega1 (rad/s)");
    detail::core::require_parameter(zeta1 >= 0, "zeta1", zeta1, "a damping ratio must not be negative");
    detail::core::require_parameter(zeta2 >= 0, "zeta2", zeta2, "a damping ratio must not be negative");
    const double squares = omega2 * omega2 - omega1 * omega1;
    const Rayleigh result{2 * omega1 * omega2 * difference(zeta1 * omega2, zeta2 * omega1) / squares,
                          2 * difference(zeta2 * omega2, zeta1 * omega1) / squares};
    detail::core::require_parameter(
        result.alpha >= 0, "alpha", result.alpha,
        "would be the mass damping (1/s), which must not be negative: from the lower to the "
        "higher frequency the ratio must not rise by a greater factor than the frequency");
    detail::core::require_parameter(
        result.beta >= 0, "beta", result.beta,
        "would be the stiffness damping (s), which must not be negative: from the lower to "
        "the higher frequency the ratio must not fall by a greater factor than the "
        "frequency rises");
    return result;
  }

  // The same for frequencies in cycles per second [Hz]; omega = 2 pi times the frequency.
  static Rayleigh from_frequencies(double frequency1, double zeta1, double frequency2, double zeta2) {
    detail::core::require_parameter(frequency1 > 0, "frequency1", frequency1, "must be positive (Hz)");
    detail::core::require_parameter(frequency2 > 0 && frequency2 != frequency1, "frequency2", frequency2,
                                    "must be positive and differ from frequency1 (Hz)");
    constexpr double turn = 6.283185307179586;  // 2 pi
    return from_ratios(turn * frequency1, zeta1, turn * frequency2, zeta2);
  }

  // Throws ParameterError unless both are finite and not negative.
  void check() const {
    detail::core::require_parameter(alpha >= 0, "alpha", alpha, "mass damping must not be negative (1/s)");
    detail::core::require_parameter(beta >= 0, "beta", beta, "stiffness damping must not be negative (s)");
  }

 private:
  // a - b, or zero if they differ by rounding only, so that ratios of mass or stiffness damping alone are
  // accepted.
  static double difference(double a, double b) {
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    return std::abs(a - b) <= rounding * (std::abs(a) + std::abs(b)) ? 0 : a - b;
  }
};

}  // namespace pliant
