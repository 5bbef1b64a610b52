// What is done to a Hessian that is not positive semidefinite.
#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <pliant/core/lane.hpp>
#include <pliant/core/matrix.hpp>

namespace pliant {

enum class Projection {
  none,     // the Hessian as it is
  clamp,    // negative eigenvalues become zero
  absolute  // negative eigenvalues change sign
};

// An eigenvalue after projection.
template <Projection projection, class T>
PLIANT_INLINE T projected(const T& eigenvalue) {
  using std::abs;
  using std::max;
  if constexpr (projection == Projection::clamp) return max(eigenvalue, T(0));
  else if constexpr (projection == Projection::absolute) return abs(eigenvalue);
  else return eigenvalue;
}

// The projection of a symmetric matrix by a numerical eigensolver, lane by lane: for energies without an
// analytic eigensystem, and the truth that the analytic ones are tested against.
template <class T, int Size>
SmallMatrix<T, Size, Size> project_numerically(const SmallMatrix<T, Size, Size>& H, Projection projection) {
  if (projection == Projection::none) return H;
  using Scalar = scalar_of<T>;
  SmallMatrix<T, Size, Size> result = H;
  for (int l = 0; l < width_of<T>; ++l) {
    SmallMatrix<Scalar, Size, Size> one;
    for (int k = 0; k < Size * Size; ++k) one.data()[k] = lane(H.data()[k], l);
    const Eigen::SelfAdjointEigenSolver<SmallMatrix<Scalar, Size, Size>> eigen(one);
    const SmallVector<Scalar, Size> values = projection == Projection::clamp
                                                 ? SmallVector<Scalar, Size>(eigen.eigenvalues().cwiseMax(0))
                                                 : SmallVector<Scalar, Size>(eigen.eigenvalues().cwiseAbs());
    one = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    for (int k = 0; k < Size * Size; ++k) set_lane(result.data()[k], l, one.data()[k]);
  }
  return result;
}

}  // namespace pliant
