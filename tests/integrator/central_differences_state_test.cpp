// Steps of central differences that fail, and nodes that are held or moved in them.
#include "integrator/driven_bar.hpp"

#include <pliant/integrator/central_differences.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Driven = Simulation<Solid<Tet4, BonetWoodNeoHookean, double>, CentralDifferences, NoSolver, Ends>;

constexpr double dt = 0.02;  // some substeps long
const Rayleigh damped{.alpha = 2, .beta = 1e-4};

Driven driven(std::vector<int> held, std::vector<int> moved, Path path, Rayleigh damping = damped) {
  return {rubber_bar(damping), CentralDifferences{.dt = dt}, Pinned(std::move(held)),
          PrescribedMotion<Path>(std::move(moved), std::move(path))};
}

Driven held_left() { return driven(left, {}, {}); }

}  // namespace

TEST_CASE("CentralDifferences: a step that failed leaves everything as it was") {
  check_failed_step_leaves_all(held_left, 5);
}

TEST_CASE("CentralDifferences: a state that is set is stepped as by a new simulation, to the last bit") {
  Driven used = held_left();
  used.set_velocities(swing());
  for (int n = 0; n < 3; ++n) require_step(used);
  Driven fresh = held_left();
  const Points x = bar.nodes + 0.01 * noise(bar.node_count(), 5), v = used.velocities();
  for (Driven* each : {&used, &fresh}) {
    each->set_positions(x);
    each->set_velocities(v);
    each->set_time(0);
    each->set_gravity(gravity);
    require_step(*each);
  }
  CHECK(used.positions() == fresh.positions());
  CHECK(used.velocities() == fresh.velocities());
}

TEST_CASE(
    "CentralDifferences: an energy that is not defined, at the start or on the way, is told by element") {
  Driven sim = held_left();
  check_undefined_start_is_told(sim);

  sim.set_positions(bar.nodes);
  Points v = Points::Zero(3, bar.node_count());
  v.row(0) = -300 * bar.nodes.row(0);  // inverts the bar within a substep
  sim.set_velocities(v);
  const StepReport report = sim.step();
  CHECK(report.stop == StepStop::energy_undefined);
  CHECK(report.undefined_element >= 0);
  CHECK(sim.positions() == bar.nodes);
  CHECK(sim.time() == 0);

  sim.set_velocities(1e200 * v);
  CHECK_FALSE(sim.step());
  sim.set_velocities(0 * v);
  sim.set_external_forces(1e308 * noise(bar.node_count(), 1));
  CHECK(sim.step().stop == StepStop::not_finite);
  sim.set_external_forces(0 * v);
  CHECK(sim.step());
}

TEST_CASE("CentralDifferences: a time in which substeps are lost fails the step") {
  Driven sim = driven(left, right, [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(std::sin(t), 0, 0);
  });
  sim.set_time(5e11);  // known to 6e-5 s, which is little beside dt and much beside a substep
  const Points x = bar.nodes + Eigen::Vector3d(std::sin(5e11), 0, 0).replicate(1, bar.node_count());
  sim.set_positions(x);
  const StepReport report = sim.step();
  INFO(report.message());
  CHECK(report.stop == StepStop::time_stands_still);
  CHECK(sim.positions() == x);
  CHECK(sim.time() == 5e11);
  sim.set_time(0);
  sim.set_positions(bar.nodes);
  require_step(sim);
}

TEST_CASE("CentralDifferences: held nodes stay and have no speed, whatever the loads") {
  Driven sim = held_left();
  check_held_nodes_stay(sim);
}

TEST_CASE("CentralDifferences: moved nodes are where their path says, and as fast") {
  const Eigen::Vector3d c(0.2, -0.1, 0.3), b(1, 2, -3);
  const Path path = [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + c * t + b * t * t / 2;
  };
  Driven sim = driven(left, right, path);
  check_moved_nodes_follow(
      sim, dt, path, [&](double t) -> Eigen::Vector3d { return c + b * t; }, 1e-9);
}

TEST_CASE("CentralDifferences: a uniform motion of the supports is only seen as one") {
  check_uniform_motion_is_only_seen_as_one([](const std::vector<int>& moved, const Path& path) {
    return driven({}, moved, path, {.beta = 1e-4});
  });
}
