// 24_gripper: two fingers lift a jelly by friction and carry it.
//
// The problem: a nearly incompressible cube, nu = 0.49, lies on a table. A hand above it has two fingers on
// slides, each driven by a motor with a bounded force. They close, squeeze the cube until the motors have
// reached their bounds, and the hand lifts it, carries it aside, across the slides, and stops. (Along the
// slides nothing would hold the cube but the difference of two motors at their bounds, which is zero.)
//
//            +------------------+            The hand goes along a path. The fingers are boxes of 0.1 kg,
//            which |       hand       |            carry colliders. Where they touch the cube, forces go both
//            ways:
//            +--+------------+--+            contact, friction, the motors and the elasticity of the cube are
//               |  ->    <-  |               one problem in each step.
//             +-+ +--------+ +-+
//             | | | jelly  | | |             Friction holds the cube if 2 mu F is more than its weight, with
//             | | | weight | | |             the force F of a motor. Here it is a half more.
//             +-+ +--------+ +-+
//      ===========================  table
//
// What to look at: the motors do not tell the fingers where to stop; their forces do. While the hand rests
// again, each finger presses with the force of its motor, and the friction of both is the weight of the cube.
// (The cube itself is deformed, so that a closed form gives no more than these sums.)
//
// Run:  24_gripper                    a cube of 4 x 4 x 4 cells, steps of 10 ms
//       24_gripper 6 out/gripper      a finer cube, and .vtu files of every second step
//
// Returns 0 if the cube is lifted by as much as the hand, slips in the fingers by less than 0.1 mm while it
// is carried, no node is in a finger or the table by more than 1e-10 m after any step, and at the end the
// forces of the fingers are those of their motors and the weight of the cube, to 1e-6 of it.
//
// Read before: 22_chain.
#include "../support/facts.hpp"

#include <algorithm>
#include <array>
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

using Vector = SmallVector<double, 3>;

constexpr double side = 0.06, density = 1000, gravity = 9.81;  // of the cube [m], [kg/m^3], [m/s^2]
constexpr double thickness = 0.01, reach = 0.05;               // of a finger [m]
constexpr double friction = 0.6;
constexpr double weight = density * side * side * side * gravity;  // [N]
constexpr double squeeze = 1.5 * weight / (2 * friction);          // of a motor [N]
constexpr double lift = 0.1, aside = 0.1;                          // of the hand [m]

// A joint of the program's own: the centre of a body moves along an axis as a variable says.
struct Drive {
  int body;
  Vector axis;
  std::shared_ptr<const double> distance;  // from the start [m]

  std::array<int, 1> bodies() const { return {body}; }
  std::array<int, 0> nodes() const { return {}; }
  void check() const {}

  struct Attached {
    Vector axis;
    double start;
    std::shared_ptr<const double> distance;
    void describe(const JointPlaces<1>& places, JointRows& rows) const {
      rows.hold({axis.dot(places.bodies[0].centre) - start - *distance, {axis}});
    }
  };
  Attached attach(const JointPlaces<1>& start) const {
    return {axis, axis.dot(start.bodies[0].centre), distance};
  }
};

// A smooth way from 0 to 1 between two times.
double smooth(double time, double from, double to) {
  const double s = std::clamp((time - from) / (to - from), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

int run(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 4;
  std::unique_ptr<VtkSeries> series;
  if (argc > 2) series = std::make_unique<VtkSeries>(argv[2]);

  // Step 1: the hand, which a cart moves aside and a drive moves up, and the fingers on it.
  const double open = side / 2 + thickness / 2 + 0.005;  // the middle of a finger [m]
  Mechanism gripper;
  const auto height = std::make_shared<double>(0), distance = std::make_shared<double>(0);
  const int cart = gripper.add(RigidBody::box({0.04, 0.02, 0.04}, Mass{0.2}), Pose({0, 0.2, 0}));
  const int hand = gripper.add(RigidBody::box({0.15, 0.02, 0.04}, Mass{0.3}), Pose({0, 0.1, 0}));
  gripper.add(Slider{.second = cart, .at = {0, 0.2, 0}, .axis = {0, 0, 1}});
  gripper.add(Slider{.first = cart, .second = hand, .at = {0, 0.1, 0}, .axis = {0, 1, 0}});
  gripper.add(Drive{.body = cart, .axis = {0, 0, 1}, .distance = distance});
  const int hoist = gripper.add(Drive{.body = hand, .axis = {0, 1, 0}, .distance = height});
  std::array<int, 2> fingers{}, slides{};
  for (std::size_t k = 0; k < 2; ++k) {
    const double sign = k == 0 ? -1 : 1;
    const Vector middle(sign * open, side / 2 + 0.005, 0);
    fingers[k] = gripper.add(RigidBody::box({thickness, reach, reach}, Mass{0.1}), Pose<3>(middle));
    slides[k] = gripper.add(Slider{.first = hand,
                                   .second = fingers[k],
                                   .at = middle,
                                   .axis = {-sign, 0, 0},
                                   .motor = {.speed = 0.05, .force = squeeze}});
    gripper.add_collider(fingers[k],
                         Box({-thickness / 2, -reach / 2, -reach / 2}, {thickness / 2, reach / 2, reach / 2}),
                         {.friction = friction});
  }

  // Step 2: the cube on the table.
  const auto mesh = make_box<Hex8>(
      {.lengths = {side, side, side}, .cells = {cells, cells, cells}, .origin = {-side / 2, 0, -side / 2}});
  const Solid cube(mesh, StableNeoHookean(Lame::from_young_poisson(2e4, 0.49)), Density{density},
                   Rayleigh{.beta = 0.005});
  Simulation sim(Coupled(cube, gripper), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-8}},
                 Condensed{});
  sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.3});
  sim.set_gravity({0, -gravity, 0});

  // Step 3: close, lift, carry, rest.
  const auto middle = [&] { return Vector(sim.positions().leftCols(mesh.node_count()).rowwise().mean()); };
  Facts facts;
  double deepest = 0;
  struct Held {
    int node, finger;
    Vector place;  // in the finger
  };
  std::vector<Held> held;  // the nodes on the fingers when the cube is lifted
  while (sim.time() < 2.4999) {
    const double time = sim.time() + 0.01;
    *height = lift * smooth(time, 0.6, 1.2);
    *distance = aside * smooth(time, 1.2, 1.8);
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    deepest = std::max(deepest, report.penetration);
    if (held.empty() && sim.time() > 1.2) {
      for (const auto& contact : sim.contacts()) {
        if (contact.collider > 1) continue;  // the table
        const int finger = fingers[static_cast<std::size_t>(contact.collider)];
        held.push_back(
            {contact.node, finger, sim.pose(finger).to_local(Vector(sim.positions().col(contact.node)))});
      }
    }
    if (series && std::lround(sim.time() / 0.01) % 2 == 0) series->write(sim.soft());
  }

  // Step 4: the facts.
  double slip = 0;
  for (const Held& on : held) {
    const Vector place = sim.pose(on.finger).to_local(Vector(sim.positions().col(on.node)));
    slip = std::max(slip, (place - on.place).norm());
  }
  const Vector moved = middle() - Vector(0, side / 2, 0);
  std::printf("the cube was moved by %.4f m aside and %.4f m up\n", moved.z(), moved.y());
  std::printf("%zu nodes touched the fingers when it was lifted, and slipped by %.1e m at most\n",
              held.size(), slip);
  facts.expect(std::abs(moved.z() - aside) < 1e-3 && std::abs(moved.y() - lift) < 5e-3,
               "the cube is carried");
  facts.expect(!held.empty() && slip < 1e-4, "the cube does not slip in the fingers");
  std::printf("largest depth of a node in a finger or the table: %.1e m\n", deepest);
  facts.expect(deepest <= 1e-10, "no node is in a collider");
  double carried = 0;
  for (std::size_t k = 0; k < 2; ++k) {
    const Vector force = sim.contact_load(fingers[k]).force;
    std::printf("finger %zu: pressed by %.6f N, its motor has %.6f N; pulled down by %.6f N\n", k,
                std::abs(force.x()), squeeze, -force.y());
    facts.expect(std::abs(std::abs(force.x()) - squeeze) < 1e-6 * weight, "a finger presses as its motor");
    carried -= force.y();
  }
  std::printf("both carry %.6f N, the cube weighs %.6f N\n", carried, weight);
  facts.expect(std::abs(carried - weight) < 1e-6 * weight, "friction carries the weight");
  const double hung = sim.joint_load(hoist).force.y(), total = weight + 0.5 * gravity;
  std::printf("the hoist carries %.6f N, cube, hand and fingers weigh %.6f N\n", hung, total);
  facts.expect(std::abs(hung - total) < 1e-6 * total, "the hoist carries all");
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "24_gripper: %s\n", error.what());
    return 1;
  }
}
