// The scene of one energy.
#pragma once

#include "any_integrator.hpp"
#include "scene.hpp"

#include <utility>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/simulation/simulation.hpp>
#include <pliant/solid/solid.hpp>

template <class Energy>
class SceneOf : public Scene {
 public:
  explicit SceneOf(const pliant::Mesh<pliant::Tet4>& mesh)
      : sim_(pliant::Solid(mesh, Energy(pliant::Lame::from_young_poisson(3e4, 0.45)), pliant::Density{1000},
                           pliant::Rayleigh{.beta = 1e-3}),
             AnyIntegrator{}, pliant::Pcg<pliant::BlockJacobi>{.tolerance = 1e-4}, hand({})) {
    sim_.set_gravity({0, -9.81, 0});
    sim_.add_collider(pliant::HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.5});
  }

  pliant::FrameReport advance(AnyFrames& frames) override { return frames.advance(sim_); }
  const Points& positions() const override { return sim_.positions(); }
  const Points& velocities() const override { return sim_.velocities(); }
  void set_state(const Points& positions, const Points& velocities) override {
    sim_.set_positions(positions);
    sim_.set_velocities(velocities);
  }
  void set_rule(Rule rule) override {
    AnyIntegrator integrator = sim_.integrator();
    integrator.rule = rule;
    sim_.set_integrator(integrator);
  }
  int rules() const override { return static_cast<int>(rule_names.size()); }
  void grab(std::vector<int> nodes) override {
    hand_velocity_.setZero();
    sim_.set_constraint(hand(std::move(nodes)));
  }
  void move_hand(const Eigen::Vector3d& velocity) override { hand_velocity_ = velocity; }

 private:
  using Velocity = std::function<Eigen::Vector3d(const Eigen::Vector3d& X, double t)>;
  using Hand = pliant::PrescribedVelocity<Velocity>;

  Hand hand(std::vector<int> nodes) {
    return {std::move(nodes), [this](const Eigen::Vector3d&, double) { return hand_velocity_; }};
  }

  Eigen::Vector3d hand_velocity_ = Eigen::Vector3d::Zero();
  pliant::Simulation<pliant::Solid<pliant::Tet4, Energy>, AnyIntegrator, pliant::Pcg<pliant::BlockJacobi>,
                     Hand>
      sim_;
};
