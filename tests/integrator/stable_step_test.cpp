// What keeps explicit steps stable: a safe bound of the highest frequency, renewed as the body stiffens.
#include "integrator/bodies.hpp"
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/sliding.hpp>
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
        const Eigen::MatrixXd reduced = root.asDiagonal() * K * root.asDiagonal();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(reduced, Eigen::EigenvaluesOnly);
        const double limit = 2 / std::sqrt(eigen.eigenvalues().maxCoeff());
        CAPTURE(nu, stretch, held.size(), report.stable_dt, limit);
        CHECK(report.stable_dt <= limit);
        CHECK(report.stable_dt > 0.85 * limit);
      }
    }
  }
}

TEST_CASE("the bound of the frequency is a safe one where nodes slide on an oblique plane") {
  const auto mesh = jittered_box({3, 2, 1});
  const auto lame = Lame::from_young_poisson(1e5, 0.3);
  const auto sliding = nodes_where(mesh, [](const auto& X) { return X.x() < 0.25; });
  const Eigen::Vector3d normal = Eigen::Vector3d(1, 1.05, 0.95).normalized();
  const Solid solid(mesh, StableNeoHookean(lame), Density{1000});
  ElasticSystem system{solid};
  NodeConstraints<3> constraints(mesh.node_count());
  Sliding::on_plane(sliding, normal).describe(constraints);
  const Filter<3, double> filter(constraints, mesh.nodes, system.numbering(), system.pattern());
  auto x = system.make_vector(), y = system.make_vector(), z = system.make_vector();
  auto A = system.make_matrix();
  for (const double stretch : {0.7, 1.0, 1.6}) {
    const Points stretched = Eigen::Vector3d(stretch, 1, 1.1).asDiagonal() * mesh.nodes;
    system.to_internal(stretched, x);
    (void)system.tangent(x, Projection::none, 1, y, A);
    const double bound = bound_eigenvalues(filter, system.mass(), A, y, z);

    const DenseBody body(mesh, Law::stable_neo_hookean, lame, 1000);
    Eigen::MatrixXd free = body.masses().cwiseSqrt().cwiseInverse().asDiagonal();
    for (const int i : sliding) {
      free.middleCols<3>(3 * i) *= Eigen::Matrix3d::Identity() - normal * normal.transpose();
    }
    const Eigen::MatrixXd reduced = free.transpose() * body.stiffness(stretched) * free;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(reduced, Eigen::EigenvaluesOnly);
    const double largest = eigen.eigenvalues().maxCoeff();
    CAPTURE(stretch, bound, largest);
    CHECK(bound >= largest);
    CHECK(bound < 1.5 * largest);
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
