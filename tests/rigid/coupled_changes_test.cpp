// What a program changes in a Simulation of a Coupled between steps: constraints, the integrator, poses,
// forces.
#include "rigid/coupled.hpp"

#include <memory>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>

using namespace pliant;
using test::gravity;
using test::Vector3;

namespace {

// A bar along y, from -0.3 to 0, with a body welded below it, one on a ball joint below that, and a free one.
struct Arm {
  Mesh<Hex8> mesh = make_box<Hex8>({.lengths = {0.1, 0.3, 0.1}, .cells = {2, 6, 2}, .origin = {0, -0.3, 0}});
  std::vector<int> top = test::nodes_at(mesh, 0), bottom = test::nodes_at(mesh, -0.3);
  int hand = 0, tool = 1, stone = 2;

  auto coupled() const {
    Mechanism mechanism;
    mechanism.add(RigidBody::box({0.1, 0.1, 0.2}, Mass{1}), Pose({0.05, -0.35, 0.05}));
    mechanism.add(RigidBody::box({0.1, 0.2, 0.1}, Mass{0.5}), Pose({0.05, -0.5, 0.05}));
    mechanism.add(RigidBody::sphere(0.1, Mass{2}), Pose({1, 0, 0}));
    mechanism.add(Ball{.first = hand, .second = tool, .at = {0.05, -0.4, 0.05}});
    Coupled result(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                   mechanism);
    result.add(WeldToNodes{.body = hand, .nodes = bottom});
    return result;
  }
};

template <class Sim>
Vector3 all_momentum(const Sim& sim) {
  return test::momentum(sim) + test::soft_momentum(sim);
}

constexpr double dt = 0.01, mass = 3 + 3.5;
const BackwardEuler steps{.dt = dt, .newton = {.tolerance = 1e-11}};

auto make(const Arm& arm) {
  using Sim = decltype(Simulation(arm.coupled(), steps, Condensed{}, Pinned(arm.top)));
  auto sim = std::make_unique<Sim>(arm.coupled(), steps, Condensed{}, Pinned(arm.top));
  sim->set_gravity({0, -gravity, 0});
  return sim;
}

}  // namespace

TEST_CASE("Coupled: constraints that are replaced release their nodes, and bad ones leave the old ones") {
  const Arm arm;
  const auto sim = make(arm);
  test::step(*sim, 10);
  CHECK_THROWS_AS(sim->set_constraint(Pinned({arm.bottom[0]})), ParameterError);  // a joint acts on it
  CHECK_THROWS_AS(sim->set_constraint(Pinned({static_cast<int>(arm.mesh.node_count())})), IndexError);
  test::step(*sim, 5);
  for (const int node : arm.top) CHECK(sim->positions().col(node) == arm.mesh.nodes.col(node));
  sim->set_constraint(Pinned({}));
  for (int n = 0; n < 10; ++n) {
    const Vector3 before = all_momentum(*sim);
    test::step(*sim);
    CHECK((all_momentum(*sim) - before - Vector3(0, -dt * mass * gravity, 0)).norm() < 1e-8);
    CHECK(sim->constraint_forces().norm() == 0);
    CHECK(sim->joint_gap() <= 1e-10);
  }
  // Held again, where it is now.
  const Eigen::MatrixXd here = sim->positions();
  sim->set_constraint(Pinned({arm.top[0]}));
  test::step(*sim, 3);
  CHECK(sim->positions().col(arm.top[0]) == here.col(arm.top[0]));
  CHECK((sim->positions().col(arm.top[1]) - here.col(arm.top[1])).norm() > 1e-4);
}

TEST_CASE("Coupled: another integrator goes on as one that has it from the start") {
  const Arm arm;
  const auto sim = make(arm), other = make(arm);
  test::step(*sim, 5);
  const BackwardEuler longer{.dt = 0.02, .newton = Newton::linearised()};
  other->set_integrator(longer);
  other->set_state(sim->state());
  sim->set_integrator(longer);
  test::step(*sim, 5);
  test::step(*other, 5);
  CHECK(sim->time() == Approx(5 * dt + 5 * 0.02));
  CHECK(sim->positions() == other->positions());
  CHECK(sim->pose(arm.tool).rotation() == other->pose(arm.tool).rotation());
  CHECK_THROWS_AS(sim->set_integrator(BackwardEuler{.dt = -1}), ParameterError);
  test::step(*sim);
  test::step(*other);
  CHECK(sim->positions() == other->positions());
}

TEST_CASE("Coupled: poses that are set are taken, and joints that they open close in the next step") {
  const Arm arm;
  const auto sim = make(arm);
  sim->set_gravity({0, 0, 0});
  const Pose<3> there(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 2) / 3), Eigen::Vector3d(3, 4, 5));
  sim->set_body_velocity(arm.stone, {{1, 2, 3}, {0, 5, 0}});
  sim->set_pose(arm.stone, there);
  CHECK((sim->pose(arm.stone).translation() - there.translation()).norm() < 1e-15);
  CHECK((sim->pose(arm.stone).rotation() - there.rotation()).norm() < 1e-15);
  CHECK((sim->body_velocity(arm.stone).angular - Vector3(0, 5, 0)).norm() < 1e-14);
  CHECK(sim->positions().rightCols(1).col(0) == Eigen::Vector3d(3, 4, 5));
  test::step(*sim);
  CHECK((sim->pose(arm.stone).translation() - Vector3(3.01, 4.02, 5.03)).norm() < 1e-14);
  CHECK((sim->positions().leftCols(arm.mesh.node_count()) - arm.mesh.nodes).norm() < 1e-12);

  sim->set_pose(arm.tool, Pose<3>(Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitZ()), {0.05, -0.501, 0.05}));
  CHECK(sim->joint_gap() > 1e-3);
  test::step(*sim);
  CHECK(sim->joint_gap() <= 1e-10);
  CHECK_THROWS_AS(sim->set_pose(3, there), IndexError);
}

TEST_CASE("Coupled: external forces act on nodes and on centres of mass, until they are set again") {
  const Arm arm;
  const auto sim = make(arm);
  sim->set_constraint(Pinned({}));
  sim->set_gravity({0, 0, 0});
  const auto columns = arm.mesh.node_count() + 3;
  NodeMatrix<double, 3> forces = NodeMatrix<double, 3>::Zero(3, columns);
  forces.col(arm.top[0]) << 1, 0, 2;
  forces.col(columns - 2) << 0, -2, 1;  // the tool
  forces.col(columns - 1) << 0, 0, 4;   // the stone
  sim->set_external_forces(forces);
  for (int n = 1; n <= 5; ++n) {
    test::step(*sim);
    CHECK((all_momentum(*sim) - n * dt * Vector3(1, -2, 7)).norm() < 1e-9);
    CHECK((sim->body_velocity(arm.stone).linear - n * dt * Vector3(0, 0, 2)).norm() < 1e-14);
    CHECK(sim->body_velocity(arm.stone).angular.norm() < 1e-14);
  }
  sim->set_external_forces(0 * forces);
  test::step(*sim, 5);
  CHECK((all_momentum(*sim) - 5 * dt * Vector3(1, -2, 7)).norm() < 1e-9);
  CHECK_THROWS_AS(sim->set_external_forces(forces.leftCols(columns - 1)), SizeError);
}
