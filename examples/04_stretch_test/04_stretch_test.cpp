// 04_stretch_test: statics. A cube is pulled to three and a half times its length.
//
// The problem: two opposite sides of the cube [-1, 1]^3 are moved apart, 0.1 each in every of 25 steps, and
// held in their plane; the rest of the surface is free. Each step looks for the equilibrium
//
//     x = argmin E(x),   x = X -+ (0.1 n, 0, 0) on the two sides in step n
//
//        _______                 ___             ___
//       |       |               |   \___________/   |
//     <-|       |->    and      |                   |      after 25 steps
//       |_______|               |___/-----------\___|
//
// This is the first experiment of the tests of stable neo-Hookean materials (Smith, de Goes, Kim 2018), whose
// coefficients mu and lambda are those of the formula and not Lame's. The energy comes in two forms, without
// and with a logarithmic barrier at F = 0. A cylinder takes the place of the cube if asked for.
//
// Run:  04_stretch_test                          hexahedra, 6 cells along an edge, mu 1, lambda 10
//       04_stretch_test cylinder 20              a cylinder of tetrahedra, 20 of them along the axis
//       04_stretch_test tet 30 1 10 StableNeoHookeanBarrier out/cube
//                                                tetrahedra, 30 cells, and a .vtu file of every step
//
// Returns 0 if every step has converged and the body has come out symmetric.
//
// Read before: 01_hello. The test itself is in stretch.hpp.
#include "stretch_test.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace {

int run(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.shape = argv[1];
  if (argc > 2) settings.cells = std::atoi(argv[2]);
  if (argc > 3) settings.mu = std::atof(argv[3]);
  if (argc > 4) settings.lambda = std::atof(argv[4]);
  if (argc > 5) settings.energy = argv[5];
  if (argc > 6) settings.output = argv[6];
  if (settings.energy == "StableNeoHookean") return stretch_stable_neo_hookean(settings) ? 0 : 1;
  if (settings.energy == "StableNeoHookeanBarrier") {
    return stretch_stable_neo_hookean_barrier(settings) ? 0 : 1;
  }
  throw std::runtime_error("the fifth argument must be StableNeoHookean or StableNeoHookeanBarrier, not " +
                           settings.energy);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "04_stretch_test: %s\n", error.what());
    return 1;
  }
}
