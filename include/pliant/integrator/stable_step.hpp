// The longest stable step of explicit integration.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <pliant/core/error.hpp>
#include <pliant/integrator/concept.hpp>

namespace pliant::detail::integrator {

// An upper bound of the magnitudes of the eigenvalues of M^-1 A over the free nodes; if A is the stiffness it
// bounds omega^2 [1/s^2] of all modes. For any positive vector y the largest ratio of the entries of M^-1 |A|
// y to those of y is such a bound (Collatz 1942, Wielandt 1950; with y = 1, Gershgorin's), and a few steps of
// the power iteration on y reduce it to the largest eigenvalue of M^-1 |A|, a few per cent above that of M^-1
// A. The power iteration on A itself would approach it from below, so that its estimate of the stable step
// would be too long. Overwrites A; y and z are scratch. The result is not finite if A is not.
template <class Filter, class Vector, class Matrix>
double bound_eigenvalues(const Filter& filter, const Vector& mass, Matrix& A, Vector& y, Vector& z) {
  using Scalar = typename Vector::Scalar;
  constexpr int products = 4;
  constexpr Scalar smallest(1e-30f);  // keeps y positive
  filter.apply(A);
  for (const int node : filter.fixed_nodes()) A.diagonal(node).setZero();
  A.take_magnitudes();
  for (std::ptrdiff_t i = 0; i < mass.nodes(); ++i) {
    for (int axis = 0; axis < Vector::dim; ++axis) y.node(i)(axis) = 1 / std::sqrt(mass.node(i)(axis));
  }
  double bound = std::numeric_limits<double>::infinity();
  for (int k = 0; k < products; ++k) {
    (void)A.multiply(y, z);
    double ratio = 0;
    Scalar largest = 0;
    for (std::ptrdiff_t i = 0; i < mass.nodes(); ++i) {
      for (int axis = 0; axis < Vector::dim; ++axis) {
        const Scalar old = y.node(i)(axis), next = z.node(i)(axis) / mass.node(i)(axis);
        if (!core::is_finite(static_cast<double>(next))) return static_cast<double>(next);
        ratio = std::max(ratio, static_cast<double>(next / old));
        z.node(i)(axis) = next;
        largest = std::max(largest, next);
      }
    }
    bound = std::min(bound, ratio);
    if (!(largest > 0)) break;
    for (std::ptrdiff_t i = 0; i < mass.nodes(); ++i) {
      y.node(i) = (z.node(i) / largest).cwiseMax(smallest);
    }
  }
  return bound;
}

// The longest stable step [s] of central differences whose stiffness damping lags by half a step, if omega^2
// <= stiffness [1/s^2] and the eigenvalues of M^-1 D, with the stiffness damping D, are at most damping
// [1/s]: the step h for which h^2 stiffness + 2 h damping = 4. For one mode with the damping ratio zeta it is
// (2 / omega) (sqrt(1 + zeta^2) - zeta). Infinite if both are zero; zero, for no stable step, if one of them
// is not finite.
inline double longest_stable_step(double stiffness, double damping) {
  const double sum = damping + std::sqrt(damping * damping + 4 * stiffness);
  if (!core::is_finite(sum)) return 0;
  return sum > 0 ? 4 / sum : std::numeric_limits<double>::infinity();
}

}  // namespace pliant::detail::integrator
