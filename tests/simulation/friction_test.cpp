// Friction of bodies on colliders, against the motion of rigid blocks.
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"

#include <cmath>

#include <pliant/pliant.hpp>

using namespace pliant;
using test::run_steps;

namespace {

constexpr double g = 9.81, dt = 0.01;
const Eigen::Vector3d up(0, 1, 0);

// Flat, so that it does not tip, and stiff; it stands on the floor y = 0.
Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {1, 0.2, 0.5}, .cells = {4, 1, 2}}); }

auto stiff() { return Solid(block(), StableNeoHookean(Lame::from_young_poisson(1e7, 0.3)), Density{1000}); }

double along(const Eigen::Matrix3Xd& nodal) { return nodal.row(0).mean(); }

// A floor inclined by an angle is gravity turned by it.
template <class Simulation>
void incline(Simulation& sim, double angle, double friction, double stick_length = 0) {
  sim.set_gravity({g * std::sin(angle), -g * std::cos(angle), 0});
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up),
                   {.friction = friction, .stick_length = stick_length});
}

// Gives all nodes a velocity along the floor [m/s].
template <class Simulation>
void push(Simulation& sim, double speed) {
  Eigen::Matrix3Xd velocity = sim.velocities();
  velocity.row(0).setConstant(speed);
  sim.set_velocities(velocity);
}

constexpr double degree = 3.14159265358979323846 / 180;

}  // namespace

TEST_CASE("friction: a block sticks to an inclined plane below the angle of friction, for ever") {
  const double friction = 0.5, limit = std::atan(friction);
  for (const double angle : {5 * degree, limit - 0.5 * degree}) {
    Simulation sim(stiff(), BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-6}},
                   Pcg<BlockJacobi>{.tolerance = 1e-8});
    incline(sim, angle, friction);
    run_steps(sim, 100);
    const Eigen::Matrix3Xd at_rest = sim.positions();
    CHECK(along(at_rest) - along(block().nodes) < 1e-3);  // it gives way a little, elastically
    run_steps(sim, 300);
    CHECK((sim.positions() - at_rest).cwiseAbs().maxCoeff() < 1e-8);
    const double weight = 1000 * g * total_volume(block());
    CHECK(sim.constraint_forces().row(0).sum() == Approx(-weight * std::sin(angle)).epsilon(1e-4));
    CHECK(sim.constraint_forces().row(1).sum() == Approx(weight * std::cos(angle)).epsilon(1e-4));
  }
}

TEST_CASE("friction: above that angle it slides as a rigid block does") {
  const double friction = 0.5, limit = std::atan(friction);
  for (const double angle : {limit + 0.5 * degree, 45 * degree}) {
    Simulation sim(stiff(), BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
    incline(sim, angle, friction);
    run_steps(sim, 20);
    const double start = along(sim.positions()), v0 = along(sim.velocities());
    const int n = 80;
    run_steps(sim, n);
    const double a = g * (std::sin(angle) - friction * std::cos(angle));
    CHECK(along(sim.velocities()) - v0 == Approx(a * n * dt).epsilon(2e-3));
    // Of backward Euler at constant acceleration.
    CHECK(along(sim.positions()) - start ==
          Approx(v0 * n * dt + a * dt * dt * n * (n + 1) / 2).epsilon(2e-3));
    CHECK(sim.positions().row(1).minCoeff() > -1e-12);
  }
}

TEST_CASE("friction: Newmark slides as far") {
  const double friction = 0.3, angle = 40 * degree, a = g * (std::sin(angle) - friction * std::cos(angle));
  const auto damped = Solid(block(), StableNeoHookean(Lame::from_young_poisson(1e7, 0.3)), Density{1000},
                            Rayleigh{.beta = 0.002});
  Simulation sim(damped, Newmark{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  incline(sim, angle, friction);
  run_steps(sim, 20);
  const double v0 = along(sim.velocities());
  run_steps(sim, 50);
  CHECK(along(sim.velocities()) - v0 == Approx(a * 50 * dt).epsilon(0.01));
  const double weight = 1000 * g * total_volume(block());
  CHECK(sim.constraint_forces().row(1).sum() == Approx(weight * std::cos(angle)).epsilon(0.02));
}

TEST_CASE("friction: a moving floor takes a block along, sliding at first, and then at rest on it") {
  const double friction = 0.4, speed = 1;
  Simulation sim(stiff(), BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = friction}, [&](double t) {
    return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(speed * t, 0, 0));
  });
  run_steps(sim, 15);
  CHECK(along(sim.velocities()) == Approx(friction * g * 0.15).epsilon(0.02));
  run_steps(sim, 85);
  CHECK(along(sim.velocities()) == Approx(speed).epsilon(1e-3));
  // The distance that it stays behind is that of the sliding, v^2 / (2 mu g), less v dt / 2 by backward
  // Euler.
  const double behind = speed * sim.time() - (along(sim.positions()) - along(block().nodes));
  CHECK(behind == Approx(speed * speed / (2 * friction * g) - speed * dt / 2).epsilon(2e-3));
}

TEST_CASE("friction: viscous drag slows a block as it slows a point mass, whatever the coefficient") {
  for (const double viscosity : {3.0, 1e6}) {
    Simulation sim(stiff(), BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
    sim.set_gravity(-g * up);
    sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.viscosity = viscosity});
    run_steps(sim, 5);
    push(sim, 0.5);
    run_steps(sim, 20);
    const double drag = viscosity * 15;  // of 15 nodes [kg/s]
    const double mass = 1000 * total_volume(block());
    const double kept = std::pow(1 / (1 + dt * drag / mass), 20);
    CHECK(along(sim.velocities()) == Approx(0.5 * kept).epsilon(0.02).margin(1e-4));
  }
}

TEST_CASE(
    "friction: with Newmark, viscous drag slows a block as it slows a point mass, and a node that sticks is "
    "at rest") {
  const auto damped = Solid(block(), StableNeoHookean(Lame::from_young_poisson(1e7, 0.3)), Density{1000},
                            Rayleigh{.beta = 0.002});
  const double viscosity = 10, mass = 1000 * total_volume(block()), rate = 15 * viscosity / mass;
  Simulation sim(damped, Newmark{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.viscosity = viscosity});
  run_steps(sim, 20);
  push(sim, 0.5);
  run_steps(sim, 100);
  CHECK(along(sim.velocities()) == Approx(0.5 * std::exp(-rate)).epsilon(0.02));

  Simulation stuck(damped, Newmark{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  incline(stuck, 10 * degree, 0.8);
  run_steps(stuck, 300);
  for (const auto& contact : stuck.contacts()) {
    CHECK(stuck.velocities().col(contact.node).norm() < 1e-12);
  }
  CHECK(stuck.contacts().size() >= 10);
}

TEST_CASE("friction: a linearised step sticks and slides too") {
  const double friction = 0.5;
  const auto slide = [&](double angle, double stick_length) {
    Simulation sim(stiff(), BackwardEuler{.dt = dt, .newton = Newton::linearised()},
                   Pcg<BlockJacobi>{.tolerance = 1e-6});
    incline(sim, angle, friction, stick_length);
    run_steps(sim, 50);
    const double half_way = along(sim.velocities());
    run_steps(sim, 50);
    return along(sim.velocities()) - half_way;
  };
  const double a = g * (std::sin(35 * degree) - friction * std::cos(35 * degree));
  for (const double stick_length : {0.0, 3e-5}) {
    CHECK(std::abs(slide(20 * degree, stick_length)) < 5e-3);
    CHECK(slide(35 * degree, stick_length) == Approx(a * 50 * dt).epsilon(0.01));
  }
}

TEST_CASE("friction: nodes that are told their velocity keep it however many passes friction asks for") {
  const auto mesh = block();
  const auto front = nodes_where(mesh, [](const auto& X) { return X.x() > 0.99 && X.y() > 0.1; });
  const auto velocity = [](const Eigen::Vector3d&, double) { return Eigen::Vector3d(1, 0, 0); };
  Simulation sim(stiff(), BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-8},
                 PrescribedVelocity(front, velocity, Eigen::Vector3d(1, 0, 0)));
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = 0.4});
  int passes = 0;
  for (int n = 0; n < 50; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    passes = std::max(passes, report.contact_passes);
    for (const int node : front) CHECK(sim.velocities()(0, node) == Approx(1).epsilon(1e-12));
  }
  CHECK(passes > 1);
  double pull = 0;
  for (const int node : front) pull += sim.constraint_forces()(0, node);
  CHECK(pull == Approx(0.4 * 1000 * g * total_volume(mesh)).epsilon(0.01));
}

TEST_CASE("friction: linearised steps on a floor that turns do not rattle") {
  const Mesh<Tet4> bar =
      make_box<Tet4>({.lengths = {1, 0.4, 0.4}, .cells = {20, 8, 8}, .split = Split::kuhn});
  Simulation sim(Solid(bar, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 1.0 / 60, .newton = Newton::linearised()},
                 Pcg<BlockJacobi>{.tolerance = 1e-3});
  sim.set_gravity(-g * up);
  const Eigen::Vector3d middle(0.5, 0, 0.2);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = 0.5}, [=](double t) {
    const Eigen::AngleAxisd turn(2 * t, up);
    return Pose<3>(turn, Eigen::Vector3d(middle - turn * middle));
  });
  run_steps(sim, 30);
  for (int n = 0; n < 10; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(report.contact_passes == 1);
    CHECK(sim.velocities().row(1).cwiseAbs().maxCoeff() < 1e-3);
  }
}
