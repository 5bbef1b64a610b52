// The crush test of one energy.
#pragma once

#include "crush_test.hpp"

#include <random>
#include <vector>

#include <pliant/pliant.hpp>

template <class EnergyModel>
Outcome crush_and_release(const EnergyModel& energy, const Crush& crush) {
  using namespace pliant;
  // Step 1: the cube [-1, 1]^3, crushed along the lost axes.
  const auto mesh = make_box<Hex8>(
      {.lengths = {2, 2, 2}, .cells = {crush.cells, crush.cells, crush.cells}, .origin = {-1, -1, -1}});
  std::vector<int> held;
  if (crush.corners_held) {
    held = nodes_where(mesh, [](const auto& X) {
      return X.cwiseAbs().minCoeff() > 1 - 1e-9 && X.x() * X.y() * X.z() > 0;  // every other corner
    });
  }
  NodeMatrix<double, 3> x = mesh.nodes;
  x.bottomRows(3 - crush.dimension).setZero();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> somewhere(-crush.disturbance, crush.disturbance);
  for (auto& coordinate : x.reshaped()) coordinate += somewhere(random);
  for (const int node : held) x.col(node) = mesh.nodes.col(node);

  // Step 2: the equilibrium. A free cube may end at any position.
  Simulation sim(
      Solid(mesh, energy, Density{1000}),
      QuasiStatic{
          .max_halvings = 0,
          .allow_free_motion = true,
          .allow_inverted_elements = true,
          .newton = {.max_iterations = 2000, .tolerance = 1e-8, .hessian = HessianStrategy::on_demand}},
      Pcg<BlockJacobi>{.tolerance = 1e-4}, Pinned(held));
  sim.set_positions(x);
  Outcome outcome;
  outcome.crushed_energy = sim.energies().elastic;
  const StepReport report = sim.step();
  outcome.energy = report.energies.elastic;
  outcome.newton_iterations = report.newton_iterations;
  if (!report) outcome.failure = report.message();
  return outcome;
}
