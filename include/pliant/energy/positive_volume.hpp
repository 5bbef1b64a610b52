// Helpers of the energies that are defined for J = det F > 0 only.
#pragma once

#include <limits>

#include <pliant/simd/lane.hpp>

namespace pliant::detail::energy {

// The smallest J that counts as positive: the smallest normal number.
template <class T>
PLIANT_INLINE T smallest_volume() {
  return T(std::numeric_limits<scalar_of<T>>::min());
}

// J if it is positive and finite, otherwise a number for which logarithms and roots are defined.
template <class T>
PLIANT_INLINE T inside_domain(const T& J) {
  const T largest = T(std::numeric_limits<scalar_of<T>>::max());
  return select(J >= smallest_volume<T>(), select(J <= largest, J, largest), constant<T>(1));
}

// `psi` if J is positive, otherwise +infinity: no line search then accepts such a state.
template <class T>
PLIANT_INLINE T infinite_outside(const T& J, const T& psi) {
  return select(J >= smallest_volume<T>(), psi, T(std::numeric_limits<scalar_of<T>>::infinity()));
}

// 1/J if J is positive, otherwise 0: the unit of the derivatives with respect to J (InvariantDerivatives).
template <class T>
PLIANT_INLINE T inverse_volume(const T& J) {
  return select(J >= smallest_volume<T>(), constant<T>(1) / inside_domain(J), constant<T>(0));
}

}  // namespace pliant::detail::energy
