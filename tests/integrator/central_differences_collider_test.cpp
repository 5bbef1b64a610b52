// Bodies of CentralDifferences on colliders: of hexahedra, in float, and with constraints.
#include "integrator/explicit_contact.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;
using namespace pliant::test;

TEST_CASE("central differences: an elastic bar hits a wall as waves have it") {
  // 1 m long at 0.1 m/s: the wall feels rho c v per area for 2 l / c, until the wave is back, and gives the
  // bar its speed again.
  constexpr double E = 1e6, speed = 0.1, length = 1, width = 0.1;
  const double c = std::sqrt(E / density), mass = density * length * width * width;
  const auto mesh = make_box<Hex8>({.lengths = {width, length, width}, .cells = {1, 50, 1}});
  const double dt = length / c / 20;
  Simulation sim(Solid(mesh, LinearElastic(Lame::from_young_poisson(E, 0)), Density{density}),
                 CentralDifferences{.dt = dt, .safety = 0.5});
  sim.set_velocities(-speed * up.replicate(1, mesh.node_count()));
  sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up));
  double impulse = 0;
  const double energy = sim.energies().total();
  for (int n = 0; n < 60; ++n) {
    run_steps(sim, 1);
    const double force = sim.constraint_forces().row(1).sum();
    if (n >= 5 && n < 35) CHECK(force == Approx(density * c * speed * width * width).epsilon(0.1));
    if (n >= 45) CHECK(force == 0);
    impulse += dt * force;
    CHECK(sim.energies().total() <= 1.001 * energy);
  }
  CHECK(impulse == Approx(2 * mass * speed).epsilon(0.015));
}

TEST_CASE("central differences: constraints win over colliders") {
  const auto mesh = block();
  const auto at = [&](double x) {
    return nodes_where(mesh, [&](const auto& X) { return std::abs(X.x() - x) < 1e-9; });
  };
  const auto path = [](const Vector3d& X, double t) -> Vector3d { return X - t * up; };
  // A floor that rises on the one side, and is oblique to the planes on which nodes slide.
  Simulation sim(soft(mesh, 5), CentralDifferences{.dt = 0.01}, Pinned(at(0)),
                 PrescribedMotion(at(0.3), path), Sliding::on_plane(at(0.1), Vector3d(1, 0, 1)));
  sim.set_gravity(-g * up);
  sim.add_collider(
      HalfSpace(Vector3d(0.1, -0.01, 0), Vector3d(0.3, 1, 0.5)), {.friction = 0.5},
      [](double t) { return Pose<3>(Eigen::Matrix3d::Identity(), Vector3d(0.2 * t, 0.3 * t, -0.1 * t)); });
  for (int n = 1; n <= 20; ++n) {
    run_steps(sim, 1);
    const double t = 0.01 * n;
    for (const int node : at(0)) CHECK(sim.positions().col(node) == mesh.nodes.col(node));
    for (const int node : at(0.3)) {
      CHECK((sim.positions().col(node) - path(mesh.nodes.col(node), t)).norm() < 1e-12);
      CHECK((sim.velocities().col(node) + up).norm() < 1e-9);
    }
    for (const int node : at(0.1)) {
      const Vector3d moved = sim.positions().col(node) - mesh.nodes.col(node);
      CHECK(std::abs(moved.dot(Vector3d(1, 0, 1))) < 1e-12);
      const Vector3d normal = Vector3d(0.3, 1, 0.5).normalized();
      const Vector3d p = Vector3d(0.1, -0.01, 0) + t * Vector3d(0.2, 0.3, -0.1);
      CHECK((Vector3d(sim.positions().col(node)) - p).dot(normal) > -1e-12);
    }
    for (const auto& contact : sim.contacts()) CHECK(mesh.nodes(0, contact.node) < 0.25);
  }
  CHECK(sim.contacts().size() > 3);
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 3);
}

TEST_CASE("central differences: in float a body rests too") {
  Mesh<Tet4, float> mesh;
  const auto exact = block();
  mesh.nodes = exact.nodes.cast<float>();
  mesh.elements = exact.elements;
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(2e5, 0.3)), Density{density},
                       Rayleigh{.alpha = 15}),
                 CentralDifferences{.dt = 0.01});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Vector3d(0, -0.05, 0), Vector3d(0.05, 1, 0.02)), {.friction = 0.5});
  run_steps(sim, 200);
  const double weight = g * density * total_volume(exact);
  const Matrix3Xd rest = sim.positions().cast<double>();
  double least = weight, most = 0;
  for (int n = 0; n < 50; ++n) {
    run_steps(sim, 1);
    const Vector3d force = sim.constraint_forces().cast<double>().rowwise().sum();
    least = std::min(least, force.y());
    most = std::max(most, force.y());
    CHECK((sim.positions().cast<double>() - rest).cwiseAbs().maxCoeff() < 1e-5);
  }
  CHECK(least == Approx(weight).epsilon(1e-2));
  CHECK(most == Approx(weight).epsilon(1e-2));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-3f);
}
