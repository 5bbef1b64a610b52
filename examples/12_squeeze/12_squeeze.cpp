// 12_squeeze: two fingers squeeze a jelly, lift it, and release it.
//
// The problem: a cube of jelly stands on a floor. Two capsules, a thin one and a thick one, come from both
// sides, squeeze it, carry it up, stand still, and open. With f the force of a collider on the body and P its
// momentum, every step of backward Euler has
//
//     f_left + f_right + f_floor + m g = (P_end - P_start) / dt
//
//           ______                           ______
//          |      |                     ->o  )      (  O<-        the fingers' forces across are equal and
//     o    |      |    O                    |______|              opposite; their forces upwards are friction
//          |______|                                               and carry the weight
//     =====================               =====================
//
// What to look at: the two forces across become equal as soon as the motion has stopped, although one finger
// indents the jelly more than the other; those upwards sum to the weight, and their distribution depends on
// friction. The volume decreases by the pressure: the sum of f.x over the nodes is the integral of the trace
// of the stress, which by Hooke's law is E / (1 - 2 nu) times the change of the volume, exactly if it only
// stands on the floor, roughly if it is squeezed by a third of its width.
//
// Run:  12_squeeze                   5 cells along an edge, nu = 0.49
//       12_squeeze 5 0.499           closer to water
//       12_squeeze 8 0.49 out/jelly  and .vtu files of every step
//
// Returns 0 if momentum is balanced in every step, the fingers' forces are opposite and carry the weight in
// the air, hardly any volume is lost, and in the end the floor carries the weight of the jelly, whose volume
// is that of Hooke's law.
//
// Read before: 01_hello, and the page docs/contact.md.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

constexpr double edge = 0.1, density = 1000, young = 3e4, gravity = 9.81, dt = 0.01;  // m, kg/m^3, Pa

// 0 before `begin`, 1 after `end`, and smooth.
double ramp(double t, double begin, double end) {
  const double s = std::fmin(std::fmax((t - begin) / (end - begin), 0), 1);
  return s * s * (3 - 2 * s);
}

// Step 1: the fingers: their displacement at time t from their start.
constexpr double closed = 0.5, lifted = 1, opening = 1.8, opened = 2, over = 3;  // [s]
constexpr double squeeze = 0.015;                                                // of either finger [m]
constexpr double wait = 0.01;                                                    // their first distance [m]

Pose<3> finger(double t, double side) {
  const double inwards = (squeeze + wait) * (ramp(t, 0.1, closed) - ramp(t, opening, opened));
  return Pose<3>(Eigen::Matrix3d::Identity(),
                 Eigen::Vector3d(-side * inwards, 0.1 * ramp(t, closed, lifted), 0));
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 5;
  const double nu = argc > 2 ? std::atof(argv[2]) : 0.49;
  std::unique_ptr<VtkSeries> series;
  if (argc > 3) series = std::make_unique<VtkSeries>(argv[3]);

  // Step 2: the body, on the floor y = 0, and its masses.
  auto mesh = make_box<Tet4>(
      {.lengths = {edge, edge, edge}, .cells = {cells, cells, cells}, .origin = {-edge / 2, 0, -edge / 2}});
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, nu)), Density{density},
                    Rayleigh{.beta = 2e-3});
  const double volume = total_volume(mesh), weight = density * volume * gravity;
  ElasticSystem<std::remove_const_t<decltype(solid)>> system(solid);
  NodeMatrix<double, 3> mass(3, mesh.node_count());
  system.to_user(system.mass(), mass);

  // Step 3: the simulation. The fingers are rough, so that they can carry the jelly. While they close nearly
  // every node under them slips a little: with a stick length of 0.1 mm Newton's method needs half of the
  // iterations.
  Simulation sim(solid, BackwardEuler{.dt = dt, .newton = {.max_iterations = 200, .tolerance = 1e-6}},
                 Pcg<BlockJacobi>{.tolerance = 1e-8});
  sim.set_gravity({0, -gravity, 0});
  const Surface rough{.friction = 0.8, .stick_length = 1e-4};
  const int floor = sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), rough);
  const auto add_finger = [&](double side, double radius) {
    const double x = side * (edge / 2 + wait + radius), y = edge / 2;
    return sim.add_collider(Capsule({x, y, -edge}, {x, y, edge}, radius), rough,
                            [side](double t) { return finger(t, side); });
  };
  const int left = add_finger(-1, 0.02), right = add_finger(1, 0.05);

  // Step 4: the run.
  const auto force_of = [&](int collider) {
    Eigen::Vector3d force = Eigen::Vector3d::Zero();
    for (const auto& contact : sim.contacts()) {
      if (contact.collider == collider) force += contact.force;
    }
    return force;
  };
  std::printf("%td nodes, %td tetrahedra, %.3f N; forces in N\n", mesh.node_count(), mesh.element_count(),
              weight);
  std::printf("time/s  left across  right across  left up  right up    floor  volume change  asked for\n");
  bool right_so = true;
  double worst_balance = 0, least_lift = HUGE_VAL, last_change = 0, last_asked = 0;
  const auto expect = [&](bool fact, const char* what) {
    if (!fact) std::printf("FAILED: %s\n", what);
    right_so = right_so && fact;
  };
  for (int step = 1; step * dt < over + dt / 2; ++step) {
    const Eigen::Vector3d momentum = mass.cwiseProduct(sim.velocities()).rowwise().sum();
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    if (series) series->write(sim);
    const double t = sim.time();
    const Eigen::Vector3d from_left = force_of(left), from_right = force_of(right),
                          from_floor = force_of(floor);
    Eigen::Vector3d change = mass.cwiseProduct(sim.velocities()).rowwise().sum();
    change = (change - momentum) / dt;
    const Eigen::Vector3d sum = from_left + from_right + from_floor - Eigen::Vector3d(0, weight, 0);
    worst_balance = std::fmax(worst_balance, (sum - change).norm() / weight);

    // Step 5: the volume, and that of a body of Hooke's law under the same pressure.
    mesh.nodes = sim.positions();
    const double now = total_volume(mesh) / volume - 1;
    double virial = 0;  // [J]
    for (const auto& contact : sim.contacts()) virial += contact.force.dot(sim.positions().col(contact.node));
    virial -= (mass.array() * sim.positions().array()).row(1).sum() * gravity;
    const double asked = (1 - 2 * nu) / young * virial / volume;
    last_change = now;
    last_asked = asked;
    if (step % 20 == 0) {
      std::printf("%6.2f %12.4f %13.4f %8.4f %9.4f %8.4f %13.3f%% %9.3f%%\n", t, from_left.x(),
                  from_right.x(), from_left.y(), from_right.y(), from_floor.y(), 100 * now, 100 * asked);
    }
    if (std::abs(t - (opening - 0.05)) < dt / 2) {  // it hangs at rest
      least_lift = sim.positions().row(1).minCoeff();
      expect(std::abs(from_left.x() + from_right.x()) < 1e-3 * from_left.x(), "across, equal and opposite");
      expect(std::abs(from_left.y() + from_right.y() - weight) < 1e-3 * weight,
             "friction carries the weight");
      expect(std::hypot(from_left.y(), from_left.z()) <= 0.8 * from_left.x(), "within the cone of friction");
      expect(now < 0 && now > -0.6 * (1 - 2 * nu), "hardly any volume is lost");
    }
  }
  const double rest = sim.positions().row(1).minCoeff();
  expect(worst_balance < 5e-3, "momentum is balanced in every step");
  expect(least_lift > 0.03, "it has been lifted");
  expect(std::abs(force_of(floor).y() - weight) < 1e-3 * weight, "the floor carries the weight");
  expect(force_of(left).isZero() && force_of(right).isZero(), "the fingers are off");
  expect(rest > -1e-12 && rest < 1e-9, "it stands on the floor");
  expect(std::abs(last_change - last_asked) < 0.1 * std::abs(last_asked),
         "the volume that its weight asks for");
  std::printf("momentum is balanced to %.1g of the weight; it was lifted by %.3f m\n", worst_balance,
              least_lift);
  return right_so ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "12_squeeze: %s\n", error.what());
    return 1;
  }
}
