// What keeps explicit steps stable: a safe bound of the highest frequency, renewed as the body stiffens.
#include "integrator/bodies.hpp"
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>

using namespace pliant;
using namespace pliant::test;

TEST_CASE(
    "CentralDifferences: the bound of the frequency is a safe one, of the present tangent, and not far off") {
  const auto mesh = jittered_box({3, 2, 2});
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  for (const double nu : {0.0, 0.3, 0.49}) {
    for (const auto& held : {std::vector<int>{}, pinned}) {
      for (const double stretch : {0.7, 1.0, 1.6}) {
        const auto lame = Lame::from_young_poisson(1e5, nu);
        const auto scene = make_scene<StableNeoHookean, double, CentralDifferences>(
            {.mesh = mesh, .lame = lame, .integrator = {.dt = 1e-6}, .pinned = held});
        const Points x = Eigen::Vector3d(stretch, 1, 1.1).asDiagonal() * mesh.nodes;
        scene->set_positions(x);
        const StepReport report = scene->step();
        REQUIRE(report);
        const DenseBody body(mesh, Law::stable_neo_hookean, lame, 1000);
        Eigen::MatrixXd K = body.stiffness(scene->positions());
        for (const int i : held) {
          K.middleRows<3>(3 * i).setZero();
          K.middleCols<3>(3 * i).setZero();
        }
        const Eigen::VectorXd root = body.masses().cwiseSqrt().cwiseInverse();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(root.asDiagonal() * K * root.asDiagonal(),
                                                                   Eigen::EigenvaluesOnly);
        const double limit = 2 / std::sqrt(eigen.eigenvalues().maxCoeff());
        CAPTURE(nu, stretch, held.size(), report.stable_dt, limit);
        CHECK(report.stable_dt <= limit);
        CHECK(report.stable_dt > 0.85 * limit);
      }
    }
  }
}

// E = 1e5 Pa and cells of 0.1 m: the stable step is near 2 ms.
TEST_CASE("CentralDifferences: substeps are steps") {
  const auto mesh = jittered_box({2, 1, 1});
  const auto start = [&](double dt) {
    auto scene = make_scene<StableNeoHookean, double, CentralDifferences>(
        {.mesh = mesh, .damping = {1, 1e-4}, .integrator = {.dt = dt}});
    scene->set_velocities(noise(mesh.node_count(), 3));
    scene->set_gravity({0, -9.81, 0});
    return scene;
  };
  const auto whole = start(0.04);
  const StepReport report = whole->step();
  REQUIRE(report);
  REQUIRE(report.substeps > 10);  // more than one bound of the frequency
  const auto parts = start(0.04 / report.substeps);
  for (int k = 0; k < report.substeps; ++k) {
    const StepReport part = parts->step();
    REQUIRE(part);
    REQUIRE(part.substeps == 1);
  }
  CHECK((whole->positions() - parts->positions()).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((whole->velocities() - parts->velocities()).cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE(
    "CentralDifferences: a body that stiffens on the way has the substeps repeated that were too long") {
  const auto mesh = jittered_box({2, 2, 1});
  const auto start = [&](const CentralDifferences& integrator) {
    auto scene = make_scene<StableNeoHookean, double, CentralDifferences>(
        {.mesh = mesh, .lame = Lame::from_young_poisson(1e3, 0.4), .integrator = integrator});
    Points v = 40 * mesh.nodes;  // its size doubles within a few stable steps
    v.row(2).setZero();
    scene->set_velocities(v);
    return scene;
  };
  const double dt = 0.03;
  const auto reference = start({.dt = dt / 400});
  for (int n = 0; n < 400; ++n) REQUIRE(reference->step());
  int careful = 0;  // substeps where the bound is always renewed
  for (const int renewal : {1, 10, 100}) {
    const auto scene = start({.dt = dt, .renewal = renewal});
    const StepReport report = scene->step();
    INFO(report.message());
    REQUIRE(report);
    CAPTURE(renewal, report.substeps, report.stable_dt);
    CHECK(scene->time() == Approx(dt));
    CHECK((scene->positions() - reference->positions()).norm() <
          0.05 * (reference->positions() - mesh.nodes).norm());
    CHECK(report.substeps < 20);
    if (renewal == 1) careful = report.substeps;
    else CHECK(report.substeps > careful);  // some were taken back
  }
}
