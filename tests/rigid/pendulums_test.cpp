// Pendulums, chains, loops and tops against closed forms, elliptic integrals and an integration at 1e-13.
#include "rigid/mechanisms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

using namespace pliant;
using test::add_rod;
using test::end_of;
using test::gravity;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

Vector3 at_angle(double angle) { return {std::sin(angle), -std::cos(angle), 0}; }

// Hinges of axis z from the origin; angles of the rods from the vertical.
Mechanism hanging_rods(const std::vector<double>& angles, double mass) {
  Mechanism chain;
  Vector3 top = Vector3::Zero();
  int above = Mechanism::world;
  for (const double angle : angles) {
    const Vector3 end = top + at_angle(angle);
    const int rod = add_rod(chain, top, end, mass);
    chain.add(Hinge{.first = above, .second = rod, .at = top});
    above = rod;
    top = end;
  }
  return chain;
}

// The time between passages of the vertical in the same direction, averaged over some.
double period(Mechanism pendulum, double dt, int turns) {
  Simulation sim(std::move(pendulum), BackwardEuler{.dt = dt}, Condensed{});
  sim.set_gravity(down);
  std::vector<double> passages;
  double last = end_of(sim, 0).x();
  while (static_cast<int>(passages.size()) <= turns) {
    test::step(sim);
    const double x = end_of(sim, 0).x();
    if (last < 0 && x >= 0) passages.push_back(sim.time() - dt * x / (x - last));
    last = x;
  }
  return (passages.back() - passages.front()) / turns;
}

}  // namespace

TEST_CASE("Mechanism: a rod swings with the period of the elliptic integral, of second order in dt") {
  const auto exact = [](double a) {
    return 4 * std::sqrt(2 / (3 * gravity)) * std::comp_ellint_1(std::sin(a / 2));
  };
  CHECK(exact(2) == Approx(2.176675).epsilon(1e-6));
  const auto error = [&](double a, double dt) { return period(hanging_rods({a}, 2), dt, 3) / exact(a) - 1; };
  CHECK(std::abs(error(0.1, 1. / 60)) < 3e-4);
  const double coarse = error(2, 1. / 60), fine = error(2, 1. / 120);
  CHECK(std::abs(coarse) < 3e-3);
  CHECK(std::abs(fine) < 0.35 * std::abs(coarse));
}

TEST_CASE("Mechanism: the energy of a pendulum has no trend") {
  Simulation sim(hanging_rods({2}, 2), BackwardEuler{.dt = 1. / 60}, Condensed{});
  sim.set_gravity(down);
  const auto mean = [&](int steps) {
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
      test::step(sim);
      sum += sim.energies().total();
      CHECK(std::abs(sim.energies().total()) < 0.7);
    }
    return sum / steps;
  };
  // Over whole swings, as the energy is half a step off within each.
  const int swings = static_cast<int>(std::lround(4 * 2.176675 * 60));
  const double first = mean(swings);
  mean(2400);
  CHECK(mean(swings) == Approx(first).margin(2e-2));
}

// From the horizontal; positions by DOP853 at 1e-13.
TEST_CASE("Mechanism: a double pendulum follows the reference, and its joints do not drift") {
  const auto error = [](double dt) {
    Simulation sim(hanging_rods({std::numbers::pi / 2, std::numbers::pi / 2}, 1), BackwardEuler{.dt = dt},
                   Condensed{});
    sim.set_gravity(down);
    test::step(sim, static_cast<int>(std::lround(2 / dt)));
    CHECK(sim.joint_gap() < 1e-10);
    return (end_of(sim, 1) - Vector3(0.313525, -1.914747, 0)).norm() +
           (end_of(sim, 0) - Vector3(-0.082664, -0.996577, 0)).norm();
  };
  const double coarse = error(1. / 240), fine = error(1. / 960);
  CHECK(fine < 1.2e-2);
  CHECK(fine < 0.3 * coarse);

  Simulation sim(hanging_rods({std::numbers::pi / 2, std::numbers::pi / 2}, 1), BackwardEuler{.dt = 1. / 60},
                 Condensed{});
  sim.set_gravity(down);
  double gap = 0, most = 0;
  for (int k = 0; k < 1200; ++k) {
    test::step(sim);
    gap = std::max(gap, sim.joint_gap());
    most = std::max(most, std::abs(sim.energies().total()));
  }
  CHECK(gap <= 1e-10);
  CHECK(most < 4);  // of 29 J that it exchanges
}

TEST_CASE("Mechanism: the two modes of a double pendulum") {
  // det(K - w^2 M) = 0, M = [[4/3, 1/2], [1/2, 1/3]], K = g diag(3/2, 1/2)
  Eigen::Matrix2d M, K;
  M << 4. / 3, 0.5, 0.5, 1. / 3;
  K << 1.5 * gravity, 0, 0, 0.5 * gravity;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix2d> modes(K, M);
  for (int k = 0; k < 2; ++k) {
    const Eigen::Vector2d shape = 1e-3 * modes.eigenvectors().col(k);
    const double expected = 2 * std::numbers::pi / std::sqrt(modes.eigenvalues()[k]);
    CHECK(period(hanging_rods({shape[0], shape[1]}, 1), 1. / 240, 3) == Approx(expected).epsilon(1e-3));
  }
}

TEST_CASE("Mechanism: the force on a rod that is let go from the horizontal") {
  Simulation sim(hanging_rods({std::numbers::pi / 2}, 1), BackwardEuler{.dt = 1. / 960}, Condensed{});
  sim.set_gravity(down);
  test::step(sim);
  CHECK(sim.joint_load(0).force.y() == Approx(gravity / 4).epsilon(1e-2));
  while (end_of(sim, 0).x() > 0) test::step(sim);
  CHECK(sim.joint_load(0).force.y() == Approx(2.5 * gravity).epsilon(1e-2));
}

TEST_CASE("Mechanism: the forces of a chain at rest are the weights below") {
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = 0; k < 3; ++k) {
    const int link = chain.add(RigidBody::box({0.02, 0.2, 0.02}, Mass{0.5}), Pose({0, -0.1 - 0.2 * k, 0}));
    chain.add(Ball{.first = above, .second = link, .at = {0, -0.2 * k, 0}});
    above = link;
  }
  const int weight = chain.add(RigidBody::sphere(0.1, Mass{3}), Pose({0, -0.7, 0}));
  chain.add(Ball{.first = above, .second = weight, .at = {0, -0.6, 0}});
  Simulation sim(chain, BackwardEuler{.dt = 1. / 60}, Condensed{});
  sim.set_gravity(down);
  test::step(sim, 10);
  const double expected[] = {44.145, 39.240, 34.335, 29.430};
  for (int j = 0; j < 4; ++j) {
    CHECK((sim.joint_load(j).force - Vector3(0, expected[j], 0)).norm() < 1e-9);
    CHECK(sim.body_velocity(j).linear.norm() < 1e-12);
  }
}

// The chain is laid out in its equilibrium: rod k has the slope V_k / H with V_k = (n/2 - k - 1/2) m g.
TEST_CASE("Mechanism: a chain of 20 rods between two points") {
  const int n = 20;
  const double length = 1. / n, mass = 0.05, H = 11.191861 * mass * gravity;
  Mechanism chain;
  Vector3 from = Vector3::Zero();
  int last = Mechanism::world;
  double sag = 0;
  for (int k = 0; k < n; ++k) {
    const double V = (n / 2. - k - 0.5) * mass * gravity;
    const Vector3 to = from + length / std::hypot(H, V) * Vector3(H, -V, 0);
    const int rod = add_rod(chain, from, to, mass);
    chain.add(Ball{.first = last, .second = rod, .at = from});
    last = rod;
    from = to;
    sag = std::max(sag, -to.y());
  }
  chain.add(Ball{.first = last, .second = Mechanism::world, .at = from});
  CHECK(from.x() == Approx(0.9).epsilon(1e-7));
  CHECK(sag == Approx(0.190946).epsilon(1e-5));
  Simulation sim(chain, BackwardEuler{.dt = 1. / 60}, Condensed{});
  sim.set_gravity(down);
  test::step(sim);
  CHECK((sim.joint_load(0).force - Vector3(-H, n / 2. * mass * gravity, 0)).norm() < 1e-6 * H);
  // The last body of the last joint is the world.
  CHECK((sim.joint_load(n).force - Vector3(-H, -n / 2. * mass * gravity, 0)).norm() < 1e-6 * H);
}

// Three rods in a loop with four hinges: in space 20 rows hold 18 - 1 freedoms, 3 of them redundantly.
TEST_CASE("Mechanism: a parallelogram with redundant rows swings like its closed form") {
  const double a = 0.01;
  const Vector3 arm = at_angle(a), right(1, 0, 0), zero = Vector3::Zero();
  Mechanism loop;
  const int left_rod = add_rod(loop, zero, arm, 1), right_rod = add_rod(loop, right, right + arm, 1);
  const int platform = add_rod(loop, arm, right + arm, 2);
  loop.add(Hinge{.second = left_rod, .at = zero});
  loop.add(Hinge{.second = right_rod, .at = right});
  loop.add(Hinge{.first = left_rod, .second = platform, .at = arm});
  loop.add(Hinge{.first = right_rod, .second = platform, .at = right + arm});
  const double omega = std::sqrt((1 + 2) * gravity / (2. / 3 + 2));
  CHECK(omega == Approx(3.322085).epsilon(1e-6));
  CHECK(period(loop, 1. / 120, 3) == Approx(2 * std::numbers::pi / omega).epsilon(1e-3));
}

TEST_CASE("Mechanism: a conical pendulum keeps its angle and its speed") {
  const double angle = 0.5, omega = std::sqrt(3 * gravity / (2 * std::cos(angle)));
  Mechanism pendulum;
  const int rod = add_rod(pendulum, Vector3::Zero(), at_angle(angle), 1);
  pendulum.add(Ball{.second = rod});
  const double dt = 1. / 240;
  Simulation sim(pendulum, BackwardEuler{.dt = dt}, Condensed{});
  sim.set_gravity(down);
  sim.set_body_velocity(
      rod, BodyVelocity{detail::algebra::cross<double>({0, omega, 0}, Vector3(at_angle(angle) / 2)),
                        {0, omega, 0}});
  double turned = 0;
  Vector3 last = end_of(sim, rod);
  for (int k = 0; k < 960; ++k) {
    test::step(sim);
    const Vector3 tip = end_of(sim, rod);
    turned += std::atan2(tip.x() * last.z() - tip.z() * last.x(), tip.x() * last.x() + tip.z() * last.z());
    last = tip;
    CHECK(std::acos(-tip.y()) == Approx(angle).margin(2e-3));
  }
  CHECK(std::abs(turned) == Approx(4 * omega).epsilon(1e-3));
}

namespace {

// A top on its point at the origin, its centre 0.1 m along the body's z axis.
Mechanism top(double tilt) {
  Mechanism mechanism;
  const auto turn = Eigen::AngleAxisd(-std::numbers::pi / 2 + tilt, Eigen::Vector3d::UnitX());
  const RigidBody body(Mass{1}, {0, 0, 0.1}, 0.02 * SmallMatrix<double, 3, 3>::Identity());
  mechanism.add(Ball{.second = mechanism.add(body, Pose<3>(turn, {0, 0, 0}))});
  return mechanism;
}

}  // namespace

TEST_CASE("Mechanism: a heavy top precesses slowly and steadily") {
  const double tilt = 0.5, spin = 100, I3 = 0.02, I1 = 0.02 + 0.01, ml = 0.1;
  const double a = I1 * std::cos(tilt), b = I3 * spin;
  const double expected = (b - std::sqrt(b * b - 4 * a * ml * gravity)) / (2 * a);
  CHECK(expected == Approx(0.493709).epsilon(1e-5));
  Simulation sim(top(tilt), BackwardEuler{.dt = 1. / 1000}, Condensed{});
  sim.set_gravity(down);
  const Vector3 axis = sim.pose(0).rotated({0, 0, 1});
  // In steady precession W about the vertical, omega = W up + s axis with W cos(tilt) + s the spin.
  const Vector3 omega = expected * Vector3(0, 1, 0) + (spin - expected * std::cos(tilt)) * axis;
  sim.set_body_velocity(0, BodyVelocity{detail::algebra::cross<double>(omega, Vector3(0.1 * axis)), omega});
  test::step(sim, 2000);
  const Vector3 end = sim.pose(0).rotated({0, 0, 1});
  CHECK(std::acos(end.y()) == Approx(tilt).margin(1e-3));
  const double turned =
      std::atan2(end.x() * axis.z() - end.z() * axis.x(), end.x() * axis.x() + end.z() * axis.z());
  CHECK(turned / 2 == Approx(expected).epsilon(2e-3));
}

TEST_CASE("Mechanism: a top sleeps above its critical spin, and falls below it") {
  const auto lowest = [](double spin) {
    Simulation sim(top(1e-3), BackwardEuler{.dt = 1. / 240}, Condensed{});
    sim.set_gravity(down);
    const Vector3 axis = sim.pose(0).rotated({0, 0, 1});
    sim.set_body_velocity(0, BodyVelocity{.angular = spin * axis});
    double result = 1;
    for (int k = 0; k < 2400; ++k) {
      test::step(sim);
      result = std::min(result, sim.pose(0).rotated({0, 0, 1}).y());
    }
    return result;
  };
  CHECK(lowest(20) > 0.99);  // 17.155 rad/s is critical
  CHECK(lowest(14) < 0.9);
}
