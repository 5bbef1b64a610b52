// Steps of central differences that fail, and nodes that are held or moved in them.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <functional>
#include <stdexcept>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Path = std::function<Eigen::Vector3d(const Eigen::Vector3d&, double)>;
using Driven = Simulation<Solid<Tet4, BonetWoodNeoHookean, double>, CentralDifferences, NoSolver,
                          Together<Pinned, PrescribedMotion<Path>>>;

const Mesh<Tet4> bar = make_box<Tet4>({.lengths = {0.4, 0.1, 0.1}, .cells = {4, 1, 1}});
const std::vector<int> left = nodes_where(bar, [](const auto& X) { return X.x() < 0.01; });
const std::vector<int> right = nodes_where(bar, [](const auto& X) { return X.x() > 0.39; });
const Eigen::Vector3d gravity(1, -9.81, 0.5);
const Rayleigh damped{.alpha = 2, .beta = 1e-4};

Driven driven(std::vector<int> held, std::vector<int> moved, Path path, Rayleigh damping = damped,
              double dt = 0.02) {
  return {Solid(bar, BonetWoodNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000}, damping),
          CentralDifferences{.dt = dt}, Pinned(std::move(held)),
          PrescribedMotion<Path>(std::move(moved), std::move(path))};
}

Driven held_left() { return driven(left, {}, {}); }

Points swing() { return 0.3 * noise(bar.node_count(), 4); }

void require_step(Driven& sim) {
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  REQUIRE(report.substeps > 1);
}

}  // namespace

TEST_CASE("CentralDifferences: a step that failed leaves everything as it was") {
  for (const int before : {0, 3}) {
    for (const bool thrown : {false, true}) {
      Driven sim = held_left(), twin = held_left();
      for (Driven* each : {&sim, &twin}) {
        each->set_gravity(gravity);
        each->set_velocities(swing());
        for (int n = 0; n < before; ++n) require_step(*each);
      }
      const Points x = sim.positions(), v = sim.velocities();
      const double time = sim.time();
      sim.on_progress([thrown](const Progress& progress) {
        if (progress.newton_iteration < 5) return true;
        if (thrown) throw std::runtime_error("the user's own");
        return false;
      });
      if (thrown) CHECK_THROWS_AS(sim.step(), std::runtime_error);
      else CHECK(sim.step().stop == StepStop::cancelled);
      sim.on_progress(nullptr);
      CHECK(sim.positions() == x);
      CHECK(sim.velocities() == v);
      CHECK(sim.time() == time);
      for (int n = 0; n < 2; ++n) {
        require_step(sim);
        require_step(twin);
        CHECK(sim.positions() == twin.positions());
        CHECK(sim.velocities() == twin.velocities());
      }
    }
  }
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
  Points x = bar.nodes;
  x.col(bar.elements(0, 3)) = 2 * x.col(bar.elements(1, 3)) - x.col(bar.elements(0, 3));
  sim.set_positions(x);
  const StepReport undefined = sim.step();
  CHECK(undefined.stop == StepStop::energy_undefined);
  CHECK(undefined.undefined_element >= 0);
  CHECK(sim.positions() == x);

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

TEST_CASE("CentralDifferences: held nodes stay and have no speed, whatever the loads") {
  Driven sim = held_left();
  sim.set_gravity(gravity);
  sim.set_velocities(Points::Ones(3, bar.node_count()));
  for (int n = 0; n < 5; ++n) {
    sim.set_external_forces((n + 1) * Points::Ones(3, bar.node_count()));
    require_step(sim);
    for (const int node : left) {
      CHECK(sim.positions().col(node) == bar.nodes.col(node));
      CHECK(sim.velocities().col(node).isZero(0));
    }
  }
}

TEST_CASE("CentralDifferences: moved nodes are where their path says, and as fast") {
  const Eigen::Vector3d c(0.2, -0.1, 0.3), b(1, 2, -3);
  const Path path = [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + c * t + b * t * t / 2;
  };
  Driven sim = driven(left, right, path);
  for (int n = 1; n <= 10; ++n) {
    require_step(sim);
    const double t = 0.02 * n;
    for (const int node : right) {
      CHECK((sim.positions().col(node) - path(bar.nodes.col(node), t)).norm() < 1e-14);
      CHECK((sim.velocities().col(node) - c - b * t).norm() < 1e-9);
    }
    for (const int node : left) CHECK(sim.positions().col(node) == bar.nodes.col(node));
  }
}

TEST_CASE("CentralDifferences: a uniform motion of the supports is only seen as one") {
  const Eigen::Vector3d c(0.7, -0.4, 0.2);
  const auto end_at = [&](double speed) {
    std::vector<int> both = left;
    both.insert(both.end(), right.begin(), right.end());
    const Path path = [c, speed](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
      return X + speed * t * c;
    };
    Driven sim = driven({}, both, path, {.beta = 1e-4});  // a mass damping resists the motion itself
    Points v = swing();
    for (const int node : both) v.col(node).setZero();
    sim.set_velocities(v.colwise() + speed * c);
    for (int n = 0; n < 10; ++n) require_step(sim);
    return Points((sim.positions() - bar.nodes).colwise() - speed * sim.time() * c);
  };
  const Points resting = end_at(0), moving = end_at(1);
  CHECK((moving - resting).norm() < 1e-9 * resting.norm());
  CHECK(resting.norm() > 1e-3);
}
