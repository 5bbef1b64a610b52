// What Newmark keeps: energy, momentum, and the parabola of a free fall.
#include "integrator/bits_on_any_threads.hpp"
#include "integrator/bodies.hpp"
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <cmath>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/newmark.hpp>

using namespace pliant;
using namespace pliant::test;

// The mean of the balances at both ends is that at the middle, so that the energy changes by the work of the
// damping over the step, -dt w.D w with w = (v + v+) / 2, and by nothing else.
TEST_CASE("Newmark: the energy of a linear body is kept to rounding, less what the damping takes") {
  const auto mesh = jittered_box({3, 2, 1});
  const double density = 1000, dt = 0.01;
  const DenseBody body(mesh, Law::linear, Lame::from_young_poisson(1e5, 0.4), density);
  for (const Newton& newton : {Newton::linearised(), tight(1e-12)}) {
    for (const Rayleigh damping : {Rayleigh{}, Rayleigh{0.5, 0.002}}) {
      const auto scene =
          make_scene<LinearElastic, double, Newmark>({.mesh = mesh,
                                                      .damping = damping,
                                                      .integrator = {.dt = dt, .newton = newton},
                                                      .linear_tolerance = 1e-13});
      scene->set_positions(mesh.nodes + 0.01 * noise(mesh.node_count(), 3));
      scene->set_velocities(noise(mesh.node_count(), 4));
      const Eigen::MatrixXd D = damping.alpha * Eigen::MatrixXd(body.masses().asDiagonal()) +
                                damping.beta * body.stiffness(mesh.nodes);
      const double first = scene->energies().total();
      double expected = first;
      for (int n = 0; n < (damping.beta > 0 ? 50 : 500); ++n) {
        const Points v = scene->velocities();
        const StepReport report = scene->step();
        INFO(report.message());
        REQUIRE(report);
        const Eigen::VectorXd w = stacked(v + scene->velocities()) / 2;
        const double taken = dt * w.dot(D * w);
        CHECK(taken >= 0);
        expected -= taken;
        CHECK(report.energies.total() == Approx(expected).margin(1e-9 * first));
      }
      if (damping.beta > 0) CHECK(expected < 0.8 * first);
    }
  }
}

TEST_CASE("Newmark: free fall is exact, also where gravity changes on the way") {
  const auto mesh = jittered_box({3, 2, 2});
  const double dt = 0.01;
  for (const Newton& newton : {tight(), Newton::linearised()}) {
    for (const auto& [beta, gamma] : {std::pair{0.25, 0.5}, std::pair{0.3025, 0.6}}) {
      const auto scene = make_scene<StableNeoHookean, double, Newmark>(
          {.mesh = mesh,
           .damping = {.beta = 0.01},  // has nothing to damp
           .integrator = {.dt = dt, .beta = beta, .gamma = gamma, .newton = newton}});
      Eigen::Vector3d fallen = Eigen::Vector3d::Zero(), v(0.25, 1.5, -0.5);
      scene->set_velocities(v.replicate(1, mesh.node_count()));
      for (const Eigen::Vector3d& g : {Eigen::Vector3d(0.5, -9.81, 0.25), Eigen::Vector3d(-3, 5, 0)}) {
        scene->set_gravity(g);
        for (int n = 0; n < 30; ++n) {
          REQUIRE(scene->step());
          fallen += dt * v + dt * dt / 2 * g;
          v += dt * g;
          CHECK((scene->positions() - (mesh.nodes.colwise() + fallen)).cwiseAbs().maxCoeff() < 1e-12);
          CHECK((scene->velocities().colwise() - v).cwiseAbs().maxCoeff() < 1e-11);
        }
      }
    }
  }
}

TEST_CASE("Newmark: linear momentum is kept; angular momentum drifts by dt^2") {
  const auto mesh = jittered_box({3, 2, 1});
  const Eigen::VectorXd mass = node_masses(mesh, 1000);
  std::vector<double> drifts;
  for (const double dt : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const auto scene = make_scene<StableNeoHookean, double, Newmark>(
        {.mesh = mesh, .integrator = {.dt = dt, .newton = tight()}, .linear_tolerance = 1e-11});
    scene->set_velocities(rigid_velocity(mass, mesh.nodes, {1, -2, 8}, {0.3, 0.2, -0.1}) +
                          0.2 * noise(mesh.node_count(), 9));
    const Eigen::Vector3d p = momentum(mass, scene->velocities());
    const Eigen::Vector3d L = angular_momentum(mass, scene->positions(), scene->velocities());
    double drift = 0;
    for (int n = 0; n * dt < 0.0999; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      CHECK((momentum(mass, scene->velocities()) - p).norm() < 1e-9 * p.norm());
      drift = std::max(
          drift, (angular_momentum(mass, scene->positions(), scene->velocities()) - L).norm() / L.norm());
    }
    drifts.push_back(drift);
  }
  CAPTURE(drifts[0], drifts[1], drifts[2], drifts[3]);
  CHECK(drifts[0] < 0.01);
  for (const std::size_t k : {1u, 2u, 3u}) {
    CHECK(std::log2(drifts[k - 1] / drifts[k]) == Approx(2).margin(0.15));
  }
}

TEST_CASE("Newmark: the same bits on any number of threads") {
  check_bits_on_any_threads([](const Mesh<Tet4>& mesh, const std::vector<int>& held) {
    return make_scene<StableNeoHookean, double, Newmark>(
        {.mesh = mesh,
         .damping = {.alpha = 0.1, .beta = 0.001},
         .integrator = {.dt = 0.01, .newton = {.max_iterations = 2, .require_convergence = false}},
         .linear_tolerance = 1e-3,
         .pinned = held});
  });
}
