// 01_hello: from a mesh file to a moving soft body.
//
// The problem: a body of density rho and Young's modulus E is held at one end, and its other end falls and
// swings under gravity.
//
//     M a = -dE/dx + M g,   x = X and v = 0 at t = 0
//
//     |#########################|  held      at first, and then      __###|  held
//     |#########################|                                 __##   |
//                     | g                                      ##/
//
// Run:  01_hello                          a bar that this program generates
//       01_hello hand.msh                 tetrahedra of a Gmsh, Medit, TetGen, Vega or VTK file
//       01_hello --with-holes hand.msh    the same without the hexahedra, wedges and pyramids of the file
//
// It prints its changes to the body (the scale, the held end, skipped cells) and the files that it writes.
// Step 3 is the ten lines with which every program begins. The steps around it prepare any file for a first
// run, because neither its unit nor its defects are known, and print the results.
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

// Step 1: a mesh. The diagnosis names its defects; each repair is called explicitly and reports its changes.
// Cells other than tetrahedra are skipped; skipped cells of dimension three leave holes, which need
// --with-holes.
Mesh<Tet4> load(const std::string& file, bool with_holes) {
  ReadReport report;
  auto mesh = read_mesh<Tet4>(file, report);
  std::printf("%s\n", report.message().c_str());
  if (!report.left_aside.empty() && !with_holes) {
    try {
      read_mesh<Tet4>(file);  // refuses holes, as it is given no report
    } catch (const MeshError& error) {
      throw std::runtime_error(std::string(error.what()) +
                               "\nTo see it move with its holes: 01_hello --with-holes " + file);
    }
  }
  if (const Diagnosis diagnosis = diagnose(mesh); !diagnosis.usable()) {
    std::printf("%s\n", diagnosis.message().c_str());
    auto repair = drop_duplicate_elements(mesh);
    repair = repair.followed_by(drop_degenerate_elements(repair.mesh));
    repair = repair.followed_by(reorient(repair.mesh));
    repair = repair.followed_by(drop_unreferenced_nodes(repair.mesh));
    std::printf("%s\n", repair.message.c_str());
    mesh = std::move(repair.mesh);
  }
  return mesh;
}

// Step 2: the unit of a file is not known, so the body is scaled to a length of one metre, by the factor
// `scale`. Returns the number of its longest axis, along which it then reaches from 0 to 1.
int fit_to_one_metre(Mesh<Tet4>& mesh, double& scale) {
  const auto box = bounding_box(mesh);
  int axis = 0;
  const double length = (box.upper - box.lower).maxCoeff(&axis);
  scale = 1 / length;
  mesh.nodes = (mesh.nodes.colwise() - box.lower) / length;
  return axis;
}

void print_ledger(const StepReport& report) {
  const Energies& e = report.energies;
  std::printf("%7.2f %12.5g %12.5g %14.5g %12.5g %8d %8d %12.3g\n", report.time, e.kinetic, e.elastic,
              e.gravitational, e.total(), report.newton_iterations, report.linear_iterations,
              report.residual);
}

int run(int argc, char** argv) {
  const bool with_holes = argc > 1 && std::string(argv[1]) == "--with-holes";
  const char* const file = argc > 1 + with_holes ? argv[1 + with_holes] : nullptr;
  auto mesh = file ? load(file, with_holes) : make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {30, 6, 6}});
  double scale = 1;
  const int axis = fit_to_one_metre(mesh, scale);
  if (file) {
    std::printf("The body is scaled by %g, to be 1 m long along %c: the unit of its file is not known.\n",
                scale, "xyz"[axis]);
  }

  // Step 3: the simulation.
  auto lame = Lame::from_young_poisson(1e5, 0.45);                  // Pa, -
  auto solid = Solid(mesh, StableNeoHookean(lame), Density{1000});  // kg/m^3
  auto held = Pinned(nodes_where(mesh, [axis](const auto& X) { return X(axis) > 0.95; }));
  auto sim = Simulation(solid, BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-6}, held);
  sim.set_gravity({0, -9.81, 0});
  VtkSeries out("out/hello", sim);

  std::printf(
      "%zu of its %td nodes are held, those beyond 0.95 m along %c; the rest falls and swings: %td "
      "tetrahedra of "
      "E = 1e5 Pa, nu = 0.45, 1000 kg/m^3.\nEnergies in J:\n\n",
      held.nodes().size(), mesh.node_count(), "xyz"[axis], mesh.element_count());
  std::printf("%7s %12s %12s %14s %12s %8s %8s %12s\n", "time/s", "kinetic", "elastic", "gravitational",
              "total", "Newton", "linear", "residual/N");
  const auto start = std::chrono::steady_clock::now();
  double stepping = 0;
  constexpr int frames = 200;
  for (int frame = 0; frame < frames; ++frame) {
    const auto step_start = std::chrono::steady_clock::now();
    StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    stepping += std::chrono::duration<double>(std::chrono::steady_clock::now() - step_start).count();
    out.write(sim);
    if (frame % 20 == 0 || frame == frames - 1) print_ledger(report);
  }
  const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  // Step 4: the surface of the last frame, for a renderer or a modeller.
  write_obj("out/hello.obj", sim.positions(), boundary_faces(mesh).faces);

  std::printf("\n%d frames: %.1f frames per second, %.1f with the files written, on %d thread(s) at most\n",
              frames, frames / stepping, frames / total, thread_count());
  std::printf(
      "The total energy falls: backward Euler dissipates. Written:\n"
      "  %s  every frame, for ParaView (press play)\n"
      "  %s  the surface in the last frame, and only in that\n",
      std::filesystem::absolute(out.index()).c_str(), std::filesystem::absolute("out/hello.obj").c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "01_hello: %s\n", error.what());
    return 1;
  }
}
