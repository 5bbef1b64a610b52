// Steps with Multipliers: the same as those with Condensed.
#include "rigid/coupled.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <pliant/contact/shape/half_space.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>
#include <pliant/linear_solver/rows/multipliers.hpp>

using namespace pliant;
using test::gravity;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

// Three links whose hinges have limits, motors and springs, and below them a soft bar: a ball joint to its
// face, or a weld. The hinges meet their limits, against which two of the motors drive.
auto chain_and_bar(bool welded, int fineness = 1) {
  constexpr double link = 0.2, width = 0.1, top = -3 * link;
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = 0; k < 3; ++k) {
    const int body =
        chain.add(RigidBody::box({0.02, link, 0.02}, Mass{0.5}), Pose({0, -link * (k + 0.5), 0}));
    Hinge hinge{.first = above, .second = body, .at = {0, -link * k, 0}, .axis = {0, 0, 1}};
    hinge.limits = {-0.05, 0.05};
    hinge.motor = {.speed = k == 1 ? 0.2 : -0.1, .force = 0.5};
    if (k == 2) hinge.spring = {.stiffness = 2, .damping = 0.1};
    chain.add(hinge);
    above = body;
  }
  const auto mesh = make_box<Hex8>({.lengths = {width, 0.3, width},
                                    .cells = {2 * fineness, 6 * fineness, 2 * fineness},
                                    .origin = {-width / 2, top - 0.3, -width / 2}});
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(3e4, 0.3)), Density{1000},
                        Rayleigh{.beta = 1e-3}),
                  chain);
  if (welded) coupled.add(WeldToNodes{.body = above, .nodes = test::nodes_at(mesh, top)});
  else coupled.add(BallToFace{.body = above, .face = test::face_at(mesh, top), .offset = 0.01});
  return coupled;
}

const BackwardEuler steps{.dt = 0.01, .newton = {.tolerance = 1e-9}};

// The four hinges of a parallelogram, of which one row in three is redundant.
Mechanism parallelogram() {
  Mechanism mechanism;
  const int left = test::add_rod(mechanism, {0, 0, 0}, {0, -1, 0}, 1);
  const int right = test::add_rod(mechanism, {1, 0, 0}, {1, -1, 0}, 1);
  const int below = test::add_rod(mechanism, {0, -1, 0}, {1, -1, 0}, 2);
  mechanism.add(Hinge{.second = left, .at = {0, 0, 0}, .axis = {0, 0, 1}});
  mechanism.add(Hinge{.second = right, .at = {1, 0, 0}, .axis = {0, 0, 1}});
  mechanism.add(Hinge{.first = left, .second = below, .at = {0, -1, 0}, .axis = {0, 0, 1}});
  mechanism.add(Hinge{.first = right, .second = below, .at = {1, -1, 0}, .axis = {0, 0, 1}});
  return mechanism;
}

}  // namespace

TEST_CASE("Multipliers: the steps of a chain with a soft bar are those of Condensed") {
  for (const bool welded : {false, true}) {
    INFO(welded);
    const auto coupled = chain_and_bar(welded);
    Simulation direct(coupled, steps, Condensed{});
    Simulation iterative(coupled, steps, Multipliers<Pcg<TwoLevel>>{.solver = {.tolerance = 1e-9}});
    double at_limit = 0;
    direct.set_gravity({-5, -8.4, 0});
    iterative.set_gravity({-5, -8.4, 0});
    int iterations = 0;
    for (int k = 0; k < 40; ++k) {
      test::step(direct);
      const StepReport report = iterative.step();
      INFO(report.message());
      REQUIRE(report);
      iterations += report.linear_iterations;
      CHECK((direct.velocities() - iterative.velocities()).cwiseAbs().maxCoeff() < 1e-6);
      CHECK(iterative.joint_gap() <= 1e-10);
      for (int joint = 0; joint < 3; ++joint) {
        at_limit = std::max(at_limit, std::abs(iterative.joint_coordinate(joint)));
      }
    }
    CHECK(iterations > 0);
    CHECK(at_limit == Approx(0.05).margin(1e-9));
    for (int joint = 0; joint < 4; ++joint) {
      const Vector3 force = direct.joint_load(joint).force;
      CHECK((iterative.joint_load(joint).force - force).norm() < 1e-4 * (1 + force.norm()));
    }
  }
}

TEST_CASE("Multipliers: contact and friction are those of Condensed") {
  const auto coupled = chain_and_bar(false);
  Simulation direct(coupled, steps, Condensed{});
  Simulation iterative(coupled, steps, Multipliers<Pcg<TwoLevel>>{.solver = {.tolerance = 1e-9}});
  const HalfSpace floor(Vector3(0, -0.905, 0), Vector3(0, 1, 0));
  direct.set_gravity({-5, -8.4, 0});
  iterative.set_gravity({-5, -8.4, 0});
  direct.add_collider(floor, {.friction = 0.3});
  iterative.add_collider(floor, {.friction = 0.3});
  int touching = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport reference = direct.step();
    REQUIRE(reference);
    const StepReport report = iterative.step();
    INFO(report.message());
    REQUIRE(report);
    touching = std::max(touching, report.contacts);
    CHECK(report.contacts == reference.contacts);
    CHECK((direct.velocities() - iterative.velocities()).cwiseAbs().maxCoeff() < 1e-6);
    CHECK((direct.collider_forces() - iterative.collider_forces()).cwiseAbs().maxCoeff() < 1e-3);
  }
  CHECK(touching >= 3);
}

TEST_CASE("Multipliers: linearised steps are those of Condensed") {
  const auto coupled = chain_and_bar(false);
  const BackwardEuler linearised{.dt = 0.01, .newton = Newton::linearised()};
  Simulation direct(coupled, linearised, Condensed{});
  Simulation iterative(coupled, linearised, Multipliers<Pcg<TwoLevel>>{.solver = {.tolerance = 1e-11}});
  direct.set_gravity(down);
  iterative.set_gravity(down);
  test::step(direct, 20);
  test::step(iterative, 20);
  CHECK((direct.velocities() - iterative.velocities()).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("Multipliers: the same bits on any number of threads") {
  const auto run = [](int threads) {
    const WithThreads with(threads);
    Simulation sim(chain_and_bar(false, 4), steps, Multipliers<Pcg<TwoLevel>>{});  // 1,536 elements
    sim.set_gravity({-5, -8.4, 0});
    test::step(sim, 3);
    return Eigen::MatrixXd(sim.positions());
  };
  const Eigen::MatrixXd one = run(1);
  CHECK(run(2) == one);
  CHECK(run(3) == one);
}

TEST_CASE("Multipliers: a saved state goes on with the same bits") {
  const auto coupled = chain_and_bar(true);
  Simulation sim(coupled, steps, Multipliers<Pcg<TwoLevel>>{}),
      other(coupled, steps, Multipliers<Pcg<TwoLevel>>{});
  sim.set_gravity({-5, -8.4, 0});
  test::step(sim, 12);
  other.set_state(sim.state());
  other.set_gravity({-5, -8.4, 0});
  test::step(sim, 8);
  test::step(other, 8);
  CHECK(sim.positions() == other.positions());
  CHECK(sim.joint_load(1).torque == other.joint_load(1).torque);
}

TEST_CASE("Multipliers: a mechanism alone, with redundant joints") {
  Simulation direct(parallelogram(), BackwardEuler{.dt = 0.01}, Condensed{});
  Simulation iterative(parallelogram(), BackwardEuler{.dt = 0.01}, Multipliers<Pcg<BlockJacobi>>{});
  direct.set_gravity({3, -gravity, 0});
  iterative.set_gravity({3, -gravity, 0});
  for (int k = 0; k < 60; ++k) {
    test::step(direct);
    test::step(iterative);
    CHECK((direct.velocities() - iterative.velocities()).cwiseAbs().maxCoeff() < 1e-6);
    CHECK(iterative.joint_gap() <= 1e-10);
  }
  CHECK(direct.velocities().norm() > 1);
}

TEST_CASE("Multipliers: joints that cannot be met end the step, with the state as it was") {
  const auto place = std::make_shared<double>(0);
  Mechanism mechanism;
  const int rod = test::add_rod(mechanism, {0, 0, 0}, {0, -1, 0}, 1);
  mechanism.add(Ball{.second = rod, .at = {0, 0, 0}});
  mechanism.add(test::Leash{rod, place});
  Simulation sim(mechanism, BackwardEuler{.dt = 0.01}, Multipliers<Pcg<BlockJacobi>>{});
  sim.set_gravity(down);
  test::step(sim, 5);
  const Eigen::MatrixXd before = sim.positions();
  *place = 5;  // farther than the rod reaches
  const StepReport report = sim.step();
  CHECK(report.stop == StepStop::rows_unmet);
  CHECK(report.unmet_joint >= 0);
  CHECK(sim.positions() == before);
  *place = 0;
  test::step(sim, 5);
}

TEST_CASE("Rows of velocities: joints open by an order of dt^2 in a step, and stay so") {
  // Two rods that are let go horizontally: the largest gap, about 1e-2 m for steps of 1/60 s, falls by 16 for
  // a quarter of the step.
  const auto largest_gap = [](const auto& solver, double dt, double& speed) {
    Mechanism mechanism;  // rods that are thick enough to be stable in their plane
    const RigidBody rod = RigidBody::box({1, 0.1, 0.1}, Mass{1});
    const int upper = mechanism.add(rod, Pose({0.5, 0, 0})), lower = mechanism.add(rod, Pose({1.5, 0, 0}));
    mechanism.add(Ball{.second = upper, .at = {0, 0, 0}});
    mechanism.add(Ball{.first = upper, .second = lower, .at = {1, 0, 0}});
    Simulation sim(mechanism, BackwardEuler{.dt = dt}, solver);
    sim.set_gravity(down);
    double gap = 0;
    while (sim.time() < 2) {
      const StepReport report = sim.step();
      REQUIRE(report);
      CHECK(report.newton_iterations == 1);
      gap = std::max(gap, sim.joint_gap());
    }
    speed = sim.velocities().norm();
    return gap;
  };
  double speed = 0, other = 0;
  const Condensed<> direct{.rule = RowRule::velocities};
  const double coarse = largest_gap(direct, 1. / 60, speed);
  CHECK(coarse > 4e-3);
  CHECK(coarse < 1.5e-2);
  const Multipliers<Pcg<BlockJacobi>> iterative{.rule = RowRule::velocities};
  CHECK(largest_gap(iterative, 1. / 60, other) == Approx(coarse).epsilon(1e-6));
  CHECK(other == Approx(speed).epsilon(1e-6));
  const double fine = largest_gap(direct, 1. / 240, speed);
  CHECK(coarse / fine > 12);
  CHECK(coarse / fine < 20);
}
