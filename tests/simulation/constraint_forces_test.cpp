// What constraints exert, against the laws of Newton.
#include "support/catch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

const Eigen::Vector3d gravity(1, -9.81, 0.5);
constexpr double density = 1200, dt = 0.01;

Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {1, 0.5, 0.5}, .cells = {4, 2, 2}}); }

auto solid() {
  return Solid(block(), StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{density});
}

std::vector<int> at(int axis, double value) {
  return nodes_where(block(), [&](const auto& X) { return std::abs(X(axis) - value) < 1e-9; });
}

Eigen::VectorXd masses() {
  const auto mesh = block();
  return lumped_mass<Tet4>(mesh.nodes, mesh.elements, density).eval();
}

}  // namespace

TEST_CASE("constraint forces: the support of a body at rest carries its weight and the moment of it") {
  const auto held = at(0, 0);
  Simulation sim(solid(), QuasiStatic{.newton = {.tolerance = 1e-11}}, Pcg<BlockJacobi>{.tolerance = 1e-12},
                 Pinned(held));
  CHECK(sim.constraint_forces().isZero(0));
  sim.set_gravity(gravity);
  REQUIRE(sim.step());
  const auto& forces = sim.constraint_forces();
  const Eigen::VectorXd mass = masses();
  CHECK((forces.rowwise().sum() + mass.sum() * gravity).norm() < 1e-8 * mass.sum());
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (int i = 0; i < forces.cols(); ++i) {
    const Eigen::Vector3d x = sim.positions().col(i), f = forces.col(i);
    moment += x.cross(f + mass(i) * gravity);
    const bool is_held = std::find(held.begin(), held.end(), i) != held.end();
    CHECK(f.isZero(0) != is_held);
  }
  CHECK(moment.norm() < 1e-7 * mass.sum());
}

TEST_CASE("constraint forces: a floor pushes up, a wall sideways, and neither along itself") {
  Simulation sim(solid(), QuasiStatic{.newton = {.tolerance = 1e-11}}, Pcg<BlockJacobi>{.tolerance = 1e-12},
                 Sliding::on_plane(at(1, 0), Eigen::Vector3d(0, 1, 0)),
                 Sliding::on_plane(at(0, 0), Eigen::Vector3d(1, 0, 0)),
                 Sliding::on_plane(at(2, 0), Eigen::Vector3d(0, 0, 1)));
  sim.set_gravity({0, -9.81, 0});
  REQUIRE(sim.step());
  const Eigen::Vector3d total = sim.constraint_forces().rowwise().sum();
  const double weight = 9.81 * masses().sum();
  CHECK((total - Eigen::Vector3d(0, weight, 0)).norm() < 1e-8 * weight);
  for (int i = 0; i < sim.positions().cols(); ++i) {
    const Eigen::Vector3d X = block().nodes.col(i), f = sim.constraint_forces().col(i);
    if (X(1) > 1e-9) CHECK(f(1) == 0);
    if (X(0) > 1e-9) CHECK(f(0) == 0);
  }
}

// The sum of all forces is the change of momentum; those between the nodes cancel.
TEMPLATE_TEST_CASE("constraint forces: with the loads they change the momentum", "", BackwardEuler,
                   OptimizationEuler) {
  const auto shake = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(0, 0, 0.02 * std::sin(20 * t));
  };
  TestType integrator{.dt = dt};
  integrator.newton.tolerance = 1e-10;
  Simulation sim(solid(), integrator, Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(at(0, 0)),
                 PrescribedMotion(at(0, 1), shake));
  sim.set_gravity(gravity);
  const Eigen::VectorXd mass = masses();
  Eigen::Matrix3Xd v = sim.velocities();
  for (int step = 0; step < 10; ++step) {
    REQUIRE(sim.step());
    const Eigen::Vector3d change = (sim.velocities() - v) * mass / dt;
    const Eigen::Vector3d force = sim.constraint_forces().rowwise().sum() + mass.sum() * gravity;
    CHECK((change - force).norm() < 1e-6 * mass.sum() * gravity.norm());
    v = sim.velocities();
  }
}

TEST_CASE(
    "constraint forces: a body that is carried along weighs on its carrier, and more when it is lifted") {
  const auto lift = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(0, 0.75 * t * t, 0);
  };
  std::vector<int> all(static_cast<std::size_t>(block().node_count()));
  std::iota(all.begin(), all.end(), 0);
  const double mass = masses().sum();
  for (const Rayleigh damping :
       {Rayleigh{}, Rayleigh{.beta = 1e-3}}) {  // a body that keeps its shape: no drag
    const auto lifted = [&](const auto&... integrator_and_solver) {
      const auto damped =
          Solid(block(), StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{density}, damping);
      Simulation sim(damped, integrator_and_solver..., PrescribedMotion(all, lift, Eigen::Vector3d(0, 1, 0)));
      for (int k = 0; k < 5; ++k) {
        sim.set_gravity({0, -9.81 - k, 0});
        REQUIRE(sim.step());
        if (k == 0) continue;  // backward Euler knows the mean velocities of the steps, and of no step before
        const Eigen::Vector3d total = sim.constraint_forces().rowwise().sum();
        CHECK((total - Eigen::Vector3d(0, mass * (9.81 + k + 1.5), 0)).norm() < 1e-7 * mass);
      }
    };
    lifted(BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-12});
    lifted(Newmark{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-12});
    lifted(CentralDifferences{.dt = dt});
  }
}

TEST_CASE("constraint forces: those of colliders are told apart from those of the supports") {
  const auto held = at(0, 0);
  Simulation sim(solid(), QuasiStatic{.newton = {.tolerance = 1e-11}}, Pcg<BlockJacobi>{.tolerance = 1e-12},
                 Pinned(held));
  sim.add_collider(HalfSpace{{0, -0.02, 0}, {0, 1, 0}}, {.friction = 0.3});
  CHECK(sim.collider_forces().isZero(0));
  const Eigen::Vector3d down(0, -9.81, 1);
  sim.set_gravity(down);
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  const Eigen::Matrix3Xd of_colliders = sim.collider_forces(), of_supports = sim.reaction_forces();
  CHECK(of_supports.row(1).sum() > 0.1 * masses().sum());
  CHECK((of_supports + of_colliders - sim.constraint_forces()).norm() < 1e-12 * masses().sum());
  CHECK(of_colliders.row(1).sum() > 0.1 * masses().sum());
  for (int i = 0; i < of_colliders.cols(); ++i) {
    const bool is_held = std::find(held.begin(), held.end(), i) != held.end();
    if (is_held) CHECK(of_colliders.col(i).isZero(0));
    else CHECK(of_supports.col(i).norm() < 1e-12 * masses().sum());
  }
  Eigen::Vector3d pressed = Eigen::Vector3d::Zero();
  for (const auto& contact : sim.contacts()) pressed += contact.force;
  CHECK((of_colliders.rowwise().sum() - pressed).norm() < 1e-12 * masses().sum());
  const Eigen::Vector3d all = (of_colliders + of_supports).rowwise().sum();
  CHECK((all + masses().sum() * down).norm() < 1e-6 * masses().sum());
}
