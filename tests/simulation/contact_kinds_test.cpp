// Contact in the plane, by every solver and integrator, with sheets, on any number of threads.
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

const Eigen::Vector3d up(0, 1, 0);

auto solid(const Mesh<Tet4>& mesh, double E = 1e5) {
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, 0.3)), Density{1000}, Rayleigh{.alpha = 3});
}

// Falls on a floor with a ball on it.
template <class Integrator, class Solver>
Eigen::Matrix3Xd fall(const Integrator& integrator, const Solver& solver, int steps, int cells = 3) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.5, 1}, .cells = {cells, cells, cells}});
  Simulation sim(solid(mesh), integrator, solver);
  sim.set_gravity(-9.81 * up);
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.1, 0), up), {.friction = 0.2});
  sim.add_collider(Sphere(Eigen::Vector3d(0.3, -0.1, 0.4), 0.15), {.friction = 0.2});
  for (int n = 0; n < steps; ++n) {
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
    for (Eigen::Index i = 0; i < sim.positions().cols(); ++i) {
      REQUIRE(sim.positions()(1, i) > -0.1 - 1e-12);
      REQUIRE((sim.positions().col(i) - Eigen::Vector3d(0.3, -0.1, 0.4)).norm() > 0.15 - 1e-12);
    }
  }
  return sim.positions();
}

}  // namespace

TEST_CASE("contact: Mprgp, Pcg and Cholesky find the same steps") {
  const BackwardEuler euler{.dt = 0.01, .newton = {.tolerance = 1e-9}};
  const Eigen::Matrix3Xd by_pcg = fall(euler, Pcg<BlockJacobi>{.tolerance = 1e-10}, 40);
  CHECK((fall(euler, Mprgp<Jacobi>{.tolerance = 1e-10}, 40) - by_pcg).cwiseAbs().maxCoeff() < 1e-3);
  CHECK((fall(euler, Cholesky{}, 40) - by_pcg).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("contact: the same bits on any number of threads") {
  const auto end_with = [](int threads) {
    const WithThreads with(threads);
    return fall(BackwardEuler{.dt = 0.02}, Pcg<BlockJacobi>{.tolerance = 1e-8}, 12, 9);
  };
  const Eigen::Matrix3Xd one = end_with(1);
  for (const int threads : {2, 3, 7}) CHECK(end_with(threads) == one);
}

TEST_CASE("contact: with Newmark a damped body comes to rest on the floor too") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.5, 1}, .cells = {3, 2, 3}});
  for (const double gamma : {0.5, 0.6}) {
    Simulation sim(solid(mesh),
                   Newmark{.dt = 0.01, .beta = 0.25 * (gamma + 0.5) * (gamma + 0.5), .gamma = gamma},
                   Pcg<BlockJacobi>{.tolerance = 1e-9});
    sim.set_gravity(-9.81 * up);
    sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.05, 0), up));
    for (int n = 0; n < 1500; ++n) REQUIRE(sim.step());
    CHECK(sim.constraint_forces().row(1).sum() == Approx(9.81 * 1000 * total_volume(mesh)).epsilon(1e-3));
    CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-3);
    CHECK(sim.positions().row(1).minCoeff() > -0.05 - 1e-12);
  }
}

TEST_CASE("contact: a disc carries a block in the plane") {
  const auto mesh = make_rectangle<Tri3>({.lengths = {1, 0.2}, .cells = {8, 2}});
  Simulation sim(
      Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}, Rayleigh{.alpha = 10}),
      BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-8}}, Pcg<BlockJacobi>{.tolerance = 1e-10});
  sim.set_gravity(Eigen::Vector2d(0, -9.81));
  const Eigen::Vector2d centre(0.5, -0.5);
  sim.add_collider(Sphere(centre, 0.4), {.friction = 0.5});
  for (int n = 0; n < 400; ++n) REQUIRE(sim.step());
  CHECK(sim.constraint_forces().row(1).sum() == Approx(9.81 * 1000 * 0.2).epsilon(1e-4));
  for (Eigen::Index i = 0; i < sim.positions().cols(); ++i) {
    CHECK((sim.positions().col(i) - centre).norm() > 0.4 - 1e-12);
  }
  CHECK(sim.positions().col(0).y() < -0.02);  // it bends over the disc
}

TEST_CASE("contact: no node passes through a sheet, from either side") {
  const auto mesh = make_box<Tet4>({.lengths = {0.5, 0.5, 0.5}, .cells = {2, 2, 2}});
  Eigen::Matrix3Xd corners(3, 4);
  corners << -5, 5, 5, -5, 0, 0, 0, 0, -5, -5, 5, 5;
  Eigen::Matrix3Xi triangles(3, 2);
  triangles << 0, 0, 1, 2, 2, 3;
  for (const double side : {1.0, -1.0}) {
    Simulation sim(solid(mesh, 1e6), BackwardEuler{.dt = 0.01, .newton = {.max_iterations = 100}},
                   Pcg<BlockJacobi>{});
    sim.set_gravity(-9.81 * side * up);
    Eigen::Matrix3Xd x = mesh.nodes, v = Eigen::Matrix3Xd::Zero(3, x.cols());
    x.row(1).array() += side > 0 ? 0.3 : -0.8;
    v.row(1).setConstant(-200 * side);
    sim.set_positions(x);
    sim.set_velocities(v);
    sim.add_collider(TriangleMesh::two_sided(corners, triangles), {.friction = 0.3, .thickness = 1e-3});
    for (int n = 0; n < 60; ++n) {
      const StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
      REQUIRE((side * sim.positions().row(1)).minCoeff() > 1e-3 - 1e-9);
    }
  }
}
