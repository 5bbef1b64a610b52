// A sliding joint.
#pragma once

#include <array>

#include <pliant/rigid/joint/pair.hpp>

namespace pliant {

// The second body slides along an axis of the first, without turning. 5 rows. The coordinate is the distance
// [m] that it has moved along the axis, 0 at the start.
struct Slider {
  int first = world_body, second = world_body;  // numbers of the bodies
  // Where the joint transmits force, in the world at the start [m].
  SmallVector<double, 3> at = SmallVector<double, 3>::Zero();
  SmallVector<double, 3> axis = {0, 0, 1};  // in the world at the start, of any length
  Limits limits = {};                       // of the distance [m]
  Motor motor = {};                         // [m/s], [N]
  Compliance spring = {.stiffness = 0};     // towards distance 0; none by default [N/m]
  Compliance compliance = {};               // of the distance [N/m]
  Compliance turn_compliance = {};          // of the rotation [N m/rad]

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const { detail::rigid::check_axis("Slider", *this); }

  struct Attached : detail::rigid::AxisAttachment {
    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const detail::rigid::PairRows pair(frames, places);
      for (int k = 0; k < 2; ++k) rows.hold(pair.along(k), compliance);
      for (int k = 0; k < 3; ++k) rows.hold(pair.turn(k), turn_compliance);
      coordinate.describe(pair.along(2), rows);
    }
  };
  Attached attach(const JointPlaces<2>& start) const { return {detail::rigid::attach_axis(start, *this)}; }
};

static_assert(Joint<Slider>);

}  // namespace pliant
