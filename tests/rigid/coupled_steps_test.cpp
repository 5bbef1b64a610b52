// Steps of soft bodies with mechanisms: equilibria in closed form, conservation, failure, saved states.
#include "rigid/coupled.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/plastic.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>

using namespace pliant;
using test::gravity;
using test::Vector3;

namespace {

const Vector3 down(0, -gravity, 0);

constexpr double young = 1e5, width = 0.1, length = 0.3, density = 1000;
constexpr double area = width * width, soft_mass = density * area * length;

// A bar of hexahedra along y, from -length to 0, in which columns of elements act as bars if nu = 0.
auto bar_mesh(int fineness = 1) {
  return make_box<Hex8>({.lengths = {width, length, width},
                         .cells = {2 * fineness, 6 * fineness, 2 * fineness},
                         .origin = {-width / 2, -length, -width / 2}});
}

constexpr double plate_mass = 2;

// The bar between two plates: the upper one hangs by a ball joint 0.1 m above the bar.
template <class Energy>
auto hung_bar(const Energy& energy) {
  Mechanism mechanism;
  const int above = mechanism.add(RigidBody::box({width, 0.02, width}, Mass{plate_mass}), Pose({0, 0.01, 0}));
  const int below =
      mechanism.add(RigidBody::box({width, 0.02, width}, Mass{plate_mass}), Pose({0, -length - 0.01, 0}));
  mechanism.add(Ball{.second = above, .at = {0, 0.1, 0}});
  const auto mesh = bar_mesh();
  Coupled coupled(Solid(mesh, energy, Density{density}), mechanism);
  coupled.add(WeldToNodes{.body = above, .nodes = test::nodes_at(mesh, 0)});
  coupled.add(WeldToNodes{.body = below, .nodes = test::nodes_at(mesh, -length)});
  return coupled;
}

}  // namespace

TEST_CASE("Coupled: a bar between two plates hangs as in the closed form") {
  const auto check = [](const auto& energy, const auto& check_stretch) {
    Simulation sim(hung_bar(energy), BackwardEuler{.dt = 0.02, .newton = {.tolerance = 1e-10}}, Condensed{});
    sim.set_gravity(down);
    test::step(sim, 200);
    const double stretch = sim.pose(0).translation().y() - sim.pose(1).translation().y() - length - 0.02;
    check_stretch(stretch);
    const double weight = (2 * plate_mass + soft_mass) * gravity;
    CHECK((sim.joint_load(0).force - Vector3(0, weight, 0)).norm() < 1e-6 * weight);
    CHECK((sim.joint_load(1).force - Vector3(0, -(plate_mass + soft_mass) * gravity, 0)).norm() <
          1e-6 * weight);
    CHECK((sim.joint_load(2).force - Vector3(0, plate_mass * gravity, 0)).norm() < 1e-6 * weight);
    CHECK(sim.joint_gap() < 1e-10);
  };
  check(LinearElastic(Lame::from_young_poisson(young, 0)), [](double stretch) {
    const double truth =
        plate_mass * gravity * length / (young * area) + density * gravity * length * length / (2 * young);
    CHECK(stretch == Approx(truth).epsilon(1e-6));
  });
  // In statics, with the ends so far apart, the lower end is pulled by the weight of the plate.
  const StableNeoHookean rubber(Lame::from_young_poisson(young, 0.3));
  check(rubber, [&](double stretch) {
    const auto mesh = bar_mesh();
    const auto upper = test::nodes_at(mesh, 0), lower = test::nodes_at(mesh, -length);
    auto ends = upper;
    ends.insert(ends.end(), lower.begin(), lower.end());
    const auto path = [stretch](const auto& X, double) {
      return Vector3(X.x(), X.y() < -length / 2 ? X.y() - stretch : X.y(), X.z());
    };
    Simulation still(Solid(mesh, rubber, Density{density}), QuasiStatic{.newton = {.tolerance = 1e-10}},
                     Cholesky{}, PrescribedMotion(ends, path));
    still.set_gravity(down);
    test::step(still);
    double pull = 0;
    for (const int node : lower) pull -= still.constraint_forces()(1, node);
    CHECK(pull == Approx(plate_mass * gravity).epsilon(1e-5));
  });
}

TEST_CASE("Coupled: a free one keeps its momentum, and its angular momentum but for backward Euler's part") {
  Mechanism mechanism;
  const int hand = mechanism.add(RigidBody::box({0.1, 0.1, 0.2}, Mass{1}), Pose({0, 0.05, 0}));
  const int arm = mechanism.add(RigidBody::box({0.3, 0.1, 0.1}, Mass{2}), Pose({0.2, 0.1, 0}));
  const int tool = mechanism.add(RigidBody::sphere(0.05, Mass{0.5}), Pose({0, -length - 0.1, 0}));
  mechanism.add(Hinge{.first = hand, .second = arm, .at = {0.05, 0.1, 0}, .axis = {0, 1, 1}});
  const auto mesh = bar_mesh();
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e4, 0.3)), Density{density});
  Coupled coupled(solid, mechanism);
  coupled.add(WeldToNodes{.body = hand, .nodes = test::nodes_at(mesh, 0)});
  coupled.add(BallToFace{.body = tool, .face = test::face_at(mesh, -length), .offset = 0.03});

  const double dt = 0.01;
  Simulation sim(coupled, BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-12}}, Condensed{});
  auto velocities = sim.velocities();
  for (int k = 0; k < mesh.node_count(); ++k) {
    const Vector3 X = mesh.nodes.col(k);
    velocities.col(k) = Vector3(0.5, 0.2, 0.1) + detail::algebra::cross<double>(Vector3(0, 0, 1.5), X);
  }
  sim.set_velocities(velocities);
  for (int b = 0; b < 3; ++b) {
    sim.set_body_velocity(b, BodyVelocity{{0.5, 0.2, 0.1 * b}, {0.5 * b, 1, 1.5}});
  }
  const auto momentum = [&] { return Vector3(test::momentum(sim) + test::soft_momentum(sim)); };
  const auto angular = [&] {
    return Vector3(test::angular_momentum(sim) + test::soft_angular_momentum(sim));
  };
  // A second System of the solid, for its elastic forces.
  auto system = system_of(solid);
  auto x = system.make_vector(), gradient = system.make_vector();
  const Vector3 p = momentum();
  CHECK(p.norm() > 1);
  double lost = 0;
  for (int k = 0; k < 100; ++k) {
    const Vector3 before = angular();
    test::step(sim);
    CHECK((momentum() - p).norm() < 1e-10 * p.norm());
    CHECK(sim.joint_gap() <= 1e-10);
    // The elastic forces of backward Euler have no moment about the positions at the end of a step; about
    // those at its start, which count, they have that of dt^2 v+.
    system.to_internal(sim.positions().leftCols(mesh.node_count()), x);
    system.gradient(x, gradient);
    Vector3 moment = Vector3::Zero();
    for (int i = 0; i < mesh.node_count(); ++i) {
      const Vector3 v = sim.velocities().col(system.user_number(i)), g = gradient.node(i);
      moment += dt * dt * detail::algebra::cross<double>(v, g);
    }
    CHECK((angular() - before - moment).norm() < 1e-10 * before.norm());
    lost += moment.norm() / before.norm();
  }
  CHECK(lost > 1e-4);
}

TEST_CASE("Coupled: the same steps as a dense system from which the weld and the rail are eliminated") {
  const double dt = 0.01, alpha = 0.5, beta = 0.01, mass = 2;
  const auto mesh = bar_mesh();
  const Solid solid(mesh, LinearElastic(Lame::from_young_poisson(young, 0.3)), Density{density},
                    Rayleigh{alpha, beta});
  const auto top = test::nodes_at(mesh, 0), bottom = test::nodes_at(mesh, -length);
  Mechanism mechanism;
  const int body = mechanism.add(RigidBody::sphere(0.1, Mass{mass}), Pose({0, -length - 0.1, 0}));
  mechanism.add(Slider{.second = body, .axis = {0, 1, 0}});
  Coupled coupled(solid, mechanism);
  coupled.add(WeldToNodes{.body = body, .nodes = bottom});

  // K and M in the user's numbers, and the unknowns q: three for each free node, one for the body.
  auto system = system_of(solid);
  const Eigen::Index n = mesh.node_count();
  auto matrix = system.make_matrix();
  auto in = system.make_vector(), out = system.make_vector();
  system.tangent(system.rest(), Projection::none, 1, out, matrix);
  Eigen::MatrixXd K(3 * n, 3 * n);
  Eigen::VectorXd M(3 * n);
  for (int i = 0; i < n; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      in.set_zero();
      in.node(i)(axis) = 1;
      matrix.multiply(in, out);
      const int column = 3 * system.user_number(i) + axis;
      M(column) = system.mass().node(i)(axis);
      for (int j = 0; j < n; ++j) K.block<3, 1>(3 * system.user_number(j), column) = out.node(j);
    }
  }
  const auto is_in = [](const std::vector<int>& list, int k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  };
  Eigen::Index unknowns = 1;
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(3 * n, 3 * n + 1);
  for (int k = 0; k < n; ++k) {
    if (is_in(bottom, k)) T(3 * k + 1, 0) = 1;
    if (is_in(bottom, k) || is_in(top, k)) continue;
    for (int axis = 0; axis < 3; ++axis) T(3 * k + axis, unknowns++) = 1;
  }
  T.conservativeResize(3 * n, unknowns);
  const auto reduced = [&](const Eigen::MatrixXd& A) { return Eigen::MatrixXd(T.transpose() * A * T); };
  Eigen::MatrixXd m = reduced(M.asDiagonal()), k = reduced(K);
  const Eigen::MatrixXd damping = alpha * m + beta * k;
  m(0, 0) += mass;
  const Eigen::MatrixXd A = m / (dt * dt) + damping / dt + k;
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(A);
  Eigen::VectorXd weight = T.transpose() * M.cwiseProduct(Eigen::Vector3d(3, -gravity, 1).replicate(n, 1));
  weight(0) -= mass * gravity;

  const auto check = [&](auto integrator) {
    Simulation sim(coupled, integrator, Condensed{}, Pinned(top));
    sim.set_gravity({3, -gravity, 1});
    Eigen::VectorXd q = Eigen::VectorXd::Zero(unknowns), v = q;
    for (int step = 0; step < 30; ++step) {
      const Eigen::VectorXd u = factor.solve(m * v / dt + weight - k * q);
      q += u;
      v = u / dt;
      test::step(sim);
      const Eigen::VectorXd moved = T * q;
      double error = 0;
      for (int i = 0; i < n; ++i) {
        error =
            std::max(error, (sim.positions().col(i) - mesh.nodes.col(i) - moved.segment<3>(3 * i)).norm());
      }
      CHECK(error < 1e-10);
      CHECK(sim.body_velocity(body).linear.y() == Approx(v(0)).margin(1e-9));
    }
    CHECK(q.norm() > 0.01);
  };
  check(BackwardEuler{.dt = dt});
  check(BackwardEuler{.dt = dt, .newton = Newton::linearised()});
  check(OptimizationEuler{.dt = dt});
}

TEST_CASE("Coupled: a bar on a hub that a motor turns is stretched as in the closed form") {
  const double speed = 5, stiff = 1e6, dt = 1e-3;
  const auto mesh =
      make_box<Hex8>({.lengths = {1, 0.1, 0.1}, .cells = {10, 1, 1}, .origin = {0, -0.05, -0.05}});
  Mechanism mechanism;
  const int hub = mechanism.add(RigidBody::cylinder(0.1, 0.2, Mass{10}));
  const int hinge =
      mechanism.add(Hinge{.second = hub, .motor = {speed, std::numeric_limits<double>::infinity()}});
  Coupled coupled(Solid(mesh, CorotatedLinear(Lame::from_young_poisson(stiff, 0)), Density{density},
                        Rayleigh{.beta = 0.02}),
                  mechanism);
  coupled.add(
      WeldToNodes{.body = hub, .nodes = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; })});
  Simulation sim(coupled, BackwardEuler{.dt = dt}, Condensed{});
  auto velocities = sim.velocities();
  for (int k = 0; k < mesh.node_count(); ++k) {
    velocities.col(k) = detail::algebra::cross<double>(Vector3(0, 0, speed), Vector3(mesh.nodes.col(k)));
  }
  sim.set_velocities(velocities);
  sim.set_body_velocity(hub, BodyVelocity{.angular = {0, 0, speed}});
  test::step(sim, 1500);
  CHECK(sim.body_velocity(hub).angular.z() == Approx(speed).epsilon(1e-9));
  CHECK(std::abs(sim.joint_coordinate(hinge)) > 1);
  double reach = 0;
  const auto tip = nodes_where(mesh, [](const auto& X) { return X.x() > 1 - 1e-9; });
  for (const int node : tip) reach += sim.positions().col(node).head<2>().norm() / 4;
  const double rest = std::hypot(1, 0.05);
  CHECK(reach - rest == Approx(density * speed * speed / (3 * stiff)).epsilon(0.02));
}

namespace {

// A bar that is welded to a hinged link, with a ball at its lower face, everything moved by `motion`.
struct Scene {
  Mechanism mechanism;
  int link, ball;

  auto coupled(const Pose<3>& motion = {}, int fineness = 1) {
    auto mesh = bar_mesh(fineness);
    const auto upper = test::nodes_at(mesh, 0);
    const auto face = test::face_at(mesh, -length);
    for (int k = 0; k < mesh.node_count(); ++k)
      mesh.nodes.col(k) = motion.to_world(Vector3(mesh.nodes.col(k)));
    const auto placed = [&](const Vector3& at) { return Pose<3>(motion.rotation(), motion.to_world(at)); };
    link = mechanism.add(RigidBody::box({width, 0.2, width}, Mass{1}), placed({0, 0.1, 0}));
    ball = mechanism.add(RigidBody::sphere(0.05, Mass{0.3}), placed({0.02, -length - 0.1, 0}));
    mechanism.add(Hinge{.second = link,
                        .at = motion.to_world({0, 0.2, 0}),
                        .axis = motion.rotated({0, 0, 1}),
                        .limits = {-0.2, 0.2}});
    Coupled result(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(3e4, 0.3)), Density{density},
                         Rayleigh{.alpha = 0.1, .beta = 1e-3}),
                   mechanism);
    result.add(WeldToNodes{.body = link, .nodes = upper});
    result.add(BallToFace{.body = ball, .face = face, .barycentric = {0.5, 0.25, 0.25}, .offset = 0.03});
    return result;
  }
};

}  // namespace

TEST_CASE("Coupled: the same motion where the whole scene is turned and shifted") {
  const Pose<3> motion(Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, -2, 0.5).normalized()), {3, -7, 2});
  const BackwardEuler steps{.dt = 0.01, .newton = {.tolerance = 1e-10}};
  Scene one, two;
  Simulation here(one.coupled(), steps, Condensed{}), there(two.coupled(motion), steps, Condensed{});
  const Vector3 aslant(-6, -7, 2);
  here.set_gravity(aslant);
  there.set_gravity(motion.rotated(aslant));
  double farthest = 0;
  for (int k = 0; k < 100; ++k) {
    test::step(here);
    test::step(there);
    farthest = std::min(farthest, here.joint_coordinate(0));
    CHECK(std::abs(here.joint_coordinate(0)) < 0.2 + 1e-10);
    CHECK(here.joint_gap() <= 1e-10);
  }
  CHECK(farthest < -0.19);  // it has met its limit
  for (int k = 0; k < here.positions().cols(); ++k) {
    const Vector3 at = here.positions().col(k);
    CHECK((there.positions().col(k) - motion.to_world(at)).norm() < 1e-8);
  }
}

TEST_CASE("Coupled: nothing moves where nothing acts") {
  const auto mesh = bar_mesh();
  Mechanism mechanism;
  mechanism.add(RigidBody::box({width, 0.02, width}, Mass{1}), Pose({0, 0.01, 0}));
  mechanism.add(RigidBody::box({width, 0.02, width}, Mass{1}), Pose({0, -length - 0.01, 0}));
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.45)), Density{density}),
                  mechanism);
  coupled.add(WeldToNodes{.body = 0, .nodes = test::nodes_at(mesh, 0)});
  coupled.add(WeldToNodes{.body = 1, .nodes = test::nodes_at(mesh, -length)});
  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{});
  test::step(sim, 100);
  CHECK((sim.positions().leftCols(mesh.node_count()) - mesh.nodes).norm() < 1e-12);
}

TEST_CASE("Coupled: welds at mass ratios of 1 to 1000 have no gap") {
  for (const double mass : {1e-3, 1e3}) {
    const auto mesh = bar_mesh();
    Mechanism mechanism;
    const int body = mechanism.add(RigidBody::sphere(0.05, Mass{mass * soft_mass}), Pose({0, 0.05, 0}));
    Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density}),
                    mechanism);
    coupled.add(WeldToNodes{.body = body, .nodes = test::nodes_at(mesh, 0)});
    const double dt = 0.01;
    Simulation sim(coupled, BackwardEuler{.dt = dt}, Condensed{});
    sim.set_body_velocity(body, BodyVelocity{{1, 0, 0}, {0, 0, 3}});
    test::FreeNodes free(coupled.solid(), [](const auto& X) { return X.y() < -1e-9; });
    for (int k = 0; k < 50; ++k) {
      const Eigen::MatrixXd before = sim.velocities();
      test::step(sim);
      CHECK(sim.joint_gap() < 1e-10);
      // The solid is as exact as without a body, whose momentum may be a thousand times its own.
      const auto balance = free.balance(sim, before, dt);
      CHECK(balance.unbalanced <= 1e-4 * (balance.elastic + balance.momentum / dt));
    }
  }
}

TEST_CASE("Coupled: welds to the world hold as Pinned does") {
  const auto mesh = bar_mesh();
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density});
  const BackwardEuler steps{.dt = 0.01, .newton = {.tolerance = 1e-10}};
  Coupled coupled(solid, Mechanism{});
  const auto top = test::nodes_at(mesh, 0);
  const int weld = coupled.add(WeldToNodes{.nodes = top});
  Simulation sim(coupled, steps, Condensed{});
  Simulation pinned(solid, steps, Cholesky{}, Pinned(top));
  sim.set_gravity({3, -9, 1});
  pinned.set_gravity({3, -9, 1});
  for (int k = 0; k < 50; ++k) {
    test::step(sim);
    test::step(pinned);
    CHECK((sim.positions() - pinned.positions()).norm() < 1e-8);
  }
  const Vector3 reaction = pinned.constraint_forces().rowwise().sum();
  CHECK((sim.joint_load(weld).force + reaction).norm() < 1e-6 * reaction.norm());
  CHECK(reaction.norm() > 10);
}

TEST_CASE("Coupled: a plastic solid that is welded to the world flows as one that is pinned") {
  const auto mesh = bar_mesh();
  const Solid solid(
      mesh, Plastic(CorotatedLinear(Lame::from_young_poisson(young, 0.3)), {.yield = 0.002, .creep = 3}),
      Density{density});
  const BackwardEuler steps{.dt = 0.01, .newton = {.tolerance = 1e-10}};
  const auto top = test::nodes_at(mesh, 0);
  Coupled coupled(solid, Mechanism{});
  coupled.add(WeldToNodes{.nodes = top});
  Simulation sim(coupled, steps, Condensed{}), other(coupled, steps, Condensed{});
  sim.set_gravity({3, -9, 1});
  Simulation pinned(solid, steps, Cholesky{}, Pinned(top));
  pinned.set_gravity({3, -9, 1});
  test::step(sim, 30);
  test::step(pinned, 30);
  const auto strains = [](const auto& of) { return of.system().soft().plastic_strains(); };
  CHECK(strains(sim).colwise().norm().maxCoeff() > 0.003);
  CHECK((strains(sim) - pinned.plastic_strains()).norm() < 1e-6 * strains(sim).norm());
  other.set_state(sim.state());
  CHECK(strains(other) == strains(sim));
  test::step(sim, 5);
  test::step(other, 5);
  CHECK(strains(other) == strains(sim));
  CHECK(other.positions() == sim.positions());
}

TEST_CASE("Coupled: a face hangs at a point of the world, which carries the weight") {
  const auto mesh = bar_mesh();
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density},
                        Rayleigh{.alpha = 5}),
                  Mechanism{});
  const int hook =
      coupled.add(BallToFace{.face = test::face_at(mesh, 0), .barycentric = {0.5, 0.2, 0.3}, .offset = 0.01});
  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity(down);
  for (int k = 0; k < 1000; ++k) {
    test::step(sim);
    CHECK(sim.joint_gap() <= 1e-10);
  }
  CHECK((sim.joint_load(hook).force - Vector3(0, -soft_mass * gravity, 0)).norm() <
        1e-3 * soft_mass * gravity);
}

TEST_CASE("Coupled: held and moved nodes of the solid") {
  const auto mesh = bar_mesh();
  const auto top = test::nodes_at(mesh, 0);
  Mechanism mechanism;
  const int body = mechanism.add(RigidBody::sphere(0.05, Mass{1}), Pose({0, -length - 0.05, 0}));
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density},
                        Rayleigh{.beta = 0.01}),
                  mechanism);
  const int weld = coupled.add(WeldToNodes{.body = body, .nodes = test::nodes_at(mesh, -length)});
  SECTION("the reaction of held nodes is the whole weight") {
    Simulation sim(coupled, BackwardEuler{.dt = 0.02, .newton = {.tolerance = 1e-10}}, Condensed{},
                   Pinned(top));
    sim.set_gravity(down);
    test::step(sim, 300);
    const double weight = (soft_mass + 1) * gravity;
    const Vector3 reaction = sim.constraint_forces().rowwise().sum();
    CHECK((reaction - Vector3(0, weight, 0)).norm() < 1e-6 * weight);
    CHECK((sim.joint_load(weld).force - Vector3(0, gravity, 0)).norm() < 1e-6 * gravity);
    CHECK(sim.energies().elastic > 0.01);
    CHECK(sim.energies().gravitational < -0.01);
  }
  SECTION("moved nodes follow their path, and take the body with them") {
    const auto path = [](const auto& X, double t) { return Vector3(X + Vector3(0.3 * t, t * t, 0)); };
    const double dt = 0.01;
    Simulation sim(coupled, BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-10}}, Condensed{},
                   PrescribedMotion(top, path));
    Vector3 push = Vector3::Zero();
    for (int k = 0; k < 100; ++k) {
      test::step(sim);
      push += dt * sim.constraint_forces().rowwise().sum();
      CHECK((sim.positions().col(top[2]) - path(Vector3(mesh.nodes.col(top[2])), sim.time())).norm() < 1e-12);
      CHECK(sim.joint_gap() <= 1e-10);
    }
    // All momentum is that of the forces that move the nodes.
    const Vector3 momentum = test::momentum(sim) + test::soft_momentum(sim);
    CHECK((momentum - push).norm() < 1e-7 * push.norm());
    CHECK(momentum.y() > 1.5 * (soft_mass + 1));
    CHECK(sim.body_velocity(body).linear.y() > 1.5);
  }
}

TEST_CASE("Coupled: a compliant weld sags by its load") {
  const auto mesh = bar_mesh();
  Coupled coupled(Solid(mesh, LinearElastic(Lame::from_young_poisson(1e8, 0)), Density{density}),
                  Mechanism{});
  coupled.add(
      WeldToNodes{.nodes = test::nodes_at(mesh, 0), .compliance = {.stiffness = 1000, .damping = 10}});
  Simulation sim(coupled, BackwardEuler{.dt = 0.02}, Condensed{});
  sim.set_gravity(down);
  test::step(sim, 400);
  double sag = 0;
  for (const int node : test::nodes_at(mesh, 0)) sag -= sim.positions()(1, node) / 9;
  CHECK(sag == Approx(soft_mass * gravity / 9000).epsilon(1e-3));
}

TEST_CASE("Coupled: the same bits on one and two threads") {
  const auto run = [](int threads) {
    const WithThreads with(threads);
    Scene scene;
    Simulation sim(scene.coupled({}, 4), BackwardEuler{.dt = 0.01}, Condensed{});  // 1,536 elements
    sim.set_gravity({-6, -7, 2});
    test::step(sim, 5);
    return Eigen::MatrixXd(sim.positions());
  };
  CHECK(run(1) == run(2));
  CHECK(run(1) == run(3));
}

TEST_CASE("Coupled: a saved state goes on with the same bits") {
  Scene first, second;
  Simulation sim(first.coupled(), BackwardEuler{.dt = 0.01}, Condensed{});
  Simulation other(second.coupled(), BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity({-6, -7, 2});
  test::step(sim, 15);
  other.set_state(sim.state());
  CHECK(other.joint_load(1).force == sim.joint_load(1).force);
  test::step(other, 15);
  test::step(sim, 15);
  CHECK(sim.positions() == other.positions());
  CHECK(sim.velocities() == other.velocities());
  CHECK(sim.pose(0).rotation() == other.pose(0).rotation());
  CHECK(sim.joint_load(2).torque == other.joint_load(2).torque);
}

TEST_CASE("Coupled: a step that fails leaves everything as it was") {
  const auto place = std::make_shared<double>(0);
  Scene scene;
  auto coupled = scene.coupled();
  coupled.add(test::Leash{scene.link, place});
  const auto make = [&] {
    auto sim = std::make_unique<
        Simulation<detail::rigid::CoupledSystem<std::remove_cvref_t<decltype(coupled.solid())>>,
                   BackwardEuler, Condensed<>, Unconstrained>>(coupled, BackwardEuler{.dt = 0.01},
                                                               Condensed<>{});
    sim->set_gravity({0, -7, 2});
    test::step(*sim, 10);
    return sim;
  };
  const auto sim = make(), undisturbed = make();
  const auto check_unchanged = [&] {
    CHECK(sim->positions() == undisturbed->positions());
    CHECK(sim->velocities() == undisturbed->velocities());
    CHECK(sim->pose(1).rotation() == undisturbed->pose(1).rotation());
    CHECK(sim->joint_load(1).force == undisturbed->joint_load(1).force);
    CHECK(sim->time() == undisturbed->time());
  };
  *place = 5;  // farther from the hinge than the link can be
  const StepReport report = sim->step();
  INFO(report.message());
  CHECK(report.stop == StepStop::not_converged);
  check_unchanged();
  *place = 0;
  sim->on_progress([](const Progress&) { return false; });
  CHECK(sim->step().stop == StepStop::cancelled);
  check_unchanged();
  sim->on_progress(nullptr);
  test::step(*sim, 10);
  test::step(*undisturbed, 10);
  check_unchanged();
}

TEST_CASE("Coupled: a hammer that would crush elements in a full step is slowed by the line search") {
  const auto mesh = bar_mesh();
  Mechanism mechanism;
  const int hammer = mechanism.add(RigidBody::sphere(0.05, Mass{2}), Pose({0, 0.05, 0}));
  mechanism.add(Slider{.second = hammer, .axis = {0, 1, 0}});
  const double speed = 20, dt = 0.01;
  const Solid solid(mesh, BonetWoodNeoHookean(Lame::from_young_poisson(1e4, 0.4)), Density{density});
  Coupled coupled(solid, mechanism);
  coupled.add(WeldToNodes{.body = hammer, .nodes = test::nodes_at(mesh, 0)});
  Simulation sim(coupled, BackwardEuler{.dt = dt, .newton = {.max_iterations = 100, .keep_history = true}},
                 Condensed{}, Pinned(test::nodes_at(mesh, -length)));
  sim.set_body_velocity(hammer, BodyVelocity{.linear = {0, -speed, 0}});
  test::FreeNodes free(solid, [](const auto& X) { return X.y() < -1e-9 && X.y() > 1e-9 - length; });
  int searches = 0;
  double lowest = 0;
  for (int k = 0; k < 20; ++k) {
    const double before = sim.energies().total();
    const Eigen::MatrixXd velocities = sim.velocities();
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
    CHECK(std::ssize(report.history) == report.newton_iterations);
    CHECK(report.history.back().gradient == Approx(report.residual).margin(report.residual_goal));
    CHECK(report.inverted_elements == 0);
    CHECK(sim.energies().total() < before * (1 + 1e-6));
    CHECK(free.balance(sim, velocities, dt).unbalanced <= report.residual_goal * (1 + 1e-6));
    searches += report.line_search_steps;
    lowest = std::min(lowest, sim.joint_coordinate(0));
  }
  CHECK(searches > 0);
  CHECK(lowest < -0.1);
}
