// 01_hello: from a mesh file to a moving soft body.
//
// The problem: a body of density rho and Young's modulus E is held at one end and let go under gravity.
//
//     M a = -dE/dx + M g,   x = X and v = 0 at t = 0
//
//     |#########################|  held      at first, and then      __###|  held
//     |#########################|                                 __##   |
//                     | g                                      ##/
//
// Run:  01_hello                     a bar that this program makes
//       01_hello hand.msh            tetrahedra of a Gmsh, Medit, TetGen, Vega or VTK file
//
// Step 3 is the ten lines that every program begins with. The steps around it make any file fit for a first
// look, since neither its unit nor its faults are known, and print what happened.
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

// Step 1: a mesh. Its faults are found and named; each repair is asked for and says what it did.
Mesh<Tet4> load(const std::string& file) {
  ReadReport report;
  auto mesh = read_mesh<Tet4>(file, report);
  std::printf("%s\n", report.message().c_str());
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

// Step 2: a file's unit is not known, so the body is made one metre long. Returns the number of its longest
// axis, along which it then reaches from 0 to 1.
int fit_to_one_metre(Mesh<Tet4>& mesh) {
  const auto box = bounding_box(mesh);
  int axis = 0;
  const double length = (box.upper - box.lower).maxCoeff(&axis);
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
  auto mesh = argc > 1 ? load(argv[1]) : make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {30, 6, 6}});
  const int axis = fit_to_one_metre(mesh);

  // Step 3: the simulation.
  auto lame = Lame::from_young_poisson(1e5, 0.45);                  // Pa, -
  auto solid = Solid(mesh, StableNeoHookean(lame), Density{1000});  // kg/m^3
  auto held = Pinned(nodes_where(mesh, [axis](const auto& X) { return X(axis) > 0.95; }));
  auto sim = Simulation(solid, BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-6}, held);
  sim.set_gravity({0, -9.81, 0});
  VtkSeries out("out/hello");

  std::printf("\n%td nodes, %td tetrahedra, %zu nodes held; energies in J\n\n", mesh.node_count(),
              mesh.element_count(), held.nodes().size());
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

  // Step 4: the surface, for a renderer or a modeller.
  write_obj("out/hello.obj", sim.positions(), boundary_faces(mesh).faces);

  std::printf("\n%d frames: %.1f frames per second, %.1f with the files written, on %d thread(s)\n", frames,
              frames / stepping, frames / total, thread_count());
  std::printf(
      "The total energy falls: backward Euler dissipates. Look at\n  %s  in ParaView (press play)\n  %s\n",
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
