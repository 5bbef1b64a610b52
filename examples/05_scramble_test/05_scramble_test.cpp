// 05_scramble_test: does a body recover its shape from random positions of its nodes?
//
// The problem: four corners of a cube are held, and every other node is put at random into a cube of twice
// the volume. Nearly half of the elements are then inverted. A static solver has to find the minimum of the
// energy, which is the rest shape: zero.
//
//       _______            \/_ /\_
//      |       |           /\/\  _\             _______
//      |       |    ->    <  /\\/ /    ->  ?   |       |
//      |_______|           \/_ \/\/            |_______|
//
// Run:  05_scramble_test                     hexahedra, 4 cells along an edge, 3 seeds, stable neo-Hookean
//       05_scramble_test hex 10 100          1000 hexahedra, 100 seeds
//       05_scramble_test tet 10 100 Arap     6000 tetrahedra, another energy
//       05_scramble_test hex 10 100 FixedCorotated progressive absolute     projection of the Hessian
//
// The test takes any energy that is defined for inverted elements and drives them back. StVenantKirchhoff is
// a counterexample: it is defined for them, but the mirror image of an element is at rest too.
//
// Returns 0 if every solve has converged and, with hexahedra, every body has recovered its rest shape; with
// StVenantKirchhoff, if some have not.
//
// Read before: 04_stretch_test. The test itself is in scramble.hpp.
#include "scramble_test.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace {

struct EnergyChoice {
  const char* name;
  Outcome (*scramble)(const Settings& settings, unsigned seed);
};

constexpr std::array<EnergyChoice, 6> energies{
    {{"StableNeoHookean", scramble_stable_neo_hookean},
     {"StableNeoHookeanBarrier", scramble_stable_neo_hookean_barrier},
     {"FixedCorotated", scramble_fixed_corotated},
     {"CorotatedLinear", scramble_corotated_linear},
     {"Arap", scramble_arap},
     {"StVenantKirchhoff", scramble_st_venant_kirchhoff}}};

const EnergyChoice& energy_named(const std::string& name) {
  std::string known;
  for (const EnergyChoice& energy : energies) {
    if (name == energy.name) return energy;
    known += std::string(" ") + energy.name;
  }
  throw std::runtime_error("the fourth argument must be one of" + known + ", not " + name);
}

pliant::HessianStrategy strategy_named(const std::string& name) {
  if (name == "on_demand") return pliant::HessianStrategy::on_demand;
  if (name == "always_project") return pliant::HessianStrategy::always_project;
  if (name == "progressive") return pliant::HessianStrategy::progressive;
  throw std::runtime_error("the fifth argument must be on_demand, always_project or progressive, not " +
                           name);
}

pliant::Projection projection_named(const std::string& name) {
  if (name == "clamp") return pliant::Projection::clamp;
  if (name == "absolute") return pliant::Projection::absolute;
  throw std::runtime_error("the sixth argument must be clamp or absolute, not " + name);
}

int run(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.element = argv[1];
  if (argc > 2) settings.cells = std::atoi(argv[2]);
  const int seeds = argc > 3 ? std::atoi(argv[3]) : 3;
  const EnergyChoice& energy = energy_named(argc > 4 ? argv[4] : "StableNeoHookean");
  if (argc > 5) settings.hessian = strategy_named(argv[5]);
  if (argc > 6) settings.projection = projection_named(argv[6]);
  if (settings.element != "hex" && settings.element != "tet") {
    throw std::runtime_error("the first argument must be hex or tet, not " + settings.element);
  }

  int recovered = 0, minima = 0, saddles = 0, iterations = 0, most = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = energy.scramble(settings, static_cast<unsigned>(seed));
    const bool at_rest = outcome.at_rest, minimum = outcome.negative_eigenvalues == 0;
    std::printf("seed %3d: %4d Newton iterations, energy %.4g -> %.3g J, at most %.2g m from the rest shape",
                seed, outcome.newton_iterations, outcome.first_energy, outcome.energy, outcome.distance);
    if (!at_rest) {
      std::printf(": %s, %d inverted, %d negative eigenvalues, the one of least size %.2g N/m",
                  minimum ? "a local minimum" : "a saddle", outcome.inverted_elements,
                  outcome.negative_eigenvalues, outcome.eigenvalue);
    }
    std::printf("\n");
    std::fflush(stdout);
    recovered += at_rest ? 1 : 0;
    (minimum ? minima : saddles) += at_rest ? 0 : 1;
    iterations += outcome.newton_iterations;
    most = std::max(most, outcome.newton_iterations);
  }
  std::printf(
      "%s, %s %d: %d of %d came back to the rest shape, %d ended in other local minima, %d at saddles; "
      "%.1f Newton iterations each, %d at most\n",
      energy.name, settings.element.c_str(), settings.cells, recovered, seeds, minima, saddles,
      static_cast<double>(iterations) / seeds, most);
  if (settings.element == "tet") return 0;
  const bool drives_back = std::string(energy.name) != "StVenantKirchhoff";
  return (recovered == seeds) == drives_back ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "05_scramble_test: %s\n", error.what());
    return 1;
  }
}
