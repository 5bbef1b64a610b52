// 25_seesaw: a soft body against a rigid weight on a seesaw.
//
// The problem: a plank hangs by a hinge above its middle. A soft bar hangs from its left side by a ball
// joint, a rigid weight is fixed at its right end.
//
//                  o  hinge, h above the plank
//                  |
//   ===o===========#==================O  weight
//      |<--- a --->|<------- b ------>|
//    +-o-+
//    |bar|
//    +---+
//
// By the moments of all weights about the hinge the plank is at rest at the angle theta, counter-clockwise,
// with
//   tan(theta) = (m_bar a - m_weight b) / (h (m_bar + m_weight + m_plank)),
// however the bar is stretched.
//
// What to look at: bar and weight balance if m_bar a = m_weight b, and a heavier weight tilts the plank as
// the formula says, although the bar is a mesh whose nodes move, and the rest are poses. The hinge carries
// all weights.
//
// Run:  25_seesaw              the table below
//       25_seesaw out/seesaw   and .vtu files of the last case, with the bodies, for ParaView
//
// Returns 0 if all angles are those of the formula to 1e-4 rad, and the hinge carries the weights to 1e-5.
//
// Read before: 22_chain.
#include "../support/facts.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

using Vector = SmallVector<double, 3>;

constexpr double side = 0.1, length = 0.2, density = 1000, young = 5e4;  // of the bar [m], [kg/m^3], [Pa]
constexpr double a = 0.6, b = 0.9, h = 0.15, plank_mass = 3, gravity = 9.81;  // [m], [kg], [m/s^2]
constexpr double bar_mass = density * side * side * length;

int run(int argc, char** argv) {
  Facts facts;
  std::printf("weight/kg   angle/rad     formula\n");
  for (const double part : {1.0, 0.5, 1.5, 3.0}) {
    const double weight = part * bar_mass * a / b;

    // Step 1: the plank, whose hinge is damped, and the weight.
    Mechanism seesaw;
    const int plank = seesaw.add(RigidBody::box({2 * b, 0.02, 0.1}, Mass{plank_mass}));
    const int ball = seesaw.add(RigidBody::sphere(0.05, Mass{weight}), Pose({b, 0, 0}));
    const int hinge =
        seesaw.add(Hinge{.second = plank, .at = {0, h, 0}, .spring = {.stiffness = 0, .damping = 4}});
    seesaw.add(Fixed{.first = plank, .second = ball, .at = {b, 0, 0}});

    // Step 2: the bar, below the left side. It is held by the middle of its upper end.
    const auto mesh = make_box<Tet4>(
        {.lengths = {side, length, side}, .cells = {2, 4, 2}, .origin = {-a - side / 2, -length, -side / 2}});
    const int middle = nearest_node(mesh, {-a, 0, 0});
    const auto faces = boundary_faces(mesh).faces;
    std::array<int, 3> face{};
    Vector at_middle = Vector::Zero();
    for (const auto& nodes : faces.colwise()) {
      for (int k = 0; k < 3; ++k) {
        const Vector mean =
            (mesh.nodes.col(nodes[0]) + mesh.nodes.col(nodes[1]) + mesh.nodes.col(nodes[2])) / 3;
        if (nodes[k] != middle || std::abs(mean.y()) > 1e-9) continue;
        face = {nodes[0], nodes[1], nodes[2]};
        at_middle = Vector::Unit(k);
      }
    }
    const Solid bar(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.4)), Density{density},
                    Rayleigh{.alpha = 3, .beta = 2e-3});
    Coupled scene(bar, seesaw);
    scene.add(BallToFace{.body = plank, .face = face, .barycentric = at_middle});

    // Step 3: until it is at rest. The plank starts level.
    Simulation sim(scene, BackwardEuler{.dt = 1. / 60}, Condensed{});
    sim.set_gravity({0, -gravity, 0});
    std::unique_ptr<VtkSeries> series;
    if (argc > 1 && part == 3) series = std::make_unique<VtkSeries>(argv[1], sim);
    while (sim.time() < 25) {
      const StepReport report = sim.step();
      if (!report) throw std::runtime_error(report.message());
      if (series) series->write(sim);
    }

    // Step 4: the facts.
    const double angle = sim.joint_coordinate(hinge);
    const double moments = bar_mass * a - weight * b, all = bar_mass + weight + plank_mass;
    const double formula = std::atan2(moments, h * all);
    std::printf("%9.4f %11.6f %11.6f\n", weight, angle, formula);
    facts.expect(std::abs(angle - formula) < 1e-4, "the plank is tilted as the moments of the weights say");
    facts.expect(std::abs(sim.joint_load(hinge).force.y() / (all * gravity) - 1) < 1e-5,
                 "the hinge carries all weights");
  }
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "25_seesaw: %s\n", error.what());
    return 1;
  }
}
