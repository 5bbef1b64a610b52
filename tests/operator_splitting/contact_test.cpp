// Bodies of OperatorSplitting on colliders.
#include "integrator/bodies.hpp"
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>

#include <pliant/contact/shape/half_space.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/io/make_triangle_mesh.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double g = 9.81, dt = 0.01, density = 1000;
const Vector3d up(0, 1, 0);

Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {0.3, 0.2, 0.2}, .cells = {3, 2, 2}}); }

auto soft(double damping = 0) {
  return Solid(block(), FixedCorotated(Lame::from_young_poisson(2e5, 0.3)), Density{density},
               Rayleigh{.alpha = damping});
}

}  // namespace

TEST_CASE("operator splitting: a body rests on a floor, which carries its weight") {
  Simulation sim(soft(5), OperatorSplitting{.dt = dt});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Vector3d(0, -0.05, 0), up), {.friction = 0.5});
  double carried = 0;
  for (int n = 0; n < 600; ++n) {
    run_steps(sim, 1);
    CHECK(sim.positions().row(1).minCoeff() >= -0.05 - 1e-12);
    if (n >= 500) carried += sim.constraint_forces().row(1).sum() / 100;
  }
  CHECK(carried == Approx(density * g * total_volume(block())).epsilon(1e-4));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-3);
  CHECK(sim.contacts().size() >= 6);
}

// A body that falls on a floor without having been deformed: what happens to a node in the first step has a
// closed form.
TEST_CASE("operator splitting: floor, friction and drag act on a node by its mass") {
  constexpr double friction = 0.3, viscosity = 20, along = 3, down = 2;
  Simulation sim(soft(), OperatorSplitting{.dt = dt});
  sim.set_gravity(-g * up);
  sim.set_velocities(Vector3d(along, -down, 0).replicate(1, block().node_count()));
  sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.friction = friction, .viscosity = viscosity});
  run_steps(sim, 1);
  const Eigen::VectorXd mass = node_masses(block(), density);
  const double asked = down + g * dt;  // into the floor [m/s]
  for (Eigen::Index i = 0; i < block().node_count(); ++i) {
    const bool touches = block().nodes(1, i) == 0;
    const Vector3d free(along, -asked, 0),
        v = touches ? Vector3d((along - friction * asked) / (1 + viscosity * dt / mass(i)), 0, 0) : free;
    CHECK((sim.velocities().col(i) - v).norm() < 1e-12);
    CHECK((sim.constraint_forces().col(i) - mass(i) / dt * (v - free)).norm() < 1e-10);
  }
}

TEST_CASE("operator splitting: on an incline a body sticks below the angle of friction and slides above it") {
  const double friction = 0.5;
  const auto speed_after = [&](double angle) {
    Simulation sim(soft(), OperatorSplitting{.dt = dt});
    const Vector3d down(std::sin(angle), -std::cos(angle), 0);
    sim.set_gravity(g * down);  // turned instead of the plane
    sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.friction = friction});
    run_steps(sim, 150);
    const double before = sim.velocities().row(0).mean();
    run_steps(sim, 50);
    return (sim.velocities().row(0).mean() - before) / (50 * dt);
  };
  CHECK(std::abs(speed_after(0.9 * std::atan(friction))) < 0.006);
  const double steep = 1.4 * std::atan(friction);
  CHECK(speed_after(steep) == Approx(g * (std::sin(steep) - friction * std::cos(steep))).epsilon(0.003));
}

TEST_CASE("operator splitting: nothing tunnels, whatever its speed, and bits do not depend on threads") {
  const auto end_with = [&](int threads) {
    const WithThreads with(threads);
    Simulation sim(soft(), OperatorSplitting{.dt = dt});
    sim.set_velocities(Vector3d(0, -100, 0).replicate(1, block().node_count()));
    sim.add_collider(make_triangle_mesh(make_box<Tet4>({.lengths = {100, 0.01, 100}, .cells = {1, 1, 1}})),
                     {},
                     [](double) { return Pose<3>(Eigen::Matrix3d::Identity(), Vector3d(-50, -0.3, -50)); });
    sim.add_collider(Sphere(Vector3d(0.1, -0.15, 0.1), 0.1), {.friction = 0.3, .viscosity = 1});
    for (int n = 0; n < 30; ++n) {
      run_steps(sim, 1);
      CHECK(sim.positions().row(1).minCoeff() >= -0.29 - 1e-9);
      CHECK((sim.positions().colwise() - Vector3d(0.1, -0.15, 0.1)).colwise().norm().minCoeff() > 0.1 - 1e-9);
    }
    return MatrixXd(sim.positions());
  };
  const MatrixXd one = end_with(1);
  CHECK(end_with(3) == one);
}
