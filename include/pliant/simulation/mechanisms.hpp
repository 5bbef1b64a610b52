// A Simulation of a mechanism, or of a soft body and a mechanism.
#pragma once

#include <concepts>
#include <type_traits>
#include <vector>

#include <pliant/io/body_snapshot.hpp>
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

  // The surfaces of all bodies at their present poses, for writers: write_vtu(path, sim.bodies()). A
  // VtkSeries takes the Simulation itself.
  BodySnapshot bodies() const {
    const Mechanism& mechanism = self().system_.mechanism();
    std::vector<BodySurface> surfaces;
    Eigen::Index nodes = 0, triangles = 0;
    for (int b = 0; b < mechanism.body_count(); ++b) {
      surfaces.push_back(mechanism.body(b).surface());
      nodes += surfaces.back().nodes.cols();
      triangles += surfaces.back().triangles.cols();
    }
    BodySnapshot all;
    for (auto* array : {&all.positions, &all.displacements, &all.velocities}) array->resize(3, nodes);
    all.triangles.resize(3, triangles);
    Eigen::Index node = 0, triangle = 0;
    for (int b = 0; b < mechanism.body_count(); ++b) {
      const BodyFrame& start = mechanism.frames()[static_cast<std::size_t>(b)];
      const Pose<3> rest(start.axes, start.origin), now = pose(b);
      const BodyVelocity velocity = body_velocity(b);
      const SmallVector<double, 3> centre = now.to_world(mechanism.body(b).properties().centre);
      const BodySurface& surface = surfaces[static_cast<std::size_t>(b)];
      for (const auto& corner : surface.triangles.colwise()) {
        all.triangles.col(triangle++) = corner.array() + static_cast<int>(node);
        all.body_of.push_back(b);
      }
      for (Eigen::Index k = 0; k < surface.nodes.cols(); ++k, ++node) {
        const SmallVector<double, 3> own = surface.nodes.col(k), at = now.to_world(own);
        all.positions.col(node) = at;
        all.displacements.col(node) = at - rest.to_world(own);
        all.velocities.col(node) =
            velocity.linear + algebra::cross<double>(velocity.angular, SmallVector<double, 3>(at - centre));
      }
      all.masses.push_back(mechanism.body(b).mass());
      all.body_velocities.push_back(velocity.linear);
      all.angular_velocities.push_back(velocity.angular);
    }
    return all;
  }

  // The force and the torque on a body by all its contacts in the last step, in which it carries a collider
  // or is kept out of one; about its centre of mass.
  JointLoad contact_load(int body) const { return self().contacts_.body_load(body); }

  // Of a Coupled, its solid with copies of the present positions and velocities: write_vtu(path, sim.soft()).
  // It refers to the mesh of this simulation.
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
    -> Simulation<detail::rigid::MechanismSystem<>, Integrator,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Constraint>;

// Simulation(Coupled(solid, mechanism), BackwardEuler{.dt = 0.01}, Condensed{}, Pinned(nodes))
template <class Solid, class Integrator, class... Rest>
Simulation(Coupled<Solid>, Integrator, Rest...)
    -> Simulation<detail::rigid::CoupledSystem<Solid>, Integrator,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
