// 18_sheet: a hanging sheet whose stiffness does not depend on the resolution of its mesh.
//
// The problem: a sheet is held along its upper edge and stretched by its weight. The mesh of its right half
// is three times as fine as that of the left, and so is that of the lower half: the areas of the cells differ
// by a factor of nine.
//
//      ################
//      |   |   |   ||||       held                u(y) = rho g (H y - y^2 / 2) / E
//      |   |   |   ||||
//      |---|---|---++++                           y below the upper edge, H the height. Exact for nu = 0, and
//      |---|---|---++++                           for any strain, as the stress of FixedCorotated in a bar
//      |---|---|---++++                           is E times the stretch less one
//
// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", figure 4, hang such a
// sheet: with position-based dynamics, in which each constraint is one more to satisfy, it is softer where
// the mesh is fine, and sags there. Here Young's modulus is the same everywhere.
//
// What to look at: both lower corners sink as the formula predicts, and as those of a sheet with a uniform
// mesh. With nu = 0.3 the held edge cannot contract, and the sheet sinks by a few per cent less; left and
// right, fine and coarse, agree to half a percent.
//
// Run:  18_sheet                     10 cells across the coarse half, 10 ms
//       18_sheet 10 0.004            smaller steps, the same sheet
//       18_sheet 10 0.01 out/sheet   and .vtu files of every tenth step
//
// Returns 0 if the corners sink equally and as those of the uniform sheet, to 0.1 % for nu = 0 and to 2 % for
// nu = 0.3, and as the formula predicts, to 0.1 % and to 10 %, and the edge carries the weight to 0.1 %.
//
// Read before: 17_twisted_beam.
#include "../support/facts.hpp"

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

constexpr double side = 1, thickness = 0.05, density = 1000, young = 1e5, gravity = 9.81;  // m, kg/m^3, Pa

// Step 1: the sheet, in the plane z = 0. Its lattice lines are moved so that the right and the lower half
// have three times as many of them as the left and the upper one.
Mesh<Tet4> make_sheet(int cells, bool irregular) {
  const int lines = irregular ? 4 * cells : 2 * cells;
  auto sheet = make_box<Tet4>(
      {.lengths = {side, side, thickness}, .cells = {lines, lines, 1}, .origin = {-side / 2, -side, 0}});
  if (!irregular) return sheet;
  const auto place = [](double s) { return s < 0.25 ? 2 * s : 0.5 + (s - 0.25) * 2 / 3; };  // of 1
  for (auto X : sheet.nodes.colwise()) {
    X.x() = side * (place(X.x() / side + 0.5) - 0.5);
    X.y() = -side * place(-X.y() / side);
  }
  return sheet;
}

struct Sinking {
  double left, right;  // of the lower corners [m]
  double carried;      // by the upper edge, relative to the weight
};

// Step 2: let it hang until it is at rest.
Sinking hang(const Mesh<Tet4>& sheet, double nu, double dt, const std::string& output) {
  const Solid solid(sheet, FixedCorotated(Lame::from_young_poisson(young, nu)), Density{density},
                    Rayleigh{.alpha = 10});
  Simulation sim(solid, OperatorSplitting{.dt = dt, .volume_iterations = 2},
                 Pinned(nodes_where(sheet, [](const auto& X) { return X.y() > -1e-9; })));
  sim.set_gravity({0, -gravity, 0});
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) series = std::make_unique<VtkSeries>(output);
  const int steps = static_cast<int>(3 / dt);
  for (int step = 0; step < steps; ++step) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    if (series && step % 10 == 0) series->write(sim);
  }
  const auto sunk = [&](double x) {
    double sum = 0;
    const auto corner =
        nodes_where(sheet, [x](const auto& X) { return std::abs(X.x() - x) < 1e-9 && X.y() < -side + 1e-9; });
    for (const int node : corner) sum -= sim.positions()(1, node) + side;
    return sum / static_cast<double>(corner.size());
  };
  return {sunk(-side / 2), sunk(side / 2),
          sim.constraint_forces().row(1).sum() / (density * gravity * total_volume(sheet))};
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 10;
  const double dt = argc > 2 ? std::atof(argv[2]) : 0.01;
  const std::string output = argc > 3 ? argv[3] : "";
  const auto irregular = make_sheet(cells, true), even = make_sheet(cells, false);
  const double expected = density * gravity * side * side / (2 * young);
  std::printf("%td tetrahedra, even: %td; by the formula the lower edge sinks by %.5f m\n",
              irregular.element_count(), even.element_count(), expected);

  // Step 3: the facts.
  Facts facts;
  std::printf("nu    left/m  right/m  right of the even sheet/m  carried of the weight\n");
  for (const double nu : {0.0, 0.3}) {
    const Sinking here = hang(irregular, nu, dt, nu == 0 ? "" : output), there = hang(even, nu, dt, "");
    std::printf("%.1f %9.5f %8.5f %26.5f %22.4f\n", nu, here.left, here.right, there.right, here.carried);
    const double tolerance = nu == 0 ? 0.001 : 0.02;
    facts.expect(std::abs(here.left / here.right - 1) < tolerance, "the corners sink alike");
    facts.expect(std::abs(here.right / there.right - 1) < tolerance, "as those of an even sheet");
    facts.expect(std::abs(here.right / expected - 1) < (nu == 0 ? tolerance : 0.1),
                 "and as the formula says");
    facts.expect(std::abs(here.carried - 1) < 1e-3, "the edge carries the weight");
  }
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "18_sheet: %s\n", error.what());
    return 1;
  }
}
