// Eigenvalues and eigenvectors of symmetric 2x2 and 3x3 matrices, for scalars and lanes.
//
// In closed form and without a branch on data: all lanes take the same path. The usual closed form computes
// every eigenvector from its own eigenvalue, which is inaccurate if two eigenvalues are close. Here one
// eigenvalue that is far from the others is computed first; the rest is a problem in the plane.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

// A = vectors * diag(values) * vectors^T.
template <class T, int D>
struct SymmetricEigen {
  SmallVector<T, D> values;      // descending; the unit of A
  SmallMatrix<T, D, D> vectors;  // one unit eigenvector per column; a rotation (det +1)
};

namespace detail::algebra {

// A power of two s near the largest |entry| of A, and 1 / s exactly: the entries of A / s are below 4, and
// one is at least 1 unless all are subnormal. Scaling by it causes no rounding.
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
  PLIANT_UNROLL for (int i = 1; i < Rows * Columns; ++i) largest = max(largest, T(abs(A(i))));
  const T smallest_scale(Limits::min());  // the inverses of both scales are normal
  const T largest_scale(1 / Limits::min());
  const T value = min(max(power_of_two_below(largest), smallest_scale), largest_scale);
  return {value, T(1) / value};
}

// The matrix [c -s; s c].
template <class T>
struct PlaneRotation {
  T c;
  T s;

  PLIANT_INLINE SmallMatrix<T, 2, 2> matrix() const {
    SmallMatrix<T, 2, 2> R;
    R(0, 0) = R(1, 1) = c;
    R(0, 1) = -s;
    R(1, 0) = s;
    return R;
  }
};

// Columns P and Q of M become those of M * [c -s; s c].
template <int P, int Q, class T, int Rows, int Columns>
PLIANT_INLINE void rotate_columns(SmallMatrix<T, Rows, Columns>& M, const PlaneRotation<T>& rotation) {
  const auto [c, s] = rotation;
  PLIANT_UNROLL for (int i = 0; i < Rows; ++i) {
    const T p = M(i, P), q = M(i, Q);
    M(i, P) = c * p + s * q;
    M(i, Q) = c * q - s * p;
  }
}

// Eigenvalues and eigenvectors of [a b; b d], whose entries are below 4 in magnitude.
//
// With t the angle of the first eigenvector, tan 2t = 2 b / (a - d), and (h + |a - d|, 2 b) with
// h = sqrt((a - d)^2 + 4 b^2) has the direction of (cos t, sin t) if a >= d, and that of (sin t, cos t) if a
// < d.
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
  const auto regular = norm2 > smallest;  // otherwise a = d, b = 0 to far below rounding: no rotation
  const T inverse_norm = T(1) / sqrt(max(norm2, smallest));
  const T c = select(regular, T(x * inverse_norm), T(1));
  const T s = select(regular, T(y * inverse_norm), T(0));
  const T shift = s * (c * y - s * difference);  // (h - |a - d|) / 2 without cancellation
  const auto in_order = a >= d;
  return {{max(a, d) + shift, min(a, d) - shift}, {select(in_order, c, s), select(in_order, s, c)}};
}

// The largest root x in [sqrt 3, 2] of x^3 - 3 x = 2 r for r in [0, 1], which is 2 cos(acos(r) / 3): a cubic
// that interpolates it at Chebyshev's points, within 8.2e-5, and Newton's method, from e to less than 0.87
// e^2.
template <class T>
PLIANT_INLINE T largest_root(const T& r) {
  T x = constant<T>(1.73213266) +
        r * (constant<T>(0.33066070) + r * (constant<T>(-0.08138239) + r * constant<T>(0.01863937)));
  for (int k = 0; k < (std::is_same_v<scalar_of<T>, float> ? 1 : 2); ++k) {
    const T square = x * x;
    x -= (x * (square - T(3)) - (r + r)) / (T(3) * square - T(3));
  }
  return x;
}

// The unit vector w with B w = x w, for a symmetric B whose eigenvalue x is far from the two others: the rows
// of B - x I span the plane orthogonal to it, so w has the direction of the largest of their cross products.
template <class T>
PLIANT_INLINE SmallVector<T, 3> separated_eigenvector(const SmallMatrix<T, 3, 3>& B, const T& x) {
  using std::sqrt;
  const SmallVector<T, 3> a(B(0, 0) - x, B(0, 1), B(0, 2)), b(B(0, 1), B(1, 1) - x, B(1, 2)),
      c(B(0, 2), B(1, 2), B(2, 2) - x);
  SmallVector<T, 3> w = cross<T>(a, b);
  T largest = dot<T, 3>(w, w);
  for (const auto& [p, q] : {std::pair(&b, &c), std::pair(&c, &a)}) {
    const SmallVector<T, 3> other = cross<T>(*p, *q);
    const T length = dot<T, 3>(other, other);
    const auto longer = length > largest;
    PLIANT_UNROLL for (int i = 0; i < 3; ++i) w(i) = select(longer, other(i), w(i));
    largest = select(longer, length, largest);
  }
  const T inverse = T(1) / sqrt(largest);
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) w(i) *= inverse;
  return w;
}

// A rotation whose first column is the unit vector u (Duff et al. 2017, Building an Orthonormal Basis,
// Revisited).
template <class T>
PLIANT_INLINE SmallMatrix<T, 3, 3> frame_from(const SmallVector<T, 3>& u) {
  const T sign = select(u[2] < T(0), T(-1), T(1));
  const T a = T(-1) / (sign + u[2]);
  const T b = u[0] * u[1] * a;
  SmallMatrix<T, 3, 3> frame;
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) frame(i, 0) = u[i];
  frame(0, 1) = T(1) + sign * u[0] * u[0] * a;
  frame(1, 1) = sign * b;
  frame(2, 1) = -sign * u[0];
  frame(0, 2) = b;
  frame(1, 2) = sign + u[1] * u[1] * a;
  frame(2, 2) = -u[1];
  return frame;
}

// The eigensystem of a symmetric A with moderate entries (the largest near 1).
//
// With q the mean of the eigenvalues of A and 6 p^2 the square sum of those of A - q I, B = (A - q I) / p has
// the eigenvalues 2 cos(t), 2 cos(t +- 2 pi / 3) with cos 3t = det(B) / 2 (Smith 1961, "Eigenvalues of a
// symmetric 3x3 matrix"). The one with the sign of det B is at least sqrt(3) away from the two others,
// however close these are: its eigenvector is well determined, and the two others are computed in the plane
// orthogonal to it.
template <class T>
PLIANT_INLINE SymmetricEigen<T, 3> space_eigen(const SmallMatrix<T, 3, 3>& A) {
  using std::abs;
  using std::max;
  using std::min;
  using std::sqrt;
  const T smallest(std::numeric_limits<scalar_of<T>>::min());
  const T third = constant<T>(1.0 / 3);
  const T q = third * (A(0, 0) + A(1, 1) + A(2, 2));
  SmallMatrix<T, 3, 3> B;
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) B(i, i) = A(i, i) - q;
  // Near a multiple of I the rounding of q is as large as these entries, and the formulas below assume a
  // trace-free matrix.
  const T rest = third * (B(0, 0) + B(1, 1) + B(2, 2));
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) B(i, i) -= rest;
  T sum = B(0, 0) * B(0, 0) + B(1, 1) * B(1, 1) + B(2, 2) * B(2, 2);
  sum += T(2) * (A(0, 1) * A(0, 1) + A(0, 2) * A(0, 2) + A(1, 2) * A(1, 2));
  const T p2 = max(T(constant<T>(1.0 / 6) * sum), smallest);
  const T inverse = T(1) / sqrt(p2);
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
    B(i, i) *= inverse;
    PLIANT_UNROLL for (int j = i + 1; j < 3; ++j) B(i, j) = B(j, i) = A(i, j) * inverse;
  }
  const T half_determinant = constant<T>(0.5) * determinant<T, 3>(B);
  const auto smallest_apart = half_determinant < T(0);
  const T root = largest_root(T(min(abs(half_determinant), T(1))));
  const SmallVector<T, 3> w = separated_eigenvector(B, T(select(smallest_apart, T(-root), root)));

  const SmallMatrix<T, 3, 3> frame = frame_from(w);
  const SmallMatrix<T, 3, 3> AF = times<T, 3, 3, 3>(A, frame);
  const auto entry = [&](int i, int j) {
    return frame(0, i) * AF(0, j) + frame(1, i) * AF(1, j) + frame(2, i) * AF(2, j);
  };
  const auto plane = plane_eigen<T>(entry(1, 1), entry(1, 2), entry(2, 2));
  SmallMatrix<T, 3, 3> W = frame;
  rotate_columns<1, 2>(W, plane.rotation);
  const T apart = entry(0, 0);
  SymmetricEigen<T, 3> result;
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
    result.vectors(i, 0) = select(smallest_apart, W(i, 1), W(i, 0));
    result.vectors(i, 1) = select(smallest_apart, W(i, 2), W(i, 1));
    result.vectors(i, 2) = select(smallest_apart, W(i, 0), W(i, 2));
  }
  // Rounding may exchange equal values: sorting the numbers alone costs no accuracy.
  const T first = plane.values[0], second = plane.values[1];
  result.values[0] = max(first, apart);
  result.values[1] = max(second, min(first, apart));
  result.values[2] = min(second, apart);
  return result;
}

}  // namespace detail::algebra

// The eigensystem of a symmetric matrix (2x2 or 3x3), of which the upper triangle is read.
//
// Errors are a few units of rounding of the LARGEST |eigenvalue|, at any scale of A, with eigenvectors
// orthonormal to rounding for all multiplicities. Finite for every finite A, unless an eigenvalue exceeds the
// range of T.
template <class T, int D>
SymmetricEigen<T, D> symmetric_eigen(const SmallMatrix<T, D, D>& A) {
  static_assert(D == 2 || D == 3, "symmetric_eigen takes 2x2 and 3x3 matrices");
  SmallMatrix<T, D, D> scaled = A;
  PLIANT_UNROLL for (int j = 0; j < D; ++j) {
    PLIANT_UNROLL for (int i = j + 1; i < D; ++i) scaled(i, j) = A(j, i);
  }
  const auto scale = detail::algebra::binary_scale(scaled);
  PLIANT_UNROLL for (int i = 0; i < D * D; ++i) scaled(i) *= scale.inverse;

  SymmetricEigen<T, D> result;
  if constexpr (D == 2) {
    const auto plane = detail::algebra::plane_eigen<T>(scaled(0, 0), scaled(0, 1), scaled(1, 1));
    result.values = plane.values;
    result.vectors = plane.rotation.matrix();
  } else {
    result = detail::algebra::space_eigen(scaled);
  }
  PLIANT_UNROLL for (int i = 0; i < D; ++i) result.values[i] *= scale.value;
  return result;
}

}  // namespace pliant
