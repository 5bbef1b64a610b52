// 23_bent: a bar that stays bent after the load is gone.
//
// The problem: one end of a bar is held, the other is led along an arc until the bar is a quarter of a
// circle, held there, and let go. The strain at the height y above the axis is y / radius. Where it exceeds
// `yield` the material flows until the elastic part of it is `yield`:
//
//      |_________________             |______                  |_________
//     #|_________________|    ->     #|______'.       ->      #|_______  '-.
//      |                               bent    | |              let go '-.  '.
//                                       by 90  |_|  degrees               '_.'
//
//     elastic strain in the load:   k y   for |y| < y0 = yield / k,   and +-yield above,   k = 1 / radius
//
// Let go, the bar springs back until its stress has no moment: by the curvature
//     12 / h^3 * integral of y (elastic strain) dy = 12 / h^3 * (2/3 k y0^3 + yield (h^2 / 4 - y0^2)),
// h the height of the bar. A bar without plasticity springs back by all of k.
//
// Benevolensky and Voroshilov 2009, "Real-time FEM continuum mechanics coupled with articulated rigid body
// dynamics", section 2.5: a plastic strain of each element is subtracted from its strain.
//
// What to look at: the elastic bar is straight again, the other keeps the angle of the formula. Nothing flows
// on the way back, and the stress that is left has no moment, but is not zero: the outer fibres are pressed
// on the side that was pulled.
//
// Run:  23_bent               4 cells across the height
//       23_bent 6             finer
//       23_bent 4 out/bent    and .vtu files with the array "plastic_strain"
//
// Returns 0 if the angle that is left is that of the formula to 2 %, nothing flowed on the way back, and the
// elastic bar is straight to 0.01 degrees.
//
// Read before: 01_hello, and docs/materials.md.
#include "../support/facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double length = 0.4, height = 0.04;          // m
constexpr double yield = 0.02, creep = 2;              // of the strain, 1/s
constexpr double bent_by = 1.5707963267948966;         // rad
constexpr double dt = 0.01, loading = 1, holding = 1;  // s

// Step 1: the path of the end face. The axis of the bar becomes an arc of the angle a and of its length.
Eigen::Vector3d path(const Eigen::Vector3d& X, double t) {
  const double a = bent_by * std::clamp(t / loading, 1e-6, 1.0), radius = length / a;
  return {(radius + X.y()) * std::sin(a), (radius + X.y()) * std::cos(a) - radius, X.z()};
}

double degrees(double angle) { return 180 / 3.14159265358979 * angle; }

// The angle of the end face, by which the bar is bent [rad].
template <class Simulation>
double angle_of(const Simulation& sim) {
  Eigen::Vector3d up = Eigen::Vector3d::Zero();
  for (const int node : nodes_where(sim.mesh(), [](const auto& X) { return X.x() > length - 1e-9; }))
    up += sim.mesh().nodes(1, node) * sim.positions().col(node);
  return std::atan2(up.x(), up.y());
}

// Step 2: a run with any material: bend, hold, let go. `look` is called before the bar is let go and at the
// end.
template <class Energy, class Look>
void bend(const Mesh<Hex8>& mesh, const Energy& energy, const std::string& output, Look&& look) {
  const Solid solid(mesh, energy, Density{1000});
  const auto at = [&](double x) {
    return nodes_where(mesh, [x](const auto& X) { return std::abs(X.x() - x) < 1e-9; });
  };
  const Pinned held(at(0));
  Simulation sim(solid, QuasiStatic{.dt = dt}, Cholesky{}, held, PrescribedMotion(at(length), path));
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) series = std::make_unique<VtkSeries>(output, sim);
  const auto run = [&](int steps) {
    for (int step = 1; step <= steps; ++step) {
      if (const StepReport report = sim.step(); !report) throw std::runtime_error(report.message());
      if (series && step % 10 == 0) series->write(sim);
    }
  };
  run(static_cast<int>((loading + holding) / dt));
  look(sim);
  sim.set_constraint(Together(held, PrescribedMotion(std::vector<int>{}, path)));  // moves nothing any more
  run(10);
  look(sim);
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 4;
  const std::string output = argc > 2 ? argv[2] : "";
  const auto mesh = make_box<Hex8>(
      {.lengths = {length, height, height}, .cells = {10 * cells, cells, 1}, .origin = {0, -height / 2, 0}});
  const CorotatedLinear elastic(Lame::from_young_poisson(1e8, 0));

  // Step 3: the formula.
  const double curvature = bent_by / length, core = yield / curvature;
  const double back = 12 / std::pow(height, 3) *
                      (2 * curvature * std::pow(core, 3) / 3 + yield * (height * height / 4 - core * core));
  const double expected = bent_by - back * length;

  // Step 4: both bars.
  Facts facts;
  double angles[2][2];
  int count = 0;
  bend(mesh, elastic, "", [&](const auto& sim) { angles[0][count++] = angle_of(sim); });
  count = 0;
  double energy = 0;
  NodeMatrix<double, 9> before, after;
  bend(mesh, Plastic(elastic, {.yield = yield, .creep = creep}), output, [&](const auto& sim) {
    angles[1][count++] = angle_of(sim);
    before.swap(after);
    after = sim.plastic_strains();
    energy = sim.energies().elastic;
  });

  std::printf("%td hexahedra, yield at %.3f, largest strain %.4f, bent by %.1f degrees\n",
              mesh.element_count(), yield, height / 2 * curvature, degrees(bent_by));
  std::printf("                  under load     let go   by the formula\n");
  std::printf("elastic %14.2f deg %6.2f deg %12.2f deg\n", degrees(angles[0][0]), degrees(angles[0][1]), 0.0);
  std::printf("plastic %14.2f deg %6.2f deg %12.2f deg\n", degrees(angles[1][0]), degrees(angles[1][1]),
              degrees(expected));
  std::printf("largest plastic strain %.4f, energy of the stress that is left %.3g J\n",
              after.colwise().norm().maxCoeff(), energy);
  facts.expect(std::abs(angles[0][0] - bent_by) < 1e-9 && std::abs(angles[1][0] - bent_by) < 1e-9,
               "both are bent by 90 degrees");
  facts.expect(std::abs(degrees(angles[0][1])) < 0.01, "the elastic bar is straight again");
  facts.expect(std::abs(angles[1][1] / expected - 1) < 0.02,
               "the plastic bar keeps the angle of the formula");
  facts.expect((after.array() == before.array()).all(), "nothing flows on the way back");
  facts.expect(energy > 0, "and some stress is left");
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "23_bent: %s\n", error.what());
    return 1;
  }
}
