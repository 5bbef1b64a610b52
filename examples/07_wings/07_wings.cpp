// 07_wings: a body of any shape, pulled at its four ends, and bent.
//
// The problem: a bird is held at a few nodes only, which are moved in ten steps, and each step looks for the
// equilibrium x = argmin E(x). First its wings, its head and its tail are pulled outwards, so far that the
// wings lose their curve. Then, from rest again, the wings are pushed together and the belly is pulled down.
//
//                 head ^
//                     / \                          __       __
//     <-  .----------'   '----------.  ->         /  \     /  \     seen from the head
//     wing '--------.     .--------'  wing     ->|    \   /    |<-
//                    \   /                              \_/
//                tail v                                  |
//                                                        v
//
// Smith, de Goes, Kim 2018 claim that stable neo-Hookean material takes any deformation of any mesh; Masanti
// 2020, section 4.3.3, tried it on a bird of 20,203 tetrahedra.
//
// Run:  07_wings                                  a generated bird, 3,840 tetrahedra
//       07_wings body.msh                         a mesh file; its longest axis counts as the wings
//       07_wings body.msh 0.04 out/body           4 % of its length per step, and .vtu files of every step
//       07_wings - 0.04 out/bird the same for the generated bird
//
// Returns 0 if every step has converged, the energy has risen in each, no element has been inverted, and the
// forces at the moved nodes balance and their work is the energy of the body.
//
// Read before: 04_stretch_test.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr int steps = 10;

// Step 1: the body. A box whose nodes are moved: wings along x, thin in y, head and tail along z.
Mesh<Tet4> make_bird() {
  auto mesh = make_box<Tet4>({.lengths = {2, 2, 2}, .cells = {32, 2, 12}, .origin = {-1, -1, -1}});
  for (auto X : mesh.nodes.colwise()) {
    const double along = std::abs(X.x());  // 0 at the body, 1 at the tips
    const double half_chord = 0.1 + 0.08 * (1 - along) + 0.42 * std::exp(-50 * along * along);
    const double half_thickness = 0.02 + 0.06 * std::exp(-20 * along * along);
    const double rise = 0.25 * std::sin(2.5 * along);  // of a curved wing
    const double thinner = 1 - 0.6 * X.z() * X.z();    // at the edges
    X = Eigen::Vector3d(X.x(), X.y() * half_thickness * thinner + rise, X.z() * half_chord);
  }
  return mesh;
}

// Of a mesh file: centred, 2 m long, the longest axis along x and the shortest along y.
Mesh<Tet4> read_body(const std::string& file) {
  auto mesh = read_mesh<Tet4>(file);
  const AxisAlignedBox<3> box = bounding_box(mesh);
  const Eigen::Vector3d lengths = box.lengths();
  std::array<int, 3> axes{0, 1, 2};
  std::sort(axes.begin(), axes.end(), [&](int a, int b) { return lengths(a) > lengths(b); });
  Eigen::Matrix3d turn = Eigen::Matrix3d::Zero();
  turn(0, axes[0]) = turn(2, axes[1]) = turn(1, axes[2]) = 1;
  if (turn.determinant() < 0) turn.row(1) *= -1;
  for (auto X : mesh.nodes.colwise()) X = 2 / lengths(axes[0]) * (turn * (X - box.center()));
  return mesh;
}

// Step 2: an experiment gives the displacement per step of the node with rest position X [m]; a node with
// zero is free. The ends of the body are the outermost two hundredths of its length.
struct Experiment {
  const char* name;
  std::function<Eigen::Vector3d(const Eigen::Vector3d& X)> motion;
};

std::vector<Experiment> experiments(const Mesh<Tet4>& mesh, double stride) {
  const AxisAlignedBox<3> box = bounding_box(mesh);
  const Eigen::Array3d half = box.lengths().array() / 2, center = box.center().array();
  // -1 at the left wing, the bottom and the tail, 1 at the right wing, the top and the head.
  const auto relative = [=](const Eigen::Vector3d& X) -> Eigen::Array3d {
    return (X.array() - center) / half;
  };
  const auto pull = [=](const Eigen::Vector3d& X) -> Eigen::Vector3d {
    const Eigen::Array3d r = relative(X);
    if (std::abs(r.x()) > 0.96) return {std::copysign(stride, r.x()), 0, 0};
    if (std::abs(r.z()) > 0.96) return {0, 0, std::copysign(stride, r.z())};
    return Eigen::Vector3d::Zero();
  };
  const auto bend = [=](const Eigen::Vector3d& X) -> Eigen::Vector3d {
    const Eigen::Array3d r = relative(X);
    if (std::abs(r.x()) > 0.96) return {-std::copysign(stride, r.x()), 0, 0};
    if (std::abs(r.x()) < 0.08 && std::abs(r.z()) < 0.3) return {0, -stride, 0};
    return Eigen::Vector3d::Zero();
  };
  return {{"pull", pull}, {"bend", bend}};
}

// det dx/dX of each element, and the least of all.
double least_volume_ratio(const Mesh<Tet4>& mesh, const NodeMatrix<double, 3>& x) {
  double least = HUGE_VAL;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    const auto volume = [&](const NodeMatrix<double, 3>& nodes) {
      Eigen::Matrix3d edges;
      for (int a = 0; a < 3; ++a) {
        edges.col(a) = nodes.col(mesh.elements(a + 1, e)) - nodes.col(mesh.elements(0, e));
      }
      return edges.determinant() / 6;
    };
    least = std::min(least, volume(x) / volume(mesh.nodes));
  }
  return least;
}

// Step 3: run it from rest. The forces at the moved nodes are dE/dx there; everywhere else they must be zero.
bool run(const Mesh<Tet4>& mesh, const Experiment& experiment, const std::string& output) {
  const std::vector<int> moved =
      nodes_where(mesh, [&](const auto& X) { return !experiment.motion(X).isZero(); });
  const Solid solid(mesh, StableNeoHookean(RawCoefficients{1, 10}), Density{1000});
  Simulation sim(solid, QuasiStatic{.newton = {.tolerance = 1e-7, .hessian = HessianStrategy::on_demand}},
                 Pcg<BlockJacobi>{.tolerance = 1e-6},
                 PrescribedMotion(moved, [&](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
                   return X + t * experiment.motion(X);
                 }));
  ElasticSystem<std::remove_const_t<decltype(solid)>> system(solid);
  auto position = system.make_vector(), gradient = system.make_vector();
  NodeMatrix<double, 3> forces = NodeMatrix<double, 3>::Zero(3, mesh.node_count());  // [N]
  std::unique_ptr<VtkSeries> series;
  if (!output.empty()) series = std::make_unique<VtkSeries>(output + "_" + experiment.name);

  std::printf("%s, %zu nodes are moved\n", experiment.name, moved.size());
  std::printf("step  Newton  linear  elastic energy [J]  work [J]  least V/V0  imbalance of the forces\n");
  bool right = !moved.empty();
  double energy = 0, work = 0;
  for (int step = 1; step <= steps; ++step) {
    const NodeMatrix<double, 3> earlier = forces;
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    system.to_internal(sim.positions(), position);
    system.gradient(position, gradient);
    system.to_user(gradient, forces);
    double size = 0;  // of all forces at the moved nodes
    Eigen::Vector3d sum = Eigen::Vector3d::Zero(), moment = sum;
    for (const int node : moved) {
      const Eigen::Vector3d f = forces.col(node), x = sim.positions().col(node);
      work += 0.5 * (f + earlier.col(node)).dot(experiment.motion(mesh.nodes.col(node)));
      sum += f;
      moment += x.cross(f);
      size += f.norm();
    }
    const double imbalance = (sum.norm() + moment.norm()) / size,
                 ratio = least_volume_ratio(mesh, sim.positions());
    std::printf("%4d %7d %7d %19.6g %9.6g %11.4f %19.2g\n", step, report.newton_iterations,
                report.linear_iterations, report.energies.elastic, work, ratio, imbalance);
    right = right && report.energies.elastic > energy && ratio > 0 && imbalance < 1e-5;
    energy = report.energies.elastic;
    if (series) series->write(sim);
  }
  return right && std::abs(work - energy) < 0.02 * energy;
}

int run(int argc, char** argv) {
  const std::string file = argc > 1 ? argv[1] : "-";
  const double stride = argc > 2 ? std::atof(argv[2]) : 0.04;
  const Mesh<Tet4> mesh = file == "-" ? make_bird() : read_body(file);
  std::printf("%td nodes, %td tetrahedra\n", mesh.node_count(), mesh.element_count());
  bool right = true;
  for (const Experiment& experiment : experiments(mesh, stride)) {
    right = run(mesh, experiment, argc > 3 ? argv[3] : "") && right;
  }
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "07_wings: %s\n", error.what());
    return 1;
  }
}
