// Newmark's method with joints: order, conservation, smooth loads, limits, motors, springs, soft bodies.
#include "rigid/coupled.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <pliant/integrator/newmark.hpp>

using namespace pliant;
using test::add_rod;
using test::end_of;
using test::gravity;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

Mechanism pendulum(double angle) {
  Mechanism mechanism;
  const int rod = add_rod(mechanism, {0, 0, 0}, {std::sin(angle), -std::cos(angle), 0}, 2);
  mechanism.add(Hinge{.second = rod});
  return mechanism;
}

// A body of 2 kg that slides along x.
Mechanism on_rail(Slider slider) {
  Mechanism mechanism;
  slider.second = mechanism.add(RigidBody::sphere(0.1, Mass{2}));
  slider.axis = {1, 0, 0};
  mechanism.add(slider);
  return mechanism;
}

// How the change of the y-component of the load of a joint changes from step to step, relative to its mean.
struct Smoothness {
  std::vector<double> loads;

  void take(double load) { loads.push_back(load); }
  double mean() const {
    double sum = 0;
    for (const double load : loads) sum += load;
    return sum / static_cast<double>(loads.size());
  }
  double largest_second_difference() const {
    double largest = 0;
    for (std::size_t n = 1; n + 1 < loads.size(); ++n) {
      largest = std::max(largest, std::abs(loads[n + 1] - 2 * loads[n] + loads[n - 1]));
    }
    return largest / std::abs(mean());
  }
};

}  // namespace

TEST_CASE("Newmark with joints: a rod swings with the period of the elliptic integral, of second order") {
  const double exact = 4 * std::sqrt(2 / (3 * gravity)) * std::comp_ellint_1(std::sin(1.));
  const auto error = [&](double dt) {
    Simulation sim(pendulum(2), Newmark{.dt = dt}, Condensed{});
    sim.set_gravity(down);
    std::vector<double> passages;
    double last = end_of(sim, 0).x(), lowest = 0, highest = 0;
    const double first = sim.energies().total();
    while (passages.size() < 4) {
      test::step(sim);
      CHECK(sim.joint_gap() <= 1e-10);
      const double x = end_of(sim, 0).x();
      if (last < 0 && x >= 0) passages.push_back(sim.time() - dt * x / (x - last));
      last = x;
      lowest = std::min(lowest, sim.energies().total() - first);
      highest = std::max(highest, sim.energies().total() - first);
    }
    CHECK(highest - lowest < 20 * gravity * dt * dt * 20);
    return (passages.back() - passages.front()) / 3 / exact - 1;
  };
  const double coarse = error(1. / 60), fine = error(1. / 120);
  CHECK(std::abs(coarse) < 2e-3);
  CHECK(std::abs(fine / coarse) == Approx(0.25).margin(0.05));
}

TEST_CASE("Newmark with joints: positions are of second order, unlike those of backward Euler") {
  const auto position = [&](const auto& integrator) {
    Simulation sim(pendulum(2), integrator, Condensed{});
    sim.set_gravity(down);
    while (sim.time() < 1 - 1e-9) test::step(sim);
    return end_of(sim, 0);
  };
  const Vector3 truth = position(Newmark{.dt = 1. / 4000});
  const auto error = [&](double dt) { return (position(Newmark{.dt = dt}) - truth).norm(); };
  const double coarse = error(0.02), fine = error(0.01);
  CHECK(coarse < 0.02);
  CHECK(fine / coarse == Approx(0.25).margin(0.03));
  CHECK((position(BackwardEuler{.dt = 0.01}) - truth).norm() > 5 * fine);
}

TEST_CASE("Newmark with joints: a free chain keeps its momenta, and its energy has no trend") {
  Mechanism chain;
  for (int k = 0; k < 5; ++k)
    chain.add(RigidBody::box({0.2, 0.3, 0.1}, Mass{1. + k}), Pose({0.5 * k, 0.1 * k, 0}));
  chain.add(Ball{.first = 0, .second = 1, .at = {0.25, 0, 0.1}});
  chain.add(Hinge{.first = 1, .second = 2, .at = {0.75, 0.1, 0}, .axis = {1, 1, 0}});
  chain.add(Slider{.first = 2, .second = 3, .at = {1.25, 0.2, 0}, .axis = {0, 0, 1}, .limits = {-0.2, 0.2}});
  chain.add(Fixed{.first = 3, .second = 4, .at = {1.75, 0.4, 0}});
  Simulation sim(chain, Newmark{.dt = 1. / 120}, Condensed{});
  for (int k = 0; k < 5; ++k) {
    sim.set_body_velocity(k, BodyVelocity{{0.1 * k, -0.2, 0}, {1. - k, 0.5 * k, -0.7}});
  }
  test::step(sim);  // the velocities fit the joints now
  const Vector3 p = test::momentum(sim), l = test::angular_momentum(sim);
  double early = 0, late = 0;
  for (int n = 0; n < 600; ++n) {
    test::step(sim);
    CHECK((test::momentum(sim) - p).norm() < 1e-11 * p.norm());
    CHECK((test::angular_momentum(sim) - l).norm() < 1e-10 * l.norm());
    CHECK(sim.joint_gap() <= 1e-10);
    if (n >= 100 && n < 350) early += sim.energies().kinetic;
    if (n >= 350) late += sim.energies().kinetic;
  }
  // Impacts on the limits are inelastic.
  CHECK(late <= early * (1 + 1e-3));
}

TEST_CASE("Newmark with joints: the loads of a hanging chain do not swing from step to step") {
  const auto mesh = make_box<Hex8>({.lengths = {0.1, 0.3, 0.1}, .cells = {2, 6, 2}, .origin = {0, -0.9, 0}});
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = 0; k < 3; ++k) {
    const Vector3 from(0.05, -0.2 * k, 0.05), to(0.05, -0.2 * (k + 1), 0.05);
    const int link = add_rod(chain, from, to, 0.5);
    chain.add(Ball{.first = above, .second = link, .at = from});
    above = link;
  }
  const Solid bar(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000},
                  Rayleigh{.beta = 2e-3});
  Coupled scene(bar, chain);
  scene.add(BallToFace{.body = above, .face = test::face_at(mesh, -0.6)});
  // The bar bounces at 5 Hz. What a method adds from step to step would not shrink with the length of the
  // steps.
  Simulation sim(scene, Newmark{.dt = 0.001}, Condensed{});
  sim.set_gravity({0.5, -gravity, 0});
  test::step(sim, 150);
  std::vector<Smoothness> joints(4);
  for (int n = 0; n < 100; ++n) {
    test::step(sim);
    for (int joint = 0; joint < 4; ++joint) {
      joints[static_cast<std::size_t>(joint)].take(sim.joint_load(joint).force.y());
    }
    CHECK(sim.joint_gap() <= 1e-10);
  }
  for (const Smoothness& joint : joints) {
    CAPTURE(joint.mean());
    CHECK(joint.largest_second_difference() < 0.01);
  }
  CHECK(joints[0].mean() > 2 * gravity);
}

TEST_CASE("Newmark with joints: limits, motors and springs") {
  {  // a spring: the trapezoidal rule keeps its energy, and the period is of second order
    const double k = 200, omega = std::sqrt(k / 2), dt = 0.2 / omega;
    Simulation sim(on_rail({.spring = {.stiffness = k}}), Newmark{.dt = dt}, Condensed{});
    sim.set_body_velocity(0, {{1, 0, 0}, {}});
    const double phase = 2 * std::atan(omega * dt / 2);
    for (int n = 1; n <= 200; ++n) {
      test::step(sim);
      const double x = sim.pose(0).translation().x(), v = sim.body_velocity(0).linear.x();
      CHECK(x == Approx(std::sin(n * phase) / omega).margin(1e-9));
      CHECK(v * v + k / 2 * x * x == Approx(1).epsilon(1e-9));
    }
  }
  {  // a motor that is too weak: constant force; then its speed
    const double dt = 0.01;
    Simulation sim(on_rail({.motor = {.speed = 0.35, .force = 4}}), Newmark{.dt = dt}, Condensed{});
    for (int n = 1; n <= 30; ++n) {
      test::step(sim);
      const double v = sim.body_velocity(0).linear.x();
      if (n <= 17) {
        CHECK(v == Approx(2 * n * dt));
        CHECK(sim.joint_load(0).force.x() == Approx(4));
        CHECK(sim.pose(0).translation().x() == Approx(n * n * dt * dt));
      }
      if (n >= 20) CHECK(v == Approx(0.35));
      if (n >= 22) CHECK(std::abs(sim.joint_load(0).force.x()) < 1e-9);
    }
  }
  {  // a limit stops a body, carries its weight and lets it go
    Simulation sim(on_rail({.limits = {-0.3, 0.5}}), Newmark{.dt = 0.01}, Condensed{});
    sim.set_gravity({-gravity, 0, 0});
    test::step(sim, 60);
    CHECK(sim.pose(0).translation().x() == Approx(-0.3).margin(1e-10));
    CHECK(std::abs(sim.body_velocity(0).linear.x()) < 1e-9);
    CHECK(sim.joint_load(0).force.x() == Approx(2 * gravity));
    sim.set_gravity({1, 0, 0});
    test::step(sim, 10);
    CHECK(sim.joint_coordinate(0) == Approx(-0.3 + 0.5 * 0.01));
    CHECK(sim.joint_load(0).force.x() == 0);
  }
}

TEST_CASE(
    "Newmark with joints: a soft body and rigid ones keep their momentum, and their energy has no trend") {
  const auto mesh = make_box<Hex8>({.lengths = {0.1, 0.3, 0.1}, .cells = {2, 6, 2}});
  Mechanism mechanism;
  mechanism.add(RigidBody::box({0.1, 0.1, 0.2}, Mass{1}), Pose({0.05, 0.35, 0.05}));
  mechanism.add(RigidBody::sphere(0.05, Mass{0.5}), Pose({0.05, -0.05, 0.05}));
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                  mechanism);
  coupled.add(WeldToNodes{.body = 0, .nodes = test::nodes_at(mesh, 0.3)});
  coupled.add(BallToFace{.body = 1, .face = test::face_at(mesh, 0), .offset = 0.01});
  Simulation sim(coupled, Newmark{.dt = 0.002, .newton = {.tolerance = 1e-11}}, Condensed{});
  sim.set_body_velocity(0, {{1, 0, 0}, {0, 3, 2}});
  test::step(sim);
  const auto momentum = [&] { return Vector3(test::momentum(sim) + test::soft_momentum(sim)); };
  const auto angular = [&] {
    return Vector3(test::angular_momentum(sim) + test::soft_angular_momentum(sim));
  };
  const Vector3 p = momentum(), l = angular();
  const double first = sim.energies().total();
  double lowest = first, highest = first;
  for (int n = 0; n < 300; ++n) {
    test::step(sim);
    CHECK((momentum() - p).norm() < 1e-9 * p.norm());
    CHECK(sim.joint_gap() <= 1e-10);
    lowest = std::min(lowest, sim.energies().total());
    highest = std::max(highest, sim.energies().total());
  }
  CHECK(highest - lowest < 0.02 * first);
  CHECK((angular() - l).norm() < 1e-3 * l.norm());
}
