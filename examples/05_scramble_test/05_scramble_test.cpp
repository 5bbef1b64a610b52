// 05_scramble_test: how much can a body be torn about and still find its shape?
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
// Run:  05_scramble_test                     hexahedra, 4 cells along an edge, 3 seeds
//       05_scramble_test hex 10 100          1000 hexahedra, 100 seeds
//       05_scramble_test tet 10 100          6000 tetrahedra: here true local minima exist
//
// Returns 0 if every solve has converged and, on hexahedra, every one has come back to the rest shape.
//
// Read before: 04_stretch_test.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <stdexcept>
#include <string>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

// Step 1: a state that no simulation should ever see.
NodeMatrix<double, 3> scrambled(const NodeMatrix<double, 3>& rest, const std::vector<int>& held,
                                unsigned seed) {
  std::mt19937 random(seed);
  const double half_edge = std::cbrt(2.0);  // of a cube of twice the volume of [-1, 1]^3
  std::uniform_real_distribution<double> anywhere(-half_edge, half_edge);
  NodeMatrix<double, 3> x = rest;
  for (auto& coordinate : x.reshaped()) coordinate = anywhere(random);
  for (const int node : held) x.col(node) = rest.col(node);
  return x;
}

// Step 2: from there to an equilibrium. Newton's method may take hundreds of iterations, all guarded by the
// line search: the energy falls in each.
template <class Element>
bool recovers(int cells, unsigned seed, int& newton_iterations) {
  const auto mesh = make_box<Element>(
      {.lengths = {2, 2, 2}, .cells = {cells, cells, cells}, .origin = {-1, -1, -1}, .split = Split::kuhn});
  const auto held = nodes_where(mesh, [](const auto& X) {
    return X.cwiseAbs().minCoeff() > 1 - 1e-9 && X.x() * X.y() * X.z() > 0;  // every other corner
  });
  Simulation sim(Solid(mesh, StableNeoHookean(RawCoefficients{1, 10}), Density{1000}),
                 QuasiStatic{.max_halvings = 0,
                             .newton = {.max_iterations = 2000, .tolerance = 1e-8, .keep_history = true}},
                 Pcg<BlockJacobi>{.tolerance = 1e-4}, Pinned(held));
  sim.set_positions(scrambled(mesh.nodes, held, seed));
  const double before = sim.energies().elastic;
  const StepReport report = sim.step();
  if (!report) throw std::runtime_error("seed " + std::to_string(seed) + ": " + report.message());

  // Step 3: is it the rest shape? Where it is not, it is a local minimum: say whether it is inverted
  // anywhere.
  const double distance = (sim.positions() - mesh.nodes).cwiseAbs().maxCoeff();
  newton_iterations = report.newton_iterations;
  std::printf("seed %3u: %4d Newton iterations, energy %.4g -> %.3g J, at most %.2g m from the rest shape\n",
              seed, report.newton_iterations, before, report.energies.elastic, distance);
  return distance < 1e-3;
}

int run(int argc, char** argv) {
  const std::string element = argc > 1 ? argv[1] : "hex";
  const int cells = argc > 2 ? std::atoi(argv[2]) : 4;
  const int seeds = argc > 3 ? std::atoi(argv[3]) : 3;
  if (element != "hex" && element != "tet") {
    throw std::runtime_error("the first argument must be hex or tet, not " + element);
  }
  int recovered = 0, iterations = 0, most = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto s = static_cast<unsigned>(seed);
    int taken = 0;
    recovered +=
        (element == "hex" ? recovers<Hex8>(cells, s, taken) : recovers<Tet4>(cells, s, taken)) ? 1 : 0;
    iterations += taken;
    most = std::max(most, taken);
  }
  std::printf("%d of %d came back to the rest shape, %.1f Newton iterations each, %d at most\n", recovered,
              seeds, static_cast<double>(iterations) / seeds, most);
  return element == "tet" || recovered == seeds ? 0 : 1;
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
