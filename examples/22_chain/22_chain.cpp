// 22_chain: rigid links and a soft bar in one step.
//
// The problem: three links hang from the ceiling by a ball joint, a hinge and a ball joint. A soft bar hangs
// below them, by a ball joint to its upper face. It swings under inclined gravity at first, until friction of
// the air has stopped it.
//
//      ////////
//         o        ball joint
//         |
//         =        hinge, axis z            Links are rigid bodies, whose joints are met at the end of each
//         |                                 step. The bar is a mesh of tetrahedra. Both are unknowns of one
//         o        ball joint               system of equations: nothing is handed back and forth.
//         |
//      +--o--+     ball joint to a face
//      |     |
//      | bar |
//      +-----+
//
// What to look at: the joints do not open, however fast the chain swings. At rest each joint carries the
// weight below it, and the bar is longer by rho g L^2 / (2 E), the formula of a slender bar. It is not exact
// here: the bar hangs by a point, its elements are coarse, and its energy is not linear.
//
// Run:  22_chain                    a bar of 4 x 12 x 4 cells, steps of 1/60 s
//       22_chain 6 240 out/bar      a finer bar, steps of 1/240 s, and .vtu files of every third step
//
// Returns 0 if no joint is open by more than 1e-10 m after any step, and at rest the joints carry the weights
// to 1e-4 and the bar is stretched as the formula says, to a third.
//
// Read before: 01_hello.
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

using Vector = SmallVector<double, 3>;

constexpr double side = 0.1, length = 0.3, density = 1000, young = 2e4;  // of the bar [m], [kg/m^3], [Pa]
constexpr double link = 0.2, link_mass = 0.5, gravity = 9.81;            // [m], [kg], [m/s^2]
constexpr int links = 3;
constexpr double top = -links * link;  // of the bar [m]

// A face of the surface whose middle is nearest to a point.
template <class Mesh>
std::array<int, 3> nearest_face(const Mesh& mesh, const Vector& point) {
  const auto faces = boundary_faces(mesh).faces;
  std::array<int, 3> nearest{};
  double least = 1e300;
  for (const auto& face : faces.colwise()) {
    const Vector middle = (mesh.nodes.col(face[0]) + mesh.nodes.col(face[1]) + mesh.nodes.col(face[2])) / 3;
    const double distance = (middle - point).norm();
    if (distance >= least) continue;
    least = distance;
    nearest = {face[0], face[1], face[2]};
  }
  return nearest;
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 4;
  const double dt = 1 / (argc > 2 ? std::atof(argv[2]) : 60);
  std::unique_ptr<VtkSeries> series;
  if (argc > 3) series = std::make_unique<VtkSeries>(argv[3]);

  // Step 1: the links, which are described where they are at the start, in the world.
  Mechanism chain;
  int above = Mechanism::world;
  for (int k = 0; k < links; ++k) {
    const Vector at(0, -link * k, 0);
    const int body =
        chain.add(RigidBody::box({0.02, link, 0.02}, Mass{link_mass}), Pose({0, at.y() - link / 2, 0}));
    if (k == 1) chain.add(Hinge{.first = above, .second = body, .at = at, .axis = {0, 0, 1}});
    else chain.add(Ball{.first = above, .second = body, .at = at});
    above = body;
  }

  // Step 2: the bar, and the joint between both.
  const auto mesh = make_box<Tet4>({.lengths = {side, length, side},
                                    .cells = {cells, 3 * cells, cells},
                                    .origin = {-side / 2, top - length, -side / 2}});
  const Solid bar(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density},
                  Rayleigh{.alpha = 2, .beta = 1e-3});
  Coupled scene(bar, chain);
  const int hook = scene.add(BallToFace{.body = above, .face = nearest_face(mesh, {0, top, 0})});

  // Step 3: swing, with inclined gravity for the first second.
  Simulation sim(scene, BackwardEuler{.dt = dt}, Condensed{});
  Facts facts;
  double gap = 0, farthest = 0;
  const int steps = static_cast<int>(25 / dt);
  for (int step = 0; step < steps; ++step) {
    if (sim.time() < 1) sim.set_gravity({-5, -8.4, 0});
    else sim.set_gravity({0, -gravity, 0});
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    gap = std::max(gap, sim.joint_gap());
    farthest = std::max(farthest, std::abs(sim.pose(above).translation().x()));
    if (series && step % 3 == 0) series->write(sim);
  }

  // Step 4: the facts.
  std::printf("the last link swung %.2f m aside, the largest gap of a joint was %.1e m\n", farthest, gap);
  facts.expect(farthest > 0.1, "the chain swings");
  facts.expect(gap < 1e-10, "the joints stay closed");
  const double weight = density * side * side * length * gravity;
  std::printf("joint      carries/N  weight below/N\n");
  for (int joint = 0; joint <= hook; ++joint) {
    // On the last body of a joint: on the link below for those of the chain, on the link above for the hook.
    const double carried = (joint == hook ? -1 : 1) * sim.joint_load(joint).force.y();
    const double below = weight + (joint == hook ? 0 : links - joint) * link_mass * gravity;
    std::printf("%5d %14.5f %15.5f\n", joint, carried, below);
    facts.expect(std::abs(carried / below - 1) < 1e-4, "a joint carries what hangs on it");
  }
  const auto mean_height = [&](double height) {
    double sum = 0;
    const auto nodes = nodes_where(mesh, [=](const auto& X) { return std::abs(X.y() - height) < 1e-9; });
    for (const int node : nodes) sum += sim.positions()(1, node);
    return sum / static_cast<double>(nodes.size());
  };
  const double stretch = mean_height(top) - mean_height(top - length) - length;
  const double expected = density * gravity * length * length / (2 * young);
  std::printf("the bar is %.4f m longer, by the formula %.4f m\n", stretch, expected);
  facts.expect(std::abs(stretch / expected - 1) < 1. / 3, "the bar is stretched by its weight");
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "22_chain: %s\n", error.what());
    return 1;
  }
}
