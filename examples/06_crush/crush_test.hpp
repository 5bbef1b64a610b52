// What the parts of the example share. Every energy has a translation unit of its own.
#pragma once

#include <string>

// What is crushed, and how.
struct Crush {
  int dimension = 0;          // of what the cube is crushed to: 2 a plane, 1 a line, 0 a point
  bool corners_held = true;   // four corners stay where they are at rest
  double disturbance = 1e-3;  // the nodes are out of place by up to so much [m]
  int cells = 4;              // hexahedra along an edge
};

// How it ended.
struct Outcome {
  double crushed_energy = 0, energy = 0;  // [J]
  int newton_iterations = 0;
  std::string failure;  // empty where the step has converged
};

// All are Hooke's law with mu_L = 1 Pa, lambda_L = 9 Pa at rest.
Outcome crush_stable_neo_hookean(const Crush& crush);
Outcome crush_stable_neo_hookean_barrier(const Crush& crush);
Outcome crush_fixed_corotated(const Crush& crush);
Outcome crush_corotated_linear(const Crush& crush);
Outcome crush_arap(const Crush& crush);
