// 19_funnel: a crowd of soft balls runs through a funnel.
//
// The problem: rubber balls are thrown into a rigid funnel of triangles, whose outlet is hardly wider than
// they are. OperatorSplitting solves all of them as one body of many pieces with one factor. There is no
// contact between balls, so that they may start closer than their size, and pass the outlet together.
//
//          o o o o o ->
//          o o o o o ->
//        \               /      a solid of revolution, from one closed
//          \           /        polygon; nodes are kept out of it
//            \ o o   /
//             | ooo |
//             |  o  |
//                o              outlet, 11 cm from the axis; a ball has a radius of 10 cm
//
// Kugelstadt, Koschier, Bender 2018, "Fast corotated FEM using operator splitting", figure 1, right, shoot
// 320 bodies of 1.42 million tetrahedra through the air into such a funnel, with collisions among them.
//
// What to look at: nothing passes through the wall, and each ball is round again below. A contact acts one
// step late: while the crowd hits the cone its volume is a few percent too small for a moment, more so with
// longer steps. A node that slides along the wall from one triangle to the next can be some tenths of a
// millimetre inside the next one at the end of a step.
//
// Run:  19_funnel                          40 balls of 51,200 tetrahedra in all, 3 s
//       19_funnel 320 1420000              as many as in the publication: ten minutes
//       19_funnel 40 51200 0.002           shorter steps
//       19_funnel 40 51200 0.004 out/run   and a .vtu file of every fifth step
//
// Returns 0 if no node was ever deeper in the wall than a hundredth of a ball's radius, all balls have passed
// in the end, the volume of the crowd is then within 0.1 % of what it was and on the average of the run
// within 2 %, and the matrix was factorised once.
//
// Read before: 14_crowd, and the page docs/contact.md.
#include "../support/crowd.hpp"
#include "../support/facts.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double radius = 0.1, density = 1000, gravity = 9.81;        // of a ball: m, kg/m^3; m/s^2
constexpr double outlet = 0.11, neck = 0.2, rim = 0.8, height = 0.9;  // of the funnel, inside [m]
constexpr double duration = 3;                                        // [s]

// Distance of the inner wall from the axis, at height y.
double inner_radius(double y) { return outlet + (rim - outlet) * std::fmax(y - neck, 0) / (height - neck); }

// Step 1: the funnel. A polygon, counter-clockwise as seen with the axis on its left, turned about the y
// axis.
TriangleMesh make_funnel() {
  constexpr double wall = 0.1;  // its thickness across the axis [m]
  constexpr std::array<std::array<double, 2>, 6> profile{{{outlet, 0},
                                                          {outlet + wall, 0},
                                                          {outlet + wall, neck},
                                                          {rim + wall, height},
                                                          {rim, height},
                                                          {outlet, neck}}};
  constexpr int corners = static_cast<int>(profile.size()), around = 48;
  NodeMatrix<double, 3> nodes(3, corners * around);
  TriangleMesh::Triangles triangles(3, 2 * nodes.cols());
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / around;
    for (int k = 0; k < corners; ++k) {
      const auto [r, y] = profile[static_cast<std::size_t>(k)];
      const int a = corners * i + k, b = corners * i + (k + 1) % corners,
                turn = corners * ((i + 1) % around) - corners * i;
      nodes.col(a) = Eigen::Vector3d(r * std::cos(angle), y, r * std::sin(angle));
      triangles.col(2 * a) << a, b, b + turn;
      triangles.col(2 * a + 1) << a, b + turn, a + turn;
    }
  }
  return TriangleMesh(nodes, triangles);
}

// Step 2: the start positions of the balls, in layers of five times five.
std::vector<Eigen::Vector3d> make_places(int count) {
  std::vector<Eigen::Vector3d> places;
  for (int k = 0; k < count; ++k) {
    places.push_back(0.15 * Eigen::Vector3d(k % 5 - 3, k / 25, k / 5 % 5 - 2) +
                     Eigen::Vector3d(0, height + radius, 0));
  }
  return places;
}

int run(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 40, tetrahedra = argc > 2 ? std::atoi(argv[2]) : 51200;
  const double dt = argc > 3 ? std::atof(argv[3]) : 0.004;
  std::unique_ptr<VtkSeries> series;
  if (argc > 4) series = std::make_unique<VtkSeries>(argv[4]);

  const Crowd crowd = make_crowd(radius, make_places(count), tetrahedra);
  const Solid rubber(crowd.mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density},
                     Rayleigh{.alpha = 1});
  Simulation sim(rubber, OperatorSplitting{.dt = dt});
  sim.set_gravity({0, -gravity, 0});
  sim.set_velocities(Eigen::Vector3f(1, 0, 0).replicate(1, crowd.mesh.node_count()));
  sim.add_collider(make_funnel(), {.friction = 0.1});

  // Step 3: the run. A node between outlet and rim must be on the inner side of the wall.
  auto now = crowd.mesh;
  const double volume = total_volume(now);
  int factorisations = 0;
  double deepest = -HUGE_VAL, mean = 0, least = HUGE_VAL, seconds = 0;  // m; of volumes; s
  const int steps = static_cast<int>(duration / dt + 0.5);
  for (int step = 1; step <= steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    if (step > 1) seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    factorisations += report.factorisations;
    now.nodes = sim.positions();
    const double left = total_volume(now) / volume;
    mean += left / steps;
    least = std::fmin(least, left);
    for (const auto& x : now.nodes.colwise()) {
      const double y = x.y(), beyond = std::hypot(x.x(), x.z()) - inner_radius(y);
      deepest = std::fmax(deepest, std::fmin(beyond, std::fmin(y, height - y)));
    }
    if (series && step % 5 == 0) series->write(sim);
  }

  // Step 4: the facts.
  int through = 0;
  for (int k = 0; k < count; ++k) through += crowd.middle(now.nodes, k).y() < -radius;
  const double left = total_volume(now) / volume;
  std::printf("%d balls, %td nodes, %td tetrahedra: %.2f ms for a step of %.3g ms\n", count,
              crowd.mesh.node_count(), crowd.mesh.element_count(), 1000 * seconds / (steps - 1), 1000 * dt);
  std::printf("%d through; volume in the end %.5f, on the average %.4f, at the worst %.4f\n", through, left,
              mean, least);
  std::printf("no node was deeper than %.2g m in the wall\n", deepest);
  Facts facts;
  facts.expect(deepest < 0.01 * radius, "no node is in the wall or beyond it");
  facts.expect(through == count, "all balls are through");
  facts.expect(std::abs(left - 1) < 1e-3, "the balls have their volume again");
  facts.expect(std::abs(mean - 1) < 0.02, "the volume is kept on the average");
  facts.expect(factorisations == 1, "the matrix is factorised once");
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "19_funnel: %s\n", error.what());
    return 1;
  }
}
