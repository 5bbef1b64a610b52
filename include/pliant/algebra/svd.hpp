// Singular value decomposition of 2x2 and 3x3 matrices in its rotation variant, for scalars and lanes.
#pragma once

#include <limits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/symmetric_eigen.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

// F = U * diag(sigma) * V^T.
template <class T, int D>
struct Svd {
  SmallMatrix<T, D, D> U;   // a rotation (det +1)
  SmallVector<T, D> sigma;  // |sigma| descending; all but the last >= 0, the last has the sign of det F
  SmallMatrix<T, D, D> V;   // a rotation (det +1)
};

namespace detail::algebra {

// The rotation nearest to [a b; c d]. It maximises trace(R^T F), so (cos, sin) has the direction of
// (a + d, c - b); if that vanishes every rotation is equally near, and the identity is returned.
template <class T>
PLIANT_INLINE PlaneRotation<T> nearest_plane_rotation(const SmallMatrix<T, 2, 2>& F) {
  using std::max;
  using std::sqrt;
  const T smallest(std::numeric_limits<scalar_of<T>>::min());
  const T x = F(0, 0) + F(1, 1), y = F(1, 0) - F(0, 1);
  const T norm2 = x * x + y * y;
  const auto regular = norm2 > smallest;
  const T inverse_norm = T(1) / sqrt(max(norm2, smallest));
  return {select(regular, T(x * inverse_norm), T(1)), select(regular, T(y * inverse_norm), T(0))};
}

// R^T F of the nearest rotation R, which is symmetric: S00, S01, S11.
template <class T>
PLIANT_INLINE SmallVector<T, 3> plane_stretch(const SmallMatrix<T, 2, 2>& F, const PlaneRotation<T>& R) {
  const auto [c, s] = R;
  return {c * F(0, 0) + s * F(1, 0), constant<T>(0.5) * (c * (F(0, 1) + F(1, 0)) + s * (F(1, 1) - F(0, 0))),
          c * F(1, 1) - s * F(0, 1)};
}

template <class T>
struct PlaneSvd {
  PlaneRotation<T> U;
  SmallVector<T, 2> sigma;
  PlaneRotation<T> V;
};

// In closed form: F = R S, S = V diag(sigma) V^T, U = R V.
template <class T>
PLIANT_INLINE PlaneSvd<T> plane_svd(const SmallMatrix<T, 2, 2>& F) {
  const auto R = nearest_plane_rotation(F);
  const auto S = plane_stretch(F, R);
  const auto [values, V] = plane_eigen<T>(S[0], S[1], S[2]);
  return {{R.c * V.c - R.s * V.s, R.s * V.c + R.c * V.s}, values, V};
}

// The SVD of a 3x3 matrix with moderate entries. V from the eigenvectors of F^T F is accurate for the largest
// singular value only: squaring loses those below sqrt(epsilon) |F|. So F^T F gives only one pair (u0, v0); F
// restricted to the planes orthogonal to them is a 2x2 matrix, which is decomposed in closed form.
template <class T>
PLIANT_INLINE Svd<T, 3> scaled_svd(const SmallMatrix<T, 3, 3>& F) {
  using std::max;
  using std::min;
  using std::sqrt;
  const T smallest(std::numeric_limits<scalar_of<T>>::min());
  Svd<T, 3> result;
  auto& [U, sigma, V] = result;

  V = space_eigen<T>(transposed_times<T, 3, 3, 3>(F, F)).vectors;
  const SmallMatrix<T, 3, 3> B = times<T, 3, 3, 3>(F, V);
  const T norm2 = B(0, 0) * B(0, 0) + B(1, 0) * B(1, 0) + B(2, 0) * B(2, 0);
  const T norm = sqrt(norm2);
  const auto regular = norm2 > smallest;  // otherwise F = 0, and any frame is valid
  const T inverse_norm = T(1) / max(norm, smallest);
  U = frame_from<T>({select(regular, T(B(0, 0) * inverse_norm), T(1)),
                     select(regular, T(B(1, 0) * inverse_norm), T(0)),
                     select(regular, T(B(2, 0) * inverse_norm), T(0))});
  const SmallMatrix<T, 3, 3> UtB = transposed_times<T, 3, 3, 3>(U, B);
  SmallMatrix<T, 2, 2> rest;
  PLIANT_UNROLL for (int j = 0; j < 2; ++j) {
    PLIANT_UNROLL for (int i = 0; i < 2; ++i) rest(i, j) = UtB(i + 1, j + 1);
  }
  const auto plane = plane_svd(rest);
  rotate_columns<1, 2>(U, plane.U);
  rotate_columns<1, 2>(V, plane.V);

  // Rounding may exchange equal singular values: sorting the numbers alone costs no accuracy.
  sigma[0] = max(norm, plane.sigma[0]);
  sigma[1] = max(T(0), min(norm, plane.sigma[0]));
  sigma[2] = max(T(-sigma[1]), min(sigma[1], plane.sigma[1]));
  return result;
}

template <class T>
PLIANT_INLINE Svd<T, 2> scaled_svd(const SmallMatrix<T, 2, 2>& F) {
  using std::max;
  using std::min;
  const auto [U, sigma, V] = plane_svd(F);
  Svd<T, 2> result;
  result.U = U.matrix();
  result.V = V.matrix();
  result.sigma[0] = max(sigma[0], T(0));
  result.sigma[1] = max(T(-result.sigma[0]), min(result.sigma[0], sigma[1]));
  return result;
}

}  // namespace detail::algebra

// The singular value decomposition of F (2x2 or 3x3).
//
// U diag(sigma) V^T equals F, and U^T U and V^T V equal I, to a few units of rounding, for any scale and rank
// of F; each singular value is within a few units of rounding of the LARGEST one. If singular values
// coincide, one of the possible frames is returned. Finite for every finite F, unless a sigma exceeds the
// range of T.
template <class T, int D>
Svd<T, D> svd(const SmallMatrix<T, D, D>& F) {
  static_assert(D == 2 || D == 3, "svd takes 2x2 and 3x3 matrices");
  const auto scale = detail::algebra::binary_scale(F);
  SmallMatrix<T, D, D> scaled;
  PLIANT_UNROLL for (int i = 0; i < D * D; ++i) scaled(i) = F(i) * scale.inverse;
  Svd<T, D> result = detail::algebra::scaled_svd(scaled);
  PLIANT_UNROLL for (int i = 0; i < D; ++i) result.sigma[i] *= scale.value;
  return result;
}

}  // namespace pliant
