// Mechanisms as values, and what they refuse.
#include "support/catch.hpp"

#include <array>
#include <limits>
#include <string>

#include <Eigen/Geometry>

#include <pliant/rigid/joint/ball.hpp>
#include <pliant/rigid/joint/hinge.hpp>
#include <pliant/rigid/joint/slider.hpp>
#include <pliant/rigid/mechanism.hpp>

using namespace pliant;

namespace {

using Vector3 = SmallVector<double, 3>;

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

// Two points, each given in the frame of its body, so that they may be apart.
struct LocalBall {
  int first, second;
  Vector3 on_first, on_second;

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {}
  struct Attached {
    Vector3 on_first, on_second;
    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const auto &a = places.bodies[0], &b = places.bodies[1];
      const Vector3 p = a.to_world(on_first), q = b.to_world(on_second), d = q - p;
      const Vector3 r = p - a.centre, s = q - b.centre;
      for (int k = 0; k < 3; ++k) {
        const Vector3 n = Vector3::Unit(k);
        rows.hold(
            {d[k], {-n, -detail::algebra::cross<double>(r, n), n, detail::algebra::cross<double>(s, n)}});
      }
    }
  };
  Attached attach(const JointPlaces<2>&) const { return {on_first, on_second}; }
};

struct OnWorldAlone : LocalBall {
  std::array<int, 1> bodies() const { return {world_body}; }
  struct Attached {
    void describe(const JointPlaces<1>&, JointRows&) const {}
  };
  Attached attach(const JointPlaces<1>&) const { return {}; }
};

Mechanism two_balls() {
  Mechanism mechanism;
  mechanism.add(RigidBody::sphere(0.1, Mass{1}), Pose({0, 0, 0}));
  mechanism.add(RigidBody::sphere(0.1, Mass{2}), Pose({1, 0, 0}));
  return mechanism;
}

// The message of an error of type E.
template <class E, class J>
std::string refused(const J& joint) {
  Mechanism mechanism = two_balls();
  mechanism.add(Ball{.first = 0, .second = 1});
  try {
    mechanism.add(joint);
  } catch (const E& error) {
    CHECK(mechanism.joint_count() == 1);
    return error.what();
  }
  return "no such error";
}

}  // namespace

TEST_CASE("Mechanism: bodies and joints in the order in which they were added") {
  Mechanism mechanism;
  const Pose<3> pose(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()), {1, 2, 3});
  const RigidBody rod(RigidBody::box({1, 2, 3}, Mass{2}).properties().at(Pose<3>(Vector3(0, 1, 0))));
  CHECK(mechanism.add(rod, pose) == 0);
  CHECK(mechanism.add(RigidBody::sphere(1, Mass{5})) == 1);
  CHECK(mechanism.add(Ball{.first = 0, .second = 1, .at = {1, 0, 0}}) == 0);
  CHECK(mechanism.add(Hinge{.second = 1}) == 1);
  CHECK(mechanism.body_count() == 2);
  CHECK(mechanism.joint_count() == 2);
  CHECK(mechanism.body(1).mass() == 5);
  CHECK(mechanism.joint(0).bodies()[1] == 1);

  const BodyFrame& frame = mechanism.frames()[0];
  CHECK(frame.origin == pose.translation());
  CHECK(frame.axes == pose.rotation());
  CHECK((frame.centre - pose.to_world({0, 1, 0})).norm() < 1e-15);

  Mechanism copy = mechanism;
  copy.add(Ball{.second = 0});
  CHECK(mechanism.joint_count() == 2);
  CHECK_THROWS_AS(mechanism.body(2), IndexError);
  CHECK_THROWS_AS(mechanism.joint(-1), IndexError);
}

TEST_CASE("Mechanism: bad joints are refused by number and value, and leave it as it was") {
  CHECK(refused<IndexError>(Ball{.first = 0, .second = 2}) == "joint 1: body 2: outside [0, 2)");
  CHECK(refused<IndexError>(Ball{.first = -2, .second = 0}) == "joint 1: body -2: outside [0, 2)");
  CHECK(refused<ParameterError>(Ball{.first = 1, .second = 1}) ==
        "joint 1: body = 1: a joint is between different bodies");
  CHECK(refused<ParameterError>(Ball{}) == "joint 1: body = -1: a joint is between different bodies");
  CHECK(refused<ParameterError>(OnWorldAlone{}) ==
        "joint 1: body = -1: a joint acts on a body that can move");
  CHECK(refused<ParameterError>(Hinge{.second = 1, .axis = {0, 0, 0}}) ==
        "joint 1: Hinge::axis = 0: its length must be positive and finite");
  CHECK(refused<ParameterError>(Slider{.second = 1, .motor = {.force = -3}}) ==
        "joint 1: Slider::motor.force = -3: must not be negative");
  CHECK(
      refused<ParameterError>(Slider{.second = 1, .limits = {0.25, 1}}) ==
      "joint 1: coordinate = 0: the joint does not fit: at the start it must lie in [0.25, 1] within 1e-09");
  CHECK(refused<ParameterError>(LocalBall{0, 1, {0.5, 0, 0}, {-0.25, 0, 0}}) ==
        "joint 1: held row = 0.25: the joint does not fit: at the start it must lie in [0, 0] within 1e-09");
  CHECK(refused<ParameterError>(LocalBall{0, 1, {0.5, 0, 0}, {nan_, 0, 0}}) ==
        "joint 1: held row = not a number: the joint does not fit: at the start it must lie in [0, 0] within "
        "1e-09");
  CHECK(refused<ParameterError>(LocalBall{0, 1, {0.5, 0, 0}, {-0.5, 0, 0}}) == "no such error");
}

TEST_CASE("Mechanism: a pose that is none is refused") {
  Eigen::Matrix3d stretched = Eigen::Matrix3d::Identity();
  stretched(0, 0) = 1.1;
  CHECK_THROWS_AS(two_balls().add(RigidBody::sphere(1, Mass{1}), Pose<3>(stretched, {0, 0, 0})),
                  ParameterError);
  CHECK_THROWS_AS(two_balls().add(RigidBody::sphere(1, Mass{1}), Pose<3>(Vector3(0, nan_, 0))),
                  ParameterError);
}
