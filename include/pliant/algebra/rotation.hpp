// Rotations in space as unit quaternions, and the rotation nearest to a matrix: updated from the previous
// rotation, which is many times cheaper, or from the singular value decomposition. For scalars and lanes.
//
// The rotation R nearest to F minimises |R - F|, so it maximises tr(R^T F). It is U V^T of svd(F), also for
// an inverted F: the reflection stays in the symmetric factor R^T F.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

// A rotation: (x, y, z) is its axis times the sine of half its angle, w the cosine of half its angle. The
// length is 1, and q and -q are the same rotation.
template <class T>
struct UnitQuaternion {
  T x, y, z, w;

  static PLIANT_INLINE UnitQuaternion identity() { return {T(0), T(0), T(0), T(1)}; }
};

// The rotation by b followed by that by a: rotation_matrix(a * b) = rotation_matrix(a) rotation_matrix(b).
template <class T>
PLIANT_INLINE UnitQuaternion<T> operator*(const UnitQuaternion<T>& a, const UnitQuaternion<T>& b) {
  return {a.w * b.x + a.x * b.w + (a.y * b.z - a.z * b.y), a.w * b.y + a.y * b.w + (a.z * b.x - a.x * b.z),
          a.w * b.z + a.z * b.w + (a.x * b.y - a.y * b.x), a.w * b.w - (a.x * b.x + a.y * b.y + a.z * b.z)};
}

namespace detail::algebra {

// q / |q|. The squares of its entries must be in the range of T.
template <class T>
PLIANT_INLINE UnitQuaternion<T> normalized(const UnitQuaternion<T>& q) {
  using std::sqrt;
  const T inverse_length = T(1) / sqrt(T(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w));
  return {q.x * inverse_length, q.y * inverse_length, q.z * inverse_length, q.w * inverse_length};
}

template <class T, class Mask>
PLIANT_INLINE UnitQuaternion<T> select_quaternion(const Mask& mask, const UnitQuaternion<T>& a,
                                                  const UnitQuaternion<T>& b) {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z), select(mask, a.w, b.w)};
}

}  // namespace detail::algebra

template <class T>
PLIANT_INLINE SmallMatrix<T, 3, 3> rotation_matrix(const UnitQuaternion<T>& q) {
  const T one(1), x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const T wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  SmallMatrix<T, 3, 3> R;
  R(0, 0) = one - y2 * q.y - z2 * q.z;
  R(1, 1) = one - x2 * q.x - z2 * q.z;
  R(2, 2) = one - x2 * q.x - y2 * q.y;
  R(0, 1) = x2 * q.y - wz;
  R(1, 0) = x2 * q.y + wz;
  R(0, 2) = x2 * q.z + wy;
  R(2, 0) = x2 * q.z - wy;
  R(1, 2) = y2 * q.z - wx;
  R(2, 1) = y2 * q.z + wx;
  return R;
}

// The quaternion of a rotation matrix, of length 1 to rounding if R is a rotation to rounding.
//
// 4 q q^T is linear in R, and each of its rows is parallel to q: the row with the largest diagonal entry,
// which is at least 1, is used.
template <class T>
UnitQuaternion<T> quaternion_of(const SmallMatrix<T, 3, 3>& R) {
  const T one(1);
  const T x = R(2, 1) - R(1, 2), y = R(0, 2) - R(2, 0), z = R(1, 0) - R(0, 1);
  const T xy = R(0, 1) + R(1, 0), xz = R(0, 2) + R(2, 0), yz = R(1, 2) + R(2, 1);
  const T xx = one + R(0, 0) - R(1, 1) - R(2, 2), yy = one + R(1, 1) - R(0, 0) - R(2, 2),
          zz = one + R(2, 2) - R(0, 0) - R(1, 1);
  UnitQuaternion<T> q{x, y, z, one + R(0, 0) + R(1, 1) + R(2, 2)};
  T largest = q.w;
  const auto take_larger = [&](const T& diagonal, const UnitQuaternion<T>& row) {
    const auto larger = diagonal > largest;
    largest = simd::select(larger, diagonal, largest);
    q = detail::algebra::select_quaternion(larger, row, q);
  };
  take_larger(xx, {xx, xy, xz, x});
  take_larger(yy, {xy, yy, yz, y});
  take_larger(zz, {xz, yz, zz, z});
  return detail::algebra::normalized(q);
}

// The rotation nearest to F, U V^T of svd(F), for every finite F of any scale, rank and sign. If the two
// smallest singular values cancel (a line, a point, a reflection of a disc) it is one of the nearest.
template <class T>
UnitQuaternion<T> nearest_rotation(const SmallMatrix<T, 3, 3>& F) {
  return quaternion_of(polar<T, 3>(F).R);
}

namespace detail::algebra {

// 2^-k with 2^k <= |a| < 2^(k + 1), exactly; a large number if a is zero; without meaning if a is not finite.
template <class T>
PLIANT_INLINE T inverse_power_of_two(const T& a) {
  return registers::map_bits(a, [](auto bits) {
    using Number = registers::Layout<scalar_of<T>>;
    constexpr auto one = typename Number::Bits(1) << Number::mantissa_bits;  // of the exponent
    return (Number::exponent - one) - (bits & Number::exponent);
  });
}

template <class T>
struct FollowedRotation {
  using Mask = decltype(std::declval<T>() < std::declval<T>());

  UnitQuaternion<T> q;
  Mask safe;  // whether q is reliable
};

// A step of follow_rotation.
//
// Y = R^T F has a symmetric and a skew part; let H = tr(Y) I - sym(Y), and h be the axial vector of skew(Y).
// A rotation Q of R by the quaternion (x, 1) / |(x, 1)| makes tr(Q^T Y) the Rayleigh quotient, at (x, 1), of
//   [ tr(Y) I - 2 H   2 h   ]
//   [ 2 h^T           tr(Y) ]      (Davenport's matrix),
// so the optimal x is that of its eigenvector for the largest eigenvalue, tr(Y) + 2 e:
//   (H + e I) x = h   and   e = h . x.
// A step of Newton's method on SO(3) is the first equation with e = 0 (-2 h and H are the gradient and second
// derivative of |R - F|^2 / 2 by the rotation vector 2 x), and third order. Here e is first found by a step
// of Newton's method on
//   e = h . (H + e I)^-1 h   from e = 0,   e = h . y / (1 + |y|^2)   with   H y = h,
// whose right side varies little with e: the relative error of x is then of order |x|^6, and the step of
// seventh order. The adjugate and determinant of H + e I are polynomials in e, so that only one inversion is
// needed.
//
// If H is positive definite, a step increases tr(R^T F) for every e >= 0,
//   by x . (2 H + 4 e I) x / (1 + |x|^2),
// so steps can converge only to points with h = 0. There tr(Y) is an eigenvalue of Davenport's matrix, and
// the largest one: the others are those of tr(Y) I - 2 H, which are smaller.
template <class T>
PLIANT_INLINE FollowedRotation<T> rotation_step(const SmallMatrix<T, 3, 3>& F, const UnitQuaternion<T>& q) {
  const SmallMatrix<T, 3, 3> Y = transposed_times<T, 3, 3, 3>(rotation_matrix(q), F);
  const T scale = inverse_power_of_two(trace<T, 3>(Y));  // products of six entries must not overflow
  const T half = constant<T>(0.5) * scale;
  SmallMatrix<T, 3, 3> H;
  SmallVector<T, 3> h;
  PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    H(i, i) = scale * (Y(j, j) + Y(k, k));
    H(j, k) = H(k, j) = -half * (Y(j, k) + Y(k, j));
    h[i] = half * (Y(k, j) - Y(j, k));
  }
  const SmallMatrix<T, 3, 3> adjugate = cofactor<T, 3>(H);  // H is symmetric
  const T trace_of_H = trace<T, 3>(H), minors = trace<T, 3>(adjugate),
          determinant_of_H = determinant<T, 3>(H, adjugate);
  const SmallVector<T, 3> u = times<T, 3, 3, 1>(adjugate, h), Hh = times<T, 3, 3, 1>(H, h);
  const T hu = dot<T, 3>(h, u);

  const T e = hu * determinant_of_H / (determinant_of_H * determinant_of_H + dot<T, 3>(u, u));
  const T a = trace_of_H + e;
  const UnitQuaternion<T> turn{u[0] + e * (a * h[0] - Hh[0]), u[1] + e * (a * h[1] - Hh[1]),
                               u[2] + e * (a * h[2] - Hh[2]), determinant_of_H + e * (minors + e * a)};

  // The determinant over the sum of the minors is 1 / sum(1 / eigenvalue), at most the smallest eigenvalue.
  const auto definite =
      (trace_of_H > T(0)) & (minors > T(0)) & (determinant_of_H > constant<T>(0.01) * trace_of_H * minors);
  // h . H^-1 h bounds |h| from above, and so |F|, by a multiple of tr H.
  const auto within_reach = hu < constant<T>(4) * trace_of_H * determinant_of_H;
  FollowedRotation<T> result;
  result.q = normalized(q * turn);
  result.safe = definite & within_reach;
  return result;
}

// Replaces the rotations of lanes that are not safe by the nearest ones, or by `start` if F is zero.
template <class T>
PLIANT_NOINLINE UnitQuaternion<T> replace_lost(const FollowedRotation<T>& followed,
                                               const SmallMatrix<T, 3, 3>& F,
                                               const UnitQuaternion<T>& start) {
  using std::abs;
  using std::max;
  T largest = abs(F(0));
  PLIANT_UNROLL for (int i = 1; i < 9; ++i) largest = max(largest, T(abs(F(i))));
  const UnitQuaternion<T> found = select_quaternion(largest == T(0), start, nearest_rotation(F));
  return select_quaternion(followed.safe, followed.q, found);
}

}  // namespace detail::algebra

// The rotation nearest to F, by `steps` steps from q; q becomes its quaternion, the start for the next F of
// the same material point. Returns rotation_matrix(q).
//
// One step reduces an error of t rad to about t^7 (a step of Newton's method on SO(3), to t^3): from 10
// degrees to 1e-5 degrees, on average; two steps, to rounding in double. From any start |R - F| decreases in
// every step, and steps never converge to a saddle, as those of Newton's method can (Kugelstadt et al. 2018,
// "Fast corotated FEM using operator splitting", algorithm 3): if H = tr(R^T F) I - sym(R^T F) is not safely
// positive definite at the start of a step, R is that of nearest_rotation. Safe means that the smallest
// eigenvalue is above 1 % of the trace of H, and above |F| / 300. At the nearest rotation the eigenvalues of
// H are the sums of two singular values each: after convergence only an F that is nearly a line, a point, or
// a reflection of a disc takes the slow path.
//
// F may have any scale and rank; F = 0 keeps q. The length of q must be 1 to rounding, and stays so for any
// number of steps.
template <class T>
PLIANT_INLINE SmallMatrix<T, 3, 3> follow_rotation(const SmallMatrix<T, 3, 3>& F, UnitQuaternion<T>& q,
                                                   int steps) {
  detail::algebra::FollowedRotation<T> followed{q, T(0) < T(1)};
  for (int k = 0; k < steps; ++k) {
    const auto safe = followed.safe;
    followed = detail::algebra::rotation_step(F, followed.q);
    followed.safe = safe & followed.safe;
  }
  if (!simd::all(followed.safe)) {
    // Copies, because an object whose address is passed cannot stay in registers.
    const detail::algebra::FollowedRotation<T> followed_copy = followed;
    const SmallMatrix<T, 3, 3> F_copy = F;
    const UnitQuaternion<T> start = q;
    followed.q = detail::algebra::replace_lost(followed_copy, F_copy, start);
  }
  q = followed.q;
  return rotation_matrix(q);
}

}  // namespace pliant
