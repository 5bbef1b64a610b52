// Eigenvalues and eigenvectors of symmetric 2x2 and 3x3 matrices, for scalars and lanes alike.
//
// 2x2 in closed form. 3x3 by Jacobi's method (Golub & Van Loan, Matrix Computations, section 8.5), with a
// fixed number of sweeps and no branch on data: all lanes take the same path. A rotation must be orthogonal
// to rounding, but its angle has to be right to leading order only, and only once the entry it removes is
// small. So the angle comes from a rational approximation, and a rotation costs one division and no root.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include <pliant/core/lane.hpp>
#include <pliant/core/matrix.hpp>

namespace pliant {

// A = vectors * diag(values) * vectors^T.
template <class T, int D>
struct SymmetricEigen {
  SmallVector<T, D> values;      // descending; the unit of A
  SmallMatrix<T, D, D> vectors;  // one unit eigenvector per column; a rotation (det +1)
};

namespace detail {

// A power of two s near the largest |entry| of A, and 1 / s exactly: the entries of A / s are below 4, and
// one is at least 1 unless all are subnormal. Scaling by it rounds nothing.
template <class T>
struct BinaryScale {
  T value;
  T inverse;
};

template <class T, int Rows, int Columns>
PLIANT_INLINE BinaryScale<T> binary_scale(const SmallMatrix<T, Rows, Columns>& A) {
  using std::abs;
  using std::max;
  using std::min;
  using Limits = std::numeric_limits<scalar_of<T>>;
  T largest = abs(A(0, 0));
  for (int i = 1; i < Rows * Columns; ++i) largest = max(largest, T(abs(A(i))));
  const T smallest_scale(Limits::min());  // its inverse is finite, and this one's is normal:
  const T largest_scale(1 / Limits::min());
  const T value = min(max(power_of_two_below(largest), smallest_scale), largest_scale);
  return {value, T(1) / value};
}

// The matrix [c -s; s c].
template <class T>
struct PlaneRotation {
  T c;
  T s;
};

// Columns P and Q of M become those of M * [c -s; s c].
template <int P, int Q, class T, int Rows, int Columns>
PLIANT_INLINE void rotate_columns(SmallMatrix<T, Rows, Columns>& M, const PlaneRotation<T>& rotation) {
  const auto [c, s] = rotation;
  for (int i = 0; i < Rows; ++i) {
    const T p = M(i, P), q = M(i, Q);
    M(i, P) = c * p + s * q;
    M(i, Q) = c * q - s * p;
  }
}

// Exchanges values P < Q and their columns where that puts the larger value first; the column that moves back
// is negated, so a rotation stays one.
template <int P, int Q, class T, int D>
PLIANT_INLINE void sort_descending(SmallVector<T, D>& values, SmallMatrix<T, D, D>& vectors) {
  const auto ascending = values[P] < values[Q];
  const T p = values[P], q = values[Q];
  values[P] = select(ascending, q, p);
  values[Q] = select(ascending, p, q);
  for (int i = 0; i < D; ++i) {
    const T x = vectors(i, P), y = vectors(i, Q);
    vectors(i, P) = select(ascending, y, x);
    vectors(i, Q) = select(ascending, T(-x), y);
  }
}

// Eigenvalues and eigenvectors of [a b; b d], whose entries are below 4 in magnitude.
//
// With t the angle of the first eigenvector, tan 2t = 2 b / (a - d), and (h + |a - d|, 2 b) with
// h = sqrt((a - d)^2 + 4 b^2) has the direction of (cos t, sin t) where a >= d, the mirrored one where a < d.
template <class T>
struct PlaneEigen {
  SmallVector<T, 2> values;
  PlaneRotation<T> rotation;
};

template <class T>
PLIANT_INLINE PlaneEigen<T> plane_eigen(const T& a, const T& b, const T& d) {
  using std::abs;
  using std::max;
  using std::min;
  using std::sqrt;
  const T smallest(std::numeric_limits<scalar_of<T>>::min());
  const T difference = abs(T(a - d));
  const T y = b + b;
  const T x = difference + sqrt(T(difference * difference + y * y));
  const T norm2 = x * x + y * y;
  const auto regular = norm2 > smallest;  // elsewhere a = d, b = 0 to far below rounding: no rotation
  const T inverse_norm = T(1) / sqrt(max(norm2, smallest));
  const T c = select(regular, T(x * inverse_norm), T(1));
  const T s = select(regular, T(y * inverse_norm), T(0));
  const T shift = s * (c * y - s * difference);  // (h - |a - d|) / 2 without its cancellation
  const auto in_order = a >= d;
  return {{max(a, d) + shift, min(a, d) - shift}, {select(in_order, c, s), select(in_order, s, c)}};
}

// One rotation of Jacobi's method in the plane (P, Q): A <- G^T A G, V <- V G. Of A, the upper triangle is
// kept.
//
// The angle t that annihilates A_pq has tan 2t = b / d with b = 2 A_pq, d = A_pp - A_qq. The tangent of its
// half is taken as n / m, for b, d >= 0
//   tan(t / 2) = tan(atan(b / d) / 4) ~ n / m,  n = b (d + 0.8 b),  m = 4 d (d + 0.8 b) + 1.96 b^2,
// within 1.5 % for every b / d (a fit) and exact to second order for small ones, which keeps the convergence
// quadratic. cos t = (m^2 - n^2) / (m^2 + n^2) and sin t = 2 m n / (m^2 + n^2) are then rational and lie on
// the unit circle whatever n / m is.
template <int P, int Q, class T>
PLIANT_INLINE void jacobi_rotation(SmallMatrix<T, 3, 3>& A, SmallMatrix<T, 3, 3>& V) {
  using std::abs;
  using std::max;
  constexpr int R = 3 - P - Q;
  T& A_pr = A(std::min(P, R), std::max(P, R));
  T& A_qr = A(std::min(Q, R), std::max(Q, R));
  const T smallest(std::numeric_limits<scalar_of<T>>::min());

  const T b = A(P, Q) + A(P, Q);
  const T d = A(P, P) - A(Q, Q);
  const T abs_b = abs(b), abs_d = abs(d);
  const T g = abs_d + constant<T>(0.8) * abs_b;
  const T n = select(d < T(0), T(-b), b) * g;
  const T m = T(4) * abs_d * g + constant<T>(1.96) * b * b;
  const T norm2 = m * m + n * n;
  const T w = select(norm2 > smallest, T(n + n), T(0)) / max(norm2, smallest);
  const T c = T(1) - n * w;
  const T s = m * w;

  const T u = c * b - s * d;
  const T v = s * b + c * d;
  A(P, P) += s * u;
  A(Q, Q) -= s * u;
  A(P, Q) = constant<T>(0.5) * (c * u - s * v);
  const T p = A_pr, q = A_qr;
  A_pr = c * p + s * q;
  A_qr = c * q - s * p;
  rotate_columns<P, Q>(V, PlaneRotation<T>{c, s});
}

// Sweeps of three rotations after which the off-diagonal entries are at rounding level. Over millions of hard
// cases the largest that four leave behind is 2e-10 of the norm, and the next sweep squares it.
template <class T>
inline constexpr int jacobi_sweeps = std::is_same_v<scalar_of<T>, float> ? 4 : 5;

// Makes a symmetric matrix with moderate entries (the largest near 1) diagonal, A <- V^T A V, where V is
// a rotation. The eigenvalues on the diagonal are in no order.
template <class T, int sweeps = jacobi_sweeps<T>>
PLIANT_INLINE void diagonalise(SmallMatrix<T, 3, 3>& A, SmallMatrix<T, 3, 3>& V) {
  for (int i = 0; i < 9; ++i) V(i) = T(i % 4 == 0 ? 1 : 0);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_rotation<0, 1>(A, V);
    jacobi_rotation<0, 2>(A, V);
    jacobi_rotation<1, 2>(A, V);
  }
}

}  // namespace detail

// The eigensystem of a symmetric matrix (2x2 or 3x3), of which the upper triangle is read.
//
// Errors are a few units of rounding of the LARGEST |eigenvalue|, at any scale of A, with eigenvectors
// orthonormal to rounding whatever the multiplicities. Finite for every finite A (an eigenvalue beyond the
// range of T aside).
template <class T, int D>
SymmetricEigen<T, D> symmetric_eigen(const SmallMatrix<T, D, D>& A) {
  static_assert(D == 2 || D == 3, "symmetric_eigen takes 2x2 and 3x3 matrices");
  SmallMatrix<T, D, D> upper = A;
  for (int j = 0; j < D; ++j) {
    for (int i = j + 1; i < D; ++i) upper(i, j) = T(0);
  }
  const auto scale = detail::binary_scale(upper);
  for (int i = 0; i < D * D; ++i) upper(i) *= scale.inverse;

  SymmetricEigen<T, D> result;
  auto& [values, vectors] = result;
  if constexpr (D == 2) {
    const auto plane = detail::plane_eigen<T>(upper(0, 0), upper(0, 1), upper(1, 1));
    values = plane.values;
    vectors << plane.rotation.c, -plane.rotation.s, plane.rotation.s, plane.rotation.c;
  } else {
    detail::diagonalise(upper, vectors);
    for (int i = 0; i < 3; ++i) values[i] = upper(i, i);
    detail::sort_descending<0, 1>(values, vectors);
    detail::sort_descending<0, 2>(values, vectors);
    detail::sort_descending<1, 2>(values, vectors);
  }
  for (int i = 0; i < D; ++i) values[i] *= scale.value;
  return result;
}

}  // namespace pliant
