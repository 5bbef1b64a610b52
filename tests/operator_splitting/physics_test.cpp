// What steps of OperatorSplitting have to do with physics.
#include "integrator/bodies.hpp"
#include "operator_splitting/plain_splitting.hpp"
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double g = 9.81, density = 1000;
const Vector3d gravity(0, -g, 0);

}  // namespace

TEST_CASE("operator splitting: a body at rest falls freely, and momentum is kept") {
  const auto mesh = slender_bar(4);
  const FixedCorotated soft(Lame::from_young_poisson(1e5, 0.4));
  constexpr double dt = 0.01;
  Simulation falling(Solid(mesh, soft, Density{density}), OperatorSplitting{.dt = dt});
  falling.set_gravity(gravity);
  run_steps(falling, 20);
  const MatrixXd expected = mesh.nodes.colwise() + 20 * 21 / 2 * dt * dt * gravity;
  CHECK((falling.positions() - expected).cwiseAbs().maxCoeff() < 1e-13);

  Simulation shaken(Solid(mesh, soft, Density{density}), OperatorSplitting{.dt = dt});
  shaken.set_positions(mesh.nodes + 0.01 * noise(mesh.node_count(), 1));
  shaken.set_velocities(noise(mesh.node_count(), 2));
  const Eigen::VectorXd mass = node_masses(mesh, density);
  const Vector3d before = momentum(mass, shaken.velocities());
  run_steps(shaken, 20);
  CHECK((momentum(mass, shaken.velocities()) - before).norm() < 1e-13);
}

TEST_CASE("operator splitting: an undamped bar that swings gains no energy") {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {20, 4, 4}});
  for (const double nu : {0.0, 0.33, 0.45}) {
    Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e6, nu)), Density{density}),
                   OperatorSplitting{.dt = 0.004}, Pinned(lower_end(mesh)));
    sim.set_gravity({0, -1, 0});
    double highest = 0, total = 0;  // [J], of the start; at rest it is some -0.25
    for (int n = 0; n < 500; ++n) {
      const StepReport report = sim.step();
      REQUIRE(report);
      if (n % 10 == 9) highest = std::max(highest, total = sim.energies().total());
    }
    CHECK(highest < 0.002);
    CHECK(total < -0.02);
    CHECK(total > -0.25);
  }
}

TEST_CASE("operator splitting: pressures far beyond the stiffness do not throw a body apart") {
  const auto mesh = make_box<Tet4>({.lengths = {0.2, 0.1, 0.1}, .cells = {8, 4, 4}});
  for (const double size : {0.3, 0.9, 1.8}) {
    Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.499)), Density{density}),
                   OperatorSplitting{.dt = 0.0005}, Pinned(std::vector<int>{}));
    sim.set_positions(size * mesh.nodes);
    const double start = sim.energies().total();
    double highest = 0;
    for (int n = 0; n < 200; ++n) {
      run_steps(sim, 1);
      if (n % 5 == 4) highest = std::max(highest, sim.energies().total());
    }
    CHECK(highest < 1.01 * start);
  }
}

TEST_CASE("operator splitting: many stretch iterations end at implicit Euler of Arap") {
  const auto mesh = slender_bar(4);
  const auto held = lower_end(mesh);
  constexpr double dt = 0.01;
  const Solid solid(mesh, Arap(Lame::from_young_poisson(2e4, 0.3)), Density{density});
  Simulation splitting(
      solid, OperatorSplitting{.dt = dt, .rotation_iterations = 2, .stretch_iterations = 400}, Pinned(held));
  Simulation euler(solid, BackwardEuler{.dt = dt, .newton = {.tolerance = 1e-11}}, Cholesky{}, Pinned(held));
  MatrixXd start = mesh.nodes + 0.005 * noise(mesh.node_count(), 1);
  for (const int node : held) start.col(node) = mesh.nodes.col(node);
  for (int n = 0; n < 5; ++n) {
    if (n == 0) splitting.set_positions(start), euler.set_positions(start);
    splitting.set_gravity(gravity);
    euler.set_gravity(gravity);
    run_steps(splitting, 1);
    run_steps(euler, 1);
    const double motion = dt * euler.velocities().cwiseAbs().maxCoeff();
    CHECK((splitting.positions() - euler.positions()).cwiseAbs().maxCoeff() < 1e-6 * motion);
  }
}

TEST_CASE("operator splitting: converged volume constraints push with k grad C, k = -lambda V C dt^2") {
  Mesh<Tet4> mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.1;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  constexpr double dt = 0.01, lambda = 1e5, V = 1e-3 / 6;
  Simulation sim(Solid(mesh, FixedCorotated(RawCoefficients{1e-6, lambda}), Density{density}),
                 OperatorSplitting{.dt = dt, .volume_iterations = 50, .incremental = false});
  const MatrixXd start = 0.999 * mesh.nodes;
  sim.set_positions(start);
  run_steps(sim, 1);
  const MatrixXd force = density * V / 4 / (dt * dt) * (sim.positions() - start);
  const Matrix3d F = (sim.positions().rightCols<3>().colwise() - sim.positions().col(0)) / 0.1;
  const double pressure = -lambda * (F.determinant() - 1);
  CHECK(pressure > 1);
  // grad C is cof F grad N of the start, as the first relaxation has it, which does nearly all.
  for (int a = 1; a < 4; ++a)
    CHECK(force(a - 1, a) == Approx(pressure * V / 0.1 * 0.999 * 0.999).epsilon(1e-5));
}

TEST_CASE("operator splitting: a hanging bar comes to rest where implicit Euler has it, held by its weight") {
  const auto mesh = slender_bar(6);
  const auto held = lower_end(mesh);
  constexpr double dt = 0.001;
  const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(3e5, 0.3)), Density{density},
                    Rayleigh{.alpha = 15});
  Simulation splitting(solid, OperatorSplitting{.dt = dt}, Pinned(held));
  Simulation euler(solid, BackwardEuler{.dt = 0.01}, Cholesky{}, Pinned(held));
  splitting.set_gravity(gravity);
  euler.set_gravity(gravity);
  run_steps(splitting, 2000);
  run_steps(euler, 200);
  const auto sinking = [](const auto& sim) { return -sim.positions().row(1).minCoeff(); };
  CHECK(sinking(euler) > 0.005);
  CHECK(sinking(splitting) == Approx(sinking(euler)).epsilon(1e-4));
  const Vector3d force = splitting.constraint_forces().rowwise().sum();
  CHECK(force.y() == Approx(density * g * total_volume(mesh)).epsilon(1e-6));
  CHECK(std::abs(force.x()) < 1e-6 * force.y());
}

TEST_CASE("operator splitting: axial vibration has the frequency of the true mass") {
  const double length = 0.5, E = 1e5;
  const auto mesh = slender_bar(20, length);
  const double period = 4 * length * std::sqrt(density / E), dt = period / 400;
  Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(E, 0)), Density{density}),
                 OperatorSplitting{.dt = dt}, Pinned(lower_end(mesh)));
  MatrixXd start = mesh.nodes;
  for (int i = 0; i < start.cols(); ++i) start(0, i) += 1e-4 * std::sin(M_PI / 2 * mesh.nodes(0, i) / length);
  sim.set_positions(start);
  const auto end = mesh.node_count() - 1;
  std::vector<double> passages;  // of the end through its place at rest [s]
  for (double before = 1, now = 0; passages.size() < 2; before = now) {
    run_steps(sim, 1);
    REQUIRE(sim.time() < period);
    now = sim.positions()(0, end) - mesh.nodes(0, end);
    if ((now > 0) != (before > 0)) passages.push_back(sim.time() - dt * now / (now - before));
  }
  CHECK(passages[1] - passages[0] == Approx(period / 2).epsilon(1e-3));
}

TEST_CASE("operator splitting: a reflected body turns itself right side out where volumes are not held") {
  const auto mesh = make_box<Tet4>({.lengths = {0.2, 0.1, 0.1}, .cells = {8, 4, 4}});
  Simulation sim(
      Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.3)), Density{density}, Rayleigh{.alpha = 2}),
      OperatorSplitting{.dt = 0.01, .volume_iterations = 0}, Pinned(lower_end(mesh)));
  MatrixXd start = mesh.nodes;
  start.row(0) *= -1;
  sim.set_positions(start);
  run_steps(sim, 500);
  auto now = mesh;
  now.nodes = sim.positions();
  CHECK((element_volumes(now).array() / element_volumes(mesh).array()).minCoeff() > 0.99);
  CHECK((sim.positions() - mesh.nodes).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("operator splitting: mass damping brakes, moved nodes go where they are told") {
  const auto mesh = slender_bar(3);
  const FixedCorotated soft(Lame::from_young_poisson(1e5, 0.4));
  constexpr double dt = 0.01, alpha = 3;
  Simulation sim(Solid(mesh, soft, Density{density}, Rayleigh{.alpha = alpha}), OperatorSplitting{.dt = dt});
  sim.set_velocities(Vector3d(1, 2, 3).replicate(1, mesh.node_count()));
  run_steps(sim, 10);
  const Vector3d expected = Vector3d(1, 2, 3) / std::pow(1 + alpha * dt, 10);
  CHECK((sim.velocities().colwise() - expected).cwiseAbs().maxCoeff() < 1e-12);

  const auto end = lower_end(mesh);
  const auto path = [](const Vector3d& X, double t) -> Vector3d {
    return X + std::sin(t) * Vector3d(0, 0, 0.1);
  };
  Simulation moved(Solid(mesh, soft, Density{density}), OperatorSplitting{.dt = dt},
                   PrescribedMotion(end, path));
  run_steps(moved, 20);
  for (const int node : end) {
    CHECK((moved.positions().col(node) - path(mesh.nodes.col(node), 0.2)).norm() < 1e-14);
    CHECK(moved.velocities()(2, node) == Approx(0.1 * std::cos(0.2)).epsilon(1e-5));  // 1e-3: of a chord
  }
  CHECK(moved.positions().row(2).maxCoeff() > 0.105);
}

TEST_CASE("operator splitting: bodies of several materials") {
  auto mesh = slender_bar(4);
  const auto other = slender_bar(3);
  mesh.regions.resize(mesh.element_count());
  for (int e = 0; e < mesh.element_count(); ++e) mesh.regions[e] = mesh.nodes(0, mesh.elements(0, e)) < 0.15;
  const FixedCorotated soft(Lame::from_young_poisson(1e5, 0.4)), hard(Lame::from_young_poisson(1e6, 0.3));
  const auto end_of = [&](const auto& solid, int nodes) {
    Simulation sim(solid, OperatorSplitting{.dt = 0.01});
    MatrixXd start = solid.nodes();
    start.leftCols(nodes) = mesh.nodes + 0.01 * noise(nodes, 1);
    sim.set_positions(start);
    run_steps(sim, 10);
    return MatrixXd(sim.positions().leftCols(nodes));
  };
  const Solid two(mesh, PerRegion<FixedCorotated>{{0, hard}, {1, soft}}, Density{density});
  const int nodes = static_cast<int>(mesh.node_count());
  const MatrixXd alone = end_of(two, nodes);
  const MatrixXd beside =
      end_of(Bodies(two, Solid(other, Arap(Lame::from_young_poisson(1e5, 0.2)), Density{500})), nodes);
  CHECK((alone - beside).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((alone - end_of(Solid(mesh, soft, Density{density}), nodes)).cwiseAbs().maxCoeff() > 1e-4);
}

TEST_CASE("operator splitting: bodies welded onto each other keep their momentum, and add their stiffness") {
  const auto mesh = slender_bar(3);
  const auto half = [&](const auto& energy) { return Solid(mesh, energy, Density{density / 2}); };
  const Lame a = Lame::from_young_poisson(1e5, 0.4), b = Lame::from_young_poisson(2e5, 0.3);
  const MatrixXd start = mesh.nodes + 0.01 * noise(mesh.node_count(), 1);
  const auto end_of = [&](const auto& solid) {
    Simulation sim(solid, OperatorSplitting{.dt = 0.01});
    sim.set_positions(start);
    run_steps(sim, 5);
    return MatrixXd(sim.velocities());
  };
  const Weld same_place{1e-9};
  const MatrixXd v = end_of(Bodies(same_place, half(FixedCorotated(a)), half(FixedCorotated(b))));
  CHECK(momentum(node_masses(mesh, density), v).norm() < 1e-13);
  const MatrixXd both = end_of(Bodies(same_place, half(Arap(a)), half(Arap(b))));
  const MatrixXd one = end_of(Solid(mesh, Arap(RawCoefficients{a.mu() + b.mu(), 0}), Density{density}));
  CHECK((both - one).cwiseAbs().maxCoeff() < 1e-11);
}

namespace {

// Positions after some steps of bodies, one of which has a single element, whose lengths and times are scaled
// with velocities as they are; unscaled again.
template <class Scalar>
MatrixXd positions_of_scaled_bodies(double scale) {
  Mesh<Tet4> mesh = slender_bar(3);
  Mesh<Tet4> tetrahedron;
  tetrahedron.nodes.resize(3, 4);
  tetrahedron.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 1, 1, 1, 1.1;
  tetrahedron.elements.resize(4, 1);
  tetrahedron.elements << 0, 1, 2, 3;
  append(tetrahedron, mesh);
  const MatrixXd start = mesh.nodes + 0.005 * noise(mesh.node_count(), 1);
  Mesh<Tet4, Scalar> scaled;
  scaled.nodes = (scale * mesh.nodes).template cast<Scalar>();
  scaled.elements = mesh.elements;
  Simulation sim(Solid(scaled, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                 OperatorSplitting{.dt = 0.01 * scale});
  sim.set_gravity(gravity / scale);
  sim.set_positions((scale * start).template cast<Scalar>());
  run_steps(sim, 5);
  return sim.positions().template cast<double>() / scale;
}

}  // namespace

TEST_CASE("operator splitting: small and large bodies move alike") {
  for (const int power : {-20, 20}) {
    const double scale = std::ldexp(1, power);
    const auto change = [&](auto scalar) {
      using Scalar = decltype(scalar);
      return (positions_of_scaled_bodies<Scalar>(scale) - positions_of_scaled_bodies<Scalar>(1))
          .cwiseAbs()
          .maxCoeff();
    };
    CHECK(change(double()) < 1e-14);
    CHECK(change(float()) < 1e-6);
  }
}

TEST_CASE("operator splitting: masses that vanish beside the stiffness are told") {
  Simulation sim(Solid(slender_bar(3), Arap(Lame::from_young_poisson(1e12, 0)), Density{1e-6}),
                 OperatorSplitting{.dt = 10});
  CHECK_THROWS_WITH(sim.step(), Catch::Contains("rounding"));
}

TEST_CASE("operator splitting: the same bits for any number of threads") {
  const auto mesh = make_box<Tet4>({.lengths = {1.2, 1, 1}, .cells = {12, 10, 10}, .split = Split::kuhn});
  REQUIRE(parts_of(mesh, lower_end(mesh)) > 1);  // or there would be nothing to share out
  const auto end_with = [&](int threads) {
    const WithThreads with(threads);
    Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                   OperatorSplitting{.dt = 0.01, .stretch_iterations = 2}, Pinned(lower_end(mesh)));
    sim.set_gravity(gravity);
    run_steps(sim, 5);
    return MatrixXd(sim.positions());
  };
  const MatrixXd one = end_with(1);
  for (const int threads : {2, 3, 7}) CHECK(end_with(threads) == one);
}

TEST_CASE("operator splitting: the matrix is factorised only where it has changed, which is reported") {
  const auto mesh = slender_bar(3);
  const OperatorSplitting integrator{.dt = 0.01};
  Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                 integrator, Pinned(lower_end(mesh)));
  const auto factorisations = [&] {
    const StepReport report = sim.step();
    REQUIRE(report);
    return report.factorisations;
  };
  CHECK(factorisations() == 1);
  CHECK(factorisations() == 0);
  sim.set_constraint(Pinned({0}));
  CHECK(factorisations() == 1);
  sim.set_constraint(Pinned({0}));
  CHECK(factorisations() == 0);
  sim.set_integrator({.dt = 0.005});
  CHECK(factorisations() == 1);
  CHECK(factorisations() == 0);
}

TEST_CASE("operator splitting: a body of which every node is held stays") {
  const auto mesh = slender_bar(2);
  const auto all = nodes_where(mesh, [](const auto&) { return true; });
  Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                 OperatorSplitting{.dt = 0.01}, Pinned(all));
  sim.set_gravity(gravity);
  run_steps(sim, 3);
  CHECK(sim.positions() == MatrixXd(mesh.nodes));
  CHECK(sim.constraint_forces().row(1).sum() == Approx(density * g * total_volume(mesh)));
}

TEST_CASE("operator splitting: elastic energy on demand") {
  const auto mesh = slender_bar(3);
  const FixedCorotated soft(Lame::from_young_poisson(1e5, 0.4));
  const auto energy_with = [&](bool asked) {
    Simulation sim(Solid(mesh, soft, Density{density}),
                   OperatorSplitting{.dt = 0.01, .elastic_energy = asked});
    sim.set_positions(mesh.nodes + 0.01 * noise(mesh.node_count(), 1));
    const StepReport report = sim.step();
    REQUIRE(report);
    return report.energies.elastic;
  };
  CHECK(std::isnan(energy_with(false)));
  CHECK(energy_with(true) > 0);
}

TEST_CASE("operator splitting: no step claims a residual, progress is told once per step") {
  Simulation sim(Solid(slender_bar(3), FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density}),
                 OperatorSplitting{.dt = 0.01, .stretch_iterations = 3});
  int calls = 0;
  sim.on_progress([&](const Progress& progress) {
    ++calls;
    CHECK(progress.newton_iteration == 0);
    CHECK(std::isnan(progress.residual));
    CHECK(std::isnan(progress.linear_residual));
  });
  for (int n = 1; n <= 2; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(calls == n);
    CHECK(std::isnan(report.residual));
    CHECK(report.message().find("knows no residual") != std::string::npos);
  }
}

TEST_CASE("operator splitting: a step counts the elements that are inverted where it begins its solve") {
  // 21 copies are more than a block of them and some more, two other bodies are solved as one.
  const auto small = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}});
  const int copies = GENERATE(1, 2, 14, 21);
  auto mesh = row_of_copies(small, copies, {0, 0, 0.2});
  append(slender_bar(5, 0.5), mesh);
  const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density});
  auto start = mesh, ahead = mesh;
  start.nodes += 0.06 * noise(mesh.node_count(), 1);
  const MatrixXd v = 4 * noise(mesh.node_count(), 2);
  const OperatorSplitting integrator{.dt = 0.01};
  ahead.nodes = start.nodes + integrator.dt * v;
  const auto inverted = (element_volumes(ahead).array() < 0).count();
  CHECK(inverted > 10);
  CHECK(inverted != (element_volumes(start).array() < 0).count());

  Simulation sim(solid, integrator);
  sim.set_positions(start.nodes);
  sim.set_velocities(v);
  const StepReport report = sim.step();
  REQUIRE(report);
  CHECK(report.inverted_elements == inverted);
  CHECK(report.message().find(std::to_string(inverted) + " elements were inverted") != std::string::npos);
  sim.set_positions(mesh.nodes);
  sim.set_velocities(MatrixXd::Zero(3, mesh.node_count()));
  CHECK(sim.step().inverted_elements == 0);
  for (const OperatorSplitting& without :
       {OperatorSplitting{.volume_iterations = 0}, OperatorSplitting{.incremental = false}}) {
    sim.set_integrator(without);
    sim.set_positions(start.nodes);
    sim.set_velocities(v);
    CHECK(sim.step().inverted_elements == inverted);
  }
}

TEST_CASE("operator splitting: what it does not take is refused by name") {
  const auto mesh = slender_bar(2);
  const FixedCorotated soft(Lame::from_young_poisson(1e5, 0.4));
  const Solid solid(mesh, soft, Density{density});
  CHECK_THROWS_WITH(Simulation(solid, OperatorSplitting{.dt = 0}),
                    Catch::Contains("OperatorSplitting::dt = 0"));
  CHECK_THROWS_WITH(Simulation(solid, OperatorSplitting{.volume_iterations = -1}),
                    Catch::Contains("volume_iterations = -1"));
  CHECK_THROWS_WITH(
      Simulation(Solid(mesh, soft, Density{density}, Rayleigh{.beta = 0.1}), OperatorSplitting{}),
      Catch::Contains("Rayleigh::beta = 0.1"));
  CHECK_THROWS_WITH(
      Simulation(Solid(mesh, soft, Density{density}, StrainDamping{.shear = 1}), OperatorSplitting{}),
      Catch::Contains("number of solids with a StrainDamping = 1"));
  CHECK_THROWS_WITH(
      Simulation(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, -0.1)), Density{density}),
                 OperatorSplitting{}),
      Catch::Contains("lambda = -"));
}

TEST_CASE("operator splitting: a node on a plane is refused before any step, and the old constraints stay") {
  const Solid solid(slender_bar(2), FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{density});
  const auto refused = Catch::Contains("node = 3: OperatorSplitting takes nodes that are free, or held");
  const auto plane = Sliding::on_plane({3}, {0, 1, 0});
  CHECK_THROWS_WITH(Simulation(solid, OperatorSplitting{}, plane), refused);

  const auto line = Sliding::on_line({3}, {0, 1, 0}), other = Sliding::on_line({3}, {1, 0, 0});
  Simulation sim(solid, OperatorSplitting{}, line, other);  // together they hold it
  sim.set_gravity(gravity);
  CHECK(sim.step().factorisations == 1);
  CHECK_THROWS_WITH(sim.set_constraint(Together(line, line)), refused);
  const StepReport report = sim.step();
  REQUIRE(report);
  CHECK(report.factorisations == 0);
  const MatrixXd x = sim.positions();
  CHECK(x.col(3) == solid.nodes().col(3));
  CHECK(x.col(4) != solid.nodes().col(4));
  CHECK(std::get<1>(sim.constraint().constraints()).nodes() == other.nodes());
}
