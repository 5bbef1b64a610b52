// 06_crush: does a body recover from a state without volume?
//
// The problem: a cube is crushed to a plane, to a line and to a point, F = diag(1, 1, 0), diag(1, 0, 0) and 0
// in every element, except for a disturbance of a thousandth of its edge. Then four of its corners are held
// at their rest positions, or it is free. A static solver then looks for the minimum of the energy.
//
//       _______
//      |       |      __________                                   _______
//      |       |  ->                 or  ----------  or  .   ->  ?   |       |
//      |_______|                                                   |_______|
//
// The claims are those of Smith, de Goes, Kim 2018, section 3.4: a stable neo-Hookean body recovers from a
// plane; from a line if it is disturbed; from a point only if some nodes are held. With the logarithmic
// barrier F = 0 is a saddle, but without any curvature: in exact arithmetic the body leaves it, with sixteen
// digits that is a matter of chance.
//
// Run:  06_crush          4 hexahedra along an edge, disturbed by 0.001 m
//       06_crush 8 1e-6   8 hexahedra, a smaller disturbance
//
// Returns 0 if, with the default parameters, all of these claims are confirmed and the energies that compare
// F with a rotation recover from every state.
//
// Read before: 05_scramble_test. The test itself is in crush.hpp.
#include "crush_test.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

struct EnergyChoice {
  const char* name;
  Outcome (*crush)(const Crush& crush);
  enum class FromPoint { recovers, stays, by_chance } from_point;  // by itself
};
using FromPoint = EnergyChoice::FromPoint;

constexpr std::array<EnergyChoice, 5> energies{
    {{"StableNeoHookean", crush_stable_neo_hookean, FromPoint::stays},
     {"StableNeoHookeanBarrier", crush_stable_neo_hookean_barrier, FromPoint::by_chance},
     {"FixedCorotated", crush_fixed_corotated, FromPoint::recovers},
     {"CorotatedLinear", crush_corotated_linear, FromPoint::recovers},
     {"Arap", crush_arap, FromPoint::recovers}}};

constexpr std::array<const char*, 3> remains{"a point", "a line", "a plane"};

int run(int argc, char** argv) {
  Crush crush;
  if (argc > 1) crush.cells = std::atoi(argv[1]);
  if (argc > 2) crush.disturbance = std::atof(argv[2]);
  bool right = true;
  std::printf("%-24s %-10s %-8s %12s %12s  Newton\n", "energy", "corners", "to", "crushed [J]", "then [J]");
  for (const EnergyChoice& energy : energies) {
    for (const bool held : {true, false}) {
      for (const int dimension : {2, 1, 0}) {
        crush.corners_held = held;
        crush.dimension = dimension;
        const Outcome outcome = energy.crush(crush);
        // Nothing but the rest shape, turned and shifted, has no energy.
        const bool recovered = outcome.failure.empty() && std::abs(outcome.energy) < 1e-9;
        std::printf("%-24s %-10s %-8s %12.4g %12.3g %7d  %s%s\n", energy.name, held ? "held" : "let go",
                    remains[static_cast<std::size_t>(dimension)], outcome.crushed_energy, outcome.energy,
                    outcome.newton_iterations, recovered ? "recovers" : "stays crushed",
                    outcome.failure.empty() ? "" : (": " + outcome.failure).c_str());
        if (!held && dimension == 0 && energy.from_point == FromPoint::by_chance) continue;
        right = right && recovered == (held || dimension > 0 || energy.from_point == FromPoint::recovers);
      }
    }
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "06_crush: %s\n", error.what());
    return 1;
  }
}
