// Nodes on planes and lines, moved along one direction, and released.
#include "support/catch.hpp"

#include <cmath>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

const double E = 1e5, nu = 0.3;
const Eigen::Vector3d x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);

Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {1, 1, 2}, .cells = {2, 2, 3}}); }

std::vector<int> at(const Mesh<Tet4>& mesh, int axis, double value) {
  return nodes_where(mesh, [&](const auto& X) { return std::abs(X(axis) - value) < 1e-9; });
}

}  // namespace

TEST_CASE("Sliding: uniaxial tension between planes has its lateral contraction") {
  const auto mesh = block();
  const auto lift = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(0, 0, 0.02 * t);
  };
  const auto solid = Solid(mesh, LinearElastic(Lame::from_young_poisson(E, nu)), Density{1000});
  Simulation sim(solid, QuasiStatic{.newton = {.tolerance = 1e-12}}, Pcg<BlockJacobi>{.tolerance = 1e-13},
                 Sliding::on_plane(at(mesh, 0, 0), x), Sliding::on_plane(at(mesh, 1, 0), y),
                 Sliding::on_plane(at(mesh, 2, 0), z), PrescribedMotion(at(mesh, 2, 2), lift, z));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  const double strain = 0.01;
  Eigen::Matrix3Xd expected = mesh.nodes;
  expected.topRows<2>() *= 1 - nu * strain;
  expected.row(2) *= 1 + strain;
  CHECK((sim.positions() - expected).cwiseAbs().maxCoeff() < 1e-10);
  CHECK(report.energies.elastic == Approx(0.5 * E * strain * strain * 2).epsilon(1e-9));
}

TEST_CASE("Sliding: a body on a plane says in which way it can still move") {
  const auto mesh = block();
  Simulation sim(Solid(mesh, LinearElastic(Lame::from_young_poisson(E, nu)), Density{1000}), QuasiStatic{},
                 Pcg<BlockJacobi>{}, Sliding::on_plane(at(mesh, 2, 0), z),
                 Sliding::on_plane(at(mesh, 0, 0), x));
  const StepReport report = sim.step();
  CHECK(report.stop == StepStop::free_motion);
  CHECK_THAT(report.message(), Catch::Contains("move along (0, 1, 0)"));
}

TEST_CASE("Sliding: a body on inclined rails falls along them") {
  const auto mesh = block();
  const Eigen::Vector3d rail = Eigen::Vector3d(1, 2, -2) / 3, gravity(0, 0, -9.81);
  std::vector<int> all;
  for (int node = 0; node < mesh.node_count(); ++node) all.push_back(node);
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, nu)), Density{1000}),
                 BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-13},
                 Sliding::on_line(all, rail));
  sim.set_gravity(gravity);
  for (int n = 1; n <= 20; ++n) {
    REQUIRE(sim.step());
    const Eigen::Vector3d way = 1e-4 * n * (n + 1) / 2.0 * gravity.dot(rail) * rail;
    CHECK((sim.positions() - (mesh.nodes.colwise() + way)).cwiseAbs().maxCoeff() < 1e-12);
  }
}

// Every node is taken up with z, at 0.3 m/s^2, and falls freely in the plane.
template <class... Arguments>
void fall_in_a_plane_that_is_lifted(const Arguments&... integrator_and_solver) {
  const auto mesh = block();
  std::vector<int> all;
  for (int node = 0; node < mesh.node_count(); ++node) all.push_back(node);
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, nu)), Density{1000});
  const auto lift = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(0, 0, 0.15 * t * t);
  };
  Simulation sim(solid, integrator_and_solver..., PrescribedMotion(all, lift, z));
  sim.set_gravity({1, -9.81, 2});
  for (int n = 1; n <= 20; ++n) {
    REQUIRE(sim.step());
    const double t = 0.01 * n;
    const Eigen::Vector3d way = t * t / 2 * Eigen::Vector3d(1, -9.81, 0.3);
    const Eigen::Vector3d velocity = t * Eigen::Vector3d(1, -9.81, 0.3);
    CHECK((sim.positions() - (mesh.nodes.colwise() + way)).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((sim.velocities().colwise() - velocity).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("Sliding: exact free fall in a plane that is accelerated, with the integrators of second order") {
  fall_in_a_plane_that_is_lifted(Newmark{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-13});
  fall_in_a_plane_that_is_lifted(CentralDifferences{.dt = 0.01});
}

TEST_CASE("PrescribedVelocity: an end that is wound up at a constant speed, and stops when it is told") {
  const auto mesh = block();
  const auto lower = at(mesh, 2, 0), upper = at(mesh, 2, 2);
  const auto velocity = [](const Eigen::Vector3d&, double t) -> Eigen::Vector3d {
    return {0, t < 0.0501 ? 0.3 : 0, 0};
  };
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, nu)), Density{1000}),
                 BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, Pinned(lower),
                 PrescribedVelocity(upper, velocity));
  for (int n = 1; n <= 10; ++n) {
    REQUIRE(sim.step());
    for (const int node : upper) {
      const Eigen::Vector3d way = sim.positions().col(node) - mesh.nodes.col(node);
      CHECK((way - Eigen::Vector3d(0, 0.003 * std::min(n, 5), 0)).norm() < 1e-12);
      CHECK((sim.velocities().col(node) - Eigen::Vector3d(0, n <= 5 ? 0.3 : 0, 0)).norm() < 1e-9);
    }
    for (const int node : lower) CHECK(sim.positions().col(node) == mesh.nodes.col(node));
  }
}

TEST_CASE("Simulation: constraints are exchanged between steps") {
  const auto mesh = block();
  const auto top = at(mesh, 2, 2);
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, nu)), Density{1000}),
                 BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(top));
  sim.set_gravity({0, 0, -9.81});
  for (int n = 0; n < 5; ++n) REQUIRE(sim.step());
  for (const int node : top) CHECK(sim.positions().col(node) == mesh.nodes.col(node));
  CHECK_THROWS_AS(sim.set_constraint(Pinned({1000})), IndexError);
  REQUIRE(sim.step());
  for (const int node : top) CHECK(sim.positions().col(node) == mesh.nodes.col(node));  // still held

  sim.set_constraint(Pinned(std::vector<int>{}));
  // Momentum per step of the free body: its weight times dt.
  const double before = sim.velocities().row(2).mean();
  REQUIRE(sim.step());
  CHECK(sim.positions().col(top.front())(2) < mesh.nodes.col(top.front())(2));
  CHECK(sim.velocities().row(2).mean() < before);
  for (int n = 0; n < 3; ++n) REQUIRE(sim.step());
}
