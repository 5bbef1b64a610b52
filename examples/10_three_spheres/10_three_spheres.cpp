// 10_three_spheres: the time of a step of an interactive program, phase by phase.
//
// The problem: three balls of rubber hang side by side, each by two of its nodes, at 100 steps per second. It
// is the benchmark scene of Masanti 2020, section 6.2 (almost 700 nodes and slightly over 1,900 elements in
// each ball, E = 1e6 Pa, nu = 0.45, linear tolerance 1e-3), whose program took 19.7 ms per step on one thread
// of a Ryzen 5 2600: 17 for the blocks, 0.38 for the system, 1.7 for the solve.
//
//       *  *      *  *      *  *        held
//      /    \    /    \    /    \                      one step at 100 Hz: a budget of 10 ms
//     (      )  (      )  (      )
//      \____/    \____/    \____/
//     ============================      a floor that they do not reach
//
// The phases are those of that section:
//     blocks       forces and Hessians of the elements, into the blocks of the matrix
//     system       inertia, damping and right-hand side of the linear system
//     constraints elimination of held nodes
//     solve        conjugate gradients
//     contact the test of every node against the floor; the difference to the same run without a floor
//     facade       positions and velocities copied into the user's order, energies
//
// What to look at: the large fraction of the blocks and the small one of the constraints; and the method of
// measurement: the library has no clock. Its roles are types that a program may supply, so
// support/stop_watch.hpp wraps system, filter, solver and integrator in types that measure the time of each
// call.
//
// Run:  10_three_spheres            230 steps, balls of 561 nodes and 2,500 tetrahedra
//       10_three_spheres 1000 6     1000 steps, balls of 923 nodes and 4,320 tetrahedra
//
// Times are CPU times on one thread. Build with -O3 -march=native for the fastest (examples/run.sh does).
//
// Returns 0 if the balls hang: the forces of the held nodes carry their weight, the run with watches ends in
// the same bits as one without, and a floor without contact changes nothing. Times are printed, but not
// checked.
//
// Read before: 01_hello, and docs/architecture.md.
#include "../support/stop_watch.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double radius = 0.5, density = 1000, gravity = 9.81, dt = 0.01;  // m, kg/m^3, m/s^2, s

// Step 1: the scene. The two held nodes are corners of the icosahedron that make_ball begins with, at the
// same height, so that the ball hangs straight from the start.
Mesh<Tet4> ball(int shells, double x) {
  return make_ball<Tet4>({.radius = radius, .shells = shells, .center = {x, 0, 0}});
}

Solid<Tet4, StableNeoHookean> rubber(const Mesh<Tet4>& mesh) {
  return {mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{density},
          Rayleigh{.alpha = 1, .beta = 2e-3}};
}

std::vector<int> two_on_top(const Mesh<Tet4>& mesh, double x) {
  const double golden = (1 + std::sqrt(5.0)) / 2, unit = radius / std::sqrt(1 + golden * golden);
  return nodes_where(mesh, [&](const auto& X) {
    return std::abs(std::abs(X.x() - x) - unit) < 1e-9 && std::abs(X.y() - unit * golden) < 1e-9;
  });
}

int run(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 230, shells = argc > 2 ? std::atoi(argv[2]) : 5;
  set_thread_count(1);
  const auto left = ball(shells, -1.5), middle = ball(shells, 0), right = ball(shells, 1.5);
  const Bodies balls(rubber(left), rubber(middle), rubber(right));
  auto held = balls.nodes<0>(two_on_top(left, -1.5));
  for (const int node : balls.nodes<1>(two_on_top(middle, 0))) held.push_back(node);
  for (const int node : balls.nodes<2>(two_on_top(right, 1.5))) held.push_back(node);
  const double volume = total_volume(left) + total_volume(middle) + total_volume(right);
  const double weight = density * volume * gravity;
  const auto elements = left.element_count() + middle.element_count() + right.element_count();

  // Step 2: three simulations of it: plain, with watches, and with watches and a floor.
  const BackwardEuler interactive{.dt = dt, .newton = Newton::linearised()};
  const Pcg<BlockJacobi> solver{.tolerance = 1e-3};
  Phases hanging, above_floor;
  Simulation plain(balls, interactive, solver, Pinned(held));
  Simulation watched(balls, Watched<BackwardEuler>{interactive, &hanging}, solver, Pinned(held));
  Simulation with_floor(balls, Watched<BackwardEuler>{interactive, &above_floor}, solver, Pinned(held));
  plain.set_gravity({0, -gravity, 0});
  watched.set_gravity({0, -gravity, 0});
  with_floor.set_gravity({0, -gravity, 0});
  with_floor.add_collider(HalfSpace({0, -3 * radius, 0}, {0, 1, 0}), {.friction = 0.5});

  // Step 3: the run. The simulations alternate, so that other load of the machine affects all of them; the
  // first steps allocate and are not counted.
  constexpr int warming_up = 5;
  double whole = 0, whole_with_floor = 0;  // [s]
  long iterations = 0;
  const auto advance = [&](auto& simulation, double& time) {
    const Watch watch(time);
    const StepReport report = simulation.step();
    if (!report) throw std::runtime_error(report.message());
    return report;
  };
  for (int step = -warming_up; step < steps; ++step) {
    if (step == 0) {
      hanging = above_floor = Phases{};
      whole = whole_with_floor = 0;
      iterations = 0;
    }
    double unwatched = 0;
    (void)advance(plain, unwatched);
    iterations += advance(watched, whole).linear_iterations;
    (void)advance(with_floor, whole_with_floor);
  }

  // Step 4: the phases.
  const double budget = dt * 1000;  // [ms]
  std::printf("%td nodes, %td tetrahedra, %d steps, %.1f iterations of the solver each\n", balls.node_count(),
              elements, steps, static_cast<double>(iterations) / steps);
  std::printf("phase          ms per step   of the step   of the budget\n");
  const double contact = std::fmax(whole_with_floor - whole, 0);
  const auto print = [&](const char* phase, double seconds) {
    const double milliseconds = 1000 * seconds / steps;
    std::printf("%-12s %13.4f %12.1f%% %14.1f%%\n", phase, milliseconds, 100 * seconds / (whole + contact),
                100 * milliseconds / budget);
  };
  print("blocks", hanging.blocks);
  print("system", hanging.integrator - hanging.blocks - hanging.constraints - hanging.solve);
  print("constraints", hanging.constraints);
  print("solve", hanging.solve);
  print("contact", contact);
  print("facade", whole - hanging.integrator);
  print("step", whole + contact);

  // Step 5: the facts.
  const Eigen::Vector3d force = watched.constraint_forces().rowwise().sum();
  std::printf("weight %.2f N, the held nodes carry %.2f N\n", weight, force.y());
  bool right_so = true;
  const auto expect = [&](bool fact, const char* what) {
    if (!fact) std::printf("FAILED: %s\n", what);
    right_so = right_so && fact;
  };
  expect(held.size() == 6, "each ball hangs by two nodes");
  expect((force - Eigen::Vector3d(0, weight, 0)).norm() < 2e-3 * weight, "the held nodes carry the weight");
  expect(plain.positions() == watched.positions(), "watches change nothing");
  expect(watched.positions() == with_floor.positions(), "a floor that nothing touches changes nothing");
  return right_so ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "10_three_spheres: %s\n", error.what());
    return 1;
  }
}
