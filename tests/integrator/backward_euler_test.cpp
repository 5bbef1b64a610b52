// Backward Euler against independent truths: closed forms, a dense second implementation, and identities.
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

const Eigen::Vector3d gravity(0.5, -9.81, 0.25);

BackwardEuler linearised(double dt, Projection projection = Projection::none) {
  BackwardEuler integrator{.dt = dt, .newton = Newton::linearised()};
  integrator.newton.projection = projection;
  return integrator;
}

// Falls for `steps` steps and returns the largest distance from x_n = x_0 + n dt v_0 + dt^2 g n (n + 1) / 2,
// in units of the largest coordinate, and that from v_n = v_0 + n dt g, in units of the largest speed.
struct FallError {
  double position = 0, velocity = 0;
};

template <class Scalar>
FallError fall(Mesh<Tet4> mesh, const BackwardEuler& integrator, const Rayleigh& damping, int steps) {
  mesh.nodes = mesh.nodes.cast<Scalar>().template cast<double>();
  const auto scene = make_scene<StableNeoHookean, Scalar>(
      {.mesh = mesh, .damping = damping, .integrator = integrator, .linear_tolerance = 1e-6});
  const Eigen::Vector3d v0(0.25, 1.5, -0.5);
  scene->set_gravity(gravity);
  scene->set_velocities(v0.replicate(1, mesh.node_count()));
  const double dt = integrator.dt;
  FallError error;
  for (int n = 1; n <= steps; ++n) {
    const StepReport report = scene->step();
    INFO(report.message());
    REQUIRE(report);
    const Eigen::Vector3d v = v0 + n * dt * gravity;
    const Points x =
        mesh.nodes.colwise() + Eigen::Vector3d(n * dt * v0 + dt * dt * n * (n + 1) / 2.0 * gravity);
    error.position =
        std::max(error.position, (scene->positions() - x).cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff());
    error.velocity =
        std::max(error.velocity, (scene->velocities().colwise() - v).cwiseAbs().maxCoeff() / v.norm());
  }
  return error;
}

}  // namespace

TEST_CASE("free fall is the discrete closed form to rounding") {
  const auto mesh = jittered_box({3, 2, 2});
  for (const BackwardEuler& integrator : {BackwardEuler{.dt = 0.01}, linearised(0.01)}) {
    const FallError error = fall<double>(mesh, integrator, {}, 100);
    CAPTURE(integrator.newton.max_iterations, error.position, error.velocity);
    CHECK(error.position < 1e-13);
    CHECK(error.velocity < 1e-13);
    // A stiffness damping has nothing to damp.
    const FallError damped = fall<double>(mesh, integrator, {.beta = 0.01}, 20);
    CAPTURE(damped.position, damped.velocity);
    CHECK(damped.position < 1e-13);
    CHECK(damped.velocity < 1e-13);
  }
}

TEST_CASE("free fall in float keeps its acceleration, also far from the origin and at small steps") {
  auto mesh = jittered_box({3, 2, 2});
  for (const double distance : {0.0, 100.0}) {
    mesh.nodes.array() += distance;
    for (const double dt : {1e-2, 1e-3}) {
      const FallError error = fall<float>(mesh, linearised(dt), {}, 50);
      CAPTURE(distance, dt, error.position, error.velocity);
      CHECK(error.position < 50 * 6e-8);  // half a unit in the last place per step
      CHECK(error.velocity < 1e-4);
    }
  }
}

TEST_CASE("a uniform motion stays one, and mass damping slows it by 1 / (1 + alpha dt) per step") {
  const auto mesh = jittered_box({3, 2, 2});
  const Eigen::Vector3d v0(3, -2, 1);
  for (const double alpha : {0.0, 0.8}) {
    for (const BackwardEuler& integrator : {BackwardEuler{.dt = 0.02, .newton = tight()}, linearised(0.02)}) {
      const auto scene =
          make_scene<StableNeoHookean>({.mesh = mesh, .damping = {.alpha = alpha}, .integrator = integrator});
      scene->set_velocities(v0.replicate(1, mesh.node_count()));
      for (int n = 1; n <= 50; ++n) {
        REQUIRE(scene->step());
        const Eigen::Vector3d v = v0 / std::pow(1 + alpha * 0.02, n);
        REQUIRE((scene->velocities().colwise() - v).cwiseAbs().maxCoeff() < 1e-11 * v.norm());
      }
    }
  }
}

// (M + dt (alpha M + D) + dt^2 K) dv = dt (f - dE/dx - (alpha M + D) v) - dt^2 K v
TEST_CASE("a linearised step solves the damped linear system") {
  const auto mesh = jittered_box({2, 2, 1});
  const auto lame = Lame::from_young_poisson(1e5, 0.4);
  const Rayleigh damping{.alpha = 0.7, .beta = 0.003};
  const double dt = 0.01, density = 900;
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const Points velocity = noise(mesh.node_count(), 6), force = 3 * noise(mesh.node_count(), 7);
  for (const bool clamp : {false, true}) {
    // Without projection the matrix must be positive definite by itself.
    const Points start = mesh.nodes + (clamp ? 0.03 : 0.003) * noise(mesh.node_count(), 5);
    for (const Law law : {Law::linear, Law::stable_neo_hookean}) {
      const Setup setup{.mesh = mesh,
                        .lame = lame,
                        .density = density,
                        .damping = damping,
                        .integrator = linearised(dt, clamp ? Projection::clamp : Projection::none),
                        .linear_tolerance = 1e-13,
                        .pinned = pinned};
      const auto scene =
          law == Law::linear ? make_scene<LinearElastic>(setup) : make_scene<StableNeoHookean>(setup);
      scene->set_positions(start);
      scene->set_velocities(velocity);
      scene->set_gravity(gravity);
      scene->set_external_forces(force);
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      // For a linear body one linear step is the solution, and the residual, damping included, knows it.
      CHECK(report.stop == (law == Law::linear ? StepStop::converged : StepStop::accepted));

      const DenseBody body(mesh, law, lame, density);
      const Eigen::MatrixXd K = body.stiffness(start, clamp);
      const Eigen::MatrixXd M = body.masses().asDiagonal();
      const Eigen::MatrixXd D = damping.alpha * M + damping.beta * body.damping(start);
      Eigen::VectorXd v = stacked(velocity);
      for (const int i : pinned) v.segment<3>(3 * i).setZero();
      const Eigen::VectorXd f = stacked(force) + M * stacked(gravity.replicate(1, mesh.node_count()));
      Eigen::MatrixXd A = M + dt * D + dt * dt * K;
      Eigen::VectorXd b = dt * (f - stacked(body.gradient(start)) - D * v) - dt * dt * K * v;
      for (const int i : pinned) {
        A.middleRows<3>(3 * i).setZero();
        A.middleCols<3>(3 * i).setZero();
        A.block<3, 3>(3 * i, 3 * i).setIdentity();
        b.segment<3>(3 * i).setZero();
      }
      const Eigen::VectorXd end = v + A.partialPivLu().solve(b);
      CHECK((stacked(scene->velocities()) - end).norm() < 1e-10 * end.norm());
      CHECK((stacked(scene->positions() - start) - dt * end).norm() < 1e-10 * dt * end.norm());
    }
  }
}

// M (v+ - v) = dt (f - dE/dx(x+) - alpha M v+), checked with the forces of the second implementation.
TEST_CASE("a converged step balances the forces at its end, however the Hessian is projected") {
  const auto mesh = jittered_box({2, 2, 2});
  const auto lame = Lame::from_young_poisson(1e5, 0.4);
  const double dt = 0.02, alpha = 0.5;
  const DenseBody body(mesh, Law::stable_neo_hookean, lame, 1000);
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const Points start = mesh.nodes + 0.003 * noise(mesh.node_count(), 5);
  const Points velocity = 0.2 * noise(mesh.node_count(), 6), force = noise(mesh.node_count(), 7);
  Points reference;
  for (const Projection projection : {Projection::clamp, Projection::absolute, Projection::none}) {
    Setup setup{
        .mesh = mesh, .lame = lame, .damping = {.alpha = alpha}, .integrator = {.dt = dt}, .pinned = pinned};
    setup.integrator.newton = tight();
    setup.integrator.newton.projection = projection;
    const auto scene = make_scene<StableNeoHookean>(setup);
    scene->set_positions(start);
    scene->set_velocities(velocity);
    scene->set_gravity(gravity);
    scene->set_external_forces(force);
    Points x = start, v = velocity;
    for (const int i : pinned) v.col(i).setZero();
    for (int n = 0; n < 5; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report.stop == StepStop::converged);
      const Points x_end = scene->positions(), v_end = scene->velocities();
      const Points inertia = (v_end - v) / dt + alpha * v_end - gravity.replicate(1, mesh.node_count());
      Points balance = inertia * body.mass().asDiagonal() + body.gradient(x_end) - force;
      for (const int i : pinned) balance.col(i).setZero();
      CHECK(balance.norm() < 1.1 * report.residual_goal);
      CHECK((x_end - x - dt * v_end).norm() < 1e-14);
      for (const int i : pinned) CHECK(x_end.col(i) == start.col(i));
      x = x_end;
      v = v_end;
    }
    if (projection == Projection::clamp) reference = x;
    CHECK((x - reference).norm() < 1e-9);
  }
}

TEST_CASE("a free body keeps its momentum; its angular momentum changes by dt sum v+ x m v per step") {
  const auto mesh = jittered_box({4, 2, 2});
  const Eigen::VectorXd mass = node_masses(mesh, 1000);
  const auto drift_of = [&](double dt) {
    const auto scene = make_scene<StableNeoHookean>(
        {.mesh = mesh, .integrator = {.dt = dt, .newton = tight()}, .linear_tolerance = 1e-10});
    scene->set_velocities(rigid_velocity(mass, mesh.nodes, {1, -2, 8}, {0.3, 0.2, -0.1}) +
                          0.2 * noise(mesh.node_count(), 9));
    const Eigen::Vector3d p0 = momentum(mass, scene->velocities());
    const Eigen::Vector3d L0 = angular_momentum(mass, scene->positions(), scene->velocities());
    for (int n = 0; n * dt < 0.099; ++n) {
      const Points x = scene->positions(), v = scene->velocities();
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      const Points v_end = scene->velocities();
      CHECK((momentum(mass, v_end) - momentum(mass, v)).norm() < 1e-9 * p0.norm());
      const Eigen::Vector3d change =
          angular_momentum(mass, scene->positions(), v_end) - angular_momentum(mass, x, v);
      CHECK((change - dt * angular_momentum(mass, v_end, v)).norm() < 1e-9 * L0.norm());
    }
    CHECK((momentum(mass, scene->velocities()) - p0).norm() < 1e-8 * p0.norm());
    return (angular_momentum(mass, scene->positions(), scene->velocities()) - L0).norm() / L0.norm();
  };
  const double coarse = drift_of(2e-3), fine = drift_of(1e-3);
  CAPTURE(coarse, fine, coarse / fine);
  CHECK(coarse > 1e-4);  // there is a drift to speak of
  CHECK(coarse / fine == Approx(2).epsilon(0.1));
}

TEST_CASE("the error falls with dt, and that of linearising with dt to the fourth in one step") {
  const auto mesh = jittered_box({3, 2, 2});
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const auto scene_with = [&](const BackwardEuler& integrator, double bend) {
    auto scene = make_scene<StableNeoHookean>({.mesh = mesh, .integrator = integrator, .pinned = pinned});
    Points x = mesh.nodes, v = Points::Zero(3, mesh.node_count());
    for (int i = 0; i < mesh.node_count(); ++i) {
      x(0, i) += bend * mesh.nodes(0, i) * mesh.nodes(0, i);
      v.col(i) = 5 * mesh.nodes(0, i) * Eigen::Vector3d(0.5, -mesh.nodes(2, i), mesh.nodes(1, i) + 0.1);
    }
    for (const int i : pinned) x.col(i) = mesh.nodes.col(i);
    scene->set_positions(x);
    scene->set_velocities(v);
    scene->set_gravity(gravity);
    return scene;
  };
  const auto end_of = [&](int steps, const Newton& newton) {
    const auto scene = scene_with({.dt = 0.01 / steps, .newton = newton}, 0.2);
    for (int n = 0; n < steps; ++n) REQUIRE(scene->step());
    return scene->positions();
  };
  const Points reference = 2 * end_of(800, tight()) - end_of(400, tight());
  const double coarse = (end_of(50, tight()) - reference).norm(),
               fine = (end_of(100, tight()) - reference).norm();
  CAPTURE(coarse, fine, coarse / fine);
  CHECK(coarse / fine == Approx(2).epsilon(0.1));

  // From the rest shape: where the body is accelerated first, smaller steps are needed to see the order.
  const auto gap = [&](double dt) {
    const auto one_step = [&](BackwardEuler integrator) {
      integrator.dt = dt;
      const auto scene = scene_with(integrator, 0);
      REQUIRE(scene->step());
      return scene->positions();
    };
    return (one_step(linearised(dt)) - one_step({.newton = tight(1e-13)})).norm();
  };
  const double order = std::log2(gap(1e-4) / gap(5e-5));
  CAPTURE(order, gap(1e-4));
  CHECK(order == Approx(4).margin(0.05));
}
