// 09_bouncing_ball: a ball falls on a floor, for every energy that is defined for inverted elements.
//
// The problem: a ball of rubber (E = 1e6 Pa, nu = 0.45, radius 0.5 m) is released at such a height that it
// hits a floor after one second. It is compressed, rebounds, and comes to rest. 100 steps of backward Euler
// per second.
//
//        ( )   4.9 m                ( )
//         |                        ^
//         v                        |            the losses are those of the integrator
//                    _____         |
//     ______________(_____)______________( )___
//
// It is the scene of Masanti 2020, section 6.4, and its figures 6.6 and 6.7, for six energies. A second part
// is figure 6.4: the ball stands on the floor, gravity sets in, and it rings, in 1, 2 and 10 steps for each
// of 60 frames per second.
//
// What to look at, in the drawing bouncing_ball.svg:
// - the time per frame. It rises while the ball is compressed, because more iterations are needed, and is
//   otherwise constant;
// - the volume. Energies with Poisson's ratio 0.45 lose 2 to 5 % of it in the impact; Arap, which has none,
//   loses nearly 20 % and rebounds highest; afterwards the volume oscillates;
// - the sum of all energies, which never rises: it is nearly constant in each flight, in which backward Euler
//   dissipates m g^2 dt^2 / 2 per step, and falls in each impact, in which it dissipates most of the energy;
// - the oscillation with substeps. It lasts longer with more of them, which the thesis found strange: a mode
//   of angular frequency omega loses the factor 1 / sqrt(1 + omega^2 dt^2) per step, that is exp(-omega^2 dt
//   t / 2) in the time t. Ten times shorter steps damp ten times less.
// The floor has a little viscous drag, so that the ball does not roll forever. StVenantKirchhoff is included
// as a warning: its elements may stay inverted, and with the default parameters more than a hundred do, see
// 05_scramble_test.
//
// Run:  09_bouncing_ball                                  all energies, 4 elements along a radius, 6 s
//       09_bouncing_ball 3 6 Arap                         3 elements, one energy
//       09_bouncing_ball 4 8 all out/ball                 8 s, into out/ball.csv and out/ball.svg
//
// Returns 0 if, for all but StVenantKirchhoff, the first contact is at 1 s, no node is ever below the floor,
// the energy never rises, and in the end the ball is at rest, without inverted elements and carried by the
// floor, its volume nearly that of Hooke's law under its weight; and if the oscillation lasts longer with
// shorter steps.
//
// Read before: 01_hello. A fall is in bounce.hpp, the drawing in charts.hpp, the watch in 10_three_spheres.
#include "bouncing_ball.hpp"
#include "charts.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct EnergyChoice {
  const char* name;
  const char* colour;
  const char* dashes;
  Bounce (*bounce)(const Drop& drop);
  bool drives_back;  // inverted elements
};

constexpr std::array<EnergyChoice, 6> energies{
    {{"StableNeoHookean", "#4e79a7", "", bounce_stable_neo_hookean, true},
     {"StableNeoHookeanBarrier", "#4e79a7", "5 3", bounce_stable_neo_hookean_barrier, true},
     {"FixedCorotated", "#b07aa1", "", bounce_fixed_corotated, true},
     {"CorotatedLinear", "#f28e2b", "", bounce_corotated_linear, true},
     {"Arap", "#9c755f", "7 3", bounce_arap, true},
     {"StVenantKirchhoff", "#e15759", "", bounce_st_venant_kirchhoff, false}}};

bool expect(bool fact, const char* what) {
  if (!fact) std::printf("  FAILED: %s\n", what);
  return fact;
}

// Step 1: one fall, its numbers and the checks on them.
bool judge(const EnergyChoice& energy, const Drop& drop, const Bounce& bounce) {
  if (!bounce.failure.empty() || bounce.frames.empty()) {
    std::printf("%s: %s\n", energy.name, bounce.failure.c_str());
    return !energy.drives_back;
  }
  double first_contact = HUGE_VAL, least = 1, rebound = 0, milliseconds = 0;
  for (const Frame& frame : bounce.frames) {
    if (frame.contacts > 0 && first_contact == HUGE_VAL) first_contact = frame.time;
    least = std::fmin(least, frame.volume);
    if (frame.time > first_contact) rebound = std::fmax(rebound, frame.lowest);
    milliseconds += frame.blocks + frame.system + frame.constraints + frame.solve;
  }
  const Frame& last = bounce.frames.back();
  std::printf("%-24s %8.2f %10.4f %9.3f %9.2f %11.4f%% %9.4f%% %9.3f\n", energy.name, first_contact, least,
              rebound, bounce.carried, 100 * (last.volume - 1), 100 * bounce.hooke_volume,
              milliseconds / static_cast<double>(bounce.frames.size()));
  if (!energy.drives_back) {
    if (bounce.inverted_elements > 0) std::printf("  %d elements stay inverted\n", bounce.inverted_elements);
    return true;
  }
  const double fallen = bounce.weight * drop.height;
  bool right = expect(std::abs(first_contact - 1) < 0.025, "the first contact is at 1 s");
  right = expect(bounce.deepest < 1e-9, "no node is below the floor") && right;
  right = expect(bounce.most_gained < 1e-6 * fallen, "the energy never rises") && right;
  right = expect(bounce.inverted_elements == 0, "no element is left inverted") && right;
  right = expect(rebound > 0.05, "it rebounds") && right;
  right = expect(last.kinetic < 5e-5 * fallen, "it is at rest") && right;
  right = expect(std::abs(bounce.carried - bounce.weight) < 2e-3 * bounce.weight, "the floor carries it") &&
          right;
  right = expect(std::abs(last.volume - 1 - bounce.hooke_volume) < 0.3 * std::abs(bounce.hooke_volume),
                 "its volume is nearly the one of Hooke's law") &&
          right;
  return right;
}

// Step 2: the ringing. The ball stands on the floor when gravity sets in.
double swing(const Bounce& bounce, double from) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Frame& frame : bounce.frames) {
    if (frame.time < from) continue;
    low = std::fmin(low, frame.volume);
    high = std::fmax(high, frame.volume);
  }
  return high - low;
}

constexpr std::array<int, 3> substeps{1, 2, 10};

std::array<Bounce, 3> ring(int shells) {
  std::array<Bounce, 3> bounces;
  for (std::size_t k = 0; k < substeps.size(); ++k) {
    bounces[k] = bounce_stable_neo_hookean(
        {.height = 0, .duration = 1, .frame_rate = 60, .substeps = substeps[k], .shells = shells});
    if (!bounces[k].failure.empty()) throw std::runtime_error(bounces[k].failure);
  }
  return bounces;
}

// Step 3: the files.
void write_csv(const std::string& file, const std::vector<Curve>& curves) {
  std::ofstream out(file);
  out << "energy,time [s],volume,kinetic [J],elastic [J],gravitational [J],blocks [ms],system [ms],"
         "constraints [ms],solve [ms],Newton iterations,linear iterations,contacts\n";
  for (const Curve& curve : curves) {
    for (const Frame& f : *curve.frames) {
      out << Drawing::format("%s,%.6g,%.9g,%.9g,%.9g,%.9g,%.4g,%.4g,%.4g,%.4g,%d,%d,%d\n", curve.name.c_str(),
                             f.time, f.volume, f.kinetic, f.elastic, f.gravitational, f.blocks, f.system,
                             f.constraints, f.solve, f.newton_iterations, f.linear_iterations, f.contacts);
    }
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

int run(int argc, char** argv) {
  Drop drop;
  if (argc > 1) drop.shells = std::atoi(argv[1]);
  if (argc > 2) drop.duration = std::atof(argv[2]);
  const std::string chosen = argc > 3 ? argv[3] : "all", output = argc > 4 ? argv[4] : "bouncing_ball";

  std::printf("%-24s %8s %10s %9s %9s %12s %10s %9s\n", "energy", "contact", "least V/V0", "rebound",
              "carried", "at rest V/V0", "by Hooke", "ms/frame");
  std::vector<Bounce> bounces;
  bounces.reserve(energies.size());
  std::vector<Curve> curves;
  bool right = true;
  for (const EnergyChoice& energy : energies) {
    if (chosen != "all" && chosen != energy.name) continue;
    bounces.push_back(energy.bounce(drop));
    right = judge(energy, drop, bounces.back()) && right;
    curves.push_back({energy.name, energy.colour, energy.dashes, &bounces.back().frames});
    std::fflush(stdout);
  }
  if (curves.empty()) throw std::runtime_error("the third argument must be all or the name of an energy");

  const std::array<Bounce, 3> rings = ring(drop.shells);
  std::vector<Curve> ringing;
  constexpr std::array<const char*, 3> colours{"#e15759", "#f28e2b", "#4e79a7"};
  std::printf("volume at 60 frames per second, swing after 0.5 s:");
  for (std::size_t k = 0; k < rings.size(); ++k) {
    ringing.push_back(
        {std::to_string(substeps[k]) + (k == 0 ? " step" : " steps"), colours[k], "", &rings[k].frames});
    std::printf("  %.2g with %s%s", swing(rings[k], 0.5), ringing[k].name.c_str(), k < 2 ? "," : "\n");
  }
  right = expect(swing(rings[1], 0.5) > 2 * swing(rings[0], 0.5) &&
                     swing(rings[2], 0.5) > 2 * swing(rings[1], 0.5),
                 "shorter steps ring longer") &&
          right;

  write_csv(output + ".csv", curves);
  Drawing drawing(1080, 1360);
  draw_phases(drawing, 30, curves);
  draw_curves(
      drawing, 480, curves, [](const Frame& frame) { return frame.volume; }, "volume V/V0");
  draw_curves(
      drawing, 775, curves, [](const Frame& frame) { return frame.energy() / 1000; },
      "kinetic, elastic and gravitational energy, kJ");
  draw_curves(
      drawing, 1070, ringing, [](const Frame& frame) { return frame.volume; },
      "volume V/V0 where gravity sets in, StableNeoHookean, 60 frames per second");
  drawing.write(output + ".svg");
  std::printf("all frames: %s.csv, the charts: %s.svg\n", output.c_str(), output.c_str());
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "09_bouncing_ball: %s\n", error.what());
    return 1;
  }
}
