// The common parts of joints between two bodies.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <pliant/algebra/rotation.hpp>
#include <pliant/rigid/joint/concept.hpp>

namespace pliant::detail::rigid {

// A point and three directions on each of two bodies, which coincide where a joint is met.
struct PairFrames {
  using Vector = SmallVector<double, 3>;
  using Axes = SmallMatrix<double, 3, 3>;

  std::array<Vector, 2> point;  // in the frames of the bodies [m]
  std::array<Axes, 2> axes;     // rotations, in the frames of the bodies

  // `at` and `directions` are in the world.
  static PairFrames attach(const JointPlaces<2>& start, const Vector& at, const Axes& directions) {
    PairFrames result;
    for (std::size_t k = 0; k < 2; ++k) {
      const BodyFrame& body = start.bodies[k];
      result.point[k] = body.to_local(at);
      result.axes[k] = algebra::transposed_times<double, 3, 3, 3>(body.axes, directions);
    }
    return result;
  }
};

// A rotation whose third column has the direction of `axis`, which is not zero.
inline SmallMatrix<double, 3, 3> axes_around(const SmallVector<double, 3>& axis) {
  SmallMatrix<double, 3, 3> axes;
  const SmallVector<double, 3> unit = axis / axis.norm();
  // The coordinate axis that is most nearly orthogonal.
  Eigen::Index least = 0;
  unit.cwiseAbs().minCoeff(&least);
  const SmallVector<double, 3> across = algebra::cross<double>(unit, SmallVector<double, 3>::Unit(least));
  axes.col(0) = across / across.norm();
  axes.col(1) = algebra::cross<double>(unit, SmallVector<double, 3>(axes.col(0)));
  axes.col(2) = unit;
  return axes;
}

// Throws ParameterError unless `axis` has a direction.
inline void require_axis(const std::string& what, const SmallVector<double, 3>& axis) {
  const double length = axis.norm();
  if (!(length > 0) || !core::is_finite(length)) {
    throw ParameterError(what, length, "its length must be positive and finite");
  }
}

inline void require_point(const std::string& what, const SmallVector<double, 3>& point) {
  for (int k = 0; k < 3; ++k) core::require_parameter(true, what.c_str(), point[k], "must be finite (m)");
}

// The rows of a pair at the present places. Every row is a function of the place of the second body in axes
// of the first alone, so that forces and torques of the pair are opposite.
class PairRows {
 public:
  using Vector = SmallVector<double, 3>;

  PairRows(const PairFrames& frames, const JointPlaces<2>& places) {
    const BodyFrame &first = places.bodies[0], &second = places.bodies[1];
    first_axes_ = algebra::times<double, 3, 3, 3>(first.axes, frames.axes[0]);
    second_axes_ = algebra::times<double, 3, 3, 3>(second.axes, frames.axes[1]);
    const Vector point = second.to_world(frames.point[1]);
    arm_ = point - second.centre;
    distance_ = point - first.to_world(frames.point[0]);
    first_arm_ = point - first.centre;
  }

  // The distance from the first point to the second along axis k of the first body: n.d with n = R_1 e_k. A
  // rotation of the first body by t changes it by t.(n x d) - t.(r_1 x n), that is -t.((r_1 + d) x n).
  JointRow along(int k) const {
    const Vector n = first_axes_.col(k);
    return {n.dot(distance_),
            {-n, -algebra::cross<double>(first_arm_, n), n, algebra::cross<double>(arm_, n)}};
  }

  // The tilt of the third axis of the second body towards axis k = 0, 1 of the first: 2 t.s / (1 + a.s) with
  // the third axes a, s of the two and t = axis k. That is 2 tan(angle / 2) times the cosine of the
  // direction, which is zero only where the axes agree, and not where they are opposite.
  JointRow tilt(int k) const {
    const Vector t = first_axes_.col(k), a = first_axes_.col(2), s = second_axes_.col(2);
    const double u = t.dot(s), w = 1 + a.dot(s);
    const Vector turn = 2 / w * (algebra::cross<double>(t, s) - u / w * algebra::cross<double>(a, s));
    return rotation(2 * u / w, -turn);
  }

  // Component k of the rotation of the second axes from the first, in these: 2 tan(angle / 2) times the axis.
  // With the quaternion (v, w) of the rotation and g = v / w, an angular velocity omega changes g by
  // (omega + omega x g + g (g.omega)) / 2.
  JointRow turn(int k) const {
    const auto q = quaternion_of(algebra::transposed_times<double, 3, 3, 3>(first_axes_, second_axes_));
    const Vector g = Vector(q.x, q.y, q.z) / q.w;
    const Vector change = Vector::Unit(k) + algebra::cross<double>(g, Vector::Unit(k)) + g[k] * g;
    return rotation(2 * g[k], algebra::times<double, 3, 3, 1>(first_axes_, change));
  }

  // The angle from the first axis of the first body to that of the second about the common third axis [rad],
  // in (-pi, pi].
  JointRow angle() const {
    const Vector t = first_axes_.col(0), u = first_axes_.col(1), s = second_axes_.col(0);
    const double cosine = t.dot(s), sine = u.dot(s);
    const Vector across = (cosine * u - sine * t) / (cosine * cosine + sine * sine);
    return rotation(std::atan2(sine, cosine), algebra::cross<double>(s, across));
  }

 private:
  // A function of the rotation of the second body relative to the first.
  static JointRow rotation(double value, const Vector& by_second) {
    return {value, {Vector::Zero(), -by_second, Vector::Zero(), by_second}};
  }

  SmallMatrix<double, 3, 3> first_axes_, second_axes_;  // in the world
  Vector distance_;                                     // from the first point to the second [m]
  Vector first_arm_, arm_;  // from the centres of the bodies to the second point [m]
};

// A spring of a free coordinate would lock it if it were rigid, which is the default of a Compliance.
inline void require_spring(const std::string& of, const Compliance& spring) {
  spring.check(of);
  if (!spring.rigid()) return;
  throw ParameterError(of + ".stiffness", spring.stiffness,
                       "must be finite; a damper alone has .stiffness = 0");
}

// The free coordinate of a joint with one.
struct FreeCoordinate {
  Limits limits;
  Motor motor;
  Compliance spring;

  void describe(const JointRow& row, JointRows& rows) const {
    rows.hold(row, spring);
    rows.move(row, limits, motor);
  }
};

// What Hinge and Slider have in common: an axis, and a free coordinate about it or along it.
struct AxisAttachment {
  PairFrames frames;
  FreeCoordinate coordinate;
  Compliance compliance, turn_compliance;
};

template <class Joint>
AxisAttachment attach_axis(const JointPlaces<2>& start, const Joint& joint) {
  return {PairFrames::attach(start, joint.at, axes_around(joint.axis)),
          {joint.limits, joint.motor, joint.spring},
          joint.compliance,
          joint.turn_compliance};
}

template <class Joint>
void check_axis(const std::string& name, const Joint& joint) {
  require_point(name + "::at", joint.at);
  require_axis(name + "::axis", joint.axis);
  joint.limits.check(name + "::limits");
  joint.motor.check(name + "::motor");
  require_spring(name + "::spring", joint.spring);
  joint.compliance.check(name + "::compliance");
  joint.turn_compliance.check(name + "::turn_compliance");
}

}  // namespace pliant::detail::rigid
