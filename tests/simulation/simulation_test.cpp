// The facade: what it takes, refuses and tells. The physics of a step is tested in tests/integrator/.
#include "support/catch.hpp"

#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class Scalar = double>
Mesh<Tet4, Scalar> box() {
  return make_box<Tet4, Scalar>({.lengths = {0.3, 0.1, 0.2}, .cells = {3, 1, 2}});
}

template <class Scalar = double>
auto solid(Rayleigh damping = {}) {
  return Solid(box<Scalar>(), LinearElastic(Lame::from_young_poisson(1e5, 0.3)), Density{800}, damping);
}

template <class Scalar = double>
Pinned left() {
  return Pinned(nodes_where(box<Scalar>(), [](const auto& X) { return X.x() < 0.05; }));
}

// Each node's mass [kg]: a quarter of the mass of each of its elements.
Eigen::VectorXd masses(const Mesh<Tet4>& mesh, double density) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(mesh.node_count());
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) {
      edges.col(a) = mesh.nodes.col(mesh.elements(a + 1, e)) - mesh.nodes.col(mesh.elements(0, e));
    }
    for (int a = 0; a < 4; ++a) result(mesh.elements(a, e)) += density * edges.determinant() / 24;
  }
  return result;
}

// The name of the parameter that the call refuses.
template <class Call>
std::string refused_parameter(Call&& call) {
  try {
    call();
  } catch (const ParameterError& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE("simulations deduce their types, with and without a constraint") {
  auto free = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  auto held = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-8}, left());
  STATIC_REQUIRE(std::is_same_v<decltype(free)::Constraint, Unconstrained>);
  STATIC_REQUIRE(std::is_same_v<decltype(held)::Constraint, Pinned>);
  STATIC_REQUIRE(std::is_same_v<decltype(held)::Scalar, double>);
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<decltype(held)>);
  CHECK(held.integrator().dt == 0.01);
  CHECK(held.solver().tolerance == 1e-8);
  CHECK(held.constraint().nodes() == left().nodes());
  CHECK(held.solid().density(0) == 800);
  CHECK(held.mesh().elements == box().elements);
  CHECK(held.positions() == box().nodes);
  CHECK(held.velocities() == Eigen::Matrix3Xd::Zero(3, box().node_count()));
}

TEST_CASE("parameters out of range are refused by name before anything runs") {
  const Pcg<BlockJacobi> solver;
  using Integrator = BackwardEuler;
  const auto refused_integrator = [&](const Integrator& integrator) {
    return refused_parameter([&] { Simulation(solid(), integrator, solver, left()); });
  };
  for (const double dt : {0.0, -0.01, nan_value, std::numeric_limits<double>::infinity()}) {
    CHECK(refused_integrator({.dt = dt}) == "BackwardEuler::dt");
  }
  CHECK(refused_integrator({.newton = {.max_iterations = 0}}) == "Newton::max_iterations");
  CHECK(refused_integrator({.newton = {.tolerance = -1}}) == "Newton::tolerance");
  CHECK(refused_integrator({.newton = {.tolerance = nan_value}}) == "Newton::tolerance");
  CHECK(refused_integrator({.newton = {.absolute_tolerance = -1}}) == "Newton::absolute_tolerance");
  CHECK(refused_integrator({.newton = {.sufficient_decrease = 0.5}}) == "Newton::sufficient_decrease");
  CHECK(refused_integrator({.newton = {.max_line_search_steps = 0}}) == "Newton::max_line_search_steps");

  const auto refused_solver = [&](const Pcg<BlockJacobi>& pcg) {
    return refused_parameter([&] { Simulation(solid(), Integrator{}, pcg, left()); });
  };
  CHECK(refused_solver({.tolerance = 1}) == "Pcg::tolerance");
  CHECK(refused_solver({.tolerance = 0}) == "Pcg::tolerance");
  CHECK(refused_solver({.tolerance = nan_value}) == "Pcg::tolerance");
  CHECK(refused_solver({.absolute_tolerance = -1}) == "Pcg::absolute_tolerance");
  CHECK(refused_solver({.max_iterations = -1}) == "Pcg::max_iterations");

  CHECK(refused_parameter([] { solid({.alpha = -1}); }) == "alpha");
  CHECK(refused_parameter([] { solid({.beta = nan_value}); }) == "beta");
  CHECK_THROWS_AS(Simulation(solid(), Integrator{}, solver, Pinned({0, 24})), IndexError);
  CHECK_THROWS_AS(Simulation(solid(), Integrator{}, solver, Pinned({-1})), IndexError);
}

TEST_CASE("positions, velocities, forces and gravity are checked, and refused without a trace") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, left());
  const auto nodes = box().node_count();
  Eigen::Matrix3Xd bad = Eigen::Matrix3Xd::Zero(3, nodes);
  bad(1, 5) = nan_value;
  const Eigen::Matrix3Xd narrow = Eigen::Matrix3Xd::Zero(3, nodes - 1);
  const Eigen::MatrixXd low = Eigen::MatrixXd::Zero(2, nodes);
  CHECK(refused_parameter([&] { sim.set_positions(bad); }) == "positions of node 5");
  CHECK(refused_parameter([&] { sim.set_velocities(bad); }) == "velocities of node 5");
  CHECK(refused_parameter([&] { sim.set_external_forces(bad); }) == "external forces of node 5");
  CHECK(refused_parameter([&] { sim.set_gravity({0, nan_value, 0}); }) == "gravity");
  CHECK_THROWS_AS(sim.set_positions(narrow), SizeError);
  CHECK_THROWS_AS(sim.set_velocities(narrow), SizeError);
  CHECK_THROWS_AS(sim.set_external_forces(narrow), SizeError);
  CHECK_THROWS_AS(sim.set_positions(low), SizeError);
  CHECK(sim.positions() == box().nodes);
  CHECK(sim.velocities().isZero(0));
  REQUIRE(sim.step());
  CHECK((sim.positions() - box().nodes).isZero(1e-15));

  // Expressions are taken as they are.
  sim.set_positions(2 * box().nodes);
  CHECK(sim.positions() == 2 * box().nodes);

  // A double that a float cannot hold is not finite in a float simulation.
  auto small =
      Simulation(solid<float>(), BackwardEuler{}, Pcg<BlockJacobi>{.tolerance = 1e-4}, left<float>());
  CHECK(refused_parameter([&] { small.set_velocities(Eigen::Matrix3Xd::Constant(3, nodes, 1e39)); }) ==
        "velocities of node 0");
  CHECK(refused_parameter([&] { small.set_gravity({0, 1e39, 0}); }) == "gravity");
  CHECK_THROWS_WITH(small.set_gravity({0, -nan_value, 0}), "gravity = not a number: must be finite (m/s^2)");
  // One that it can hold, but not times a mass, is a failure of the step.
  small.set_gravity({0, 1e38, 0});
  small.set_external_forces(Eigen::Matrix3Xf::Constant(3, nodes, 3e38f));
  CHECK(small.step().stop == StepStop::not_finite);
  CHECK(small.step().message().find("nan") == std::string::npos);
}

TEST_CASE("a time in which dt is lost fails the step, whatever the integrator, and an earlier one goes on") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, left());
  sim.set_velocities(box().nodes);
  const Eigen::Matrix3Xd v = sim.velocities();
  for (const double time : {1e17, -1e17, 1e14, 1e300}) {
    sim.set_time(time);
    const StepReport report = sim.step();
    CHECK(report.stop == StepStop::time_stands_still);
    CHECK_THAT(report.message(), Catch::Contains("time"));
    CHECK(sim.time() == time);
    CHECK(sim.positions() == box().nodes);
    CHECK(sim.velocities() == v);
    CHECK(report.energies.kinetic == sim.energies().kinetic);
  }
  sim.set_time(1e9);
  CHECK(sim.step());
  CHECK(sim.time() - 1e9 == Approx(0.01).epsilon(1e-4));
}

TEST_CASE("a step report counts the elements that are turned inside out") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 1e-6}, Pcg<BlockJacobi>{}, left());
  sim.set_gravity({0, 0, -9.81});
  CHECK(sim.step().inverted_elements == 0);
  Eigen::Matrix3Xd x = box().nodes;
  x.col(x.cols() - 1) = x.col(0);  // a corner, to that opposite
  sim.set_positions(x);
  const StepReport report = sim.step();
  REQUIRE(report);
  const auto mesh = box();
  int inverted = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    Eigen::Matrix3d edges;
    for (int a = 0; a < 3; ++a) {
      edges.col(a) = sim.positions().col(mesh.elements(a + 1, e)) - sim.positions().col(mesh.elements(0, e));
    }
    inverted += edges.determinant() < 0;
  }
  CHECK(inverted > 0);
  CHECK(report.inverted_elements == inverted);
  CHECK_THAT(report.message(), Catch::Contains(std::to_string(inverted) + " element"));
}

TEST_CASE("a constant force moves the centre of mass of a free body as it should") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.01, .newton = {.tolerance = 1e-12}},
                        Pcg<BlockJacobi>{.tolerance = 1e-10});
  const Eigen::VectorXd mass = masses(box(), 800);
  CHECK(mass.sum() == Approx(800 * 0.3 * 0.1 * 0.2));
  Eigen::Matrix3Xd force = Eigen::Matrix3Xd::Zero(3, mass.size());
  force.col(3) << 1, -2, 3;
  force.col(17) << 0.5, 0.25, -1;
  sim.set_external_forces(force);
  const Eigen::Vector3d start = box().nodes * mass / mass.sum();
  const Eigen::Vector3d acceleration = force.rowwise().sum() / mass.sum();
  for (int n = 1; n <= 20; ++n) {
    REQUIRE(sim.step());
    const Eigen::Vector3d centre = sim.positions() * mass / mass.sum();
    CHECK((centre - start - 1e-4 * n * (n + 1) / 2 * acceleration).norm() < 1e-11);
    CHECK((sim.velocities() * mass / mass.sum() - 0.01 * n * acceleration).norm() < 1e-9);
    CHECK(sim.time() == Approx(0.01 * n));
  }
  // The forces are kept until they are set again.
  sim.set_external_forces(0 * force);
  const Eigen::Vector3d speed = sim.velocities() * mass / mass.sum();
  REQUIRE(sim.step());
  CHECK((sim.velocities() * mass / mass.sum() - speed).norm() < 1e-9);
}

TEST_CASE("the ledger of energies is the sum over nodes and elements") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.005}, Pcg<BlockJacobi>{.tolerance = 1e-8}, left());
  const auto mesh = box();
  const Eigen::VectorXd mass = masses(mesh, 800);
  const Eigen::Vector3d g(1, -9, 2);
  const Eigen::Matrix3Xd force = 0.2 * (mesh.nodes.array() * 70).sin();
  sim.set_gravity(g);
  sim.set_external_forces(force);
  sim.set_velocities(0.5 * (mesh.nodes.array() * 50).cos().matrix());
  const auto expected = [&] {
    Energies result;
    const Eigen::Matrix3Xd moved = sim.positions() - mesh.nodes;
    result.kinetic = 0.5 * sim.velocities().colwise().squaredNorm().transpose().dot(mass);
    result.gravitational = -g.dot(moved * mass);
    result.external = -force.cwiseProduct(moved).sum();
    const auto lame = Lame::from_young_poisson(1e5, 0.3);
    for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
      Eigen::Matrix3d rest, now;
      for (int a = 0; a < 3; ++a) {
        rest.col(a) = mesh.nodes.col(mesh.elements(a + 1, e)) - mesh.nodes.col(mesh.elements(0, e));
        now.col(a) = sim.positions().col(mesh.elements(a + 1, e)) - sim.positions().col(mesh.elements(0, e));
      }
      const Eigen::Matrix3d F = now * rest.inverse();
      const Eigen::Matrix3d strain = (F + F.transpose()) / 2 - Eigen::Matrix3d::Identity();
      result.elastic +=
          rest.determinant() / 6 *
          (lame.mu() * strain.squaredNorm() + lame.lambda() / 2 * strain.trace() * strain.trace());
    }
    return result;
  };
  const auto check = [&](const Energies& told) {
    const Energies truth = expected();
    CHECK(told.kinetic == Approx(truth.kinetic).epsilon(1e-12));
    CHECK(told.elastic == Approx(truth.elastic).epsilon(1e-10).margin(1e-18));
    CHECK(told.gravitational == Approx(truth.gravitational).epsilon(1e-12).margin(1e-18));
    CHECK(told.external == Approx(truth.external).epsilon(1e-12).margin(1e-18));
  };
  check(sim.energies());
  for (int n = 0; n < 5; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    check(report.energies);
    check(std::as_const(sim).energies());
    CHECK(report.energies.gravitational != 0);
    CHECK(report.energies.external != 0);
  }
}

TEST_CASE("a step report agrees with itself") {
  auto sim = Simulation(solid({.alpha = 0.1, .beta = 0.001}), BackwardEuler{.dt = 0.01},
                        Pcg<NoPreconditioner>{}, left());
  sim.set_gravity({0, -9.81, 0});
  int calls = 0, newton = 0;
  sim.on_progress([&](const Progress& progress) {
    ++calls;
    newton = std::max(newton, progress.newton_iteration);
    CHECK(progress.time == sim.time());
    CHECK(progress.residual > 0);
  });
  for (int n = 1; n <= 3; ++n) {
    calls = newton = 0;
    const StepReport report = sim.step();
    REQUIRE(report.stop == StepStop::converged);
    CHECK(report.newton_iterations >= 1);
    CHECK(report.linear_iterations >= report.newton_iterations);
    CHECK(report.line_search_steps >= 0);
    CHECK(report.residual <= report.residual_goal);
    CHECK(report.linear_residual <= report.linear_goal);
    CHECK(report.time == sim.time());
    CHECK(report.time == Approx(0.01 * n));
    CHECK(report.undefined_element == -1);
    CHECK(calls >= report.newton_iterations);
    CHECK(newton == report.newton_iterations - 1);
  }
}

TEST_CASE(
    "a linear body converges in one iteration, damped or not, and that is enough where it must converge") {
  for (const Rayleigh damping :
       {Rayleigh{}, Rayleigh{.alpha = 0.5}, Rayleigh{.beta = 0.01}, Rayleigh{0.5, 0.01}}) {
    std::optional<Eigen::Matrix3Xd> reference;
    for (const int limit : {1, 30}) {
      auto sim = Simulation(solid(damping),
                            BackwardEuler{.dt = 0.01, .newton = {.max_iterations = limit, .tolerance = 1e-8}},
                            Pcg<BlockJacobi>{.tolerance = 1e-11}, left());
      sim.set_gravity({0, -9.81, 0});
      for (int n = 0; n < 5; ++n) {
        const StepReport report = sim.step();
        INFO(report.message());
        REQUIRE(report.stop == StepStop::converged);
        CHECK(report.newton_iterations == 1);
      }
      if (reference) CHECK((sim.positions() - *reference).norm() < 1e-10 * reference->norm());
      reference = sim.positions();
    }
  }
}

TEST_CASE("progress callbacks: any callable, returning nothing or whether to go on") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, left());
  sim.set_gravity({0, -9.81, 0});
  int calls = 0;
  sim.on_progress([&calls](const Progress&) { ++calls; });
  CHECK(sim.step());
  CHECK(calls > 0);
  sim.on_progress([](const Progress&) { return false; });
  CHECK(sim.step().stop == StepStop::cancelled);
  const std::function<void(const Progress&)> none;
  sim.on_progress(none);
  CHECK(sim.step());
  const std::function<bool(const Progress&)> neither;
  sim.on_progress(neither);
  CHECK(sim.step());
}

TEMPLATE_TEST_CASE("the preconditioner changes the way, not the result", "", float, double) {
  using Scalar = TestType;
  constexpr bool exact = std::is_same_v<Scalar, double>;
  const BackwardEuler integrator{.dt = 0.01, .newton = {.tolerance = exact ? 1e-11 : 1e-5}};
  const auto end_of = [&](auto solver) {
    solver.tolerance = exact ? 1e-10 : 1e-5;
    auto sim = Simulation(solid<Scalar>(), integrator, solver, left<Scalar>());
    sim.set_gravity({0, -9.81, 0});
    for (int n = 0; n < 10; ++n) {
      const StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
    }
    return Eigen::Matrix3Xd((sim.positions() - box<Scalar>().nodes).template cast<double>());
  };
  const Eigen::Matrix3Xd reference = end_of(Pcg<BlockJacobi>{});
  CHECK((end_of(Pcg<Jacobi>{}) - reference).norm() < (exact ? 1e-8 : 2e-3) * reference.norm());
  CHECK((end_of(Pcg<NoPreconditioner>{}) - reference).norm() < (exact ? 1e-8 : 2e-3) * reference.norm());
}

TEST_CASE("pinned nodes stay, and keep positions set by hand") {
  auto sim = Simulation(solid(), BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{}, left());
  Eigen::Matrix3Xd moved = box().nodes;
  for (const int i : sim.constraint().nodes()) moved(2, i) += 0.01;
  sim.set_positions(moved);
  sim.set_velocities(Eigen::Matrix3Xd::Ones(3, moved.cols()));
  sim.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 3; ++n) REQUIRE(sim.step());
  for (const int i : sim.constraint().nodes()) {
    CHECK(sim.positions().col(i) == moved.col(i));
    CHECK(sim.velocities().col(i).isZero(0));
  }
}
