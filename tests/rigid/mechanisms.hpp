// Mechanisms to test with.
#pragma once

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <memory>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <pliant/simulation/mechanisms.hpp>

namespace pliant::test {

using Vector3 = SmallVector<double, 3>;

constexpr double gravity = 9.81;  // m/s^2

// Holds a body at a place that the program moves.
struct Leash {
  int body;
  std::shared_ptr<double> place;

  std::array<int, 1> bodies() const { return {body}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {}
  struct Attached {
    std::shared_ptr<double> place;
    void describe(const JointPlaces<1>& places, JointRows& rows) const {
      rows.hold({places.bodies[0].centre.x() - *place, {Vector3::UnitX()}});
    }
  };
  Attached attach(const JointPlaces<1>&) const { return {place}; }
};

// A thin rod between two points, so thin that its moments are those of a line.
inline int add_rod(Mechanism& mechanism, const Vector3& from, const Vector3& to, double mass) {
  const Eigen::Vector3d along = to - from;
  const double length = along.norm(), thin = 1e-4 * length;
  const auto turn = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), along);
  return mechanism.add(RigidBody::box({length, thin, thin}, Mass{mass}),
                       Pose<3>(turn.toRotationMatrix(), Vector3((from + to) / 2)));
}

// The end of a unit rod that was added by add_rod.
template <class Sim>
Vector3 end_of(const Sim& sim, int rod, double length = 1) {
  return sim.pose(rod).to_world({length / 2, 0, 0});
}

template <class Sim>
void step(Sim& sim, int count = 1) {
  for (int k = 0; k < count; ++k) {
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
  }
}

template <class Sim>
Vector3 angular_momentum(const Sim& sim) {
  const Mechanism& mechanism = sim.system().mechanism();
  Vector3 sum = Vector3::Zero();
  for (int b = 0; b < mechanism.body_count(); ++b) {
    const MassProperties now = mechanism.body(b).properties().at(sim.pose(b));
    const BodyVelocity velocity = sim.body_velocity(b);
    sum += now.inertia * velocity.angular +
           now.mass * detail::algebra::cross<double>(now.centre, velocity.linear);
  }
  return sum;
}

template <class Sim>
Vector3 momentum(const Sim& sim) {
  const Mechanism& mechanism = sim.system().mechanism();
  Vector3 sum = Vector3::Zero();
  for (int b = 0; b < mechanism.body_count(); ++b) {
    sum += mechanism.body(b).mass() * sim.body_velocity(b).linear;
  }
  return sum;
}

}  // namespace pliant::test
