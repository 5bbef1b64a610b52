// 11_drag: a body is grabbed by some of its nodes, dragged over a floor, and released.
//
// The problem: a slab of soft rubber lies on a floor with the coefficient of friction mu. The nodes of its
// front, except those on the floor, have a prescribed velocity along the floor, which grows from 0 to v and
// stays constant; across it they are free. Then they are released: between two steps the constraint is
// exchanged for one without nodes, as in an interactive program.
//
//          ____________________
//         |____________________|===>  v      pull F = mu m g at constant velocity
//     ____________________________________
//
//          ____________________
//         |____________________|  -->        momentum m v - mu m g t after that
//     ____________________________________
//
// What to look at: the pull, from constraint_forces(). First it accelerates the body, which then oscillates;
// later it equals the friction. On ice (mu = 0) it becomes zero, and after the release the momentum is
// constant, to rounding, while the body oscillates. On a rough floor the body loses the momentum mu m g per
// second, slides on by v^2 / (2 mu g), less the v dt / 2 of backward Euler, and stays there.
//
// Run:  11_drag               mu = 0.4 and ice, v = 1 m/s
//       11_drag 0.2 3         another coefficient, faster
//
// Returns 0 if all of these forces, momenta and distances are right.
//
// Read before: 01_hello.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double density = 1000, gravity = 9.81, dt = 0.01;     // kg/m^3, m/s^2, s
constexpr double seized = 0.1, at_speed = 0.5, released = 1.5;  // [s]

// Step 1: a hand. One type for all its uses: a hand without nodes is open.
using Hand = PrescribedVelocity<std::function<Eigen::Vector3d(const Eigen::Vector3d& X, double t)>>;

Hand hand(std::vector<int> nodes, double velocity) {
  const auto motion = [velocity](const Eigen::Vector3d&, double t) -> Eigen::Vector3d {
    const double s = std::fmin((t - seized) / (at_speed - seized), 1);
    return {velocity * s * s * (3 - 2 * s), 0, 0};
  };
  return Hand(std::move(nodes), motion, Eigen::Vector3d(1, 0, 0));
}

bool expect(bool fact, const char* what) {
  if (!fact) std::printf("FAILED: %s\n", what);
  return fact;
}

bool run(double friction, double velocity) {
  // Step 2: the slab. The grabbed nodes do not touch the floor, so that the forces on them are those of the
  // hand.
  const auto mesh = make_box<Tet4>({.lengths = {0.4, 0.1, 0.2}, .cells = {8, 2, 4}});
  const auto front = nodes_where(mesh, [](const auto& X) { return X.x() > 0.4 - 1e-9 && X.y() > 1e-9; });
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(2e5, 0.4)), Density{density},
                    Rayleigh{.beta = 2e-3});
  ElasticSystem<std::remove_const_t<decltype(solid)>> system(solid);
  NodeMatrix<double, 3> mass(3, mesh.node_count());
  system.to_user(system.mass(), mass);
  const double total_mass = mass.row(0).sum(), weight = total_mass * gravity;

  // Step 3: the simulation.
  Simulation sim(solid, BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-6}},
                 Pcg<BlockJacobi>{.tolerance = 1e-8}, hand({}, velocity));
  sim.set_gravity({0, -gravity, 0});
  sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = friction});
  const auto momentum = [&] { return mass.row(0).dot(sim.velocities().row(0)); };
  const auto place = [&] { return mass.row(0).dot(sim.positions().row(0)) / total_mass; };
  const auto advance = [&] {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    return report;
  };
  while (sim.time() < seized - dt / 2) (void)advance();

  // Step 4: grab and drag.
  std::printf("mu = %.3g, m = %.3g kg, mu m g = %.4f N\n", friction, total_mass, friction * weight);
  std::printf("time/s    pull/N  momentum/(m v)  energy/J\n");
  sim.set_constraint(hand(front, velocity));
  double pull = 0, least = HUGE_VAL, most = -HUGE_VAL;
  const auto print = [&](const StepReport& report) {
    std::printf("%6.2f %9.4f %15.6f %9.4f\n", sim.time(), pull, momentum() / (total_mass * velocity),
                report.energies.total());
  };
  for (int step = 1; sim.time() < released - dt / 2; ++step) {
    const StepReport report = advance();
    pull = 0;
    for (const int node : front) pull += sim.constraint_forces()(0, node);
    if (sim.time() > released - 0.2) {
      least = std::fmin(least, pull);
      most = std::fmax(most, pull);
    }
    if (step % 20 == 0) print(report);
  }
  const double given = total_mass * velocity;  // the momentum it has [kg m/s]
  bool right = expect(std::abs(momentum() - given) < 1e-3 * given, "it moves with the hand");
  right = expect(std::abs(least - friction * weight) < 2e-3 * weight &&
                     std::abs(most - friction * weight) < 2e-3 * weight,
                 "the pull is the friction") &&
          right;

  // Step 5: release.
  sim.set_constraint(hand({}, velocity));
  const double before = momentum(), start = place();
  double worst = 0;  // of the momentum
  pull = 0;
  const int sliding = friction > 0 ? static_cast<int>(velocity / (friction * gravity * dt)) - 1 : 100;
  for (int step = 1; step <= sliding; ++step) {
    const StepReport report = advance();
    worst = std::fmax(worst, std::abs(momentum() - (before - friction * weight * step * dt)));
    if (step % 20 == 0) print(report);
  }
  right = expect(worst < (friction > 0 ? 5e-3 : 1e-5) * given + 0.2 * friction * weight * dt,
                 "the momentum after the release") &&
          right;
  if (friction > 0) {
    for (int step = 0; step < 100; ++step) (void)advance();
    const double way = velocity * velocity / (2 * friction * gravity) - velocity * dt / 2;
    std::printf("slid on by %.4f m, %.4f m as a point mass\n", place() - start, way);
    right = expect(std::abs(place() - start - way) < 0.02 * way + 5e-4, "the distance it slides") && right;
    right = expect(std::abs(momentum()) < 1e-6 * given, "it stays there") && right;
  } else {
    std::printf("the momentum changed by %.2g of itself\n", worst / given);
  }
  right = expect(sim.positions().row(1).minCoeff() > -1e-12, "nothing is below the floor") && right;
  return right;
}

int run(int argc, char** argv) {
  const double friction = argc > 1 ? std::atof(argv[1]) : 0.4, velocity = argc > 2 ? std::atof(argv[2]) : 1;
  const bool on_rough = run(friction, velocity);
  const bool on_ice = run(0, velocity);
  return on_rough && on_ice ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "11_drag: %s\n", error.what());
    return 1;
  }
}
