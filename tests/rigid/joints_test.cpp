// The rows of joints: derivatives, balance of forces, and coordinates against known motions.
#include "support/catch.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include <Eigen/Geometry>

#include <pliant/rigid/joint/ball.hpp>
#include <pliant/rigid/joint/fixed.hpp>
#include <pliant/rigid/joint/hinge.hpp>
#include <pliant/rigid/joint/slider.hpp>
#include <pliant/testing/joints.hpp>

using namespace pliant;

namespace {

using Vector3 = SmallVector<double, 3>;
using Eigen::AngleAxisd;
using Eigen::Vector3d;

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

const Vector3 at(0.3, -0.4, 0.7), axis(1, 2, -0.5);

// Two points that are not farther apart than at the start, as a program would write it.
struct Rope {
  int first, second;
  Vector3 from, to;

  std::array<int, 2> bodies() const { return {first, second}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {}

  struct Attached {
    Vector3 from, to;
    double length;
    double sign = 1;  // of an error on purpose

    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const auto &a = places.bodies[0], &b = places.bodies[1];
      const Vector3 p = a.to_world(from), q = b.to_world(to), d = q - p, n = d / d.norm();
      const Vector3 r = p - a.centre, s = q - b.centre;
      rows.move({d.norm(),
                 {-n, -detail::algebra::cross<double>(r, n), n, sign * detail::algebra::cross<double>(s, n)}},
                {.highest = length}, {});
    }
  };
  Attached attach(const JointPlaces<2>& start) const {
    return {start.bodies[0].to_local(from), start.bodies[1].to_local(to), (to - from).norm()};
  }
};
static_assert(Joint<Rope>);

struct WrongRope : Rope {
  Attached attach(const JointPlaces<2>& start) const {
    Attached result = Rope::attach(start);
    result.sign = -1;
    return result;
  }
};

// The middle of three nodes stays at a point of a body: five triples.
struct OnThreeNodes {
  static constexpr int body = 0;

  std::array<int, 1> bodies() const { return {body}; }
  std::array<int, 3> nodes() const { return {4, 7, 9}; }
  void check() const {}

  struct Attached {
    Vector3 point;

    static Vector3 middle(const JointPlaces<1, 3>& places) {
      return (places.nodes[0] + places.nodes[1] + places.nodes[2]) / 3;
    }
    void describe(const JointPlaces<1, 3>& places, JointRows& rows) const {
      const BodyFrame& frame = places.bodies[0];
      const Vector3 to_middle = middle(places) - frame.origin, arm = middle(places) - frame.centre;
      for (int k = 0; k < 3; ++k) {
        const Vector3 n = frame.axes.col(k);
        rows.hold({n.dot(to_middle) - point[k],
                   {-n, -detail::algebra::cross<double>(arm, n), n / 3, n / 3, n / 3}});
      }
    }
  };
  Attached attach(const JointPlaces<1, 3>& start) const {
    return {start.bodies[0].to_local(Attached::middle(start))};
  }
};
static_assert(Joint<OnThreeNodes>);

// It holds along axes of the world, so that an open joint has a torque.
struct BallInWorldAxes : Ball {
  struct Attached {
    Vector3 first, second;
    void describe(const JointPlaces<2>& places, JointRows& rows) const {
      const auto &a = places.bodies[0], &b = places.bodies[1];
      const Vector3 p = a.to_world(first), q = b.to_world(second), d = q - p;
      const Vector3 r = p - a.centre, s = q - b.centre;
      for (int k = 0; k < 3; ++k) {
        const Vector3 n = Vector3::Unit(k);
        rows.hold(
            {d[k], {-n, -detail::algebra::cross<double>(r, n), n, detail::algebra::cross<double>(s, n)}});
      }
    }
  };
  Attached attach(const JointPlaces<2>& start) const {
    return {start.bodies[0].to_local(this->at), start.bodies[1].to_local(this->at)};
  }
};

struct SevenTriples {
  std::array<int, 3> bodies() const { return {0, 1, 2}; }
  std::array<int, 1> nodes() const { return {0}; }
  void check() const {}
  struct Attached {
    void describe(const JointPlaces<3, 1>&, JointRows&) const {}
  };
  Attached attach(const JointPlaces<3, 1>&) const { return {}; }
};
static_assert(!Joint<SevenTriples>);

std::vector<std::string> failed(const CheckReport& report) {
  std::vector<std::string> names;
  for (const PropertyCheck& check : report.checks()) {
    if (!check.passed()) names.push_back(check.property);
  }
  return names;
}

template <class J>
void check(const J& joint, std::size_t held, std::size_t coordinates) {
  const CheckReport report = check_joint(joint);
  INFO(report.message());
  CHECK(report);
  const JointPlaces<2> start;
  JointRows rows;
  joint.attach(start).describe(start, rows);
  CHECK(rows.held().size() == held);
  CHECK(rows.coordinates().size() == coordinates);
}

template <class J>
std::string message_of(const J& joint) {
  try {
    joint.check();
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// The rows of a joint between the world and a body after a motion of the body.
template <class J>
JointRows rows_after(const J& joint, const AngleAxisd& turn, const Vector3d& about, const Vector3d& by) {
  JointPlaces<2> start, end;
  start.bodies[1].origin = start.bodies[1].centre = {0.1, 0.2, 0.3};
  start.bodies[1].axes = AngleAxisd(0.7, Vector3d(1, 1, 0).normalized()).toRotationMatrix();
  end.bodies[1].origin = end.bodies[1].centre =
      turn * (Vector3d(start.bodies[1].centre) - about) + about + by;
  end.bodies[1].axes = turn.toRotationMatrix() * start.bodies[1].axes;
  JointRows rows;
  joint.attach(start).describe(end, rows);
  return rows;
}

double largest_held(const JointRows& rows) {
  double largest = 0;
  for (const auto& held : rows.held()) largest = std::max(largest, std::abs(held.row.value));
  return largest;
}

}  // namespace

TEST_CASE("Joints: derivatives are those of differences, forces and torques of a free pair sum to zero") {
  check(Ball{.first = 0, .second = 1, .at = at}, 3, 0);
  check(Hinge{.first = 0, .second = 1, .at = at, .axis = axis}, 5, 1);
  check(Hinge{.first = 0, .second = 1, .at = at, .spring = {.stiffness = 3}}, 6, 1);
  check(Slider{.first = 0, .second = 1, .at = at, .axis = axis}, 5, 1);
  check(Fixed{.first = 0, .second = 1, .at = at}, 6, 0);
}

TEST_CASE("check_joint: joints of a program, with nodes, and wrong ones") {
  const CheckReport rope = check_joint(Rope{0, 1, {0, 0, 0}, {3, 0, 0}});
  INFO(rope.message());
  CHECK(rope);
  const CheckReport nodes = check_joint(OnThreeNodes{});
  INFO(nodes.message());
  CHECK(nodes);

  CHECK(failed(check_joint(WrongRope{{0, 1, {0, 0, 0}, {3, 0, 0}}})) ==
        std::vector<std::string>{"derivatives are those of the value", "torques sum to zero"});
  const BallInWorldAxes open{{.first = 0, .second = 1, .at = at}};
  CHECK(failed(check_joint(open)) == std::vector<std::string>{"torques sum to zero"});
  CHECK(check_joint(open, {.balanced = false}));
}

TEST_CASE("Hinge: its angle and its held rows after known motions") {
  const Vector3d unit = axis.normalized();
  const Hinge hinge{.second = 0, .at = at, .axis = axis};
  for (const double angle : {-3.1, -2.0, -0.3, 0.0, 1e-9, 0.5, 1.6, 3.1}) {
    const JointRows rows = rows_after(hinge, AngleAxisd(angle, unit), at, Vector3d::Zero());
    CHECK(rows.coordinates()[0].row.value == Approx(angle).margin(1e-14));
    CHECK(largest_held(rows) < 1e-14);
    CHECK(rows.coordinates()[0].row.derivative[3].isApprox(Vector3(unit), 1e-13));
  }
  // A shift opens it by its length, a tilt by its angle, and upside down it is not met.
  CHECK(largest_held(rows_after(hinge, AngleAxisd(0, unit), at, 0.01 * unit)) == Approx(0.01));
  const Vector3d across = unit.unitOrthogonal();
  double squares = 0;
  const JointRows tilted = rows_after(hinge, AngleAxisd(1e-3, across), at, Vector3d::Zero());
  for (const auto& held : tilted.held()) squares += held.row.value * held.row.value;
  CHECK(std::sqrt(squares) == Approx(1e-3).epsilon(1e-6));
  CHECK(largest_held(rows_after(hinge, AngleAxisd(pi - 1e-3, across), at, Vector3d::Zero())) > 1000);
}

TEST_CASE("Slider: its distance and its held rows after known motions") {
  const Vector3d unit = axis.normalized();
  const Slider slider{.second = 0, .at = at, .axis = axis};
  const JointRows rows = rows_after(slider, AngleAxisd(0, unit), at, -0.25 * unit);
  CHECK(rows.coordinates()[0].row.value == Approx(-0.25));
  CHECK(largest_held(rows) < 1e-14);
  CHECK(largest_held(rows_after(slider, AngleAxisd(1e-3, unit), at, Vector3d::Zero())) ==
        Approx(1e-3).epsilon(1e-6));
  CHECK(largest_held(rows_after(slider, AngleAxisd(pi - 1e-3, unit), at, Vector3d::Zero())) > 1000);
}

TEST_CASE("Fixed: its rotation is twice the tangent of half the angle, about its axis") {
  const Fixed fixed{.second = 0, .at = at};
  const Vector3d unit = axis.normalized();
  const JointRows rows = rows_after(fixed, AngleAxisd(0.8, unit), at, Vector3d::Zero());
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(std::abs(rows.held()[k].row.value) < 1e-14);
    CHECK(rows.held()[3 + k].row.value == Approx(2 * std::tan(0.4) * unit[static_cast<int>(k)]));
  }
}

TEST_CASE("Joints: bad parameters are refused by name and value") {
  CHECK(message_of(Ball{}) == "nothing was thrown");
  CHECK(message_of(Hinge{.limits = {-0.6, 0.6}, .motor = {.speed = -2, .force = 5}}) == "nothing was thrown");
  CHECK(message_of(Ball{.at = {0, nan_, 0}}) == "Ball::at = not a number: must be finite (m)");
  CHECK(message_of(Hinge{.axis = {0, 0, 0}}) == "Hinge::axis = 0: its length must be positive and finite");
  CHECK(message_of(Slider{.axis = {0, nan_, 0}}) ==
        "Slider::axis = not a number: its length must be positive and finite");
  CHECK(message_of(Slider{.limits = {1, -1}}) ==
        "Slider::limits.highest = -1: must be at least the lowest value, 1");
  CHECK(message_of(Slider{.limits = {nan_, 1}}) == "Slider::limits.lowest = not a number: must be a number");
  CHECK(message_of(Slider{.limits = {.highest = 3}}) == "nothing was thrown");
  CHECK(message_of(Hinge{.limits = {.highest = 3}}) ==
        "Hinge::limits = minus infinite: both must lie in [-pi, pi], or neither is given (rad)");
  CHECK(message_of(Hinge{.limits = {-1, 4}}) ==
        "Hinge::limits = 4: both must lie in [-pi, pi], or neither is given (rad)");
  CHECK(message_of(Hinge{.motor = {.force = -1}}) == "Hinge::motor.force = -1: must not be negative");
  CHECK(message_of(Hinge{.motor = {.speed = nan_}}) == "Hinge::motor.speed = not a number: must be finite");
  CHECK(message_of(Fixed{.compliance = {.stiffness = -2}}) ==
        "Fixed::compliance.stiffness = -2: must not be negative");
  CHECK(message_of(Ball{.compliance = {.stiffness = 1, .damping = -2}}) ==
        "Ball::compliance.damping = -2: must be finite and not negative");
}
