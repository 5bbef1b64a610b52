// Bodies of CentralDifferences on colliders.
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/contact/box.hpp>
#include <pliant/contact/half_space.hpp>
#include <pliant/contact/make_triangle_mesh.hpp>
#include <pliant/contact/sphere.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double g = 9.81, density = 1000;
const Vector3d up(0, 1, 0);

Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {0.3, 0.2, 0.2}, .cells = {3, 2, 2}}); }

auto soft(const Mesh<Tet4>& mesh, double damping = 0, double E = 2e5) {
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, 0.3)), Density{density},
               Rayleigh{.alpha = damping});
}

// A quarter of the mass of each tetrahedron at each of its nodes [kg].
VectorXd masses(const Mesh<Tet4>& mesh) {
  VectorXd m = VectorXd::Zero(mesh.node_count());
  for (Eigen::Index e = 0; e < mesh.elements.cols(); ++e) {
    Eigen::Matrix3d edges;
    for (int k = 0; k < 3; ++k) {
      edges.col(k) = mesh.nodes.col(mesh.elements(k + 1, e)) - mesh.nodes.col(mesh.elements(0, e));
    }
    for (int k = 0; k < 4; ++k) m[mesh.elements(k, e)] += density * edges.determinant() / 24;
  }
  return m;
}

// Steps, each of which changes the momentum by what the loads and the reported forces of the colliders tell;
// these are those of constraint_forces(), and none pulls.
template <class Simulation>
void check_momentum(Simulation& sim, const VectorXd& m, double dt, int steps, double rounding,
                    const Vector3d& gravity, double damping = 0) {
  double largest = 0, worst = 0;
  for (int n = 0; n < steps; ++n) {
    const Matrix3Xd before = sim.velocities().template cast<double>();
    run_steps(sim, 1);
    const Matrix3Xd after = sim.velocities().template cast<double>();
    Matrix3Xd forces = Matrix3Xd::Zero(3, m.size());
    for (const auto& contact : sim.contacts()) {
      forces.col(contact.node) += Vector3d(contact.force);
      if (contact.force.dot(contact.normal) < -1e-9 * contact.force.norm()) FAIL_CHECK("a collider pulls");
    }
    const double size = forces.cwiseAbs().sum() + m.sum() * (after.cwiseAbs().maxCoeff() / dt + g);
    CHECK((forces - sim.constraint_forces().template cast<double>()).norm() <= rounding * size);
    const Vector3d all = forces.rowwise().sum() + m.sum() * gravity - damping / 2 * (before + after) * m;
    worst = std::max(worst, ((after - before) * m / dt - all).norm() / size);
    largest = std::max(largest, forces.norm());
  }
  CHECK(worst <= rounding);
  CHECK(largest > 0);
}

}  // namespace

TEST_CASE(
    "central differences: a ball that falls on a floor comes to rest there, and presses with its weight") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3});
  Simulation sim(soft(mesh, 15), CentralDifferences{.dt = 0.01});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Vector3d(0, -0.13, 0), up), {.friction = 0.5});
  const double weight = g * masses(mesh).sum();
  double carried = 0;
  int steps = 0;
  for (; steps < 400; ++steps) {
    run_steps(sim, 1);
    CHECK(sim.positions().row(1).minCoeff() >= -0.13 - 1e-14);
    if (steps >= 100) carried += sim.constraint_forces().row(1).sum() / 300;
  }
  CHECK(carried == Approx(weight).epsilon(1e-3));
  const MatrixXd rest = sim.positions();
  const StepReport report = sim.step();
  REQUIRE(report);
  CHECK(report.contacts >= 3);
  CHECK(report.contacts == static_cast<int>(sim.contacts().size()));
  CHECK(sim.constraint_forces().row(1).sum() == Approx(weight).epsilon(1e-8));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-8);
  run_steps(sim, 100);
  CHECK((sim.positions() - rest).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("central differences: contact forces are all that colliders do to the momentum") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3});
  const VectorXd m = masses(mesh);
  const Vector3d gravity(1, -g, 0.5);
  const auto fall = [&](auto& sim) {
    sim.set_gravity(gravity);
    sim.set_velocities(Vector3d(0.5, -3, 1).replicate(1, mesh.node_count()));
    sim.add_collider(HalfSpace(Vector3d(0, -0.11, 0), Vector3d(0.1, 1, 0)), {.friction = 0.4});
    sim.add_collider(HalfSpace(Vector3d(0, -0.11, 0), Vector3d(-0.8, 1, 0)), {.friction = 0.1});
    sim.add_collider(Sphere(Vector3d(0.1, -0.2, 0.1), 0.1), {.viscosity = 0.5}, [](double t) {
      return Pose<3>(Eigen::AngleAxisd(t, Vector3d::UnitX()), Vector3d(0, 0.2 * t, 0));
    });
  };
  Simulation many(soft(mesh), CentralDifferences{.dt = 0.005, .renewal = 40});
  fall(many);
  check_momentum(many, m, 0.005, 60, 1e-13, gravity);
  // A step of one substep has the damping of its two ends.
  Simulation one(soft(mesh, 10), CentralDifferences{.dt = 2e-4});
  fall(one);
  check_momentum(one, m, 2e-4, 300, 1e-13, gravity, 10);
}

TEST_CASE("central differences: an elastic bar hits a wall as waves have it") {
  // 1 m long at 0.1 m/s: the wall feels rho c v per area for 2 l / c, until the wave is back, and gives the
  // bar its speed again.
  constexpr double E = 1e6, speed = 0.1, length = 1, width = 0.1;
  const double c = std::sqrt(E / density), mass = density * length * width * width;
  const auto mesh = make_box<Hex8>({.lengths = {width, length, width}, .cells = {1, 50, 1}});
  const double dt = length / c / 20;
  Simulation sim(Solid(mesh, LinearElastic(Lame::from_young_poisson(E, 0)), Density{density}),
                 CentralDifferences{.dt = dt, .safety = 0.5});
  sim.set_velocities(-speed * up.replicate(1, mesh.node_count()));
  sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up));
  double impulse = 0;
  const double energy = sim.energies().total();
  for (int n = 0; n < 60; ++n) {
    run_steps(sim, 1);
    const double force = sim.constraint_forces().row(1).sum();
    if (n >= 5 && n < 35) CHECK(force == Approx(density * c * speed * width * width).epsilon(0.1));
    if (n >= 45) CHECK(force == 0);
    impulse += dt * force;
    CHECK(sim.energies().total() <= 1.001 * energy);
  }
  CHECK(impulse == Approx(2 * mass * speed).epsilon(0.015));
}

TEST_CASE(
    "central differences: on an incline a block sticks below the angle of friction and slides above it") {
  const double friction = 0.5, dt = 0.01, t = 0.5;
  const auto mesh = block();
  const auto run = [&](double angle, double damping) {
    Simulation sim(soft(mesh, damping), CentralDifferences{.dt = dt});
    sim.set_gravity(g * Vector3d(std::sin(angle), -std::cos(angle), 0));  // turned instead of the plane
    sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.friction = friction});
    const VectorXd m = masses(mesh) / masses(mesh).sum();
    run_steps(sim, 150);
    const double start = sim.positions().row(0) * m, speed = sim.velocities().row(0) * m;
    run_steps(sim, 50);
    return std::pair(sim.positions().row(0) * m - start - speed * t, speed);
  };
  const auto [crept, last] = run(0.9 * std::atan(friction), 40);
  CHECK(std::abs(crept) < 1e-8);
  CHECK(std::abs(last) < 1e-8);
  const double steep = 1.4 * std::atan(friction);
  const double acceleration = g * (std::sin(steep) - friction * std::cos(steep));
  const auto [way, speed] = run(steep, 0);
  CHECK(way == Approx(acceleration * t * t / 2).epsilon(0.01));
  CHECK(speed == Approx(acceleration * 1.5).epsilon(0.01));
}

TEST_CASE("central differences: nothing tunnels, at 1000 m/s") {
  const auto mesh = make_box<Tet4>({.lengths = {0.05, 0.05, 0.05}, .cells = {2, 2, 2}});
  const auto plate = make_box<Tet4>({.lengths = {10, 0.001, 10}, .cells = {1, 1, 1}});
  for (const bool triangles : {false, true}) {
    Simulation sim(soft(mesh, 0, 1e7), CentralDifferences{.dt = 1e-4, .max_substeps = 100000});
    Matrix3Xd start = mesh.nodes;
    start.row(1).array() += 0.01;
    sim.set_positions(start);
    sim.set_velocities(Vector3d(0, -1000, 0).replicate(1, mesh.node_count()));
    const Pose<3> centred(Eigen::Matrix3d::Identity(), Vector3d(-5, -0.001, -5));
    if (triangles) sim.add_collider(make_triangle_mesh(plate), {}, [&](double) { return centred; });
    else sim.add_collider(Box(Vector3d(-5, -0.001, -5), Vector3d(5, 0, 5)));
    bool hit = false;
    for (int n = 0; n < 20; ++n) {
      run_steps(sim, 1);
      hit = hit || !sim.contacts().empty();
      REQUIRE(sim.positions().row(1).minCoeff() >= -1e-12);
    }
    CHECK(hit);
  }
}

TEST_CASE("central differences: a floor of triangles, a box and a half-space are the same floor") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 2});
  const auto end_on = [&](int kind) {
    Simulation sim(soft(mesh), CentralDifferences{.dt = 0.01});
    sim.set_gravity(Vector3d(1, -g, 0));
    const Surface rough{.friction = 0.3};
    const Vector3d lower(-0.6, -1.12, -0.7), upper(0.4, -0.12, 0.3);
    if (kind == 0) sim.add_collider(HalfSpace(upper, up), rough);
    if (kind == 1) sim.add_collider(Box(lower, upper), rough);
    auto cube = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {3, 2, 3}});
    cube.nodes.colwise() += lower;
    if (kind == 2) sim.add_collider(make_triangle_mesh(cube), rough);
    double pressed = 0;
    for (int n = 0; n < 40; ++n) {
      run_steps(sim, 1);
      pressed += sim.constraint_forces().norm();
    }
    CHECK(pressed > 0);
    return MatrixXd(sim.positions());
  };
  const MatrixXd plane = end_on(0);
  CHECK((end_on(1) - plane).cwiseAbs().maxCoeff() < 1e-10);
  CHECK((end_on(2) - plane).cwiseAbs().maxCoeff() < 1e-10);
}

TEST_CASE("central differences: colliders that move carry, push and lift") {
  const auto mesh = block();
  const VectorXd m = masses(mesh);
  SECTION("a floor that moves carries a body to its speed, and not faster than friction can") {
    Simulation sim(soft(mesh, 0), CentralDifferences{.dt = 0.01});
    sim.set_gravity(-g * up);
    const double speed = 1, friction = 0.2;
    sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.friction = friction}, [&](double t) {
      return Pose<3>(Eigen::Matrix3d::Identity(), Vector3d(speed * t, 0, 0));
    });
    run_steps(sim, 25);  // it slips for v / (mu g) = 0.51 s
    CHECK(sim.velocities().row(0).dot(m) / m.sum() == Approx(friction * g * 0.25).epsilon(0.02));
    run_steps(sim, 75);
    CHECK(sim.velocities().row(0).dot(m) / m.sum() == Approx(speed).epsilon(0.02));
  }
  SECTION("drag takes the speed along the surface as it does from a point") {
    // All nodes on the floor, one layer: m dv/dt = -c v n for n nodes, of a body as stiff as a plate.
    Simulation sim(soft(mesh, 0, 1e6), CentralDifferences{.dt = 0.01});
    sim.set_gravity(-g * up);
    sim.set_velocities(Vector3d(1, 0, 0).replicate(1, mesh.node_count()));
    const double drag = 0.3;
    sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.viscosity = drag});
    double impulse = 0, touching = 0;
    for (int n = 0; n < 100; ++n) {
      run_steps(sim, 1);
      impulse += 0.01 * sim.constraint_forces().row(0).sum();
      touching += static_cast<double>(sim.contacts().size()) / 100;
    }
    CHECK(impulse < -0.5);
    CHECK(touching > 6);
  }
  SECTION("a lift presses with m (g + a)") {
    Simulation sim(soft(mesh, 40), CentralDifferences{.dt = 0.01});
    sim.set_gravity(-g * up);
    // The damping is that of the air, which is at rest.
    sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {},
                     [&](double t) { return Pose<3>(Eigen::Matrix3d::Identity(), t * t * up); });
    run_steps(sim, 100);
    const double speed = 2 * 0.995;  // in the middle of the last step
    CHECK(sim.constraint_forces().row(1).sum() == Approx(m.sum() * (g + 2 + 40 * speed)).epsilon(0.003));
    CHECK(sim.velocities().row(1).mean() == Approx(2).epsilon(0.01));
    CHECK(sim.positions().row(1).minCoeff() >= 1 - 1e-12);
  }
  SECTION("one that is moved by hand goes evenly through the step") {
    const auto end = [&](bool by_hand) {
      Simulation sim(soft(mesh), CentralDifferences{.dt = 0.02});
      const auto pose = [](double t) {
        return Pose<3>(Eigen::AngleAxisd(-10 * t, Vector3d(0, 0, 1)), Vector3d(0, 5 * t, 0));
      };
      const Surface rough{.friction = 0.5};
      const Box<3> box(Vector3d(-1, -1, -1), Vector3d(1, 0, 1));
      const int number = by_hand ? sim.add_collider(box, rough) : sim.add_collider(box, rough, pose);
      for (int n = 1; n <= 3; ++n) {
        if (by_hand) sim.move_collider(number, pose(0.02 * n));
        run_steps(sim, 1);
        if (n == 1) CHECK(sim.contacts().size() > 0);
      }
      return MatrixXd(sim.positions());
    };
    CHECK((end(true) - end(false)).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("central differences: what is lifted off a floor does not stick to it") {
  const auto mesh = block();
  Simulation sim(soft(mesh, 15), CentralDifferences{.dt = 0.01});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Vector3d(0, 0, 0), up), {.friction = 1, .viscosity = 10});
  run_steps(sim, 200);
  const VectorXd m = masses(mesh);
  const double before = sim.velocities().row(1) * m;
  sim.set_gravity(g * up);
  double impulse = 0;
  for (int n = 0; n < 20; ++n) {
    run_steps(sim, 1);
    CHECK(sim.constraint_forces().row(1).minCoeff() >= 0);
    impulse += 0.01 * sim.constraint_forces().row(1).sum();
  }
  CHECK(sim.contacts().empty());
  CHECK(sim.positions().row(1).minCoeff() > 0);
  // Only what the floor had pressed together lets go with a push.
  CHECK(impulse < 0.05 * g * m.sum());
  CHECK(sim.velocities().row(1).dot(m) > before);
}

TEST_CASE("central differences: constraints win over colliders") {
  const auto mesh = block();
  const auto at = [&](double x) {
    return nodes_where(mesh, [&](const auto& X) { return std::abs(X.x() - x) < 1e-9; });
  };
  const auto path = [](const Vector3d& X, double t) -> Vector3d { return X - t * up; };
  // A floor that rises on the one side, and is oblique to the planes on which nodes slide.
  Simulation sim(soft(mesh, 5), CentralDifferences{.dt = 0.01}, Pinned(at(0)),
                 PrescribedMotion(at(0.3), path), Sliding::on_plane(at(0.1), Vector3d(1, 0, 1)));
  sim.set_gravity(-g * up);
  sim.add_collider(
      HalfSpace(Vector3d(0.1, -0.01, 0), Vector3d(0.3, 1, 0.5)), {.friction = 0.5},
      [](double t) { return Pose<3>(Eigen::Matrix3d::Identity(), Vector3d(0.2 * t, 0.3 * t, -0.1 * t)); });
  for (int n = 1; n <= 20; ++n) {
    run_steps(sim, 1);
    const double t = 0.01 * n;
    for (const int node : at(0)) CHECK(sim.positions().col(node) == mesh.nodes.col(node));
    for (const int node : at(0.3)) {
      CHECK((sim.positions().col(node) - path(mesh.nodes.col(node), t)).norm() < 1e-12);
      CHECK((sim.velocities().col(node) + up).norm() < 1e-9);
    }
    for (const int node : at(0.1)) {
      const Vector3d moved = sim.positions().col(node) - mesh.nodes.col(node);
      CHECK(std::abs(moved.dot(Vector3d(1, 0, 1))) < 1e-12);
      const Vector3d normal = Vector3d(0.3, 1, 0.5).normalized();
      const Vector3d p = Vector3d(0.1, -0.01, 0) + t * Vector3d(0.2, 0.3, -0.1);
      CHECK((Vector3d(sim.positions().col(node)) - p).dot(normal) > -1e-12);
    }
    for (const auto& contact : sim.contacts()) CHECK(mesh.nodes(0, contact.node) < 0.25);
  }
  CHECK(sim.contacts().size() > 3);
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 3);
}

TEST_CASE("central differences: a step that is cancelled among colliders can be made again") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 2});
  const auto end = [&](bool cancels) {
    Simulation sim(soft(mesh), CentralDifferences{.dt = 0.01});
    sim.set_velocities(-3 * up.replicate(1, mesh.node_count()));
    const int floor = sim.add_collider(HalfSpace(Vector3d(0, -0.1, 0), up), {.friction = 0.5});
    run_steps(sim, 2);
    sim.move_collider(floor, Pose<3>(Eigen::AngleAxisd(0.1, Vector3d(0, 0, 1)), Vector3d(0.01, 0.02, 0)));
    if (cancels) {
      const auto contacts = sim.contacts();
      const MatrixXd x = sim.positions();
      sim.on_progress([](const Progress& progress) { return progress.newton_iteration < 3; });
      REQUIRE(sim.step().stop == StepStop::cancelled);
      sim.on_progress(nullptr);
      CHECK(sim.positions() == x);
      REQUIRE(sim.contacts().size() == contacts.size());
      for (std::size_t k = 0; k < contacts.size(); ++k) CHECK(sim.contacts()[k].force == contacts[k].force);
    }
    run_steps(sim, 3);
    return MatrixXd(sim.positions());
  };
  CHECK((end(true) - end(false)).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("central differences: contact forces do not depend on how a step is cut") {
  // Substeps that an impact makes too long are taken back, and what pressed in them as well.
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3});
  const VectorXd m = masses(mesh);
  Simulation sim(soft(mesh), CentralDifferences{.dt = 0.02, .max_substeps = 100000, .renewal = 100});
  sim.set_velocities(Vector3d(2, -20, 0).replicate(1, mesh.node_count()));
  sim.add_collider(HalfSpace(Vector3d(0, -0.15, 0), up), {.friction = 0.4});
  check_momentum(sim, m, 0.02, 5, 1e-13, Vector3d(0, 0, 0));
}

TEST_CASE("central differences: in float a body rests too") {
  Mesh<Tet4, float> mesh;
  const auto exact = block();
  mesh.nodes = exact.nodes.cast<float>();
  mesh.elements = exact.elements;
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(2e5, 0.3)), Density{density},
                       Rayleigh{.alpha = 15}),
                 CentralDifferences{.dt = 0.01});
  sim.set_gravity(-g * up);
  sim.add_collider(HalfSpace(Vector3d(0, -0.05, 0), Vector3d(0.05, 1, 0.02)), {.friction = 0.5});
  run_steps(sim, 200);
  const double weight = g * density * total_volume(exact);
  const Matrix3Xd rest = sim.positions().cast<double>();
  double least = weight, most = 0;
  for (int n = 0; n < 50; ++n) {
    run_steps(sim, 1);
    const Vector3d force = sim.constraint_forces().cast<double>().rowwise().sum();
    least = std::min(least, force.y());
    most = std::max(most, force.y());
    CHECK((sim.positions().cast<double>() - rest).cwiseAbs().maxCoeff() < 1e-5);
  }
  CHECK(least == Approx(weight).epsilon(1e-2));
  CHECK(most == Approx(weight).epsilon(1e-2));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-3f);
}

TEST_CASE("central differences: colliders and threads: the same bits") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3});
  const auto end_with = [&](int threads) {
    const WithThreads with(threads);
    Simulation sim(soft(mesh), CentralDifferences{.dt = 0.01});
    sim.set_velocities(Vector3d(1, -5, 0).replicate(1, mesh.node_count()));
    sim.add_collider(HalfSpace(Vector3d(0, -0.12, 0), up), {.friction = 0.3});
    sim.add_collider(Sphere(Vector3d(0.1, -0.15, 0.1), 0.1), {.viscosity = 1});
    run_steps(sim, 8);
    MatrixXd all(3, 2 * mesh.node_count());
    all << sim.positions(), sim.constraint_forces();
    return all;
  };
  const MatrixXd one = end_with(1);
  CHECK((end_with(3) - one).cwiseAbs().maxCoeff() == 0);
}
