// Bodies that rest on colliders, meet them and are moved by them.
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;
using test::run_steps;

namespace {

const Eigen::Vector3d up(0, 1, 0);

// One metre wide, its lowest nodes at y = 0.
Mesh<Tet4> block(int cells = 3) {
  auto mesh = make_box<Tet4>({.lengths = {1, 0.5, 1}, .cells = {cells, 2, cells}});
  mesh.nodes.row(1).array() -= mesh.nodes.row(1).minCoeff();
  return mesh;
}

auto falling(const Mesh<Tet4>& mesh, double E = 1e5, double alpha = 0) {
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, 0.3)), Density{1000},
               Rayleigh{.alpha = alpha});
}

double weight_of(const Mesh<Tet4>& mesh) { return 1000 * 9.81 * total_volume(mesh); }

}  // namespace

TEST_CASE("contact: a body that falls comes to rest on the floor, which carries its weight") {
  const auto mesh = block();
  Simulation sim(falling(mesh, 1e5, 5), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-9}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10});
  sim.set_gravity({0, -9.81, 0});
  const int floor = sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.2, 0), up));
  double last = sim.energies().total();
  for (int n = 0; n < 400; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(sim.positions().row(1).minCoeff() >= -0.2 - 1e-13);
    CHECK(report.energies.total() <= last + 1e-6);
    last = report.energies.total();
  }
  const double weight = weight_of(mesh);
  CHECK(sim.constraint_forces().row(1).sum() == Approx(weight).epsilon(1e-6));
  CHECK(sim.constraint_forces().row(0).cwiseAbs().maxCoeff() == 0);
  double carried = 0;
  for (const auto& contact : sim.contacts()) {
    CHECK(contact.collider == floor);
    CHECK(contact.normal == up);
    CHECK(contact.force.y() > 0);
    CHECK((contact.force - sim.constraint_forces().col(contact.node)).norm() < 1e-9 * weight);
    carried += contact.force.y();
  }
  CHECK(carried == Approx(weight).epsilon(1e-6));
  // No jitter, no drift.
  const Eigen::Matrix3Xd rest = sim.positions();
  run_steps(sim, 100);
  CHECK((sim.positions() - rest).cwiseAbs().maxCoeff() < 1e-7);
}

TEST_CASE("contact: statics finds the same rest") {
  const auto mesh = block();
  const auto hold = nodes_where(mesh, [](const auto& X) { return X.x() < 0.01 && X.z() < 0.01; });
  Simulation sim(falling(mesh),
                 QuasiStatic{.allow_free_motion = true, .newton = {.max_iterations = 50, .tolerance = 1e-9}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10}, Sliding::on_line(hold, up));
  sim.set_gravity({0, -9.81, 0});
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  CHECK(report.contacts >= 9);
  CHECK(sim.positions().row(1).minCoeff() > -1e-13);
  CHECK(sim.constraint_forces().row(1).sum() == Approx(weight_of(mesh)).epsilon(1e-6));
}

TEST_CASE("contact: a block squeezed between plates without friction is in uniaxial compression") {
  const double E = 1e5, nu = 0.3, strain = 0.01;
  const auto mesh = block();
  const auto middle = nodes_where(mesh, [](const auto& X) { return X.x() < 0.01 && X.z() < 0.01; });
  const auto edge = nodes_where(mesh, [](const auto& X) { return X.x() > 0.99 && X.z() < 0.01; });
  Simulation sim(Solid(mesh, LinearElastic(Lame::from_young_poisson(E, nu)), Density{1000}),
                 QuasiStatic{.allow_free_motion = true, .newton = {.max_iterations = 50, .tolerance = 1e-11}},
                 Pcg<BlockJacobi>{.tolerance = 1e-12}, Sliding::on_line(middle, up),
                 Sliding::on_plane(edge, Eigen::Vector3d(0, 0, 1)));
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up));
  const int press = sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0.5, 0), -up));
  sim.move_collider(press, Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, -0.5 * strain, 0)));
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  double force = 0;
  for (const auto& contact : sim.contacts()) force += contact.collider == press ? contact.force.y() : 0;
  CHECK(force == Approx(-E * strain).epsilon(1e-8));
  CHECK(sim.positions().row(0).maxCoeff() == Approx(1 + nu * strain).epsilon(1e-9));
}

TEST_CASE("contact: a sphere dropped into a groove is carried by both sides") {
  auto mesh = make_ball<Tet4>({.radius = 0.5, .shells = 3});
  const double slope = 0.5;
  Simulation sim(falling(mesh, 1e6, 20), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-8}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10});
  sim.set_gravity({0, -9.81, 0});
  const Eigen::Vector3d left = Eigen::Vector3d(slope, 1, 0).normalized(), right(-left.x(), left.y(), 0);
  const int first = sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.6, 0), left));
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.6, 0), right));
  run_steps(sim, 150);
  double force = 0;
  for (const auto& contact : sim.contacts()) {
    if (contact.collider == first) force += contact.force.norm();
  }
  CHECK(2 * force * left.y() == Approx(weight_of(mesh)).epsilon(0.01));
  for (int i = 0; i < sim.positions().cols(); ++i) {
    const Eigen::Vector3d from_edge = sim.positions().col(i) - Eigen::Vector3d(0, -0.6, 0);
    CHECK(std::min(from_edge.dot(left), from_edge.dot(right)) > -1e-12);
  }
}

TEST_CASE("contact: no node passes through a thin wall, however fast it is") {
  const auto mesh = block(2);
  for (const double speed : {1e1, 1e3, 1e5}) {
    Simulation sim(falling(mesh, 1e7), BackwardEuler{.dt = 0.01, .newton = {.max_iterations = 100}},
                   Pcg<BlockJacobi>{});
    sim.add_collider(Box(Eigen::Vector3d(-50, -1.001, -50), Eigen::Vector3d(50, -1, 50)));
    Eigen::Matrix3Xd velocity = Eigen::Matrix3Xd::Zero(3, mesh.node_count());
    velocity.row(1).setConstant(-speed);
    velocity(0, 3) = speed;
    sim.set_velocities(velocity);
    for (int n = 0; n < 20; ++n) {
      const StepReport report = sim.step();
      INFO("speed " << speed << ", step " << n << ": " << report.message());
      REQUIRE(report);
      REQUIRE(sim.positions().row(1).minCoeff() > -1 - 1e-9);
    }
  }
}

TEST_CASE("contact: nodes that start inside a collider are put on its surface without getting a velocity") {
  const auto mesh = block(2);
  Simulation sim(falling(mesh), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0.001, 0), up));
  REQUIRE(sim.step());
  CHECK(sim.positions().row(1).minCoeff() == Approx(0.001).epsilon(1e-12));
  CHECK(sim.velocities().row(1).maxCoeff() < 0.1);  // 0.001 m in a step would be 0.1 m/s
}

TEST_CASE("contact: a moving collider pushes a body, and lets it go when it is removed") {
  const auto mesh = block(2);
  Simulation sim(falling(mesh, 1e6), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  const int pusher = sim.add_collider(Sphere(Eigen::Vector3d(0.5, 0.25, 2.2), 1.0), {}, [](double t) {
    return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, -2 * t));
  });
  run_steps(sim, 60);
  const Eigen::Vector3d velocity = sim.velocities().rowwise().mean();
  CHECK(velocity.z() < -1.9);
  CHECK(velocity.head<2>().norm() < 0.1);
  for (int i = 0; i < sim.positions().cols(); ++i) {
    CHECK((sim.positions().col(i) - Eigen::Vector3d(0.5, 0.25, 2.2 - 1.2)).norm() > 1 - 1e-12);
  }
  sim.remove_collider(pusher);
  run_steps(sim, 1);
  CHECK(sim.contacts().empty());
  CHECK_THROWS_AS(sim.remove_collider(pusher), IndexError);
  CHECK_THROWS_AS(sim.move_collider(7, Pose<3>()), IndexError);
}

TEST_CASE("contact: a body whose floor is taken away falls freely") {
  const auto mesh = block(2);
  Simulation sim(falling(mesh), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-9}},
                 Pcg<BlockJacobi>{.tolerance = 1e-10});
  sim.set_gravity({0, -9.81, 0});
  const int floor = sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), up), {.friction = 0.5});
  run_steps(sim, 300);
  CHECK(sim.contacts().size() >= 4);
  const auto mass = lumped_mass<Tet4>(mesh.nodes, mesh.elements, 1000).eval();
  const auto momentum = [&] { return sim.velocities().row(1).dot(mass.transpose()); };
  const double before = momentum();
  sim.remove_collider(floor);
  run_steps(sim, 10);
  CHECK(momentum() - before == Approx(-9.81 * 0.1 * mass.sum()).epsilon(1e-6));
  CHECK(sim.contacts().empty());
  CHECK(sim.constraint_forces().isZero(0));
}

TEST_CASE("contact: of two floors the one that a body stands on carries it, and rubs") {
  const auto mesh = block(2);
  Simulation sim(falling(mesh, 1e6), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  sim.set_gravity({0, -9.81, 0});
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.01, 0), up), {.friction = 1});
  const int belt = sim.add_collider(
      Box(Eigen::Vector3d(-9, -0.1, -9), Eigen::Vector3d(9, 0, 9)), {.friction = 1},
      [](double t) { return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(t, 0, 0)); });
  run_steps(sim, 100);
  for (const auto& contact : sim.contacts()) CHECK(contact.collider == belt);
  CHECK(sim.velocities().row(0).mean() == Approx(1).epsilon(1e-2));
}

TEST_CASE("contact: a scene that is rotated gives the rotated answer") {
  const auto mesh = block(2);
  const Eigen::Matrix3d R = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  const auto fall = [&](const Eigen::Matrix3d& rotation, double friction) {
    auto turned = mesh;
    turned.nodes = rotation * mesh.nodes;
    Simulation sim(falling(turned), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-10}},
                   Pcg<BlockJacobi>{.tolerance = 1e-12});
    sim.set_gravity(rotation * Eigen::Vector3d(3, -9.81, 0));
    const Eigen::Vector3d below(0, -0.1, 0), beside(0.9, 0, 0);
    sim.add_collider(HalfSpace(Eigen::Vector3d(rotation * below), Eigen::Vector3d(rotation * up)),
                     {.friction = friction});
    sim.add_collider(Sphere(Eigen::Vector3d(rotation * beside), 0.3), {.friction = friction});
    run_steps(sim, 40);
    return Eigen::Matrix3Xd(rotation.transpose() * sim.positions());
  };
  const auto difference = [&](double friction) {
    const Eigen::Matrix3Xd straight = fall(Eigen::Matrix3d::Identity(), friction);
    CHECK((straight - mesh.nodes).cwiseAbs().maxCoeff() > 0.05);
    return (fall(R, friction) - straight).cwiseAbs().maxCoeff();
  };
  CHECK(difference(0) < 1e-9);
  CHECK(difference(0.3) < 1e-3);  // normal forces are known to a thousandth
}

TEST_CASE("contact: a step that is cancelled leaves everything as it was, the hold of friction too") {
  const auto mesh = block(2);
  const auto slide = [&](bool interrupted) {
    Simulation sim(falling(mesh), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
    sim.set_gravity({2, -9.81, 0});
    sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.01, 0), up), {.friction = 0.5});
    for (int n = 0; n < 20; ++n) {
      if (interrupted) {
        int calls = 0;
        sim.on_progress([&](const Progress&) { return ++calls < 1 + n % 3; });
        if (!sim.step()) {
          sim.on_progress(nullptr);
          run_steps(sim, 1);
        }
      } else {
        run_steps(sim, 1);
      }
    }
    return Eigen::Matrix3Xd(sim.positions());
  };
  CHECK((slide(true) - slide(false)).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("contact: colliders and surfaces that make no sense are refused") {
  Simulation sim(falling(block(2)), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  const HalfSpace floor(Eigen::Vector3d(0, 0, 0), up);
  CHECK_THROWS_AS(sim.add_collider(floor, {.friction = -1}), ParameterError);
  CHECK_THROWS_AS(sim.add_collider(floor, {.viscosity = -1}), ParameterError);
  CHECK_THROWS_AS(sim.add_collider(floor, {.thickness = -1}), ParameterError);
  CHECK_THROWS_AS(sim.add_collider(floor, {.stick_length = -1}), ParameterError);
}

TEST_CASE("contact: a press that is moved by hand goes evenly through the increments of a static step") {
  // Where nodes slide, their way counts: a path that is as even ends alike.
  const auto squeezed = [&](bool by_hand) {
    const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {2, 2, 2}});
    Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                   QuasiStatic{.increments = 4, .allow_free_motion = true, .newton = {.tolerance = 1e-9}},
                   Cholesky{});
    sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.2});
    const HalfSpace<3> press(Eigen::Vector3d(0, 1, 0), Eigen::Vector3d(0, -1, 0));
    const auto pose = [](double t) {
      return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1 * t, -0.3 * t, 0));
    };
    if (by_hand) sim.move_collider(sim.add_collider(press, {.friction = 0.2}), pose(1));
    else sim.add_collider(press, {.friction = 0.2}, pose);
    run_steps(sim, 1);
    return Eigen::MatrixXd(sim.positions());
  };
  CHECK((squeezed(true) - squeezed(false)).cwiseAbs().maxCoeff() < 1e-9);
}

namespace {

// Counts itself and what it is asked.
struct Watched : Sphere<3> {
  explicit Watched(const std::shared_ptr<int>& questions) : Sphere<3>({0, 0, 0}, 0.5), asked(questions) {}
  auto nearest(const Point& x, double reach) const {
    ++*asked;
    return Sphere<3>::nearest(x, reach);
  }
  auto first_hit(const Point& from, const Point& to) const {
    ++*asked;
    return Sphere<3>::first_hit(from, to);
  }
  std::shared_ptr<int> asked;
};

}  // namespace

TEST_CASE("contact: colliders that were removed are gone, and their numbers are not given again") {
  Simulation sim(falling(block(2)), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  const auto asked = std::make_shared<int>(0);
  constexpr int times = 100000;
  for (int n = 0; n < times; ++n) {
    if (sim.add_collider(Watched(asked)) != n) FAIL("number " << n);
    sim.remove_collider(n);
  }
  CHECK(asked.use_count() == 1);
  run_steps(sim, 1);
  CHECK(*asked == 0);
  CHECK_THROWS_AS(sim.remove_collider(times / 2), IndexError);
  CHECK_THROWS_AS(sim.move_collider(0, Pose<3>()), IndexError);
  const int first = sim.add_collider(Watched(asked)), second = sim.add_collider(Watched(asked));
  CHECK(first == times);
  CHECK(second == times + 1);
  run_steps(sim, 1);
  CHECK(*asked > 0);
  sim.remove_collider(first);
  CHECK_THROWS_AS(sim.remove_collider(first), IndexError);
  sim.remove_collider(second);
  CHECK(asked.use_count() == 1);
}

TEST_CASE("contact: what holds on to a collider does so when others before it are removed") {
  std::vector<Eigen::Matrix3Xd> ends;
  for (const bool others : {false, true}) {
    Simulation sim(falling(block(2)), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
    sim.set_gravity({3, -9.81, 0});
    const Sphere far(Eigen::Vector3d(0, 50, 0), 1.0);
    if (others) {
      sim.add_collider(far);
      sim.add_collider(far);
    }
    const int floor = sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.01, 0), up), {.friction = 0.5});
    run_steps(sim, 20);
    REQUIRE(sim.contacts().size() > 3);
    if (others) {
      sim.remove_collider(1);
      sim.add_collider(far);
      sim.remove_collider(0);
    }
    for (const auto& contact : sim.contacts()) CHECK(contact.collider == floor);
    run_steps(sim, 10);
    for (const auto& contact : sim.contacts()) CHECK(contact.collider == floor);
    ends.push_back(sim.positions());
  }
  CHECK(ends[0] == ends[1]);
}

namespace {

// How far above the floor the lowest node of a bar ends that is held at an end and bends down to it under
// forces so large beside its mass that they alone would take it the further in a step the less it weighs.
template <class T>
double height_of_light_bar(double density, double floor) {
  const auto mesh = make_box<Tet4, T>({.lengths = {1, 0.2, 0.2}, .cells = {5, 1, 1}});
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                 BackwardEuler{.dt = 0.1}, Pcg<BlockJacobi>{},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })));
  sim.add_collider(HalfSpace(Eigen::Vector3d(0, floor, 0), up));
  NodeMatrix<T, 3> forces = NodeMatrix<T, 3>::Zero(3, sim.positions().cols());
  forces.row(1).setConstant(-5);
  sim.set_external_forces(forces);
  run_steps(sim, 3);
  CHECK(sim.contacts().size() > 1);
  return static_cast<double>(sim.positions().row(1).minCoeff()) - floor;
}

}  // namespace

TEST_CASE("contact: how far a body would go without a floor does not tell how near it comes to that") {
  for (const double density : {1.0, 1e-2, 1e-3}) {  // 30 m in a step, 3 km, 30 km
    for (const double floor : {-0.003, -0.05}) {
      INFO("density " << density << " kg/m^3, floor " << floor << " m");
      CHECK(std::abs(height_of_light_bar<float>(density, floor)) < 1e-7);
      CHECK(std::abs(height_of_light_bar<double>(density, floor)) < 1e-16);
    }
  }
}

TEST_CASE("contact: a node for which two colliders leave no room is named, with both") {
  Simulation sim(falling(block(2)), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  sim.remove_collider(sim.add_collider(Sphere(Eigen::Vector3d(0, 9, 0), 1.0)));
  const int floor = sim.add_collider(HalfSpace(Eigen::Vector3d(0, -0.01, 0), up));
  const int press = sim.add_collider(HalfSpace(Eigen::Vector3d(0, 0.51, 0), -up), {}, [](double t) {
    return Pose<3>(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, -70 * t, 0));
  });
  const Eigen::Matrix3Xd before = sim.positions();
  const StepReport report = sim.step();
  CHECK(report.stop == StepStop::penetration);
  REQUIRE(report.blocked_node >= 0);
  CHECK(std::minmax(report.blocking_colliders[0], report.blocking_colliders[1]) == std::minmax(floor, press));
  CHECK_THAT(report.message(), Catch::Contains("node " + std::to_string(report.blocked_node)) &&
                                   Catch::Contains("between colliders"));
  CHECK(sim.positions() == before);
  CHECK(sim.time() == 0);
}
