// What the parts of the example share. Every energy has a translation unit of its own.
#pragma once

#include <string>

// What is run.
struct Settings {
  std::string shape = "hex";   // hex or tet: a cube of such elements; cylinder: of tets
  int cells = 6;               // along an edge, or along the axis of the cylinder
  double mu = 1, lambda = 10;  // coefficients of the energy's formula [Pa]
  std::string energy = "StableNeoHookean";
  std::string output;  // name of a series of .vtu files; empty: none
};

// True if every step has converged and the body has come out symmetric.
bool stretch_stable_neo_hookean(const Settings& settings);
bool stretch_stable_neo_hookean_barrier(const Settings& settings);
