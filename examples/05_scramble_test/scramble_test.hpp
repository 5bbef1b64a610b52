// Shared declarations of the example. Every energy has its own translation unit.
#pragma once

#include <string>

#include <pliant/nonlinear_solver/newton.hpp>

// The parameters of a run.
struct Settings {
  std::string element = "hex";
  int cells = 4;  // along an edge
  pliant::HessianStrategy hessian = pliant::HessianStrategy::on_demand;
  pliant::Projection projection = pliant::Projection::clamp;
};

// The result for one seed.
struct Outcome {
  int newton_iterations = 0;
  double first_energy = 0, energy = 0;  // [J]
  double distance = 0;                  // of the node that is farthest from its rest position [m]
  bool at_rest = false;                 // whether that distance is zero, up to the tolerance
  int inverted_elements = 0;
  // If it is not at rest:
  int negative_eigenvalues = 0;  // of the stiffness of the free nodes: 0 at a minimum, else a saddle
  double eigenvalue = 0;         // the one of least size [N/m]
};

// One for every energy, each in its own file. All are Hooke's law with mu_L = 1 Pa, lambda_L = 9 Pa at rest,
// which for StableNeoHookean are the published coefficients mu = 1, lambda = 10.
Outcome scramble_stable_neo_hookean(const Settings& settings, unsigned seed);
Outcome scramble_stable_neo_hookean_barrier(const Settings& settings, unsigned seed);
Outcome scramble_fixed_corotated(const Settings& settings, unsigned seed);
Outcome scramble_corotated_linear(const Settings& settings, unsigned seed);
Outcome scramble_arap(const Settings& settings, unsigned seed);
Outcome scramble_st_venant_kirchhoff(const Settings& settings, unsigned seed);
