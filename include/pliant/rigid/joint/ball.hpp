// A ball joint.
#pragma once

#include <array>

#include <pliant/rigid/joint/pair.hpp>

namespace pliant {

// Two bodies share a point, about which they turn freely. 3 rows.
struct Ball {
  int first = world_body, second = world_body;                 // numbers of the bodies
  SmallVector<double, 3> at = SmallVector<double, 3>::Zero();  // in the world at the start [m]
  Compliance compliance = {};                                  // of the distance [N/m]

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {
    detail::rigid::require_point("Ball::at", at);
    compliance.check("Ball::compliance");
  }

  struct Attached {
    detail::rigid::PairFrames frames;
    Compliance compliance;

    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const detail::rigid::PairRows pair(frames, places);
      for (int k = 0; k < 3; ++k) rows.hold(pair.along(k), compliance);
    }
  };
  Attached attach(const JointPlaces<2>& start) const {
    return {detail::rigid::PairFrames::attach(start, at, SmallMatrix<double, 3, 3>::Identity()), compliance};
  }
};

static_assert(Joint<Ball>);

}  // namespace pliant
