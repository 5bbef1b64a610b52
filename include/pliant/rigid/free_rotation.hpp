// The rotation of a rigid body on which no torque acts.
#pragma once

#include <cmath>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/rotation.hpp>

namespace pliant {

// How a body turns freely in a step at whose start it would turn by `turn` = dt omega [rad], in the principal
// axes with the given moments. Returns the rotation of the principal axes, seen in the axes at the start:
// with their orientation R at the start it is R Q at the end, and the angular momentum p = moments . omega in
// these axes becomes Q^T p, so that R p, that in the world, stays as it is.
//
// Dullweber, Leimkuhler and McLachlan 1997, "Symplectic splitting methods for rigid body molecular dynamics",
// section 3: the energy p_1^2 / (2 I_1) + p_2^2 / (2 I_2) + p_3^2 / (2 I_3) is split into its three terms.
// Each alone turns the body about one axis by an angle that is known, and the step is symmetric: half a turn
// about the first and second axes, a whole one about the third, and the two halves again. It is second order,
// reversible and symplectic: the energy stays within a band of order dt^2 for any number of steps. A rotation
// about a principal axis is exact.
inline UnitQuaternion<double> free_rotation(const SmallVector<double, 3>& moments,
                                            const SmallVector<double, 3>& turn) {
  SmallVector<double, 3> p = moments.cwiseProduct(turn);
  auto q = UnitQuaternion<double>::identity();
  const auto turn_about = [&](int axis, double part) {
    const double half = part / 2 * p[axis] / moments[axis];
    const double s = std::sin(half), c = std::cos(half);
    SmallVector<double, 3> sines = SmallVector<double, 3>::Zero();
    sines[axis] = s;
    q = q * UnitQuaternion<double>{sines[0], sines[1], sines[2], c};
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double sine = 2 * s * c, cosine = 1 - 2 * s * s, p_i = p[i];
    p[i] = cosine * p_i + sine * p[j];
    p[j] = cosine * p[j] - sine * p_i;
  };
  turn_about(0, 0.5);
  turn_about(1, 0.5);
  turn_about(2, 1);
  turn_about(1, 0.5);
  turn_about(0, 0.5);
  return detail::normalized(q);
}

}  // namespace pliant
