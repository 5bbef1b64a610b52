// Bodies of hexahedra in motion.
#include "simulation/settled_body.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

const StableNeoHookean energy(Lame::from_young_poisson(1e5, 0.4));
constexpr double density = 1000;

Mesh<Hex8> beam() { return make_box<Hex8>({.lengths = {0.4, 0.1, 0.2}, .cells = {4, 1, 2}}); }

// An eighth of each brick at its corners.
Eigen::VectorXd masses(const Mesh<Hex8>& mesh) {
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(mesh.node_count());
  for (const int node : mesh.elements.reshaped()) mass(node) += density * 0.1 * 0.1 * 0.1 / 8;
  return mass;
}

auto simulation(std::vector<int> held, double dt) {
  return Simulation(Solid(beam(), energy, Density{density}),
                    BackwardEuler{.dt = dt, .newton = {.max_iterations = 60, .tolerance = 1e-11}},
                    Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(std::move(held)));
}

}  // namespace

TEST_CASE(
    "Hex8: a free body falls as it must, v = n g dt, x = X + n (n + 1) g dt^2 / 2, and keeps its shape") {
  const double dt = 0.01;
  auto sim = simulation({}, dt);
  const Eigen::Vector3d g(1, -9.81, 0.5);
  sim.set_gravity(g);
  for (int n = 0; n < 20; ++n) REQUIRE(sim.step());
  const Eigen::MatrixXd x = beam().nodes.colwise() + 20 * 21 / 2 * dt * dt * g;
  CHECK((sim.positions() - x).cwiseAbs().maxCoeff() <= 1e-11);
  CHECK((sim.velocities().colwise() - 20 * dt * g).cwiseAbs().maxCoeff() <= 1e-9);
}

TEST_CASE("Hex8: a beam held at one end sinks, comes to rest, and there the forces balance") {
  const auto held = nodes_where(beam(), [](const auto& X) { return X.x() == 0; });
  REQUIRE(held.size() == 6);
  auto sim = simulation(held, 0.2);
  sim.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 60; ++n) REQUIRE(sim.step());
  for (const int i : held) CHECK(sim.positions().col(i) == beam().nodes.col(i));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() <= 1e-6);
  CHECK(sim.positions().row(1).minCoeff() < -0.02);
  CHECK(settled_body::unbalanced(beam(), energy, 1, masses(beam()), Eigen::Vector3d(0, -9.81, 0), held,
                                 sim.positions()) <= 1e-6);
}
