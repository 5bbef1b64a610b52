// Polar decomposition of 2x2 and 3x3 matrices in its rotation variant, for scalars and lanes alike.
#pragma once

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/svd.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

// F = R * S.
template <class T, int D>
struct Polar {
  SmallMatrix<T, D, D> R;  // the rotation (det +1) nearest to F
  SmallMatrix<T, D, D> S;  // symmetric, the stretch; indefinite if det F < 0
};

// The polar decomposition of F (2x2 or 3x3): R = U V^T and S = V diag(sigma) V^T with the factors of svd(F).
//
// R S equals F, and R^T R equals I, to a few units of rounding, for any scale and rank of F. R is unique
// unless the two smallest singular values cancel, sigma[D-2] + sigma[D-1] = 0 (a line, a point, a reflection
// of a disc); then one of the nearest rotations is returned.
template <class T, int D>
Polar<T, D> polar(const SmallMatrix<T, D, D>& F) {
  static_assert(D == 2 || D == 3, "polar takes 2x2 and 3x3 matrices");
  Polar<T, D> result;
  auto& [R, S] = result;
  if constexpr (D == 2) {
    const auto scale = detail::algebra::binary_scale(F);
    SmallMatrix<T, 2, 2> scaled;
    PLIANT_UNROLL for (int i = 0; i < 4; ++i) scaled(i) = F(i) * scale.inverse;
    const auto rotation = detail::algebra::nearest_plane_rotation(scaled);
    const auto stretch = detail::algebra::plane_stretch(scaled, rotation);
    R = rotation.matrix();
    PLIANT_UNROLL for (int j = 0; j < 2; ++j) {
      PLIANT_UNROLL for (int i = 0; i < 2; ++i) S(i, j) = stretch[i + j] * scale.value;
    }
  } else {
    const auto [U, sigma, V] = svd(F);
    PLIANT_UNROLL for (int j = 0; j < 3; ++j) {
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) R(i, j) =
          U(i, 0) * V(j, 0) + U(i, 1) * V(j, 1) + U(i, 2) * V(j, 2);
    }
    PLIANT_UNROLL for (int j = 0; j < 3; ++j) {
      PLIANT_UNROLL for (int i = 0; i <= j; ++i) {
        S(i, j) = sigma[0] * V(i, 0) * V(j, 0) + sigma[1] * V(i, 1) * V(j, 1) + sigma[2] * V(i, 2) * V(j, 2);
        S(j, i) = S(i, j);
      }
    }
  }
  return result;
}

}  // namespace pliant
