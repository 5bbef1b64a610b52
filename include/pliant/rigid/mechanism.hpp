// Rigid bodies that joints connect.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include <pliant/rigid/contact/carried_collider.hpp>
#include <pliant/rigid/joint/joint_list.hpp>
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
                  "a Mechanism has no nodes: its joints act on bodies alone; add this one to a Coupled");
    return joints_.add(std::vector<J>{joint}, frames_, NodeMatrix<double, 3>(3, 0));
  }

  // The body carries a collider, given in the frame of the body. It keeps out the nodes of a solid and the
  // points of other bodies; its own points, the corners of a Box, the centre of a Sphere, the centres of the
  // ends of a Capsule or the nodes of a TriangleMesh, are kept out of the colliders of others and of the
  // world. What a joint connects directly has no contact. Returns the number of the collider: 0, 1, ...
  // Throws IndexError for a body that does not exist, and ParameterError for an invalid collider or surface,
  // or one with viscosity.
  template <class Shape>
  requires Collider<Shape, 3>
  int add_collider(int body, const Shape& shape, const Surface& surface = {}) {
    if (body < 0 || body >= body_count()) {
      throw IndexError("collider " + std::to_string(colliders_.size()) + ": body", body, body_count());
    }
    shape.check();
    surface.check();
    detail::rigid::require_no_drag(surface);
    colliders_.push_back(
        {body, detail::contact::AnyCollider<3>(shape), surface, detail::rigid::contact_points(shape)});
    return static_cast<int>(colliders_.size()) - 1;
  }

  int body_count() const { return static_cast<int>(bodies_.size()); }
  int joint_count() const { return joints_.count(); }

  // Both throw IndexError for a number that does not exist.
  const RigidBody& body(int number) const {
    if (number < 0 || number >= body_count()) throw IndexError("body", number, body_count());
    return bodies_[static_cast<std::size_t>(number)];
  }
  const detail::rigid::AnyJoint& joint(int number) const { return joints_.of(number).front(); }

  const detail::rigid::JointList& joints() const { return joints_; }
  const std::vector<detail::rigid::CarriedCollider>& colliders() const { return colliders_; }

  // The frames of all bodies at the start.
  const std::vector<BodyFrame>& frames() const { return frames_; }

 private:
  std::vector<RigidBody> bodies_;
  std::vector<BodyFrame> frames_;
  detail::rigid::JointList joints_;
  std::vector<detail::rigid::CarriedCollider> colliders_;
};

}  // namespace pliant
