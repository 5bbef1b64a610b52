// A hinge.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include <pliant/rigid/joint/pair.hpp>

namespace pliant {

namespace detail::rigid {

// One limit alone would be passed at the other end of the interval.
inline void require_limits_of_angle(const Limits& limits) {
  if (std::isinf(limits.lowest) && std::isinf(limits.highest)) return;
  for (const double limit : {limits.lowest, limits.highest}) {
    if (std::abs(limit) <= std::numbers::pi) continue;
    throw ParameterError("Hinge::limits", limit, "both must lie in [-pi, pi], or neither is given (rad)");
  }
}

}  // namespace detail::rigid

// Two bodies share an axis, about which they turn. 5 rows. The coordinate is the angle [rad] of the second
// body relative to the first, counter-clockwise seen against the axis: 0 at the start, in (-pi, pi], beyond
// which it goes on at the other end. Limits come in pairs and lie in this interval.
struct Hinge {
  int first = world_body, second = world_body;  // numbers of the bodies
  // A point of the axis, in the world at the start [m].
  SmallVector<double, 3> at = SmallVector<double, 3>::Zero();
  SmallVector<double, 3> axis = {0, 0, 1};  // in the world at the start, of any length
  Limits limits = {};                       // of the angle [rad]
  Motor motor = {};                         // [rad/s], [N m]
  Compliance spring = {.stiffness = 0};     // towards angle 0; none by default [N m/rad]
  Compliance compliance = {};               // of the distance [N/m]
  Compliance turn_compliance = {};          // of the direction of the axis [N m/rad]

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {
    detail::rigid::check_axis("Hinge", *this);
    detail::rigid::require_limits_of_angle(limits);
  }

  struct Attached : detail::rigid::AxisAttachment {
    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const detail::rigid::PairRows pair(frames, places);
      for (int k = 0; k < 3; ++k) rows.hold(pair.along(k), compliance);
      for (int k = 0; k < 2; ++k) rows.hold(pair.tilt(k), turn_compliance);
      coordinate.describe(pair.angle(), rows);
    }
  };
  Attached attach(const JointPlaces<2>& start) const { return {detail::rigid::attach_axis(start, *this)}; }
};

static_assert(Joint<Hinge>);

}  // namespace pliant
