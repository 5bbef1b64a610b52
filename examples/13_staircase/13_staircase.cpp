// 13_staircase: a soft cube tumbles down a staircase.
//
// The problem: a cube of jelly is pushed over the edge of the highest of some steps. The staircase is rigid,
// made of triangles, and rough.
//
//      __  v
//     |__|->
//    -------.                          edges and corners, which the nodes hit from above,
//           |______.                   from the side, and on two edges at once
//                  |______.
//                         |______________
//
// What to look at: no node is ever inside the staircase, although some hit it with more than an element per
// step; the body falls, tumbles, oscillates and comes to rest. No energy is added, and backward Euler
// dissipates, so that the sum of all energies falls in every step. In the end the contact forces carry the
// weight.
//
// Run:  13_staircase                    4 cells along an edge of the cube, 4 steps
//       13_staircase 6 8                finer, more steps
//       13_staircase 6 8 out/stairs     and .vtu files of every step, with the staircase in out/stairs.obj
//
// Returns 0 if all of this holds.
//
// Read before: 01_hello, and the page docs/contact.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double edge = 0.1, density = 1000, gravity = 9.81;    // of the cube: m, kg/m^3; m/s^2
constexpr double rise = 0.12, run_of_step = 0.09, width = 0.6;  // of the staircase [m]

// Step 1: the staircase, of hexahedra: those of a box that are below the steps. It descends along x, the
// highest step ends at x = 0, and the lowest is as long as eight others.
Mesh<Hex8> make_staircase(int steps) {
  const int longest = 8;
  auto mesh = make_box<Hex8>({.lengths = {(steps + longest) * run_of_step, (steps + 1) * rise, width},
                              .cells = {steps + longest, steps + 1, 1},
                              .origin = {-run_of_step, 0, -width / 2}});
  std::vector<Eigen::Index> kept;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (int a = 0; a < 8; ++a) middle += mesh.nodes.col(mesh.elements(a, e)) / 8;
    const int column = static_cast<int>(std::floor(middle.x() / run_of_step)) + 1;
    if (middle.y() < std::max(steps + 1 - column, 1) * rise) kept.push_back(e);
  }
  mesh.elements = mesh.elements(Eigen::all, kept).eval();
  return mesh;
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 4, steps = argc > 2 ? std::atoi(argv[2]) : 4;
  const std::string output = argc > 3 ? argv[3] : "";
  const auto stone = make_staircase(steps);
  const TriangleMesh staircase = make_triangle_mesh(stone);

  // Step 2: the cube, at the edge of the highest step, turned a little, and thrown.
  const double top = (steps + 1) * rise;
  auto mesh = make_box<Tet4>({.lengths = {edge, edge, edge}, .cells = {cells, cells, cells}});
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(0.3, Eigen::Vector3d(0.2, 1, 0).normalized()).toRotationMatrix();
  mesh.nodes = (turn * mesh.nodes).eval();
  mesh.nodes.colwise() +=
      Eigen::Vector3d(-edge, top + 0.02, -edge / 2) - Eigen::Vector3d(mesh.nodes.rowwise().minCoeff());
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(5e4, 0.4)), Density{density},
                    Rayleigh{.beta = 2e-3});
  const double weight = density * gravity * total_volume(mesh);

  // Step 3: the simulation.
  Simulation sim(solid, BackwardEuler{.dt = 0.01, .newton = {.max_iterations = 100}},
                 Pcg<BlockJacobi>{.tolerance = 1e-6});
  sim.set_gravity({0, -gravity, 0});
  sim.add_collider(staircase, {.friction = 0.5});
  NodeMatrix<double, 3> velocities = NodeMatrix<double, 3>::Zero(3, mesh.node_count());
  velocities.row(0).setConstant(1.2);
  sim.set_velocities(velocities);
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) {
    series = std::make_unique<VtkSeries>(output);
    write_obj(output + ".obj", stone.nodes, boundary_faces(stone).faces);
  }

  // Step 4: the fall.
  std::printf("%td nodes on %td triangles, %.4f N\n", mesh.node_count(), staircase.triangle_count(), weight);
  std::printf("time/s       x/m       y/m  energy/J  touching  fastest m/s\n");
  double deepest = 0, risen = 0, fastest = 0, last = sim.energies().total();
  const double first = last;
  bool at_rest = false;
  int step = 0;
  while (!at_rest && step < 1000) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    if (series) series->write(sim);
    ++step;
    risen = std::max(risen, report.energies.total() - last);
    last = report.energies.total();
    const double speed = sim.velocities().colwise().norm().maxCoeff();
    fastest = std::max(fastest, speed);
    for (Eigen::Index i = 0; i < sim.positions().cols(); ++i) {
      const auto near = staircase.nearest(sim.positions().col(i), 0);
      if (near) deepest = std::min(deepest, near->distance);
    }
    at_rest = report.contacts > 0 && speed < 1e-5;
    if (step % 20 == 0 || at_rest) {
      const Eigen::Vector3d middle = sim.positions().rowwise().mean();
      std::printf("%6.2f %9.4f %9.4f %9.4f %9d %12.2g\n", sim.time(), middle.x(), middle.y(), last,
                  report.contacts, speed);
    }
  }

  // Step 5: the checks.
  Eigen::Vector3d carried = Eigen::Vector3d::Zero();
  for (const auto& contact : sim.contacts()) carried += contact.force;
  std::printf(
      "at rest after %.2f s, carried %.4f N; no node deeper than %.2g m; no step gained more than %.2g J\n",
      sim.time(), carried.y(), -deepest, risen);
  bool right = true;
  const auto expect = [&](bool fact, const char* what) {
    if (!fact) std::printf("FAILED: %s\n", what);
    right = right && fact;
  };
  expect(at_rest, "it comes to rest");
  expect(deepest > -1e-9, "no node is inside");
  expect(fastest * 0.01 > edge / cells / 2, "some nodes are fast");
  expect(risen < 1e-4 * (first - last), "the energy falls");
  expect(first - last > weight * rise, "it has fallen by a step at least");
  expect((carried - Eigen::Vector3d(0, weight, 0)).norm() < 1e-3 * weight, "the weight is carried");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "13_staircase: %s\n", error.what());
    return 1;
  }
}
