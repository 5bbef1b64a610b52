// The acceleration that Newmark carries from step to step: when it is found anew, and what moved nodes have
// instead.
#include "integrator/driven_bar.hpp"

#include <pliant/integrator/newmark.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Driven = Simulation<Solid<Tet4, BonetWoodNeoHookean, double>, Newmark, Pcg<BlockJacobi>, Ends>;

const Rayleigh damped{.alpha = 2, .beta = 1e-3};

Newmark rule(double dt = 5e-3) { return {.dt = dt, .newton = tight(1e-12)}; }

Driven driven(std::vector<int> held, std::vector<int> moved, Path path, Newmark integrator = rule(),
              Rayleigh damping = damped) {
  return {rubber_bar(damping), integrator, Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(std::move(held)),
          PrescribedMotion<Path>(std::move(moved), std::move(path))};
}

Driven held_left(Newmark integrator = rule()) { return driven(left, {}, {}, integrator); }

// A new simulation in the state of another one, which knows no acceleration.
void put(Driven& to, const Points& x, const Points& v, const Eigen::Vector3d& g = gravity) {
  to.set_positions(x);
  to.set_velocities(v);
  to.set_gravity(g);
}

double distance(const Driven& a, const Driven& b) {
  return (a.positions() - b.positions()).cwiseAbs().maxCoeff() +
         rule().dt * (a.velocities() - b.velocities()).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("Newmark: a state that is set is stepped as by a new simulation, to the last bit") {
  Driven used = held_left();
  used.set_gravity(gravity);
  used.set_velocities(swing());
  for (int n = 0; n < 5; ++n) require_step(used);
  const Points x = used.positions(), v = used.velocities();

  Driven fresh = held_left();
  put(fresh, x, v);
  SECTION("positions") { used.set_positions(x); }
  SECTION("velocities") { used.set_velocities(v); }
  SECTION("gravity") {
    used.set_gravity(-gravity);
    fresh.set_gravity(-gravity);
  }
  SECTION("external forces") {
    used.set_external_forces(swing());
    fresh.set_external_forces(swing());
  }
  require_step(used);
  require_step(fresh);
  CHECK(used.positions() == fresh.positions());
  CHECK(used.velocities() == fresh.velocities());
}

// The acceleration that a converged step ends with is that of the balance of forces, but for the stiffness
// damping, whose rate of strain is that of the rule and not quite that of the velocities.
TEST_CASE("Newmark: the acceleration carried on is that of the balance of forces, also for another dt") {
  for (const double dt : {5e-3, 1e-3}) {
    Driven used = driven(left, {}, {}, rule(), {.alpha = 2});
    used.set_gravity(gravity);
    used.set_velocities(swing());
    for (int n = 0; n < 5; ++n) require_step(used);
    Driven fresh = driven(left, {}, {}, rule(dt), {.alpha = 2});
    put(fresh, used.positions(), used.velocities());
    used.set_integrator(rule(dt));
    require_step(used);
    require_step(fresh);
    CHECK(distance(used, fresh) < 1e-12);
    CHECK(distance(used, fresh) > 0);
  }
}

TEST_CASE("Newmark: a step that failed leaves everything as it was, the acceleration too") {
  check_failed_step_leaves_all([] { return held_left(); }, 1);
}

TEST_CASE("Newmark: a start out of the domain of the energy, or not finite, is told") {
  Driven sim = held_left();
  check_undefined_start_is_told(sim);
  sim.set_positions(bar.nodes);
  sim.set_external_forces(1e308 * noise(bar.node_count(), 1));
  CHECK(sim.step().stop == StepStop::not_finite);
  CHECK(sim.time() == 0);
  sim.set_external_forces(Points::Zero(3, bar.node_count()));
  CHECK(sim.step());
}

TEST_CASE("Newmark: held nodes stay and have no speed, whatever the loads") {
  Driven sim = held_left();
  check_held_nodes_stay(sim);
}

TEST_CASE(
    "Newmark: moved nodes have the velocity of their path, from the first step on and without swinging") {
  const Eigen::Vector3d c(0.2, -0.1, 0.3), b(1, 2, -3);
  const Path path = [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + c * t + b * t * t / 2;
  };
  for (const Newton& newton : {tight(), Newton::linearised()}) {
    Driven sim = driven(left, right, path, {.dt = 5e-3, .newton = newton});
    check_moved_nodes_follow(
        sim, 5e-3, path, [&](double t) -> Eigen::Vector3d { return c + b * t; }, 1e-11);
  }
}

// In the frame of the moved nodes the body is at rest: it hangs straight behind them, all its nodes with the
// acceleration of the path, once its swinging has been damped.
TEST_CASE("Newmark: a body that is taken along at constant acceleration ends in a steady shape") {
  const Eigen::Vector3d b(0.5, 0, 0);
  Driven sim = driven(
      {}, left, [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d { return X + b * t * t / 2; },
      rule(0.02), {.alpha = 0, .beta = 0.05});
  for (int n = 0; n < 200; ++n) require_step(sim);
  const double t = sim.time();
  CHECK((sim.velocities().colwise() - b * t).cwiseAbs().maxCoeff() < 1e-6);
  // The strain of the section x that pulls the rest of the bar, rho b (L - x) / E, integrated.
  const Eigen::Vector3d first = sim.positions().col(left.front()), last = sim.positions().col(right.front());
  CHECK(last.x() - first.x() - 0.4 ==
        Approx(-1000 * b.x() * 0.4 * 0.4 / 2 / 1e5).epsilon(0.15));  // four cells
}

TEST_CASE("Newmark: a uniform motion of the supports is only seen as one") {
  check_uniform_motion_is_only_seen_as_one([](const std::vector<int>& moved, const Path& path) {
    return driven({}, moved, path, rule(), {.beta = 1e-3});
  });
}
