// A Simulation of a mechanism, or of a soft body and a mechanism.
#pragma once

#include <concepts>
#include <type_traits>

#include <pliant/linear_solver/rows/condensed.hpp>
#include <pliant/rigid/coupled_system.hpp>
#include <pliant/rigid/joint/ball.hpp>
#include <pliant/rigid/joint/fixed.hpp>
#include <pliant/rigid/joint/hinge.hpp>
#include <pliant/rigid/joint/slider.hpp>
#include <pliant/rigid/mechanism_system.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant {

namespace detail {

template <class S>
concept HasMechanism = requires(const S& system) {
  { system.mechanism() } -> std::same_as<const Mechanism&>;
};

// The solid of a Coupled in a state, a Snapshot for writers.
template <class Mesh>
struct SoftSnapshot {
  const Mesh& mesh_;
  NodeMatrix<double, 3> positions_, velocities_;
  double time_;

  const Mesh& mesh() const { return mesh_; }
  const NodeMatrix<double, 3>& positions() const { return positions_; }
  const NodeMatrix<double, 3>& velocities() const { return velocities_; }
  double time() const { return time_; }
};

// The functions of a Simulation of a Mechanism or of a Coupled for bodies and joints. All throw IndexError
// for a body or a joint that does not exist.
template <HasMechanism SystemType, class Simulation>
class FunctionsOf<SystemType, Simulation> {
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

  // Of a Coupled, its solid with copies of the present positions and velocities: series.write(sim.soft()). It
  // refers to the mesh of this simulation.
  auto soft() const requires requires(const SystemType& system) { system.solid(); }
  {
    const auto& mesh = self().system_.solid().mesh();
    const auto count = mesh.node_count();
    return SoftSnapshot<std::remove_cvref_t<decltype(mesh)>>{
        mesh, self().positions().leftCols(count), self().velocities().leftCols(count), self().time()};
  }

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

// Simulation(Coupled(solid, mechanism), BackwardEuler{.dt = 0.01}, Condensed{}, Pinned(nodes))
template <class Solid, class Integrator, class... Rest>
Simulation(Coupled<Solid>, Integrator, Rest...)
    -> Simulation<CoupledSystem<Solid>, Integrator,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
