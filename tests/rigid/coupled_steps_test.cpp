// Steps of soft bodies with mechanisms: equilibria in closed form, conservation, failure, saved states.
#include "rigid/coupled.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/integrator/optimization_euler.hpp>

using namespace pliant;
using test::gravity;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

constexpr double young = 1e5, width = 0.1, length = 0.3, density = 1000;
constexpr double area = width * width, soft_mass = density * area * length;

// A bar of hexahedra along y, from -length to 0, in which columns of elements act as bars if nu = 0.
auto bar_mesh() {
  return make_box<Hex8>(
      {.lengths = {width, length, width}, .cells = {2, 6, 2}, .origin = {-width / 2, -length, -width / 2}});
}

constexpr double plate_mass = 2;

// The bar between two plates: the upper one hangs by a ball joint 0.1 m above the bar.
template <class Energy>
auto hung_bar(const Energy& energy) {
  Mechanism mechanism;
  const int above = mechanism.add(RigidBody::box({width, 0.02, width}, Mass{plate_mass}), Pose({0, 0.01, 0}));
  const int below =
      mechanism.add(RigidBody::box({width, 0.02, width}, Mass{plate_mass}), Pose({0, -length - 0.01, 0}));
  mechanism.add(Ball{.second = above, .at = {0, 0.1, 0}});
  const auto mesh = bar_mesh();
  Coupled coupled(Solid(mesh, energy, Density{density}), mechanism);
  coupled.add(WeldToNodes{.body = above, .nodes = test::nodes_at(mesh, 0)});
  coupled.add(WeldToNodes{.body = below, .nodes = test::nodes_at(mesh, -length)});
  return coupled;
}

}  // namespace

TEST_CASE("Coupled: a bar between two plates hangs as in the closed form") {
  const auto check = [](const auto& energy, double precision) {
    Simulation sim(hung_bar(energy), BackwardEuler{.dt = 0.02, .newton = {.tolerance = 1e-10}}, Condensed{});
    sim.set_gravity(down);
    test::step(sim, 200);
    const double stretch = sim.pose(0).translation().y() - sim.pose(1).translation().y() - length - 0.02;
    const double truth =
        plate_mass * gravity * length / (young * area) + density * gravity * length * length / (2 * young);
    CHECK(stretch == Approx(truth).epsilon(precision));
    const double weight = (2 * plate_mass + soft_mass) * gravity;
    CHECK((sim.joint_load(0).force - Vector3(0, weight, 0)).norm() < 1e-6 * weight);
    CHECK((sim.joint_load(1).force - Vector3(0, -(plate_mass + soft_mass) * gravity, 0)).norm() <
          1e-6 * weight);
    CHECK((sim.joint_load(2).force - Vector3(0, plate_mass * gravity, 0)).norm() < 1e-6 * weight);
    CHECK(sim.joint_gap() < 1e-10);
  };
  check(LinearElastic(Lame::from_young_poisson(young, 0)), 1e-6);
  check(StableNeoHookean(Lame::from_young_poisson(young, 0.3)), 0.1);
}

TEST_CASE("Coupled: a free one keeps its momentum, and its angular momentum but for backward Euler's part") {
  Mechanism mechanism;
  const int hand = mechanism.add(RigidBody::box({0.1, 0.1, 0.2}, Mass{1}), Pose({0, 0.05, 0}));
  const int arm = mechanism.add(RigidBody::box({0.3, 0.1, 0.1}, Mass{2}), Pose({0.2, 0.1, 0}));
  const int tool = mechanism.add(RigidBody::sphere(0.05, Mass{0.5}), Pose({0, -length - 0.1, 0}));
  mechanism.add(Hinge{.first = hand, .second = arm, .at = {0.05, 0.1, 0}, .axis = {0, 1, 1}});
  const auto mesh = bar_mesh();
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e4, 0.3)), Density{density});
  Coupled coupled(solid, mechanism);
  coupled.add(WeldToNodes{.body = hand, .nodes = test::nodes_at(mesh, 0)});
  coupled.add(BallToFace{.body = tool, .face = test::face_at(mesh, -length), .offset = 0.03});

  const double dt = 0.01;
  Simulation sim(coupled, BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-12}}, Condensed{});
  auto velocities = sim.velocities();
  for (int k = 0; k < mesh.node_count(); ++k) {
    const Vector3 X = mesh.nodes.col(k);
    velocities.col(k) = Vector3(0.5, 0.2, 0.1) + detail::algebra::cross<double>(Vector3(0, 0, 1.5), X);
  }
  sim.set_velocities(velocities);
  for (int b = 0; b < 3; ++b) {
    sim.set_body_velocity(b, BodyVelocity{{0.5, 0.2, 0.1 * b}, {0.5 * b, 1, 1.5}});
  }
  const auto momentum = [&] { return Vector3(test::momentum(sim) + test::soft_momentum(sim)); };
  const auto angular = [&] {
    return Vector3(test::angular_momentum(sim) + test::soft_angular_momentum(sim));
  };
  // A second System of the solid, for its elastic forces.
  auto system = system_of(solid);
  auto x = system.make_vector(), gradient = system.make_vector();
  const Vector3 p = momentum();
  CHECK(p.norm() > 1);
  double lost = 0;
  for (int k = 0; k < 100; ++k) {
    const Vector3 before = angular();
    test::step(sim);
    CHECK((momentum() - p).norm() < 1e-10 * p.norm());
    CHECK(sim.joint_gap() <= 1e-10);
    // The elastic forces of backward Euler have no moment about the positions at the end of a step; about
    // those at its start, which count, they have that of dt^2 v+.
    system.to_internal(sim.positions().leftCols(mesh.node_count()), x);
    system.gradient(x, gradient);
    Vector3 moment = Vector3::Zero();
    for (int i = 0; i < mesh.node_count(); ++i) {
      const Vector3 v = sim.velocities().col(system.user_number(i)), g = gradient.node(i);
      moment += dt * dt * detail::algebra::cross<double>(v, g);
    }
    CHECK((angular() - before - moment).norm() < 1e-10 * before.norm());
    lost += moment.norm() / before.norm();
  }
  CHECK(lost > 1e-4);
}
