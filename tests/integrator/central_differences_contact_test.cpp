// Bodies of CentralDifferences on colliders.
#include "integrator/explicit_contact.hpp"
#include "support/threads.hpp"

#include <Eigen/Geometry>

#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/io/make_triangle_mesh.hpp>

using namespace pliant;
using namespace pliant::test;

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

TEST_CASE("central differences: Coulomb's law and drag, node by node") {
  // In a step of one substep a node that touches goes by dt v': drag is -c v', friction against it, and at
  // most its coefficient times the normal force; as much where the node slides.
  constexpr double dt = 2e-4, friction = 0.4, drag = 2;
  const auto mesh = block();
  const auto fall = [&](const Surface& surface, auto&& check) {
    Simulation sim(soft(mesh), CentralDifferences{.dt = dt});
    sim.set_gravity(Vector3d(3, -g, 1));
    sim.set_velocities(Vector3d(0.3, -1, 0).replicate(1, mesh.node_count()));
    sim.add_collider(HalfSpace(Vector3d(0, -1e-3, 0), up), surface);
    int count = 0;
    for (int n = 0; n < 500; ++n) {
      const Matrix3Xd before = sim.positions();
      const StepReport report = sim.step();
      REQUIRE(report);
      REQUIRE(report.substeps == 1);
      for (const auto& contact : sim.contacts()) {
        const Vector3d force = contact.force;
        Vector3d way = sim.positions().col(contact.node) - before.col(contact.node);
        if (std::abs(before(1, contact.node) + 1e-3) > 1e-12) continue;  // it has just come
        way.y() = 0;
        check(Vector3d(force.x(), 0, force.z()), way / dt, force.y());
        ++count;
      }
    }
    CHECK(count > 500);
  };
  int slides = 0, sticks = 0;
  fall({.friction = friction}, [&](const Vector3d& along, const Vector3d& speed, double normal) {
    CHECK(along.norm() <= (1 + 1e-9) * friction * normal);
    if (speed.norm() > 0.05) {
      CHECK(along.norm() > 0.9 * friction * normal);
      CHECK(along.dot(speed) < 0);
      ++slides;
    }
    if (speed.norm() == 0) ++sticks;
  });
  CHECK(slides > 100);
  CHECK(sticks > 100);
  fall({.viscosity = drag}, [&](const Vector3d& along, const Vector3d& speed, double) {
    const bool none = along.norm() == 0;  // it was stopped at the end of the substep only
    CHECK((none || (along + drag * speed).norm() <= 1e-9 * drag));
  });
}

TEST_CASE("central differences: contact with colliders at rest adds no energy") {
  const auto mesh = make_ball<Tet4>({.radius = 0.1, .shells = 3});
  for (const double friction : {0.0, 0.3, 2.0}) {
    Simulation sim(soft(mesh), CentralDifferences{.dt = 0.005});
    sim.set_gravity(Vector3d(2, -g, 0));
    sim.set_velocities(Vector3d(1, -2, 0.5).replicate(1, mesh.node_count()));
    sim.add_collider(HalfSpace(Vector3d(0, -0.16, 0), Vector3d(-1, 1, 0)), {.friction = friction});
    sim.add_collider(HalfSpace(Vector3d(0, -0.16, 0), Vector3d(1, 1, 0)), {.friction = friction});
    const double start = sim.energies().total(), kinetic = sim.energies().kinetic;
    double last = start, most = start;
    for (int n = 0; n < 1000; ++n) {
      run_steps(sim, 1);
      last = sim.energies().total();
      most = std::max(most, last);
    }
    CHECK(most <= start + 0.03 * kinetic);
    CHECK(last < start);
  }
}

TEST_CASE("central differences: what is put back off one facet does not end under another one") {
  // A block with a pocket, whose corners are concave, into which a small body is thrown from all sides.
  auto solid = make_box<Tet4>({.lengths = {3, 3, 3}, .cells = {3, 3, 3}});
  std::vector<int> kept;
  for (int e = 0; e < solid.elements.cols(); ++e) {
    Vector3d centre = Vector3d::Zero();
    for (int k = 0; k < 4; ++k) centre += solid.nodes.col(solid.elements(k, e)) / 4;
    const bool in_pocket =
        std::abs(centre.x() - 1.5) < 0.5 && std::abs(centre.z() - 1.5) < 0.5 && centre.y() > 1;
    if (!in_pocket) kept.push_back(e);
  }
  solid.elements = decltype(solid.elements)(solid.elements(Eigen::all, kept));
  const TriangleMesh pocket = make_triangle_mesh(solid);
  auto mesh = make_box<Tet4>({.lengths = {0.2, 0.2, 0.2}, .cells = {2, 2, 2}});
  mesh.nodes.colwise() += Vector3d(1.4, 1.2, 1.4);
  int touched = 0;
  for (int k = 0; k < 12; ++k) {
    Simulation sim(soft(mesh, 0, 1e6), CentralDifferences{.dt = 1e-3, .max_substeps = 100000, .renewal = 1});
    const double angle = k * M_PI / 6 + 0.1;
    sim.set_velocities(300 *
                       Vector3d(std::cos(angle), -0.7, std::sin(angle)).replicate(1, mesh.node_count()));
    sim.add_collider(pocket, {.friction = 0.2});
    for (int n = 0; n < 5; ++n) {
      run_steps(sim, 1);
      touched += static_cast<int>(sim.contacts().size());
      double least = 1;
      for (int i = 0; i < mesh.node_count(); ++i) {
        const auto near = pocket.nearest(sim.positions().col(i), 1);
        if (near) least = std::min(least, near->distance);
      }
      CHECK(least > -1e-10);
    }
  }
  CHECK(touched > 100);
}
