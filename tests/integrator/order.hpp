// The order of an integrator in dt, against the equation of motion of a second implementation integrated by a
// Runge-Kutta method of fourth order with very small steps.
#pragma once

#include "integrator/bodies.hpp"
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <vector>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

namespace pliant::test::order {

inline constexpr double duration = 0.048, density = 1000;

inline const Mesh<Tet4> mesh = jittered_box({2, 1, 1});
inline const std::vector<int> held = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
inline const Eigen::Vector3d gravity(2, -9.81, 1);

// A swinging load on each node [N].
inline Points load(double time) { return 2 * std::sin(60 * time) * noise(mesh.node_count(), 8); }

inline Points initial_velocity() {
  Points v = noise(mesh.node_count(), 7);
  for (const int node : held) v.col(node).setZero();
  return v;
}

struct Problem {
  Law law;
  Rayleigh damping;
  bool swinging_load = false;
};

// The positions at the end.
inline Points truth(const Problem& problem) {
  const DenseBody body(mesh, problem.law, Lame::from_young_poisson(1e5, 0.4), density);
  const auto acceleration = [&](const Points& x, const Points& v, double time) {
    Points force = -body.gradient(x);
    if (problem.swinging_load) force += load(time);
    if (problem.damping.beta > 0) {
      force -= problem.damping.beta * unstacked(body.damping(x) * stacked(v));
    }
    Points a = force * body.mass().cwiseInverse().asDiagonal();
    a += gravity.replicate(1, mesh.node_count()) - problem.damping.alpha * v;
    for (const int node : held) a.col(node).setZero();
    return a;
  };
  const int steps = problem.damping.beta > 0 ? 400 : 2000;
  const double h = duration / steps;
  Points x = mesh.nodes, v = initial_velocity();
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    const Points a1 = acceleration(x, v, t);
    const Points v2 = v + h / 2 * a1, a2 = acceleration(x + h / 2 * v, v2, t + h / 2);
    const Points v3 = v + h / 2 * a2, a3 = acceleration(x + h / 2 * v2, v3, t + h / 2);
    const Points v4 = v + h * a3, a4 = acceleration(x + h * v3, v4, t + h);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

// log2 of the ratios of the errors at dt, dt / 2, dt / 4, dt / 8.
template <class Integrator>
std::vector<double> slopes(const Problem& problem, Integrator integrator) {
  const Points end = truth(problem);
  std::vector<double> result;
  double before = 0;
  for (const int steps : {48, 96, 192, 384}) {
    integrator.dt = duration / steps;
    const SetupOf<Integrator> setup{.mesh = mesh,
                                    .density = density,
                                    .damping = problem.damping,
                                    .integrator = integrator,
                                    .linear_tolerance = 1e-11,
                                    .pinned = held};
    const auto scene = problem.law == Law::linear ? make_scene<LinearElastic, double, Integrator>(setup)
                                                  : make_scene<StableNeoHookean, double, Integrator>(setup);
    scene->set_gravity(gravity);
    scene->set_velocities(initial_velocity());
    for (int n = 0; n < steps; ++n) {
      if (problem.swinging_load) scene->set_external_forces(load((n + 0.5) * integrator.dt));
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
    }
    const double error = (scene->positions() - end).norm() / (end - mesh.nodes).norm();
    if (before > 0) result.push_back(std::log2(before / error));
    else CHECK(error < 0.1);  // it has the right limit, and the range is that of the expansion
    before = error;
  }
  CAPTURE(result[0], result[1], result[2]);
  CHECK(before < 0.01);
  return result;
}

inline void require_order(double order, const std::vector<double>& slopes) {
  CAPTURE(slopes[0], slopes[1], slopes[2]);
  CHECK(slopes[1] == Approx(order).margin(0.2));
  CHECK(slopes[2] == Approx(order).margin(0.1));
}

inline const Rayleigh alpha{.alpha = 8}, beta{.beta = 2e-3};

}  // namespace pliant::test::order
