// The rotation of a rigid body on which no torque acts.
#pragma once

#include <cmath>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/rotation.hpp>

namespace pliant {

// How a body turns freely in a step at whose start it would turn by `turn` = dt omega [rad], in the principal
// axes with the given moments, which descend. Returns the rotation of the principal axes, seen in the axes at
// the start: with their orientation R at the start it is R Q at the end, and the angular momentum
// p = moments . omega in these axes becomes Q^T p, so that R p, that in the world, stays as it is.
//
// The energy is split into parts whose motions are known (Dullweber, Leimkuhler and McLachlan 1997,
// "Symplectic splitting methods for rigid body molecular dynamics"). With a the axis of the middle moment, b
// that of the moment nearest to it, and c the third,
//   H = [(p_a^2 + p_b^2) / (2 I_a) + p_c^2 / (2 I_c)] + p_b^2 / 2 (1 / I_b - 1 / I_a).
// The first is a symmetric top, which turns about p by dt |p| / I_a and then about c by dt p_c (1 / I_c - 1 /
// I_a), the second a rotation about b. Half of the first, the second, half of the first: second order,
// reversible, symplectic; the energy stays within a band of order dt^2 for any number of steps. The motion of
// a symmetric body is exact, and so is a rotation about a principal axis. (The splitting into a rotation
// about each axis has errors that grow with the ratio of the moments: with it a thin rod spins about itself.)
inline UnitQuaternion<double> free_rotation(const SmallVector<double, 3>& moments,
                                            const SmallVector<double, 3>& turn) {
  const SmallVector<double, 3> inverse = moments.cwiseInverse();
  const bool two_small = inverse[1] - inverse[0] > inverse[2] - inverse[1];
  const int b = two_small ? 2 : 0, c = 2 - b;
  SmallVector<double, 3> p = moments.cwiseProduct(turn);

  // A rotation about an axis of the body, which turns p the other way.
  const auto about_axis = [&](int axis, double angle) {
    const double s = std::sin(angle / 2), w = std::cos(angle / 2);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double sine = 2 * s * w, cosine = 1 - 2 * s * s, p_i = p[i];
    p[i] = cosine * p_i + sine * p[j];
    p[j] = cosine * p[j] - sine * p_i;
    return UnitQuaternion<double>{axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0, w};
  };
  const auto half_of_top = [&] {
    // Half of the angle about p, and its sine by |p|, in the limit 1 / (4 I_a).
    const double size = p.norm(), half = size * inverse[1] / 4;
    const double scale = half > 1e-8 ? std::sin(half) / size : inverse[1] / 4;
    const UnitQuaternion<double> about_p{scale * p[0], scale * p[1], scale * p[2], std::cos(half)};
    return about_p * about_axis(c, p[c] * (inverse[c] - inverse[1]) / 2);
  };
  const auto first = half_of_top();
  const auto middle = about_axis(b, p[b] * (inverse[b] - inverse[1]));
  return detail::algebra::normalized(first * middle * half_of_top());
}

}  // namespace pliant
