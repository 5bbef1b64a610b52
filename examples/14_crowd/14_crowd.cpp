// 14_crowd: many soft balls fall through a forest of pegs, at a fixed cost per step.
//
// The problem: a grid of rubber balls falls onto rods and from there onto a floor. With OperatorSplitting
// each step costs the same, some tens of nanoseconds per tetrahedron: one solve with a matrix that is
// factorised once, and two relaxations of the volumes.
//
//       o o o o
//       o o o o          balls: FixedCorotated, nu = 0.4
//
//      .  .  .  .        rods
//        .  .  .  .
//     ______________     floor, rough
//
// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", figure 1, left, let 105
// bodies of 356,000 tetrahedra fall through poles.
//
// What to look at: the milliseconds of a step against the 4 ms that it simulates; and that the balls keep
// their volume although it is only relaxed, and although contact acts one step late (with 10 ms they lose 6 %
// of it). There is no contact between balls, only of nodes with rigid colliders.
//
// Run:  14_crowd                          27 balls of 35,000 tetrahedra in all, 2 s
//       14_crowd 105 356000               as many as in the publication
//       14_crowd 27 35000 out/crowd       and a .vtu file of every tenth step
//
// Returns 0 if the matrix was factorised once, no node was ever below the floor or in a rod, the volume of
// the crowd is within 3 % of what it was, and in the end the floor carries its weight.
//
// Read before: 01_hello, and `OperatorSplitting` in docs/settings.md.
#include "../support/crowd.hpp"
#include "../support/facts.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double radius = 0.1, density = 1000, gravity = 9.81, dt = 0.004;  // m, kg/m^3, m/s^2, s
constexpr double peg = 0.04, spacing = 0.3;  // radius of a rod, its distance [m]

// Step 1: the positions of the balls, on a grid of side^3.
std::vector<Eigen::Vector3d> make_places(int count, int side) {
  std::vector<Eigen::Vector3d> places;
  for (int k = 0; k < count; ++k) {
    places.push_back(0.25 * Eigen::Vector3d(k % side, k / (side * side), k / side % side) +
                     Eigen::Vector3d(0, 1.1, 0));
  }
  return places;
}

// Rods along z, in two layers that are half a spacing apart.
std::vector<Eigen::Vector3d> make_rods(int side) {
  std::vector<Eigen::Vector3d> rods;
  for (int layer = 0; layer < 2; ++layer) {
    for (int k = -1; k <= side + 1; ++k)
      rods.emplace_back((k + 0.5 * layer) * spacing, 0.7 - 0.25 * layer, 0);
  }
  return rods;
}

int run(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 27, tetrahedra = argc > 2 ? std::atoi(argv[2]) : 35000;
  const std::string output = argc > 3 ? argv[3] : "";
  const int steps = 500, side = static_cast<int>(std::ceil(std::cbrt(count) - 1e-9));

  const auto crowd = make_crowd(radius, make_places(count, side), tetrahedra).mesh;
  const Solid rubber(crowd, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density},
                     Rayleigh{.alpha = 1});
  const double volume = total_volume(crowd), weight = density * volume * gravity;

  // Step 2: the simulation takes no linear solver.
  Simulation simulation(rubber, OperatorSplitting{.dt = dt});
  simulation.set_gravity({0, -gravity, 0});
  simulation.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.6});
  const auto rods = make_rods(side);
  const Eigen::Vector3d along(0, 0, 10);
  for (const Eigen::Vector3d& rod : rods) {
    simulation.add_collider(Capsule(rod - along, rod + along, peg), {.friction = 0.3});
  }

  // Step 3: the run.
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) series = std::make_unique<VtkSeries>(output);
  int factorisations = 0;
  double lowest = 1, deepest = 0, carried = 0, seconds = 0;  // m, m, N, s
  for (int step = 0; step < steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const StepReport report = simulation.step();
    if (step > 0) seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!report) throw std::runtime_error(report.message());
    factorisations += report.factorisations;
    lowest = std::fmin(lowest, static_cast<double>(simulation.positions().row(1).minCoeff()));
    for (Eigen::Index i = 0; i < simulation.positions().cols(); ++i) {
      for (const Eigen::Vector3d& rod : rods) {
        const Eigen::Vector3f x = simulation.positions().col(i);
        const double away = std::hypot(x(0) - rod(0), x(1) - rod(1));
        deepest = std::fmax(deepest, peg - away);
      }
    }
    if (step >= steps - 125) carried += simulation.constraint_forces().row(1).cast<double>().sum() / 125;
    if (series && step % 10 == 0) series->write(simulation);
  }

  // Step 4: the facts.
  auto now = crowd;
  now.nodes = simulation.positions();
  const double left = total_volume(now) / volume;
  std::printf("%d balls, %td nodes, %td tetrahedra: %.2f ms for a step of %.0f ms\n", count,
              crowd.node_count(), crowd.element_count(), 1000 * seconds / (steps - 1), 1000 * dt);
  std::printf("volume left %.4f, weight %.1f N, carried in the last half second %.1f N\n", left, weight,
              carried);
  Facts facts;
  facts.expect(factorisations == 1, "the matrix is factorised once");
  facts.expect(lowest > -1e-5 && deepest < 1e-5, "no node is in a collider");
  facts.expect(std::abs(left - 1) < 0.03, "the balls keep their volume");
  facts.expect(std::abs(carried / weight - 1) < 0.2, "floor and rods carry the weight");
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "14_crowd: %s\n", error.what());
    return 1;
  }
}
