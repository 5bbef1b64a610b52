// What the energies that are defined for J = det F > 0 only have in common.
#pragma once

#include <limits>

#include <pliant/simd/lane.hpp>

namespace pliant::detail {

// The smallest J that counts as positive: the smallest normal number.
template <class T>
PLIANT_INLINE T smallest_volume() {
  return T(std::numeric_limits<scalar_of<T>>::min());
}

// J where it is positive and did not overflow, else a number that logarithms and roots can take.
template <class T>
PLIANT_INLINE T inside_domain(const T& J) {
  const T largest = T(std::numeric_limits<scalar_of<T>>::max());
  return select(J >= smallest_volume<T>(), select(J <= largest, J, largest), constant<T>(1));
}

// `psi` where J is positive, +infinity elsewhere: no line search then accepts such a state.
template <class T>
PLIANT_INLINE T infinite_outside(const T& J, const T& psi) {
  return select(J >= smallest_volume<T>(), psi, T(std::numeric_limits<scalar_of<T>>::infinity()));
}

// 1/J where J is positive, 0 elsewhere: the unit of the derivatives with respect to J (InvariantDerivatives).
template <class T>
PLIANT_INLINE T inverse_volume(const T& J) {
  return select(J >= smallest_volume<T>(), constant<T>(1) / inside_domain(J), constant<T>(0));
}

}  // namespace pliant::detail
