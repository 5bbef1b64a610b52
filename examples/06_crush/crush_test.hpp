// Shared declarations of the example. Every energy has its own translation unit.
#pragma once

#include <string>

// The parameters of a run.
struct Crush {
  int dimension = 0;          // of the crushed cube: 2 a plane, 1 a line, 0 a point
  bool corners_held = true;   // four corners are held at their rest positions
  double disturbance = 1e-3;  // largest displacement of the nodes from the crushed state [m]
  int cells = 4;              // hexahedra along an edge
};

// The result.
struct Outcome {
  double crushed_energy = 0, energy = 0;  // [J]
  int newton_iterations = 0;
  std::string failure;  // empty if the step has converged
};

// All are Hooke's law with mu_L = 1 Pa, lambda_L = 9 Pa at rest.
Outcome crush_stable_neo_hookean(const Crush& crush);
Outcome crush_stable_neo_hookean_barrier(const Crush& crush);
Outcome crush_fixed_corotated(const Crush& crush);
Outcome crush_corotated_linear(const Crush& crush);
Outcome crush_arap(const Crush& crush);
