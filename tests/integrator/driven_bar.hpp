// A bar whose ends are held or moved, and what it has to show with every integrator that keeps accelerations.
#pragma once

#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/together.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant::test {

using Path = std::function<Eigen::Vector3d(const Eigen::Vector3d&, double)>;
using Ends = Together<Pinned, PrescribedMotion<Path>>;

inline const Mesh<Tet4> bar = make_box<Tet4>({.lengths = {0.4, 0.1, 0.1}, .cells = {4, 1, 1}});
inline const std::vector<int> left = nodes_where(bar, [](const auto& X) { return X.x() < 0.01; });
inline const std::vector<int> right = nodes_where(bar, [](const auto& X) { return X.x() > 0.39; });
inline const Eigen::Vector3d gravity(1, -9.81, 0.5);

inline auto rubber_bar(const Rayleigh& damping) {
  return Solid(bar, BonetWoodNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000}, damping);
}

inline Points swing() { return 0.3 * noise(bar.node_count(), 4); }

template <class Sim>
void require_step(Sim& sim) {
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  if constexpr (!detail::integrator::needs_solver<typename Sim::Integrator>) REQUIRE(report.substeps > 1);
}

// A second step after one that was cancelled, or ended by an exception, in its iteration `last` is the one
// that it would have been. `make` makes a bar held on the left.
template <class Make>
void check_failed_step_leaves_all(Make&& make, int last) {
  for (const int before : {0, 3}) {  // the acceleration is unknown at first, and known later
    for (const bool thrown : {false, true}) {
      auto sim = make(), twin = make();
      for (auto* each : {&sim, &twin}) {
        each->set_gravity(gravity);
        each->set_velocities(swing());
        for (int n = 0; n < before; ++n) require_step(*each);
      }
      const Points x = sim.positions(), v = sim.velocities();
      const double time = sim.time();
      sim.on_progress([thrown, last](const Progress& progress) {
        if (progress.newton_iteration < last) return true;
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

// A start with an inverted element is told by element, and leaves the state alone.
template <class Sim>
void check_undefined_start_is_told(Sim& sim) {
  Points x = bar.nodes;
  x.col(bar.elements(0, 3)) = 2 * x.col(bar.elements(1, 3)) - x.col(bar.elements(0, 3));
  sim.set_positions(x);
  const StepReport undefined = sim.step();
  CHECK(undefined.stop == StepStop::energy_undefined);
  CHECK(undefined.undefined_element >= 0);
  CHECK(sim.positions() == x);
}

// The nodes on the left, which `sim` holds, stay and have no speed, whatever the loads.
template <class Sim>
void check_held_nodes_stay(Sim& sim) {
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

// The nodes on the right, moved along `path` whose velocity is `velocity(t)`, are where it says and as fast.
template <class Sim, class Velocity>
void check_moved_nodes_follow(Sim& sim, double dt, const Path& path, Velocity&& velocity, double accuracy) {
  for (int n = 1; n <= 10; ++n) {
    require_step(sim);
    const double t = n * dt;
    for (const int node : right) {
      CHECK((sim.positions().col(node) - path(bar.nodes.col(node), t)).norm() < 1e-14);
      CHECK((sim.velocities().col(node) - velocity(t)).norm() < accuracy);
    }
    for (const int node : left) CHECK(sim.positions().col(node) == bar.nodes.col(node));
  }
}

// With both ends moved the middle obeys the same equation whichever frame it is seen from. `make(nodes,
// path)` makes a bar without mass damping, which resists the motion itself.
template <class Make>
void check_uniform_motion_is_only_seen_as_one(Make&& make) {
  const Eigen::Vector3d c(0.7, -0.4, 0.2);
  const auto end_at = [&](double speed) {
    std::vector<int> both = left;
    both.insert(both.end(), right.begin(), right.end());
    const Path path = [c, speed](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
      return X + speed * t * c;
    };
    auto sim = make(both, path);
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

}  // namespace pliant::test
