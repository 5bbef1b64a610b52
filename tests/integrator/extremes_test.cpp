// Stiff, soft, heavy, light, tiny and huge bodies, odd steps: a step either succeeds with finite numbers that
// make sense or says why not.
#include "integrator/bodies.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

// A cantilever of length 3 `size` under gravity with the default Newton settings, from rest. Checks that
// every step converges and that the body stays within what it can have fallen and its own length.
template <class Scalar>
void swing(double size, double E, double nu, double density, double dt) {
  CAPTURE(size, E, nu, density, dt, sizeof(Scalar));
  const auto mesh = jittered_box({3, 1, 1}, size);
  const auto scene = make_scene<StableNeoHookean, Scalar>(
      {.mesh = mesh,
       .lame = Lame::from_young_poisson(E, nu),
       .density = density,
       .integrator = {.dt = dt},
       .linear_tolerance = 1e-6,
       .pinned = nodes_where(mesh, [size](const auto& X) { return X.x() < 0.5 * size; })});
  scene->set_gravity({0, -9.81, 0});
  for (int n = 0; n < 20; ++n) {
    const StepReport report = scene->step();
    CAPTURE(n);
    INFO(report.message());
    REQUIRE(report.stop == StepStop::converged);
    REQUIRE(scene->positions().allFinite());
    REQUIRE(scene->velocities().allFinite());
    REQUIRE(std::isfinite(report.energies.total()));
  }
  const double time = 20 * dt;
  const double reach = std::min(9.81 * time * time, 20 * size);
  CHECK((scene->positions() - mesh.nodes).cwiseAbs().maxCoeff() < reach);
  // It went down, if only by what a bar that is held sinks, where the scalar type can tell.
  const double sag = density * 9.81 * size * size / E;
  if (sag > 100 * std::numeric_limits<Scalar>::epsilon() * size)
    CHECK(scene->positions().row(1).sum() < mesh.nodes.row(1).sum());
}

}  // namespace

TEST_CASE("stiff, soft, heavy, light, tiny and huge bodies") {
  for (const double E : {1e3, 1e6, 1e9}) {
    for (const double density : {1e-3, 1e3, 1e5}) swing<double>(0.1, E, 0.45, density, 1.0 / 60);
  }
  for (const double nu : {-0.4, 0.0, 0.499}) swing<double>(0.1, 1e6, nu, 1000, 1.0 / 60);
  for (const double dt : {1e-5, 1e-3, 0.1, 10.0}) swing<double>(0.1, 1e6, 0.45, 1000, dt);
  for (const double size : {1e-4, 1e4}) {
    for (const double E : {1e4, 1e9}) swing<double>(size, E, 0.45, 1000, 1.0 / 60);
  }
}

TEST_CASE("the same in float") {
  for (const double E : {1e3, 1e6, 1e9}) {
    for (const double density : {1.0, 1e3, 1e5}) swing<float>(0.1, E, 0.45, density, 1.0 / 60);
  }
  for (const double nu : {0.0, 0.499}) swing<float>(0.1, 1e6, nu, 1000, 1.0 / 60);
  for (const double dt : {1e-3, 0.1}) swing<float>(0.1, 1e6, 0.45, 1000, dt);
  for (const double size : {1e-3, 1e3}) swing<float>(size, 1e6, 0.45, 1000, 1.0 / 60);
  // The squares of its forces, some 1e22 N, are no floats.
  for (const double dt : {1.0 / 60, 10.0}) swing<float>(1e6, 1e11, 0.45, 1000, dt);
}

TEST_CASE("one tetrahedron, free and held by one, two and three nodes") {
  Mesh<Tet4> mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  for (const auto& pinned : {std::vector<int>{}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}}) {
    const auto scene = make_scene<StableNeoHookean>(
        {.mesh = mesh, .damping = {.beta = 0.01}, .integrator = {.dt = 0.01}, .pinned = pinned});
    scene->set_gravity({0, 0, -9.81});
    for (int n = 0; n < 100; ++n) {
      const StepReport report = scene->step();
      CAPTURE(pinned.size(), n);
      INFO(report.message());
      REQUIRE(report);
    }
    CHECK(scene->positions().allFinite());
    for (const int i : pinned) CHECK(scene->positions().col(i) == mesh.nodes.col(i));
    if (pinned.size() == 4) CHECK(scene->velocities().isZero(0));
    if (pinned.size() == 1) {  // it hangs below its support
      CHECK(scene->positions().rowwise().mean().z() < -0.01);
    }
  }
}
