// What an integrator that solves the equation of backward Euler keeps and what it takes, on a free block of
// stable neo-Hookean tetrahedra.
#pragma once

#include "integrator/bodies.hpp"
#include "validation/record.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/simulation/simulation.hpp>

namespace conservation {

using pliant::test::angular_momentum;
using pliant::test::kinetic_energy;
using pliant::test::momentum;
using pliant::test::Points;

template <class Integrator>
using Block = pliant::Simulation<pliant::Solid<pliant::Tet4, pliant::StableNeoHookean, double>, Integrator,
                                 pliant::Pcg<pliant::BlockJacobi>, pliant::Unconstrained>;

inline constexpr double density = 1000;

// E = 1e5 Pa, nu = 0.45. Each step is solved to rounding.
template <class Integrator>
Block<Integrator> block(const pliant::Mesh<pliant::Tet4>& mesh, double dt,
                        const pliant::Newton& newton = pliant::test::tight()) {
  return {pliant::Solid(mesh, pliant::StableNeoHookean(pliant::Lame::from_young_poisson(1e5, 0.45)),
                        pliant::Density{density}),
          Integrator{.dt = dt, .newton = newton}, pliant::Pcg<pliant::BlockJacobi>{.tolerance = 1e-11}};
}

template <class Integrator>
void free_fall(validation::Record& record, const std::string& name) {
  const auto mesh = pliant::test::jittered_box({3, 2, 2});
  const double dt = 0.01;
  auto sim = block<Integrator>(mesh, dt);
  const Eigen::Vector3d g(1, -9.81, 2);
  sim.set_gravity(g);
  const int steps = 50;
  for (int n = 0; n < steps; ++n) REQUIRE(sim.step());
  const Eigen::Vector3d fall = steps * (steps + 1) / 2.0 * dt * dt * g;
  record.at_most(name + ", 50 steps of free fall: positions", "X + n (n + 1) g dt^2 / 2",
                 (sim.positions() - (mesh.nodes.colwise() + fall)).cwiseAbs().maxCoeff() / fall.norm(),
                 1e-13);
  record.at_most(
      name + ", 50 steps of free fall: velocities", "n g dt",
      (sim.velocities().colwise() - steps * dt * g).cwiseAbs().maxCoeff() / (steps * dt * g.norm()), 1e-13);
}

// The momentum of a free body stays. Its angular momentum changes by dt sum v+ x m v per step, which makes a
// drift of first order in dt.
template <class Integrator>
void momenta(validation::Record& record, const std::string& name) {
  const auto mesh = pliant::test::jittered_box({4, 2, 2});
  const Eigen::VectorXd mass = pliant::test::node_masses(mesh, density);
  double linear = 0, identity = 0;
  const auto drift_of = [&](double dt) {
    auto sim = block<Integrator>(mesh, dt);
    sim.set_velocities(pliant::test::rigid_velocity(mass, mesh.nodes, {1, -2, 8}, {0.3, 0.2, -0.1}) +
                       0.2 * pliant::test::noise(mesh.node_count(), 9));
    const Eigen::Vector3d p0 = momentum(mass, sim.velocities());
    const Eigen::Vector3d L0 = angular_momentum(mass, sim.positions(), sim.velocities());
    for (int n = 0; n * dt < 0.099; ++n) {
      const Points x = sim.positions(), v = sim.velocities();
      const pliant::StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
      const Points x_end = sim.positions(), v_end = sim.velocities();
      linear = std::max(linear, (momentum(mass, v_end) - p0).norm() / p0.norm());
      const Eigen::Vector3d change = angular_momentum(mass, x_end, v_end) - angular_momentum(mass, x, v);
      identity = std::max(identity, (change - dt * angular_momentum(mass, v_end, v)).norm() / L0.norm());
    }
    return (angular_momentum(mass, sim.positions(), sim.velocities()) - L0).norm() / L0.norm();
  };
  const std::vector<double> dts{4e-3, 2e-3, 1e-3};
  std::vector<double> drifts;
  record.table(name + ": drift of the angular momentum of a spinning body over 0.1 s",
               {"dt, ms", "drift", "order"});
  for (const double dt : dts) {
    drifts.push_back(drift_of(dt));
    const std::size_t last = drifts.size() - 1;
    record.entries(
        {validation::text(1e3 * dt, 2), validation::fixed(100 * drifts[last], 3) + " %",
         last == 0 ? "" : validation::fixed(validation::order(drifts[last - 1], drifts[last]), 3)});
  }
  record.curve("spinning body, drift of the angular momentum", name, dts, drifts);
  record.at_most(name + ", linear momentum of a spinning body over 0.1 s", "conservation", linear, 2e-10);
  record.at_most(name + ", change of the angular momentum in a step", "dt sum v+ x m v", identity, 1e-11);
  record.between(name + ", order in dt of the drift of the angular momentum", "1",
                 validation::order(drifts[1], drifts[2]), 0.95, 1.05);
}

// |v+ - v|_M^2 / 2 + E(x+) <= |v|_M^2 / 2 + E(x), from a body squashed to a third and thrown about, however
// large the step.
template <class Integrator>
void dissipation(validation::Record& record, const std::string& name) {
  const auto mesh = pliant::test::jittered_box({3, 2, 2});
  const Eigen::VectorXd mass = pliant::test::node_masses(mesh, density);
  double excess = -1, rise = -1;
  for (const double dt : {1e-3, 1.0 / 60, 0.1}) {
    auto sim = block<Integrator>(mesh, dt, {.max_iterations = 20, .require_convergence = false});
    Points x = mesh.nodes;
    x.row(0) /= 3;
    sim.set_positions(x);
    sim.set_velocities(pliant::test::noise(mesh.node_count(), 12));
    double before = sim.energies().total();
    for (int n = 0; n < 20; ++n) {
      const Points v = sim.velocities();
      const pliant::StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
      const double left = kinetic_energy(mass, sim.velocities() - v) + report.energies.elastic;
      excess = std::max(excess, left / before - 1);
      rise = std::max(rise, report.energies.total() / before - 1);
      before = report.energies.total();
    }
  }
  record.at_most(name + ", (|v+ - v|_M^2 / 2 + E(x+)) / (|v|_M^2 / 2 + E(x)) - 1 in any step", "not positive",
                 excess, 1e-11);
  record.at_most(name + ", relative rise of the energy in any step", "not positive", rise, 1e-11);
}

}  // namespace conservation
