// What keeps explicit steps stable: a safe bound of the highest frequency, renewed as the body stiffens.
#include "integrator/bodies.hpp"
#include "integrator/dense_body.hpp"
#include "integrator/scene.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean_barrier.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

// An energy without any force, whose Hessian is zero; or else not a number where F_xx is above a limit.
struct Slack {
  double limit = std::numeric_limits<double>::infinity();

  template <class Derived>
  EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const {
    return constant<typename Derived::Scalar>(0) * F(0, 0);
  }
  template <class Derived>
  DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>&) const {
    DeformationGradient<Derived> P;
    for (int k = 0; k < P.size(); ++k) P.data()[k] = constant<typename Derived::Scalar>(0);
    return P;
  }
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    EnergyHessian<Derived> H;
    const T entry = simd::select(F(0, 0) > constant<T>(limit),
                                 constant<T>(std::numeric_limits<double>::quiet_NaN()), constant<T>(0));
    for (int k = 0; k < H.size(); ++k) H.data()[k] = entry;
    return H;
  }
};

std::vector<int> all_nodes(const Mesh<Tet4>& mesh) {
  return nodes_where(mesh, [](const auto&) { return true; });
}

}  // namespace

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
    const double bound = detail::integrator::bound_eigenvalues(filter, system.mass(), A, y, z);

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

TEST_CASE("CentralDifferences: a body whose nodes are all moved goes where it is told, in one substep") {
  const auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  const StableNeoHookean energy(Lame::from_young_poisson(1e5, 0.3));
  const auto stretched = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return {X.x() * (1 + t), X.y(), X.z()};
  };
  Simulation sim(Solid(mesh, energy, Density{1000}), CentralDifferences{.dt = 0.01},
                 PrescribedMotion(all_nodes(mesh), stretched));
  for (int n = 1; n <= 10; ++n) {
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
    CHECK(report.substeps == 1);
    CHECK(report.stable_dt == std::numeric_limits<double>::infinity());
    const double stretch = 1 + 0.01 * n;
    CHECK(sim.time() == Approx(0.01 * n));
    CHECK(sim.positions().row(0).maxCoeff() == Approx(stretch));
    CHECK(sim.velocities().row(0).maxCoeff() == Approx(1));
    // The volume is 1 m^3, and so is the area of each side: energy and forces are psi and P.
    const Eigen::Matrix3d F = Eigen::Vector3d(stretch, 1, 1).asDiagonal();
    CHECK(report.energies.elastic == Approx(energy.psi(F)));
    for (int axis = 0; axis < 3; ++axis) {
      double pull = 0;
      for (const int i : nodes_where(mesh, [&](const auto& X) { return X(axis) > 1 - 1e-9; }))
        pull += sim.constraint_forces()(axis, i);
      CHECK(pull == Approx(energy.pk1(F)(axis, axis)));
    }
  }
}

TEST_CASE("CentralDifferences: a body without stiffness falls as a stone does") {
  const auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  Simulation sim(Solid(mesh, Slack{}, Density{1000}), CentralDifferences{.dt = 0.01});
  sim.set_gravity({0, -9.81, 0});
  int steps = 0;
  for (; sim.time() < 0.095 && steps < 1000; ++steps) REQUIRE(sim.step());
  CHECK(steps == 10);
  Points fallen = mesh.nodes;
  fallen.row(1).array() -= 9.81 * 0.01 / 2;  // 0.1 s
  CHECK((sim.positions() - fallen).norm() < 1e-12);
  CHECK((sim.velocities().row(1).array() + 0.981).matrix().norm() < 1e-12);
  CHECK(sim.energies().total() == Approx(0).margin(1e-9));
}

TEST_CASE("CentralDifferences: a body crushed to a point, where its energy has no stiffness, falls") {
  const auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  Simulation sim(Solid(mesh, StableNeoHookeanBarrier(Lame::from_young_poisson(1e5, 0.3)), Density{1000}),
                 CentralDifferences{.dt = 0.01});
  sim.set_gravity({0, -9.81, 0});
  sim.set_positions(0 * mesh.nodes);
  for (int n = 0; n < 10; ++n) REQUIRE(sim.step());
  CHECK(sim.time() == Approx(0.1));
  CHECK((sim.positions().row(1).array() + 9.81 * 0.01 / 2).matrix().norm() < 1e-12);
}

TEST_CASE("longest stable step: infinite without any stiffness, zero where that is not finite") {
  constexpr double infinity = std::numeric_limits<double>::infinity(),
                   nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(detail::integrator::longest_stable_step(0, 0) == infinity);
  CHECK(detail::integrator::longest_stable_step(4, 0) == 1);
  CHECK(detail::integrator::longest_stable_step(0, 2) == 1);
  for (const double wrong : {nan, infinity}) {
    CHECK(detail::integrator::longest_stable_step(wrong, 0) == 0);
    CHECK(detail::integrator::longest_stable_step(0, wrong) == 0);
  }
}

TEST_CASE("CentralDifferences: a stiffness that is not finite, at the start or at the end, fails the step") {
  const auto mesh = make_box<Tet4>({.cells = {1, 1, 1}});
  const auto right = nodes_where(mesh, [](const auto& X) { return X.x() > 0.5; });
  for (const double limit : {0.0, 1.05}) {  // of F_xx, which goes from 1 to 1.1 in a step
    Simulation sim(Solid(mesh, Slack{limit}, Density{1000}), CentralDifferences{.dt = 0.1},
                   PrescribedMotion(right, [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
                     return X + Eigen::Vector3d(t, 0, 0);
                   }));
    int substeps = 0;
    sim.on_progress([&](const Progress&) { ++substeps; });
    for (int n = 0; n < 2; ++n) {
      const StepReport report = sim.step();
      INFO(report.message());
      CHECK(report.stop == StepStop::not_finite);
      CHECK(substeps <= sim.integrator().max_substeps);
      CHECK(sim.time() == 0);
      CHECK(sim.positions() == mesh.nodes);
      substeps = 0;
    }
  }
}
