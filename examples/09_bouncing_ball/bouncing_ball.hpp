// Shared declarations of the example. Every energy has its own translation unit.
#pragma once

#include <string>
#include <vector>

// The parameters of a fall. The ball has a radius of 0.5 m.
struct Drop {
  double height = 4.905;  // of its lowest point, from which it falls for one second [m]
  double duration = 6;    // [s]
  double frame_rate = 100;
  int substeps = 1;        // steps per frame
  double viscosity = 100;  // of the floor, for each node that touches it [kg/s]
  int shells = 4;          // elements along a radius
};

// The state after a frame, and its cost.
struct Frame {
  double time = 0;                                            // [s]
  double volume = 0;                                          // relative to the one at rest [-]
  double lowest = 0;                                          // node, above the floor [m]
  double kinetic = 0, elastic = 0, gravitational = 0;         // [J]
  double blocks = 0, system = 0, constraints = 0, solve = 0;  // CPU time [ms]; contact is part of the system
  int newton_iterations = 0, linear_iterations = 0, contacts = 0;

  double energy() const { return kinetic + elastic + gravitational; }
};

struct Bounce {
  std::vector<Frame> frames;
  double weight = 0, carried = 0;  // of the ball, and by the floor at the end [N]
  double hooke_volume = 0;         // change by Hooke's law under the forces at the end [-]
  int inverted_elements = 0;       // at the end
  double most_gained = 0;          // energy in a step [J]
  double deepest = 0;              // node below the floor [m]
  std::string failure;             // empty if every step has converged
};

// One for every energy, each in its own file. All are Hooke's law with E = 1e6 Pa and nu = 0.45 at rest,
// except for Arap, which has no Poisson's ratio.
Bounce bounce_stable_neo_hookean(const Drop& drop);
Bounce bounce_stable_neo_hookean_barrier(const Drop& drop);
Bounce bounce_fixed_corotated(const Drop& drop);
Bounce bounce_corotated_linear(const Drop& drop);
Bounce bounce_arap(const Drop& drop);
Bounce bounce_st_venant_kirchhoff(const Drop& drop);
