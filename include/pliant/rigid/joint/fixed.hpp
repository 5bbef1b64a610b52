// A joint without any freedom.
#pragma once

#include <array>

#include <pliant/rigid/joint/pair.hpp>

namespace pliant {

// Two bodies move as one. 6 rows.
struct Fixed {
  int first = world_body, second = world_body;  // numbers of the bodies
  // Where the joint transmits force, in the world at the start [m].
  SmallVector<double, 3> at = SmallVector<double, 3>::Zero();
  Compliance compliance = {};       // of the distance [N/m]
  Compliance turn_compliance = {};  // of the rotation [N m/rad]

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {
    detail::rigid::require_point("Fixed::at", at);
    compliance.check("Fixed::compliance");
    turn_compliance.check("Fixed::turn_compliance");
  }

  struct Attached {
    detail::rigid::PairFrames frames;
    Compliance compliance, turn_compliance;

    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const detail::rigid::PairRows pair(frames, places);
      for (int k = 0; k < 3; ++k) rows.hold(pair.along(k), compliance);
      for (int k = 0; k < 3; ++k) rows.hold(pair.turn(k), turn_compliance);
    }
  };
  Attached attach(const JointPlaces<2>& start) const {
    return {detail::rigid::PairFrames::attach(start, at, SmallMatrix<double, 3, 3>::Identity()), compliance,
            turn_compliance};
  }
};

static_assert(Joint<Fixed>);

}  // namespace pliant
