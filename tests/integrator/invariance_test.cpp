// What a step must not depend on: the place and the direction of the scene, the order of nodes and elements,
// the number of threads. And the patch test.
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <numeric>

#include <pliant/core/parallel.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace pliant::test;

TEST_CASE("patch test: an affine boundary makes an affine body") {
  const auto mesh = jittered_box({3, 3, 3});
  const auto boundary = boundary_nodes(mesh);
  REQUIRE(static_cast<std::ptrdiff_t>(boundary.size()) == mesh.node_count() - 8);
  Eigen::Matrix3d A;
  A << 1.2, 0.15, -0.1, 0.05, 0.9, 0.2, -0.15, 0.1, 1.1;
  const Points affine = (A * mesh.nodes).colwise() + Eigen::Vector3d(0.3, -0.2, 0.1);
  Setup setup{.mesh = mesh, .lame = Lame::from_young_poisson(1e5, 0.45), .integrator = {.dt = 1e3}};
  setup.integrator.newton = tight(1e-13);
  setup.integrator.newton.max_iterations = 100;
  setup.pinned = boundary;
  for (const bool linear : {true, false}) {
    const auto scene = linear ? make_scene<LinearElastic>(setup) : make_scene<StableNeoHookean>(setup);
    Points start = affine + 0.02 * noise(mesh.node_count(), 21);
    for (const int i : boundary) start.col(i) = affine.col(i);
    scene->set_positions(start);
    for (int n = 0; n < 3; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
    }
    CAPTURE(linear);
    CHECK((scene->positions() - affine).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(scene->velocities().cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("a rigidly placed body at rest feels no force") {
  const auto mesh = jittered_box({3, 2, 2});
  for (const Newton& newton : {Newton{}, Newton::linearised()}) {
    const auto scene = make_scene<StableNeoHookean>({.mesh = mesh,
                                                     .lame = Lame::from_young_poisson(1e6, 0.45),
                                                     .damping = {.beta = 0.01},
                                                     .integrator = {.dt = 0.01, .newton = newton}});
    const Points placed =
        (rotation(2.1, {1, -2, 0.5}) * mesh.nodes).colwise() + Eigen::Vector3d(0.3, -0.2, 0.4);
    scene->set_positions(placed);
    for (int n = 0; n < 50; ++n) {
      const StepReport report = scene->step();
      REQUIRE(report);
      CHECK(report.residual < 1e-9);  // E h^2 = 1e4 N, to rounding
      CHECK(std::abs(report.energies.total()) < 1e-9);
    }
    CHECK((scene->positions() - placed).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(scene->velocities().cwiseAbs().maxCoeff() < 1e-12);
  }
  // The linear energy is invariant under translation only.
  const auto scene = make_scene<LinearElastic>({.mesh = mesh});
  const Points moved = mesh.nodes.colwise() + Eigen::Vector3d(5, 6, 7);
  scene->set_positions(moved);
  REQUIRE(scene->step());
  CHECK((scene->positions() - moved).cwiseAbs().maxCoeff() < 1e-13);
  scene->set_positions(rotation(0.5, {0, 0, 1}) * mesh.nodes);
  REQUIRE(scene->step());
  CHECK(scene->velocities().cwiseAbs().maxCoeff() > 0.1);
}

TEST_CASE("a rotated scene makes the rotated step") {
  const auto mesh = jittered_box({3, 2, 2});
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const Points start = mesh.nodes + 0.02 * noise(mesh.node_count(), 31);
  const Points velocity = noise(mesh.node_count(), 32), force = 5 * noise(mesh.node_count(), 33);
  const Eigen::Vector3d g(1, -9, 2);
  for (const bool converged : {true, false}) {
    const auto end_of = [&](const Eigen::Matrix3d& R, const Eigen::Vector3d& shift, bool rotate_rest) {
      const auto placed = [&](const Points& X) { return Points((R * X).colwise() + shift); };
      Mesh<Tet4> rest = mesh;
      if (rotate_rest) rest.nodes = placed(mesh.nodes);
      const auto scene = make_scene<StableNeoHookean>(
          {.mesh = rest,
           .damping = {.alpha = 0.3, .beta = 0.002},
           .integrator = {.dt = 0.01, .newton = converged ? tight(1e-13) : Newton::linearised()},
           .linear_tolerance = 1e-13,
           .pinned = pinned});
      scene->set_positions(placed(start));
      scene->set_velocities(R * velocity);
      scene->set_external_forces(R * force);
      scene->set_gravity(R * g);
      for (int n = 0; n < 5; ++n) {
        const StepReport report = scene->step();
        INFO(report.message());
        REQUIRE(report);
      }
      Points both(3, 2 * mesh.node_count());
      both << R.transpose() * (scene->positions().colwise() - shift), R.transpose() * scene->velocities();
      return both;
    };
    const Points reference = end_of(Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), false);
    for (const bool rotate_rest : {true, false}) {
      for (const double angle : {0.4, 1.57079632679489662, 3.0}) {
        const Points rotated = end_of(rotation(angle, {1, 2, -1}), {0.5, -1, 2}, rotate_rest);
        CAPTURE(converged, rotate_rest, angle);
        CHECK((rotated - reference).cwiseAbs().maxCoeff() < 1e-10);
      }
    }
  }
}

TEST_CASE("permuted nodes and elements make the permuted motion") {
  const auto mesh = jittered_box({3, 2, 2});
  std::vector<int> order(static_cast<std::size_t>(mesh.node_count()));  // new number of each node
  std::iota(order.begin(), order.end(), 0);
  const Points keys = noise(mesh.node_count(), 41);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return keys(0, a) < keys(0, b); });
  const auto renumbered = [&](int node) { return order[static_cast<std::size_t>(node)]; };
  Mesh<Tet4> shuffled = mesh;
  const auto permute = [&](const Points& values) {
    Points result(3, values.cols());
    for (int i = 0; i < values.cols(); ++i) result.col(renumbered(i)) = values.col(i);
    return result;
  };
  shuffled.nodes = permute(mesh.nodes);
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) {
      shuffled.elements(a, mesh.element_count() - 1 - e) = renumbered(mesh.elements(a, e));
    }
  }
  auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  Setup setup{.mesh = mesh, .integrator = {.dt = 0.01, .newton = tight(1e-13)}, .pinned = pinned};
  const Points velocity = noise(mesh.node_count(), 42), force = 5 * noise(mesh.node_count(), 43);
  const auto scene = make_scene<StableNeoHookean>(setup);
  setup.mesh = shuffled;
  for (int& node : setup.pinned) node = renumbered(node);
  const auto other = make_scene<StableNeoHookean>(setup);
  scene->set_velocities(velocity);
  scene->set_external_forces(force);
  other->set_velocities(permute(velocity));
  other->set_external_forces(permute(force));
  for (int n = 0; n < 5; ++n) {
    REQUIRE(scene->step());
    REQUIRE(other->step());
  }
  REQUIRE((scene->positions() - mesh.nodes).norm() > 0.01);
  CHECK((permute(scene->positions()) - other->positions()).cwiseAbs().maxCoeff() < 1e-11);
  CHECK((permute(scene->velocities()) - other->velocities()).cwiseAbs().maxCoeff() < 1e-9);
}

TEMPLATE_TEST_CASE("the same bits on any number of threads", "", float, double) {
  const auto mesh = jittered_box({15, 8, 8}, 0.05);
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.02; });
  const BackwardEuler integrator{.dt = 0.01, .newton = {.max_iterations = 2, .require_convergence = false}};
  const auto end_with = [&](int threads) {
    set_thread_count(threads);
    const auto scene = make_scene<StableNeoHookean, TestType>({.mesh = mesh,
                                                               .damping = {.alpha = 0.1, .beta = 0.001},
                                                               .integrator = integrator,
                                                               .linear_tolerance = 1e-3,
                                                               .pinned = pinned});
    scene->set_gravity({0, -9.81, 0});
    scene->set_velocities(0.2 * noise(mesh.node_count(), 51));
    Points both(3, 2 * mesh.node_count());
    double sums = 0;
    for (int n = 0; n < 2; ++n) {
      const StepReport report = scene->step();
      REQUIRE(report);
      sums += report.residual + report.energies.total() + report.linear_residual + report.linear_iterations;
    }
    set_thread_count(0);
    both << scene->positions(), scene->velocities();
    return std::pair(both, sums);
  };
  const auto one = end_with(1);
  for (const int threads : {2, 3, 7}) {
    const auto several = end_with(threads);
    CAPTURE(threads);
    CHECK(several.first == one.first);
    CHECK(several.second == one.second);
  }
}
