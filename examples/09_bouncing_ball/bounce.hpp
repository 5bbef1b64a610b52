// The fall of a ball of one energy.
#pragma once

#include "../support/stop_watch.hpp"
#include "bouncing_ball.hpp"

#include <algorithm>
#include <cmath>

#include <pliant/pliant.hpp>

inline pliant::Lame rubber() { return pliant::Lame::from_young_poisson(1e6, 0.45); }

// `compressibility`: (1 - 2 nu) / E of the energy at rest [1/Pa].
template <class EnergyModel>
Bounce let_fall(const EnergyModel& energy, double compressibility, const Drop& drop) {
  using namespace pliant;
  constexpr double radius = 0.5, density = 1000, gravity = 9.81;  // m, kg/m^3, m/s^2

  set_thread_count(1);  // whose CPU time is taken

  // Step 1: the ball above the floor. It has no damping but that of backward Euler.
  auto mesh =
      make_ball<Tet4>({.radius = radius, .shells = drop.shells, .center = {0, radius + drop.height, 0}});
  mesh.nodes.row(1).array() += drop.height - mesh.nodes.row(1).minCoeff();
  const double volume = total_volume(mesh);
  const double start = mesh.nodes.row(1).mean();  // of its centre [m]
  const double dt = 1 / (drop.frame_rate * drop.substeps);
  Phases phases;
  Simulation sim(
      Solid(mesh, energy, Density{density}),
      Watched<BackwardEuler>{{.dt = dt, .newton = {.max_iterations = 100, .tolerance = 1e-5}}, &phases},
      Pcg<BlockJacobi>{.tolerance = 1e-6});
  sim.set_gravity({0, -gravity, 0});
  sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.viscosity = drop.viscosity});

  // Step 2: frame by frame.
  Bounce bounce;
  bounce.weight = density * gravity * volume;
  double last = sim.energies().total();
  const int frames = static_cast<int>(std::lround(drop.duration * drop.frame_rate));
  for (int f = 0; f < frames; ++f) {
    Frame frame;
    phases = {};
    for (int substep = 0; substep < drop.substeps; ++substep) {
      const StepReport report = sim.step();
      if (!report) {
        bounce.failure = report.message();
        return bounce;
      }
      frame.newton_iterations += report.newton_iterations;
      frame.linear_iterations += report.linear_iterations;
      frame.contacts = report.contacts;
      bounce.most_gained = std::max(bounce.most_gained, report.energies.total() - last);
      last = report.energies.total();
      frame.lowest = sim.positions().row(1).minCoeff();
      bounce.deepest = std::max(bounce.deepest, -frame.lowest);
    }
    mesh.nodes = sim.positions();
    const Energies energies = sim.energies();
    frame.time = sim.time();
    frame.volume = total_volume(mesh) / volume;
    frame.kinetic = energies.kinetic;
    frame.elastic = energies.elastic;
    frame.gravitational = energies.gravitational;
    frame.blocks = 1000 * phases.blocks;
    frame.constraints = 1000 * phases.constraints;
    frame.solve = 1000 * phases.solve;
    frame.system = 1000 * (phases.integrator - phases.blocks - phases.constraints - phases.solve);
    bounce.frames.push_back(frame);
  }

  // Step 3: the state of rest. The sum of f.x over the nodes, with the forces of weight and floor, is the
  // integral of the trace of the stress, which by Hooke's law determines the change of the volume. The floor
  // is at y = 0: it adds nothing.
  const auto volumes = element_volumes(mesh);
  bounce.carried = sim.constraint_forces().row(1).sum();
  bounce.inverted_elements = static_cast<int>((volumes.array() <= 0).count());
  const double centre = start + bounce.frames.back().gravitational / bounce.weight;
  bounce.hooke_volume = -compressibility * density * gravity * centre;
  return bounce;
}
