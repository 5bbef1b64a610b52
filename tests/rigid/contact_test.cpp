// Contact of rigid and soft bodies: closed forms, conservation, friction in every direction, refusals.
#include "rigid/coupled.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/contact/shape/half_space.hpp>

using namespace pliant;
using test::gravity;
using test::Vector3;

namespace {

const HalfSpace ground(Vector3(0, 0, 0), Vector3(0, 1, 0));
constexpr double side = 0.1, density = 1000;  // of a soft cube [m], [kg/m^3]
constexpr double cube_mass = density * side * side * side;

// A body with the collider of its shape, a box around its origin.
int add_box(Mechanism& mechanism, const Vector3& lengths, double mass, const Pose<3>& pose,
            const Surface& surface = {}) {
  const int body = mechanism.add(RigidBody::box(lengths, Mass{mass}), pose);
  mechanism.add_collider(body, Box(Vector3(-lengths / 2), Vector3(lengths / 2)), surface);
  return body;
}

// A cube of hexahedra on the plane y = `bottom`.
auto soft_cube(double bottom, int cells = 2, double young = 1e5) {
  const auto mesh = make_box<Hex8>({.lengths = {side, side, side},
                                    .cells = {cells, cells, cells},
                                    .origin = {-side / 2, bottom, -side / 2}});
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density},
               Rayleigh{.beta = 5e-3});
}

// Gravity on a slope with this tangent, which falls in a direction of the plane y = 0 [m/s^2].
Vector3 down_slope(double tangent, double direction) {
  const double angle = std::atan(tangent);
  return gravity * Vector3(std::sin(angle) * std::cos(direction), -std::cos(angle),
                           std::sin(angle) * std::sin(direction));
}
double sliding_acceleration(double tangent, double friction) {
  const double angle = std::atan(tangent);
  return gravity * std::max(0.0, std::sin(angle) - friction * std::cos(angle));
}

// The sum of the contact forces on nodes by a collider.
template <class Sim>
Vector3 force_of(const Sim& sim, int collider) {
  Vector3 sum = Vector3::Zero();
  for (const auto& contact : sim.contacts()) {
    if (contact.collider == collider) sum += contact.force;
  }
  return sum;
}

// How deep a node of the solid is in a shape of a body [m].
template <class Sim, class Shape>
double depth_in(const Sim& sim, int body, const Shape& shape) {
  double deepest = 0;
  for (int i = 0; i < sim.system().soft_node_count(); ++i) {
    const auto near = shape.nearest(sim.pose(body).to_local(Vector3(sim.positions().col(i))), 0);
    if (near) deepest = std::max(deepest, -near->distance);
  }
  return deepest;
}

}  // namespace

TEST_CASE("rigid contact: a box sticks below tan = mu and slides above, in every direction of the slope") {
  const double friction = 0.5, duration = 0.25, dt = 1. / 240;
  for (const double tangent : {0.49, 0.51, 0.69, 0.8}) {
    for (const double direction : {0.0, 0.4, std::acos(0.0) / 2, 2.5, -1.2}) {
      Mechanism mechanism;
      const int box = add_box(mechanism, {0.2, 0.1, 0.2}, 2, Pose({0, 0.05, 0}));
      Simulation sim(mechanism, BackwardEuler{.dt = dt}, Condensed{});
      sim.add_collider(ground, {.friction = friction});
      sim.set_gravity(down_slope(tangent, direction));
      test::step(sim, 60);
      const double speed = duration * sliding_acceleration(tangent, friction);
      const Vector3 expected = speed * Vector3(std::cos(direction), 0, std::sin(direction));
      INFO("tan " << tangent << ", direction " << direction);
      CHECK((sim.body_velocity(box).linear - expected).norm() < 1e-6 * duration * gravity);
      CHECK(sim.body_velocity(box).angular.norm() < 1e-8);
      CHECK(std::abs(sim.pose(box).translation().y() - 0.05) < 1e-10);
      // The ground carries the weight, with the friction along the slip.
      const Vector3 load = sim.contact_load(box).force;
      const double weight = 2 * gravity * std::cos(std::atan(tangent));
      CHECK(load.y() == Approx(weight).epsilon(1e-8));
      CHECK(std::hypot(load.x(), load.z()) <= friction * weight * (1 + 1e-5));
    }
  }
}

TEST_CASE("rigid contact: a box of fixed tangents would hold a body beyond tan = mu, up to sqrt 2 mu") {
  // One step of a point mass on a slope that falls along the diagonal of the tangents, with the normal force
  // of rest: rows as they would be without turning them along the slip.
  const double friction = 0.5, mass = 2, dt = 0.01;
  Mechanism mechanism;
  mechanism.add(RigidBody::sphere(0.1, Mass{mass}));
  const detail::rigid::MechanismSystem<> system(mechanism);
  const auto slides = [&](double tangent) {
    const Vector3 force = mass * down_slope(tangent, std::acos(0.0) / 2);
    auto A = system.make_matrix();
    for (int i = 0; i < 2; ++i) A.diagonal(i) = mass / (dt * dt) * SmallMatrix<double, 3, 3>::Identity();
    auto p = system.make_vector(), u = system.make_vector();
    p.node(0) = dt * dt / mass * force;
    RowBlock block;
    block.J.fill(SmallMatrix<double, 3, 3>::Zero());
    block.node[0] = 0;
    block.J[0].row(0) = Vector3::UnitY().transpose();
    block.J[0].row(1) = Vector3::UnitX().transpose();
    block.J[0].row(2) = Vector3::UnitZ().transpose();
    const double limit = friction * -force.y();
    block.compliance.setZero();
    block.lower = {0, -limit, -limit};
    block.upper = {std::numeric_limits<double>::infinity(), limit, limit};
    Rows rows;
    rows.bounded.push_back(block);
    const Condensed<> solver;
    Condensed<>::Workspace<decltype(A)> workspace;
    REQUIRE(solver.prepare(A, rows, workspace) == LinearStop::converged);
    REQUIRE(solver.solve(p, rows, u, workspace).stop == LinearStop::converged);
    return std::hypot(u.node(0)(0), u.node(0)(2)) > 1e-9 * dt * dt;
  };
  CHECK(!slides(0.49));
  CHECK(!slides(0.69));  // where the body of the test above slides
  CHECK(!slides(0.70));
  CHECK(slides(0.72));
}

TEST_CASE("rigid contact: a sphere rolls down a slope, and one without spin ends up rolling") {
  const double radius = 0.1, dt = 1. / 240;
  Mechanism mechanism;
  const int ball = mechanism.add(RigidBody::sphere(radius, Mass{1}), Pose({0, radius, 0}));
  mechanism.add_collider(ball, Sphere(Vector3(0, 0, 0), radius));
  {
    Simulation sim(mechanism, BackwardEuler{.dt = dt}, Condensed{});
    sim.add_collider(ground, {.friction = 0.5});
    sim.set_gravity(down_slope(0.3, 0.7));
    test::step(sim, 240);
    const double speed = 5. / 7 * gravity * std::sin(std::atan(0.3));
    const BodyVelocity velocity = sim.body_velocity(ball);
    CHECK(velocity.linear.norm() == Approx(speed).epsilon(1e-9));
    CHECK(velocity.angular.norm() == Approx(speed / radius).epsilon(1e-9));
    CHECK(std::abs(sim.pose(ball).translation().y() - radius) < 1e-10);
  }
  {
    Simulation sim(mechanism, BackwardEuler{.dt = dt}, Condensed{});
    sim.add_collider(ground, {.friction = 0.2});
    sim.set_gravity(down_slope(0, 0));
    sim.set_body_velocity(ball, {{3.5, 0, 0}, {0, 0, 0}});
    double when = 0, where = 0;
    while (sim.time() < 0.6) {
      test::step(sim);
      const BodyVelocity now = sim.body_velocity(ball);
      if (when == 0 && std::abs(now.linear.x() + radius * now.angular.z()) < 1e-9) {
        when = sim.time();
        where = sim.pose(ball).translation().x();
      }
    }
    CHECK(sim.body_velocity(ball).linear.x() == Approx(2.5).epsilon(1e-6));
    CHECK(when == Approx(0.509684).margin(2 * dt));
    CHECK(where == Approx(1.529052).margin(2 * dt * 2.5));
  }
}

TEST_CASE("rigid contact: a stack rests without drift, and each body carries what lies on it") {
  Mechanism mechanism;
  for (int k = 0; k < 3; ++k) {
    // Smaller ones above: the corners of a box are kept out of the one below.
    const double width = 0.3 - 0.05 * k;
    add_box(mechanism, {width, 0.1, width}, 1 + k, Pose({0, 0.05 + 0.1 * k, 0}), {.friction = 0.4});
  }
  Simulation sim(mechanism, BackwardEuler{.dt = 1. / 60}, Condensed{});
  const int floor = sim.add_collider(ground, {.friction = 0.4});
  sim.set_gravity({0, -gravity, 0});
  const auto start = sim.positions();
  test::step(sim, 3600);
  CHECK((sim.positions() - start).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-9);
  CHECK(force_of(sim, floor).y() == Approx(6 * gravity).epsilon(1e-8));
  CHECK(force_of(sim, 0).y() == Approx(5 * gravity).epsilon(1e-8));
  CHECK(force_of(sim, 1).y() == Approx(3 * gravity).epsilon(1e-8));
  for (int k = 0; k < 3; ++k) {
    CHECK(sim.contact_load(k).force.y() == Approx((1 + k) * gravity).epsilon(1e-8));
    CHECK(sim.contact_load(k).torque.norm() < 1e-7);
  }
}

TEST_CASE(
    "rigid contact: an impact of free bodies conserves momentum and angular momentum, and is inelastic") {
  Mechanism mechanism;
  const Pose<3> aslant(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized()),
                       Vector3(0.03, 0.35, 0.02));
  const int above = add_box(mechanism, {0.1, 0.2, 0.15}, 1, aslant, {.friction = 0.3});
  const int below = add_box(mechanism, {0.4, 0.1, 0.4}, 3, Pose<3>(), {.friction = 0.3});
  Simulation sim(mechanism, BackwardEuler{.dt = 1. / 240}, Condensed{});
  sim.set_body_velocity(above, {{0.3, -2, 0.1}, {1, 2, -1}});
  sim.set_body_velocity(below, {{0, 0.5, 0}, {0, 0.3, 0}});
  const Vector3 p = test::momentum(sim), L = test::angular_momentum(sim);
  const double energy = sim.energies().kinetic;
  const Vector3 before = sim.body_velocity(above).linear;
  double last = energy;
  for (int k = 0; k < 120; ++k) {
    test::step(sim);
    CHECK((test::momentum(sim) - p).norm() < 1e-12 * p.norm());
    CHECK((test::angular_momentum(sim) - L).norm() < 1e-12 * L.norm());
    CHECK(sim.energies().kinetic < last * (1 + 1e-3));
    last = sim.energies().kinetic;
  }
  CHECK((sim.body_velocity(above).linear - before).norm() > 1);
  CHECK(last < 0.9 * energy);
}

TEST_CASE("rigid contact: a rod slides down a wall until it leaves it") {
  // Without friction the upper end of a rod of length l leaves the wall where sin(angle to the floor) is two
  // thirds of that at the start, with the angular velocity that energy gives.
  const double length = 1, start = 1.2;
  Mechanism mechanism;
  const Vector3 along(std::cos(start), std::sin(start), 0);
  const double radius = 1e-3;
  const Vector3 foot = Vector3(radius + length * along.x(), radius, 0);
  const auto turn =
      Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), Eigen::Vector3d(-along.x(), along.y(), 0));
  const int rod = mechanism.add(
      RigidBody::box({length, 1e-4, 1e-4}, Mass{1}),
      Pose<3>(turn.toRotationMatrix(), Vector3(foot + length / 2 * Vector3(-along.x(), along.y(), 0))));
  mechanism.add_collider(rod, Capsule(Vector3(-length / 2, 0, 0), Vector3(length / 2, 0, 0), radius));
  Simulation sim(mechanism, BackwardEuler{.dt = 1. / 2000}, Condensed{});
  const int wall = sim.add_collider(HalfSpace(Vector3(0, 0, 0), Vector3(1, 0, 0)));
  sim.add_collider(ground);
  sim.set_gravity({0, -gravity, 0});
  double left = 0, speed = 0;
  for (int k = 0; k < 4000 && left == 0; ++k) {
    test::step(sim);
    const Vector3 direction = sim.pose(rod).rotated(Vector3::UnitX());
    if (force_of(sim, wall).norm() == 0 && k > 10) {
      left = direction.y();
      speed = sim.body_velocity(rod).angular.norm();
    }
  }
  CHECK(left == Approx(2. / 3 * std::sin(start)).margin(5e-3));
  CHECK(speed == Approx(std::sqrt(gravity * std::sin(start) / length)).epsilon(5e-3));
}

TEST_CASE("contact in Coupled: a soft cube on a slope, with Coulomb's acceleration in several directions") {
  const double friction = 0.5;
  for (const double tangent : {0.49, 0.69}) {
    for (const double direction : {0.0, std::acos(0.0) / 2, 1.9}) {
      Simulation sim(Coupled(soft_cube(0), Mechanism()),
                     BackwardEuler{.dt = 1. / 120, .newton = {.tolerance = 1e-8}}, Condensed{});
      sim.add_collider(ground, {.friction = friction});
      sim.set_gravity(down_slope(tangent, direction));
      test::step(sim, 60);
      const Vector3 before = test::soft_momentum(sim) / cube_mass;
      test::step(sim, 60);
      const Vector3 acceleration = (test::soft_momentum(sim) / cube_mass - before) / 0.5;
      const Vector3 along(std::cos(direction), 0, std::sin(direction));
      INFO("tan " << tangent << ", direction " << direction);
      CHECK((acceleration - sliding_acceleration(tangent, friction) * along).norm() < 1e-4);
      double normal = 0;
      for (const auto& contact : sim.contacts()) normal += contact.force.y();
      CHECK(normal == Approx(cube_mass * gravity * std::cos(std::atan(tangent))).epsilon(1e-3));
    }
  }
}

TEST_CASE("contact in Coupled: the same rest and forces as the solid alone on the same collider") {
  const BackwardEuler integrator{.dt = 1. / 60, .newton = {.tolerance = 1e-10}};
  Simulation coupled(Coupled(soft_cube(0, 3, 2e4), Mechanism()), integrator, Condensed{});
  Simulation alone(soft_cube(0, 3, 2e4), integrator, Cholesky{});
  const auto settle = [](auto& sim) {
    sim.add_collider(ground);
    sim.set_gravity({0, -gravity, 0});
    test::step(sim, 150);
  };
  settle(coupled);
  settle(alone);
  CHECK((coupled.positions() - alone.positions()).cwiseAbs().maxCoeff() < 1e-7 * side);
  CHECK((coupled.collider_forces() - alone.collider_forces()).cwiseAbs().maxCoeff() < 1e-6);
  CHECK((coupled.constraint_forces() - coupled.collider_forces()).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(force_of(coupled, 0).y() == Approx(cube_mass * gravity).epsilon(1e-8));
}

TEST_CASE("contact in Coupled: a cube is dropped on a box that rests on the floor, which carries both") {
  Mechanism mechanism;
  const int box = add_box(mechanism, {0.2, 0.1, 0.2}, 3, Pose({0, 0.05, 0}), {.friction = 0.5});
  Coupled scene(soft_cube(0.11), mechanism);
  Simulation sim(scene, BackwardEuler{.dt = 1. / 120, .newton = {.tolerance = 1e-10}}, Condensed{});
  const int floor = sim.add_collider(ground, {.friction = 0.5});
  CHECK(floor == 1);
  sim.set_gravity({0, -gravity, 0});
  for (int k = 0; k < 240; ++k) {
    test::step(sim);
    CHECK(depth_in(sim, box, Box(Vector3(-0.1, -0.05, -0.1), Vector3(0.1, 0.05, 0.1))) < 1e-10);
  }
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-6);
  CHECK(force_of(sim, floor).y() == Approx((cube_mass + 3) * gravity).epsilon(1e-8));
  CHECK(force_of(sim, 0).y() == Approx(cube_mass * gravity).epsilon(1e-8));
  CHECK(sim.contact_load(box).force.y() == Approx(3 * gravity).epsilon(1e-8));
  const auto forces = sim.collider_forces();
  CHECK(forces.row(1).sum() == Approx((cube_mass + 3) * gravity).epsilon(1e-8));
}

TEST_CASE("contact in Coupled: a cube springs back against a thin plate that no plane predicted") {
  Mechanism mechanism;
  const int plate = add_box(mechanism, {0.3, 0.004, 0.3}, 1, Pose({0, 0.082, 0}));
  const auto cube = soft_cube(0, 2, 1e5);
  Simulation sim(Coupled(cube, mechanism), BackwardEuler{.dt = 0.02, .newton = {.max_iterations = 100}},
                 Condensed{});
  Eigen::MatrixXd positions = sim.positions();
  positions.row(1).head(cube.node_count()) *= 0.5;  // the plate is 3 cm above it
  sim.set_positions(positions);
  sim.set_body_velocity(plate, {{0, -0.5, 0}, {0, 0, 0}});
  const StepReport report = sim.step();
  REQUIRE(report);
  CHECK(report.contacts > 0);
  for (int i = 0; i < cube.node_count(); ++i) {
    const Vector3 local = sim.pose(plate).to_local(Vector3(sim.positions().col(i)));
    CHECK(local.y() < -0.002 + 1e-10);  // all nodes are still below it
  }
}

TEST_CASE(
    "contact in Coupled: a body that hits a free cube keeps the momentum of both, and no node is in it") {
  const Vector3 half(0.05, 0.1, 0.05);
  for (const double speed : {0.5, 3.0, 10.0}) {
    Mechanism mechanism;
    const Pose<3> aslant(Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 1, 0).normalized()),
                         Vector3(0.02, 0.3, 0.01));
    const int body = add_box(mechanism, 2 * half, 2, aslant, {.friction = 0.5});
    Coupled scene(soft_cube(0, 2, 1e4), mechanism);
    const double dt = 1. / 120;
    Simulation sim(scene, BackwardEuler{.dt = dt, .newton = {.max_iterations = 100, .tolerance = 1e-12}},
                   Condensed{});
    sim.set_body_velocity(body, {{0.1 * speed, -speed, 0.2 * speed}, {1, 2, 3}});
    const auto momentum = [&] { return Vector3(test::momentum(sim) + test::soft_momentum(sim)); };
    const auto angular = [&] {
      return Vector3(test::angular_momentum(sim) + test::soft_angular_momentum(sim));
    };
    const Vector3 p = momentum();
    double exchanged = 0;
    for (int k = 0; k < 60 && sim.time() < 0.6 / speed; ++k) {
      const Vector3 before = sim.body_velocity(body).linear, L = angular();
      const auto solid_before = test::soft_momentum(sim);
      test::step(sim);
      exchanged += 2 * (sim.body_velocity(body).linear - before).norm();
      CHECK((momentum() - p).norm() < 1e-12 * p.norm());
      CHECK(depth_in(sim, body, Box(Vector3(-half), half)) < 1e-10);
      // The force on the body and those on the nodes are one another's opposites, and so are their moments.
      Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
      const Vector3 centre =
          sim.positions().col(sim.positions().cols() - 1) - dt * sim.body_velocity(body).linear;
      for (const auto& contact : sim.contacts()) {
        const Vector3 at = sim.positions().col(contact.node) - dt * sim.velocities().col(contact.node);
        force += contact.force;
        moment += detail::algebra::cross<double>(Vector3(at - centre), contact.force);
      }
      const JointLoad load = sim.contact_load(body);
      CHECK((load.force + force).norm() <= 1e-12 * (1 + force.norm()));
      CHECK((load.torque + moment).norm() <= 1e-11 * (1 + force.norm()));
      CHECK((test::soft_momentum(sim) - solid_before - dt * force).norm() < 1e-9 * (1 + dt * force.norm()));
      CHECK((angular() - L).norm() < 0.05 * (L.norm() + 0.1));
    }
    CHECK(exchanged > 0.1 * speed);
  }
}

TEST_CASE("contact in Coupled: a box that soft material is welded to is pushed against an obstacle") {
  // The anchors stay, and nothing explodes.
  Mechanism mechanism;
  const int box = add_box(mechanism, {0.1, 0.1, 0.1}, 0.5, Pose({0, -0.05, 0}), {.friction = 0.3});
  mechanism.add(Slider{.second = box, .axis = {1, 0, 0}, .motor = {.speed = 0.5, .force = 20}});
  const auto cube = soft_cube(0);
  Coupled scene(cube, mechanism);
  scene.add(WeldToNodes{.body = box, .nodes = test::nodes_at(cube.mesh(), 0)});
  Simulation sim(scene, BackwardEuler{.dt = 1. / 60}, Condensed{});
  const int wall = sim.add_collider(Box(Vector3(0.1, -1, -1), Vector3(0.3, 1, 1)), {.friction = 0.3});
  sim.set_gravity({0, -gravity, 0});
  for (int k = 0; k < 120; ++k) {
    test::step(sim);
    CHECK(sim.joint_gap() <= 1e-10);
    CHECK(sim.velocities().cwiseAbs().maxCoeff() < 3);
  }
  CHECK(sim.pose(box).translation().x() == Approx(0.05).margin(1e-9));
  CHECK(force_of(sim, wall).x() == Approx(-20).epsilon(1e-6));
  CHECK(force_of(sim, 0).norm() == 0);  // the box does not touch the nodes that are welded to it
}

TEST_CASE("contact in Coupled: a cube is squeezed between two plates that motors move") {
  Mechanism mechanism;
  for (const double sign : {-1.0, 1.0}) {
    const int plate = add_box(mechanism, {0.3, 0.02, 0.3}, 1, Pose({0, sign * 0.0605, 0}), {.friction = 0.8});
    mechanism.add(Slider{.second = plate, .axis = {0, -sign, 0}, .motor = {.speed = 0.15, .force = 400}});
  }
  Coupled scene(soft_cube(-side / 2, 2, 2e4), mechanism);
  Simulation sim(scene, BackwardEuler{.dt = 1. / 120, .newton = {.max_iterations = 100}}, Condensed{});
  for (int k = 0; k < 50; ++k) {
    test::step(sim);
    for (int b = 0; b < 2; ++b) {
      CHECK(depth_in(sim, b, Box(Vector3(-0.15, -0.01, -0.15), Vector3(0.15, 0.01, 0.15))) < 1e-10);
    }
  }
  const double height = sim.pose(1).translation().y() - sim.pose(0).translation().y() - 0.02;
  CHECK(height < 0.6 * side);
  CHECK(force_of(sim, 0).y() == Approx(-force_of(sim, 1).y()).epsilon(1e-3));
  CHECK(test::soft_momentum(sim).norm() < 1e-2);
}

TEST_CASE("contact in Coupled: bad input") {
  Mechanism mechanism;
  const int body = mechanism.add(RigidBody::box({0.2, 0.1, 0.2}, Mass{1}), Pose({0, 0.05, 0}));
  const Sphere ball(Vector3(0, 0, 0), 0.1);
  CHECK_THROWS_AS(mechanism.add_collider(1, ball), IndexError);
  CHECK_THROWS_AS(mechanism.add_collider(Mechanism::world, ball), IndexError);
  CHECK_THROWS_AS(mechanism.add_collider(body, ball, {.friction = -0.1}), ParameterError);
  CHECK_THROWS_AS(mechanism.add_collider(body, ball, {.viscosity = 1}), ParameterError);
  CHECK_THROWS_AS(mechanism.add_collider(body, ball, {.thickness = std::numeric_limits<double>::infinity()}),
                  ParameterError);
  CHECK(mechanism.colliders().empty());
  Coupled scene(soft_cube(0.095), mechanism);  // its lower nodes are in the box
  CHECK(scene.add_collider(body, Box(Vector3(-0.1, -0.05, -0.1), Vector3(0.1, 0.05, 0.1))) == 0);
  Simulation sim(scene, BackwardEuler{.dt = 0.01}, Condensed{});
  CHECK_THROWS_AS(sim.add_collider(ground, {.viscosity = 1}), ParameterError);
  CHECK_THROWS_AS(sim.move_collider(0, Pose<3>()), ParameterError);
  CHECK_THROWS_AS(sim.contact_load(1), IndexError);
  // Nodes inside at the start go to the surface, without a velocity.
  test::step(sim);
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 0.2);
  CHECK(depth_in(sim, body, Box(Vector3(-0.1, -0.05, -0.1), Vector3(0.1, 0.05, 0.1))) < 1e-10);
  CHECK(sim.body_velocity(body).linear.norm() < 0.2);
  // Two walls that leave no room: the step fails, and nothing has changed.
  const Eigen::MatrixXd positions = sim.positions();
  sim.add_collider(HalfSpace(Vector3(0, 0.3, 0), Vector3(0, 1, 0)));
  sim.add_collider(HalfSpace(Vector3(0, -0.3, 0), Vector3(0, -1, 0)));
  CHECK(!sim.step());
  CHECK(sim.positions() == positions);
  Mechanism rigid;
  add_box(rigid, {0.1, 0.1, 0.1}, 1, Pose<3>());
  Simulation between(rigid, BackwardEuler{.dt = 0.01}, Condensed{});
  between.add_collider(HalfSpace(Vector3(0, -0.04, 0), Vector3(0, 1, 0)));
  between.add_collider(HalfSpace(Vector3(0, 0.04, 0), Vector3(0, -1, 0)));
  const StepReport report = between.step();
  CHECK(report.stop == StepStop::penetration);
  CHECK(report.blocked_node == 0);
  CHECK(between.pose(0).translation() == Vector3::Zero());
}

TEST_CASE("contact in Coupled: saved states continue with the same bits, on any number of threads") {
  Mechanism mechanism;
  add_box(mechanism, {0.2, 0.1, 0.2}, 3, Pose({0, 0.05, 0}), {.friction = 0.2});
  const Coupled scene(soft_cube(0.1), mechanism);
  const auto make = [&](auto use) {
    Simulation sim(scene, BackwardEuler{.dt = 1. / 60}, Condensed{});
    sim.add_collider(ground, {.friction = 0.1});
    sim.set_gravity({5, -gravity, 1});
    return use(sim);
  };
  make([&](auto& sim) {
    test::step(sim, 10);
    const auto state = sim.state();
    test::step(sim, 10);
    const Eigen::MatrixXd positions = sim.positions();
    const Vector3 load = sim.contact_load(0).force;
    make([&](auto& other) {
      const WithThreads two(2);
      other.set_state(state);
      CHECK(other.contacts().size() > 0);
      test::step(other, 10);
      CHECK(other.positions() == positions);
      CHECK(other.contact_load(0).force == load);
      return 0;
    });
    return 0;
  });
}
