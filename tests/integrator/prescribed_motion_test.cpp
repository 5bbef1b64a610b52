// Nodes that are moved while a body is stepped in time.
#include "integrator/bodies.hpp"
#include "support/catch.hpp"

#include <functional>
#include <stdexcept>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Path = std::function<Eigen::Vector3d(const Eigen::Vector3d&, double)>;
using Driven = Simulation<Solid<Tet4, StableNeoHookean, double>, BackwardEuler, Pcg<BlockJacobi>,
                          Together<Pinned, PrescribedMotion<Path>>>;

const Mesh<Tet4> bar = make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {8, 2, 2}});
const std::vector<int> left = nodes_where(bar, [](const auto& X) { return X.x() < 1e-9; });
const std::vector<int> right = nodes_where(bar, [](const auto& X) { return X.x() > 1 - 1e-9; });

Driven driven(std::vector<int> held, std::vector<int> moved, Path path, BackwardEuler integrator,
              Rayleigh damping = {}) {
  return {Solid(bar, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000}, damping),
          integrator, Pcg<BlockJacobi>{.tolerance = 1e-10}, Pinned(std::move(held)),
          PrescribedMotion<Path>(std::move(moved), std::move(path))};
}

}  // namespace

TEST_CASE("PrescribedMotion: the nodes are where the path says at the end of each step, and as fast") {
  const Path path = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(0, 0.2 * std::sin(5 * t), 0);
  };
  for (const bool linearised : {false, true}) {
    BackwardEuler integrator{.dt = 0.02};
    if (linearised) integrator.newton = Newton::linearised();
    Driven sim = driven(left, right, path, integrator);
    for (int i = 1; i <= 20; ++i) {
      const Points before = sim.positions();
      const StepReport report = sim.step();
      REQUIRE(report);
      if (linearised) CHECK(report.newton_iterations == 1);
      const double t = 0.02 * i;
      CHECK(sim.time() == Approx(t));
      for (const int node : right) {
        CHECK((sim.positions().col(node) - path(bar.nodes.col(node), t)).norm() < 1e-14);
        CHECK((sim.velocities().col(node) - (sim.positions().col(node) - before.col(node)) / 0.02).norm() <
              1e-12);
      }
      for (const int node : left) CHECK(sim.positions().col(node) == bar.nodes.col(node));
    }
  }
}

TEST_CASE("PrescribedMotion: a uniform motion carried long enough drags the body along without strain") {
  Driven sim = driven({}, left,
                      [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
                        return X + Eigen::Vector3d(0.5 * t, -t, 0);
                      },
                      {.dt = 0.05, .newton = {.tolerance = 1e-9}}, {.beta = 0.5});
  for (int i = 0; i < 200; ++i) REQUIRE(sim.step());
  const Points shift = (sim.positions() - bar.nodes).colwise() - Eigen::Vector3d(5, -10, 0);
  CHECK(shift.cwiseAbs().maxCoeff() < 1e-3);
  CHECK(sim.energies().elastic < 1e-6);
}

TEST_CASE("PrescribedMotion: a long way in one step does not crush the elements next to the moved nodes") {
  // With a step so long that inertia does not matter, one linear step stretches the bar evenly.
  BackwardEuler integrator{.dt = 1e3, .newton = Newton::linearised()};
  Driven sim = driven(
      left, right,
      [](const Eigen::Vector3d& X, double) -> Eigen::Vector3d { return X + Eigen::Vector3d(0.5, 0, 0); },
      integrator);
  REQUIRE(sim.step());
  for (int i = 0; i < bar.node_count(); ++i) {
    CHECK(std::abs(sim.positions()(0, i) - 1.5 * bar.nodes(0, i)) < 0.05);
  }
}

TEST_CASE("PrescribedMotion: a path that throws, or is not finite, leaves the body as it was") {
  int calls = 0;
  Driven sim = driven(left, right,
                      [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
                        ++calls;
                        if (t > 0.035) throw std::runtime_error("end of the path");
                        return t > 0.025 ? Eigen::Vector3d(1 / (t - t), 0, 0) : Eigen::Vector3d(X * (1 + t));
                      },
                      {.dt = 0.01});
  REQUIRE(sim.step());
  REQUIRE(sim.step());
  const Points x = sim.positions(), v = sim.velocities();
  CHECK_THROWS_AS(sim.step(), ParameterError);
  CHECK(sim.positions() == x);
  CHECK(sim.velocities() == v);
  CHECK(sim.time() == Approx(0.02));
  CHECK(calls > 0);
}
