// Mass, centre of mass and inertia tensor of solids of uniform density, in closed form.
#pragma once

#include <numbers>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/pose.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/contact/shape/triangle_mesh.hpp>

namespace pliant {

namespace detail::rigid {

// The inertia tensor tr(S) I - S of second moments S = int x x^T dm.
inline SmallMatrix<double, 3, 3> moments_of(const SmallMatrix<double, 3, 3>& second) {
  return second.trace() * SmallMatrix<double, 3, 3>::Identity() - second;
}

}  // namespace detail::rigid

// What the motion of a rigid body depends on. Sums of parts and copies at other poses are exact, so that a
// body is composed of simple ones:
//   const MassProperties hammer = handle + head.at(Pose({0, 0, 0.15}));
struct MassProperties {
  double mass = 0;                                                        // [kg]
  SmallVector<double, 3> centre = SmallVector<double, 3>::Zero();         // of mass [m]
  SmallMatrix<double, 3, 3> inertia = SmallMatrix<double, 3, 3>::Zero();  // about it, along the axes of the
                                                                          // frame [kg m^2]

  // The same solid after a motion of its frame.
  MassProperties at(const Pose<3>& pose) const {
    return {mass, pose.to_world(centre), pose.rotation() * inertia * pose.rotation().transpose()};
  }

  // The same solid with another density.
  friend MassProperties operator*(double factor, const MassProperties& solid) {
    return {factor * solid.mass, solid.centre, factor * solid.inertia};
  }

  // Two solids that move as one. With the reduced mass m = m_a m_b / (m_a + m_b) and d the difference of the
  // centres, the parallel-axis theorem adds m (|d|^2 I - d d^T) to the inertia.
  friend MassProperties operator+(const MassProperties& a, const MassProperties& b) {
    const double both = a.mass + b.mass;
    const SmallVector<double, 3> d = b.centre - a.centre;
    const double reduced = a.mass * (b.mass / both);
    return {both, a.centre + b.mass / both * d,
            a.inertia + b.inertia + reduced * detail::rigid::moments_of(d * d.transpose())};
  }
};

namespace detail::rigid {

// A solid with the inertia tensor diag(x, y, z) about the origin.
inline MassProperties around_origin(double mass, double x, double y, double z) {
  SmallMatrix<double, 3, 3> inertia = SmallMatrix<double, 3, 3>::Zero();
  inertia.diagonal() << x, y, z;
  return {mass, SmallVector<double, 3>::Zero(), inertia};
}

// Solids of density 1 kg/m^3 around the origin; axes of rotation point along z. Lengths are not checked.

inline MassProperties unit_density_box(const SmallVector<double, 3>& lengths) {
  const double m = lengths[0] * lengths[1] * lengths[2];
  const double xx = m / 12 * lengths[0] * lengths[0], yy = m / 12 * lengths[1] * lengths[1],
               zz = m / 12 * lengths[2] * lengths[2];
  return around_origin(m, yy + zz, xx + zz, xx + yy);
}

inline MassProperties unit_density_sphere(double radius) {
  const double m = 4 * std::numbers::pi / 3 * radius * radius * radius;
  const double moment = 0.4 * m * radius * radius;
  return around_origin(m, moment, moment, moment);
}

inline MassProperties unit_density_cylinder(double length, double radius) {
  const double m = std::numbers::pi * radius * radius * length;
  const double across = m * (3 * radius * radius + length * length) / 12;
  return around_origin(m, across, across, m * radius * radius / 2);
}

// A cylinder between two half balls, whose centres are `length` apart. The centre of mass of a half ball is
// 3/8 of the radius from that of the ball, about which its moment is half of that of the ball.
inline MassProperties unit_density_capsule(double length, double radius) {
  const MassProperties cylinder = unit_density_cylinder(length, radius), ball = unit_density_sphere(radius);
  const double shift = length / 2 * (length / 2 + 2 * 3. / 8 * radius);
  const double across = cylinder.inertia(0, 0) + ball.inertia(0, 0) + ball.mass * shift;
  return around_origin(cylinder.mass + ball.mass, across, across,
                       cylinder.inertia(2, 2) + ball.inertia(2, 2));
}

// The solid that a closed surface of triangles encloses, as the sum of the signed tetrahedra between a point
// o and the triangles. With corners a, b, c relative to o, s = a + b + c and the volume V = a.(b x c) / 6,
//   int x dV = V s / 4,   int x x^T dV = V (a a^T + b b^T + c c^T + s s^T) / 20.
// o is the middle of the bounds, because second moments about a distant point would cancel.
inline MassProperties unit_density_solid(const TriangleMesh& surface) {
  using Point = SmallVector<double, 3>;
  const Point o = surface.bounds().center();
  double volume = 0;
  Point first = Point::Zero();
  SmallMatrix<double, 3, 3> second = SmallMatrix<double, 3, 3>::Zero();
  for (const contact::TriangleCorners& corners : surface.corners()) {
    const Point a = corners[0] - o, b = corners[1] - o, c = corners[2] - o, s = a + b + c;
    const double part = a.dot(algebra::cross<double>(b, c)) / 6;
    volume += part;
    first += part / 4 * s;
    second += part / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  }
  const Point centre = first / volume;
  second -= volume * centre * centre.transpose();
  return {volume, o + centre, moments_of(second)};
}

}  // namespace detail::rigid
}  // namespace pliant
