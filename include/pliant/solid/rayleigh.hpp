// Rayleigh damping.
#pragma once

#include <pliant/core/error.hpp>

namespace pliant {

// Damping force -(alpha M + beta K) v, M the mass and K the stiffness. A mode of angular frequency omega has
// the damping ratio (alpha / omega + beta omega) / 2; a ratio above one is overdamped and slow, never
// growing.
struct Rayleigh {
  double alpha = 0;  // 1/s, >= 0
  double beta = 0;   // s, >= 0

  // The coefficients that give the damping ratios zeta1, zeta2 [-] at the angular frequencies omega1, omega2
  // [rad/s]. Throws ParameterError where no pair of non-negative coefficients does.
  static Rayleigh from_ratios(double omega1, double zeta1, double omega2, double zeta2) {
    detail::require_parameter(omega1 > 0, "omega1", omega1, "must be positive (rad/s)");
    detail::require_parameter(omega2 > 0 && omega2 != omega1, "omega2", omega2,
                              "must be positive and differ from omega1 (rad/s)");
    const double squares = omega2 * omega2 - omega1 * omega1;
    const Rayleigh result{2 * omega1 * omega2 * (zeta1 * omega2 - zeta2 * omega1) / squares,
                          2 * (zeta2 * omega2 - zeta1 * omega1) / squares};
    result.check();
    return result;
  }

  // Throws ParameterError unless both are finite and not negative.
  void check() const {
    detail::require_parameter(alpha >= 0, "alpha", alpha, "mass damping must not be negative (1/s)");
    detail::require_parameter(beta >= 0, "beta", beta, "stiffness damping must not be negative (s)");
  }
};

}  // namespace pliant
