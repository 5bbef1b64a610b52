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
// coefficients mu and lambda are those of the formula and not Lame's.
//
// Run:  04_stretch_test                          hexahedra, 6 cells along an edge, mu 1, lambda 10
//       04_stretch_test tet 30 1 10 out/cube     tetrahedra, 30 cells, and a .vtu file of every step
//
// Returns 0 if every step has converged and the cube has come out symmetric.
//
// Read before: 01_hello.
#include <chrono>
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

constexpr int steps = 25;

struct Settings {
  std::string element = "hex";
  int cells = 6;               // along an edge
  double mu = 1, lambda = 10;  // coefficients of the energy [Pa]
  std::string output;          // name of a series of .vtu files; empty: none
};

// Step 1: the paths of the two sides. A path says where the node that rests at X is at time t; statics has no
// time of its own, and QuasiStatic{.dt = 1} makes it the number of the step.
auto pulled_by(double sign) {
  return [sign](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + Eigen::Vector3d(sign * 0.1 * t, 0, 0);
  };
}

template <class Element>
bool stretch(const Settings& settings) {
  // The cut by six tetrahedra of equal volume; hexahedra are not cut.
  const auto mesh = make_box<Element>({.lengths = {2, 2, 2},
                                       .cells = {settings.cells, settings.cells, settings.cells},
                                       .origin = {-1, -1, -1},
                                       .split = Split::kuhn});
  const auto side = [&](double x) {
    return nodes_where(mesh, [x](const auto& X) { return std::abs(X.x() - x) < 1e-9; });
  };

  // Step 2: equilibrium to a millionth of the forces that the first guess of a step leaves.
  Simulation sim(Solid(mesh, StableNeoHookean(RawCoefficients{settings.mu, settings.lambda}), Density{1000}),
                 QuasiStatic{.newton = {.max_iterations = 100, .tolerance = 0, .reduction = 1e-6}},
                 Pcg<BlockJacobi>{.tolerance = 1e-8}, PrescribedMotion(side(-1), pulled_by(-1)),
                 PrescribedMotion(side(1), pulled_by(1)));
  std::unique_ptr<VtkSeries> series;
  if (!settings.output.empty()) series = std::make_unique<VtkSeries>(settings.output);

  // Step 3: pull, and say what each step took.
  std::printf("%td %s, mu %g, lambda %g\n", mesh.element_count(), settings.element.c_str(), settings.mu,
              settings.lambda);
  std::printf("step  Newton  linear  elastic energy [J]  waist [m]\n");
  const auto start = std::chrono::steady_clock::now();
  for (int step = 1; step <= steps; ++step) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    double waist = 0;  // width of the middle
    for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
      if (std::abs(mesh.nodes(0, i)) < 1e-9) waist = std::max(waist, 2 * std::abs(sim.positions()(1, i)));
    }
    std::printf("%4d %7d %7d %19.6g %10.4f\n", step, report.newton_iterations, report.linear_iterations,
                report.energies.elastic, waist);
    if (series) series->write(sim);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%.2f s\n", elapsed.count());

  // Step 4: the centre of the cube has stayed where it was.
  const Eigen::Vector3d centre = sim.positions().rowwise().mean();
  std::printf("centre at %.2g m from where it was\n", centre.norm());
  return centre.norm() < 1e-4;
}

int run(int argc, char** argv) {
  Settings settings;
  if (argc > 1) settings.element = argv[1];
  if (argc > 2) settings.cells = std::atoi(argv[2]);
  if (argc > 3) settings.mu = std::atof(argv[3]);
  if (argc > 4) settings.lambda = std::atof(argv[4]);
  if (argc > 5) settings.output = argv[5];
  if (settings.element == "tet") return stretch<Tet4>(settings) ? 0 : 1;
  if (settings.element == "hex") return stretch<Hex8>(settings) ? 0 : 1;
  throw std::runtime_error("the first argument must be tet or hex, not " + settings.element);
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
