// Rigid bodies that joints connect.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <pliant/rigid/joint/any_joint.hpp>
#include <pliant/rigid/rigid_body.hpp>

namespace pliant {

// A value: bodies with their poses at the start, and joints. It is checked as it is built.
//
//   Mechanism pendulum;
//   const int rod = pendulum.add(RigidBody::box({0.02, 1, 0.02}, Mass{2}), Pose({0, -0.5, 0}));
//   pendulum.add(Hinge{.first = Mechanism::world, .second = rod, .at = {0, 0, 0}, .axis = {0, 0, 1}});
class Mechanism {
 public:
  static constexpr int world = world_body;  // the body of a joint that never moves

  // The frame of `body` is at `pose` at the start, and at rest. Returns the number of the body: 0, 1, ...
  int add(const RigidBody& body, const Pose<3>& pose = {}) {
    bodies_.push_back(body);
    frames_.push_back({pose.translation(), pose.rotation(), pose.to_world(body.properties().centre)});
    return body_count() - 1;
  }

  // Returns the number of the joint: 0, 1, ... Throws IndexError for a body that does not exist,
  // ParameterError for a parameter out of range, for a body that is joined to itself, and for a joint that is
  // not met at the start. The message begins with the number of the joint.
  template <Joint J>
  int add(const J& joint) {
    static_assert(std::tuple_size_v<decltype(joint.nodes())> == 0,
                  "a Mechanism has no nodes: its joints act on bodies alone");
    const std::string name = "joint " + std::to_string(joint_count());
    require_bodies(name, joint.bodies());
    named(name, [&] { joint.check(); });
    AnyJoint attached(joint, frames_);
    require_met(name, attached);
    joints_.push_back(std::move(attached));
    return joint_count() - 1;
  }

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int joint_count() const { return static_cast<int>(joints_.size()); }

  const RigidBody& body(int number) const { return bodies_[checked("body", number, body_count())]; }
  const AnyJoint& joint(int number) const { return joints_[checked("joint", number, joint_count())]; }

  // The frames of all bodies at the start.
  const std::vector<BodyFrame>& frames() const { return frames_; }

 private:
  // Largest error of a joint at the start [m] or [rad], relative to 1 and to the distance from the origin.
  static constexpr double tolerance = 1e-9;

  static std::size_t checked(const char* what, int number, int count) {
    if (number < 0 || number >= count) throw IndexError(what, number, count);
    return static_cast<std::size_t>(number);
  }

  template <class Run>
  static void named(const std::string& name, Run&& run) {
    try {
      run();
    } catch (const ParameterError& error) {
      throw ParameterError(name + ": " + error.parameter(), error.value(), error.requirement());
    }
  }

  template <class Numbers>
  void require_bodies(const std::string& name, const Numbers& numbers) const {
    bool any = false;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const int number = numbers[k];
      if (number != world_body && (number < 0 || number >= body_count())) {
        throw IndexError(name + ": body", number, body_count());
      }
      for (std::size_t other = 0; other < k; ++other) {
        if (numbers[other] != number) continue;
        throw ParameterError(name + ": body", number, "a joint is between different bodies");
      }
      any = any || number != world_body;
    }
    if (!any) throw ParameterError(name + ": body", world_body, "a joint acts on a body that can move");
  }

  void require_met(const std::string& name, const AnyJoint& joint) const {
    JointRows rows;
    named(name, [&] { joint.describe(frames_, rows); });
    double size = 1;
    for (const int number : joint.bodies()) {
      if (number != world_body)
        size = std::fmax(size, frames_[static_cast<std::size_t>(number)].centre.norm());
    }
    const auto require = [&](double value, double lowest, double highest, const std::string& what) {
      if (value >= lowest - tolerance * size && value <= highest + tolerance * size) return;
      throw ParameterError(name + ": " + what, value,
                           "the joint does not fit: at the start it must lie in [" +
                               detail::core::in_words(lowest, "", 17) + ", " +
                               detail::core::in_words(highest, "", 17) + "] within " +
                               detail::core::in_words(tolerance * size));
    };
    for (const auto& held : rows.held()) {
      if (held.compliance.rigid()) require(held.row.value, 0, 0, "held row");
    }
    for (const auto& coordinate : rows.coordinates()) {
      require(coordinate.row.value, coordinate.limits.lowest, coordinate.limits.highest, "coordinate");
    }
  }

  std::vector<RigidBody> bodies_;
  std::vector<BodyFrame> frames_;
  std::vector<AnyJoint> joints_;
};

}  // namespace pliant
