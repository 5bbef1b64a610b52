// Steps of mechanisms: conservation, impacts, limits, motors, compliance, failure, saved states.
#include "rigid/mechanisms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <pliant/integrator/optimization_euler.hpp>

using namespace pliant;
using test::add_rod;
using test::end_of;
using test::gravity;
using test::Leash;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

constexpr double inf = std::numeric_limits<double>::infinity();

// A body of 2 kg that slides along x, from 0.
Mechanism on_rail(Slider slider) {
  Mechanism mechanism;
  slider.second = mechanism.add(RigidBody::sphere(0.1, Mass{2}));
  slider.axis = {1, 0, 0};
  mechanism.add(slider);
  return mechanism;
}

// A wheel that turns about z with the moment 0.5 kg m^2.
Mechanism wheel(Hinge hinge) {
  Mechanism mechanism;
  hinge.second = mechanism.add(RigidBody::cylinder(0.1, 1, Mass{1}));
  mechanism.add(hinge);
  return mechanism;
}

// Ball, hinge, slider and a fixed joint between five bodies in a chain, which tumbles in space.
Mechanism free_chain() {
  Mechanism chain;
  for (int k = 0; k < 5; ++k)
    chain.add(RigidBody::box({0.2, 0.3, 0.1}, Mass{1. + k}), Pose({0.5 * k, 0.1 * k, 0}));
  chain.add(Ball{.first = 0, .second = 1, .at = {0.25, 0, 0.1}});
  chain.add(Hinge{.first = 1, .second = 2, .at = {0.75, 0.1, 0}, .axis = {1, 1, 0}});
  chain.add(Slider{.first = 2, .second = 3, .at = {1.25, 0.2, 0}, .axis = {0, 0, 1}});
  chain.add(Fixed{.first = 3, .second = 4, .at = {1.75, 0.4, 0}});
  return chain;
}

template <class Sim>
void set_tumbling(Sim& sim) {
  for (int k = 0; k < 5; ++k) {
    sim.set_body_velocity(k, BodyVelocity{{0.3 * k, -0.2, 0.1 * k * k}, {1. - k, 0.5 * k, -0.7}});
  }
}

}  // namespace

TEST_CASE("Mechanism: a free one keeps its momentum and its angular momentum") {
  Simulation sim(free_chain(), BackwardEuler{.dt = 1. / 60}, Condensed{});
  set_tumbling(sim);
  test::step(sim);
  const Vector3 p = test::momentum(sim), L = test::angular_momentum(sim);
  CHECK(p.norm() > 1);
  CHECK(L.norm() > 1);
  for (int k = 0; k < 240; ++k) {
    test::step(sim);
    CHECK((test::momentum(sim) - p).norm() < 1e-12 * p.norm());
    CHECK((test::angular_momentum(sim) - L).norm() < 1e-11 * L.norm());
    CHECK(sim.joint_gap() <= 1e-10);
  }
}

TEST_CASE("Mechanism: the same motion where the whole scene is turned and shifted") {
  const Pose<3> motion(Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, -2, 0.5).normalized()), {3, -7, 2});
  const auto scene = [](const Pose<3>& all) {
    Mechanism arm;
    const auto placed = [&](const Vector3& at) { return Pose<3>(all.rotation(), all.to_world(at)); };
    arm.add(RigidBody::box({1, 0.1, 0.2}, Mass{1}), placed({0.5, 0, 0}));
    arm.add(RigidBody::box({1, 0.2, 0.1}, Mass{2}), placed({1.5, 0, 0}));
    arm.add(Ball{.second = 0, .at = all.to_world({0, 0, 0})});
    arm.add(Hinge{.first = 0,
                  .second = 1,
                  .at = all.to_world({1, 0, 0}),
                  .axis = all.rotated({0, 1, 1}),
                  .limits = {-0.5, 0.5}});
    return arm;
  };
  Simulation here(scene({}), BackwardEuler{.dt = 0.01}, Condensed{});
  Simulation there(scene(motion), BackwardEuler{.dt = 0.01}, Condensed{});
  here.set_gravity(down);
  there.set_gravity(motion.rotated(down));
  test::step(here, 100);
  test::step(there, 100);
  for (int b = 0; b < 2; ++b) {
    CHECK((here.positions().col(b) - Vector3::Zero()).norm() > 0.5);
    CHECK((there.positions().col(b) - motion.to_world(Vector3(here.positions().col(b)))).norm() < 1e-8);
  }
}

TEST_CASE("Mechanism: a free body moves freely, and falls like a stone") {
  Mechanism stone;
  stone.add(RigidBody::box({1, 2, 3}, Mass{12}), Pose({1, 2, 3}));
  const double dt = 0.01;
  Simulation sim(stone, BackwardEuler{.dt = dt}, Condensed{});
  sim.set_gravity(down);
  sim.set_body_velocity(0, BodyVelocity{{1, 2, 0}, {0.1, 3, 0.2}});
  const Vector3 L =
      test::angular_momentum(sim) - detail::algebra::cross<double>({1, 2, 3}, Vector3(12, 24, 0));
  test::step(sim, 100);
  // Backward Euler of a parabola: n (n + 1) / 2 steps of dt^2 g.
  CHECK((sim.positions().col(0) - Vector3(2, 4 - gravity * dt * dt * 5050, 3)).norm() < 1e-12);
  const BodyVelocity velocity = sim.body_velocity(0);
  CHECK(velocity.linear.y() == Approx(2 - gravity));
  const MassProperties now = stone.body(0).properties().at(sim.pose(0));
  CHECK((now.inertia * velocity.angular - L).norm() < 1e-12 * L.norm());
}

TEST_CASE("Mechanism: a ball joint catches the end of a flying rod") {
  Mechanism caught;
  const int rod = add_rod(caught, {0, 0, 0}, {1, 0, 0}, 2);
  caught.add(Ball{.second = rod});
  Simulation sim(caught, BackwardEuler{.dt = 1e-6}, Condensed{});
  sim.set_body_velocity(rod, BodyVelocity{.linear = {0, 2, 0}});
  const double energy = sim.energies().kinetic;
  test::step(sim);
  CHECK(sim.body_velocity(rod).angular.z() == Approx(3).epsilon(1e-6));  // 3 v / (2 L)
  CHECK(sim.energies().kinetic == Approx(0.75 * energy).epsilon(1e-5));
}

TEST_CASE("Limits: a slider stops at both of them, which only push") {
  Simulation sim(on_rail({.limits = {-0.3, 0.5}}), BackwardEuler{.dt = 0.01}, Condensed{});
  const int body = 0;
  sim.set_body_velocity(body, BodyVelocity{.linear = {1.03, 0, 0}});
  for (int k = 0; k < 48; ++k) test::step(sim);
  CHECK(sim.joint_coordinate(0) == Approx(0.4944).epsilon(1e-12));  // it has not met it
  CHECK(sim.joint_load(0).force.norm() < 1e-9);
  test::step(sim);
  CHECK(sim.joint_coordinate(0) == Approx(0.5).margin(1e-11));
  CHECK(sim.joint_load(0).force.x() < -1);
  test::step(sim, 10);
  CHECK(sim.joint_coordinate(0) == Approx(0.5).margin(1e-11));
  CHECK(std::abs(sim.joint_load(0).force.x()) < 1e-6);

  sim.set_gravity({-3, 0, 0});
  test::step(sim, 200);
  CHECK(sim.joint_coordinate(0) == Approx(-0.3).margin(1e-11));
  CHECK(sim.joint_load(0).force.x() == Approx(6));
  sim.set_gravity({3, 0, 0});  // leaves it at once
  test::step(sim, 10);
  CHECK(sim.joint_coordinate(0) == Approx(-0.3 + 3 * 0.0001 * 55));
  CHECK(std::abs(sim.joint_load(0).force.x()) < 1e-9);
}

TEST_CASE("Limits: a pendulum that falls on one rests on it") {
  Mechanism pendulum;
  const int rod = add_rod(pendulum, {0, 0, 0}, {1, 0, 0}, 2);
  pendulum.add(Hinge{.second = rod, .limits = {-0.4, 0.4}});
  Simulation sim(pendulum, BackwardEuler{.dt = 1. / 60}, Condensed{});
  sim.set_gravity(down);
  double lowest = 0;
  for (int k = 0; k < 120; ++k) {
    test::step(sim);
    lowest = std::min(lowest, sim.joint_coordinate(0));
  }
  CHECK(lowest > -0.4 - 1e-10);
  CHECK(sim.joint_coordinate(0) == Approx(-0.4).margin(1e-10));
  // The hinge carries the weight, and its limit the moment of the weight about it.
  const JointLoad load = sim.joint_load(0);
  CHECK((load.force - Vector3(0, 2 * gravity, 0)).norm() < 1e-8);
  CHECK(std::abs(load.torque.z() +
                 detail::algebra::cross<double>(Vector3(-end_of(sim, rod) / 2), load.force).z()) > 1);
  CHECK(std::abs(load.torque.z()) < 1e-8);  // about the centre, at rest
}

TEST_CASE("Motors: a wheel reaches its speed with a constant torque") {
  const double torque = 2, speed = 10, moment = 0.5, dt = 0.01;
  Simulation sim(wheel({.motor = {speed, torque}}), BackwardEuler{.dt = dt}, Condensed{});
  test::step(sim, 100);
  CHECK(sim.body_velocity(0).angular.z() == Approx(torque / moment * 1).epsilon(1e-12));
  CHECK(sim.joint_load(0).torque.z() == Approx(torque));
  test::step(sim, 160);
  CHECK(sim.body_velocity(0).angular.z() == Approx(speed).epsilon(1e-12));
  CHECK(std::abs(sim.joint_load(0).torque.z()) < 1e-9);

  Simulation strong(wheel({.motor = {-speed, inf}}), BackwardEuler{.dt = dt}, Condensed{});
  test::step(strong);
  CHECK(strong.body_velocity(0).angular.z() == Approx(-speed).epsilon(1e-9));
}

TEST_CASE("Motors: one that is too weak to lift, and one that stops at a limit") {
  Slider rail{.limits = {-inf, 0.2}, .motor = {.speed = 0.5, .force = 8}};
  Simulation sim(on_rail(rail), BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity({-5, 0, 0});  // 10 N
  test::step(sim, 10);
  CHECK(sim.body_velocity(0).linear.x() == Approx(-0.1).epsilon(1e-12));
  sim.set_gravity({-3, 0, 0});
  test::step(sim, 200);
  CHECK(sim.joint_coordinate(0) == Approx(0.2).margin(1e-11));
  // The motor pushes with all it has, and the limit takes what the weight does not.
  CHECK(sim.joint_load(0).force.x() == Approx(6));
}

TEST_CASE("Motors: with speed 0 they are dry friction") {
  const double dt = 0.01;
  Simulation sim(on_rail({.motor = {.force = 4}}), BackwardEuler{.dt = dt}, Condensed{});
  sim.set_body_velocity(0, BodyVelocity{.linear = {1, 0, 0}});
  test::step(sim, 60);  // it stops after 0.5 s and v^2 / (2 a) = 0.25 m
  CHECK(std::abs(sim.body_velocity(0).linear.x()) < 1e-12);
  CHECK(sim.joint_coordinate(0) == Approx(0.25 - dt / 2).epsilon(1e-9));
}

TEST_CASE("Compliance: springs and dampers of joints") {
  const double k = 500, d = 3, m = 2, dt = 0.01;
  SECTION("a ball joint sags by its load, and reports its force") {
    Mechanism hung;
    hung.add(RigidBody::sphere(0.1, Mass{m}));
    hung.add(Ball{.second = 0, .compliance = {k, 50}});
    Simulation sim(hung, BackwardEuler{.dt = dt}, Condensed{});
    sim.set_gravity(down);
    test::step(sim, 2000);
    CHECK(sim.positions()(1, 0) == Approx(-m * gravity / k).epsilon(1e-9));
    CHECK(sim.joint_load(0).force.y() == Approx(m * gravity).epsilon(1e-9));
    CHECK(sim.joint_gap() == 0);  // no rigid row
  }
  SECTION("the spring of a coordinate is that of backward Euler") {
    Simulation sim(on_rail({.spring = {k, d}}), BackwardEuler{.dt = dt}, Condensed{});
    sim.set_body_velocity(0, BodyVelocity{.linear = {1, 0, 0}});
    double x = 0, v = 1;
    for (int n = 0; n < 50; ++n) {
      v = (v - dt * k / m * x) / (1 + dt * d / m + dt * dt * k / m);
      x += dt * v;
      test::step(sim);
      CHECK(sim.joint_coordinate(0) == Approx(x).margin(1e-12));
    }
  }
}

TEST_CASE("Mechanism: rows that contradict each other stop the step, which leaves everything as it was") {
  const auto place = std::make_shared<double>(0);
  Mechanism held;
  held.add(RigidBody::sphere(0.1, Mass{1}));
  held.add(RigidBody::sphere(0.1, Mass{1}), Pose({1, 0, 0}));
  held.add(Fixed{.second = 0});
  held.add(Ball{.first = 0, .second = 1, .at = {0.5, 0, 0}});
  held.add(Leash{0, place});  // redundant with the first
  Simulation sim(held, BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity(down);
  test::step(sim, 20);
  CHECK(sim.joint_gap() < 1e-10);

  const auto positions = sim.positions();
  const auto velocities = sim.velocities();
  const Pose<3> pose = sim.pose(1);
  const JointLoad load = sim.joint_load(1);
  *place = 0.5;
  const StepReport report = sim.step();
  INFO(report.message());
  CHECK(report.stop == StepStop::rows_unmet);
  CHECK((report.unmet_joint == 0 || report.unmet_joint == 2));
  CHECK(report.row_error == Approx(0.25).epsilon(0.2));
  CHECK(sim.positions() == positions);
  CHECK(sim.velocities() == velocities);
  CHECK(sim.pose(1).rotation() == pose.rotation());
  CHECK(sim.joint_load(1).force == load.force);
  *place = 0;
  test::step(sim, 20);
}

TEST_CASE("Mechanism: a saved state goes on with the same bits") {
  const auto make = [] {
    auto sim = std::make_unique<
        Simulation<detail::rigid::MechanismSystem<>, BackwardEuler, Condensed<>, Unconstrained>>(
        free_chain(), BackwardEuler{.dt = 1. / 60}, Condensed<>{});
    sim->set_gravity({1, 2, 3});
    return sim;
  };
  auto sim = make(), other = make();
  set_tumbling(*sim);
  test::step(*sim, 20);
  const auto saved = sim->state();
  test::step(*sim, 20);
  other->set_state(saved);
  CHECK(other->joint_load(2).force.norm() > 0);
  test::step(*other, 20);
  CHECK(other->positions() == sim->positions());
  CHECK(other->velocities() == sim->velocities());
  for (int b = 0; b < 5; ++b) CHECK(other->pose(b).rotation() == sim->pose(b).rotation());
  CHECK(other->joint_load(2).torque == sim->joint_load(2).torque);
}

TEST_CASE("Mechanism: poses that are set are taken, and open joints close") {
  Mechanism pendulum;
  const int rod = add_rod(pendulum, {0, 0, 0}, {1, 0, 0}, 2);
  pendulum.add(Ball{.second = rod});
  Simulation sim(pendulum, OptimizationEuler{.dt = 0.01}, Condensed{});
  sim.set_body_velocity(rod, BodyVelocity{.angular = {0, 0, 0.5}});
  const Pose<3> pose(Eigen::AngleAxisd(3, Eigen::Vector3d(1, 2, 3).normalized()), {-0.25, 0.01, 0});
  sim.set_pose(rod, pose);
  CHECK((sim.pose(rod).rotation() - pose.rotation()).norm() < 1e-14);
  CHECK((sim.pose(rod).translation() - pose.translation()).norm() < 1e-14);
  CHECK((sim.body_velocity(rod).angular - Vector3(0, 0, 0.5)).norm() < 1e-14);
  CHECK(sim.joint_gap() > 0.1);
  test::step(sim);
  CHECK(sim.joint_gap() < 1e-10);

  CHECK_THROWS_AS(sim.pose(1), IndexError);
  CHECK_THROWS_AS(sim.set_pose(-1, pose), IndexError);
  CHECK_THROWS_AS(sim.set_body_velocity(1, BodyVelocity{}), IndexError);
  CHECK_THROWS_AS(sim.set_body_velocity(rod, {.angular = {0, inf, 0}}), ParameterError);
  CHECK_THROWS_AS(sim.joint_load(1), IndexError);
  CHECK_THROWS_AS(sim.joint_coordinate(0), IndexError);
  CHECK_THROWS_AS(Simulation(Mechanism(), BackwardEuler{}, Condensed{}), SizeError);
  CHECK_THROWS_AS(Simulation(pendulum, BackwardEuler{}, Condensed<>{.gap = 0}), ParameterError);
}

TEST_CASE("Mechanism: a damper alone brakes, and a rigid spring is refused") {
  // 0.5 kg m^2 dw/dt = -c w: with the force at the end of each step, w falls by 1 + c dt / I.
  const double c = 2, dt = 1e-3;
  Simulation sim(wheel({.spring = {.stiffness = 0, .damping = c}}), BackwardEuler{.dt = dt}, Condensed{});
  sim.set_body_velocity(0, {.angular = {0, 0, 3}});
  test::step(sim, 100);
  CHECK(sim.body_velocity(0).angular.z() == Approx(3 * std::pow(1 + c * dt / 0.5, -100)).epsilon(1e-6));
  CHECK_THROWS_WITH(wheel({.spring = {.damping = 3}}), Catch::Contains("Hinge::spring.stiffness"));
  CHECK_THROWS_WITH(on_rail({.spring = {.damping = 3}}), Catch::Contains("Slider::spring.stiffness"));
}

TEST_CASE("Mechanism: a compliance without stiffness and damping exerts no force") {
  Mechanism mechanism;
  const int body = mechanism.add(RigidBody::sphere(0.1, Mass{2}));
  mechanism.add(Fixed{.second = body, .turn_compliance = {.stiffness = 0}});
  Simulation sim(mechanism, BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity(down);
  sim.set_body_velocity(body, {.angular = {0, 0, 3}});
  test::step(sim, 10);
  CHECK(sim.body_velocity(body).angular.z() == Approx(3));
  CHECK(sim.joint_load(0).torque.norm() < 1e-12);
}

TEST_CASE("Mechanism: the state of a mechanism with other joints is refused") {
  Mechanism free = on_rail({}), joined = on_rail({});
  joined.add(Ball{.second = 0});
  Simulation from(free, BackwardEuler{.dt = 0.01}, Condensed{}),
      to(joined, BackwardEuler{.dt = 0.01}, Condensed{});
  CHECK_THROWS_WITH(to.set_state(from.state()), Catch::Contains("1 in the state, 2 here"));
}
