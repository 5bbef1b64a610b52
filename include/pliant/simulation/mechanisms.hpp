// A Simulation of a mechanism.
#pragma once

#include <pliant/linear_solver/rows/condensed.hpp>
#include <pliant/rigid/joint/ball.hpp>
#include <pliant/rigid/joint/fixed.hpp>
#include <pliant/rigid/joint/hinge.hpp>
#include <pliant/rigid/joint/slider.hpp>
#include <pliant/rigid/mechanism_system.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant {

namespace detail {

// The functions of a Simulation of a Mechanism for its bodies and joints. All throw IndexError for a body or
// a joint that does not exist.
template <Isa isa, class Simulation>
class FunctionsOf<MechanismSystem<isa>, Simulation> {
 public:
  Pose<3> pose(int body) const { return self().system_.pose(self().state_.x, body); }
  BodyVelocity body_velocity(int body) const {
    return self().system_.body_velocity(self().state_.x, self().state_.v, body);
  }

  // The angular velocity of the body in the world stays as it is. Joints that a pose opens close in the next
  // step.
  void set_pose(int body, const Pose<3>& pose) {
    const BodyVelocity velocity = body_velocity(body);
    self().system_.set_pose(body, pose, self().state_.x);
    set_body_velocity(body, velocity);
  }
  // Throws ParameterError for a number that is not finite.
  void set_body_velocity(int body, const BodyVelocity& velocity) {
    self().system_.set_body_velocity(self().state_.x, body, velocity, self().state_.v);
    self().show();
  }

  // A coordinate of a joint, such as the angle of a Hinge [m] or [rad].
  double joint_coordinate(int joint, int number = 0) const {
    return self().system_.joint_coordinate(self().state_.x, joint, number);
  }
  // The largest error of the rigid rows of all joints [m] or [rad].
  double joint_gap() const { return self().system_.joint_gap(self().state_.x); }
  // The force and the torque of a joint on its last body in the last step.
  JointLoad joint_load(int joint) const { return self().system_.joint_load(joint); }

 private:
  Simulation& self() { return static_cast<Simulation&>(*this); }
  const Simulation& self() const { return static_cast<const Simulation&>(*this); }
};

}  // namespace detail

// Simulation(mechanism, BackwardEuler{.dt = 0.01}, Condensed{})
template <class Integrator, class... Rest>
Simulation(Mechanism, Integrator, Rest...)
    -> Simulation<MechanismSystem<>, Integrator,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
