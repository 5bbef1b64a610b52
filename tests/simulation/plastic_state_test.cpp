// The plastic strains of a simulation as a part of its state.
#include "simulation/plastic_bar.hpp"
#include "support/saved_state.hpp"
#include "support/threads.hpp"

#include <memory>
#include <stdexcept>

#include <Eigen/Geometry>

#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

struct Pull {
  Eigen::Vector3d operator()(const Eigen::Vector3d& X, double t) const {
    return X + Eigen::Vector3d(0.5 * t, -2 * t * t, 0.3 * t);
  }
};

// A bar that is pulled and bent at one end. Returns a pointer to it.
template <class Scalar = double, class Integrator, class... Solver>
auto pulled_bar_of(const Plasticity& plasticity, const Integrator& integrator, const Solver&... solver) {
  const auto mesh = make_box<Tet4, Scalar>({.lengths = {length, 0.1, 0.1}, .cells = {6, 2, 2}});
  const Solid solid(mesh, plastic<CorotatedLinear>(plasticity, 0.3), Density{1000}, Rayleigh{.beta = 1e-3});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; }));
  const PrescribedMotion end(nodes_where(mesh, [](const auto& X) { return X.x() > length - 1e-6; }), Pull{});
  using Made = decltype(Simulation(solid, integrator, solver..., held, end));
  return std::make_unique<Made>(solid, integrator, solver..., held, end);
}

template <class Scalar = double, class Integrator, class... Solver>
auto pulled_bar(const Integrator& integrator, const Solver&... solver) {
  return pulled_bar_of<Scalar>(clay, integrator, solver...);
}

// Saved runs go on with the same bits, while the bar flows, with the same plastic strains; and the next step
// does not start from an acceleration of before the flow.
template <class Scalar = double, class Integrator, class... Solver>
void check_flowing_bar(const Integrator& integrator, const Solver&... solver) {
  const auto make = [&] { return pulled_bar<Scalar>(integrator, solver...); };
  check_saved_state(make, 8, 5);
  const auto sim = make();
  run(*sim, 0, 8, NoEvents{});
  const auto before = sim->plastic_strains();
  CHECK(before.colwise().norm().maxCoeff() > 0.01);
  const auto saved = sim->state();
  run(*sim, 8, 10, NoEvents{});
  const auto after = sim->plastic_strains();
  CHECK((after - before).colwise().norm().maxCoeff() > 1e-3);
  sim->set_state(saved);
  CHECK((sim->plastic_strains() == before));
  run(*sim, 8, 10, NoEvents{});
  CHECK((sim->plastic_strains() == after));
  const auto truth = run(*sim, 10, 12, NoEvents{});
  sim->set_state(saved);
  run(*sim, 8, 10, NoEvents{});
  sim->set_velocities(sim->velocities());
  CHECK(run(*sim, 10, 12, NoEvents{}).first_difference(truth) == -1);

  const StepReport report = sim->step();
  CHECK(report.energies.elastic == sim->energies().elastic);
}

}  // namespace

TEST_CASE("A saved run of a material with the limit zero, which never flows, goes on with the same bits") {
  const auto make = [] {
    return pulled_bar_of({.yield = 0.001, .creep = 20, .limit = 0}, BackwardEuler{.dt = 0.01}, Cholesky{});
  };
  check_saved_state(make, 8, 5);
  const auto sim = make();
  run(*sim, 0, 8, NoEvents{});
  CHECK(sim->plastic_strains().norm() == 0);
}

TEST_CASE("a flowing bar: saved runs go on with the same bits, BackwardEuler") {
  check_flowing_bar(BackwardEuler{.dt = 0.01}, Cholesky{});
}
TEST_CASE("a flowing bar: saved runs go on with the same bits, Newmark in floats") {
  check_flowing_bar<float>(Newmark{.dt = 0.01, .newton = {.tolerance = 1e-3}}, Cholesky{});
}
TEST_CASE("a flowing bar: saved runs go on with the same bits, OptimizationEuler") {
  check_flowing_bar(OptimizationEuler{.dt = 0.01}, Pcg<TwoLevel>{});
}
TEST_CASE("a flowing bar: saved runs go on with the same bits, QuasiStatic") {
  check_flowing_bar(QuasiStatic{.dt = 0.01}, Cholesky{});
}
TEST_CASE("a flowing bar: saved runs go on with the same bits, CentralDifferences") {
  check_flowing_bar(CentralDifferences{.dt = 0.01});
}

TEST_CASE("a flowing bar: a failed step leaves its plastic strains") {
  const auto sim = pulled_bar(BackwardEuler{.dt = 0.01}, Cholesky{}),
             undisturbed = pulled_bar(BackwardEuler{.dt = 0.01}, Cholesky{});
  run(*undisturbed, 0, 8, NoEvents{});
  run(*sim, 0, 8, NoEvents{});
  const auto strains = sim->plastic_strains();
  sim->on_progress([](const Progress&) { return false; });
  CHECK(sim->step().stop == StepStop::cancelled);
  CHECK((sim->plastic_strains() == strains));
  sim->on_progress([](const Progress&) { throw std::runtime_error("trouble"); });
  CHECK_THROWS_AS((void)sim->step(), std::runtime_error);
  CHECK((sim->plastic_strains() == strains));
  sim->on_progress(nullptr);
  const auto integrator = sim->integrator();
  sim->set_integrator({.dt = 0.01, .newton = {.max_iterations = 1, .tolerance = 1e-14}});
  CHECK(!sim->step());
  CHECK((sim->plastic_strains() == strains));
  sim->set_integrator(integrator);
  CHECK(run(*sim, 8, 12, NoEvents{}).first_difference(run(*undisturbed, 8, 12, NoEvents{})) == -1);
  CHECK((sim->plastic_strains() == undisturbed->plastic_strains()));
}

TEST_CASE("a yielded body: a rigid rotation changes no energy") {
  const auto sim = pulled_bar(BackwardEuler{.dt = 0.01}, Cholesky{});
  run(*sim, 0, 10, NoEvents{});
  const Eigen::MatrixXd x = sim->positions();
  const double energy = sim->energies().elastic;
  REQUIRE(energy > 0);
  for (const double angle : {0.0, 1.0, 3.0}) {
    const Eigen::Matrix3d Q =
        Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 2, -2).normalized()).toRotationMatrix();
    sim->set_positions((Q * x).colwise() + Eigen::Vector3d(0.3, -1, 2));
    CHECK(sim->energies().elastic == Approx(energy).epsilon(1e-12));
  }
}

TEST_CASE("a flowing bar: nothing gains energy by the flow, and the same bits come on any threads") {
  const auto mesh = make_box<Tet4>({.lengths = {length, 0.1, 0.1}, .cells = {20, 8, 8}});
  const auto make = [&](int threads) {
    const WithThreads set(threads);
    Simulation sim(Solid(mesh, plastic<CorotatedLinear>({.yield = 0.02, .creep = 20}, 0.3), Density{1000}),
                   BackwardEuler{.dt = 0.01}, Pcg<TwoLevel>{}, Pinned(left_nodes(mesh)));
    sim.set_gravity({0, -40, 10});
    double total = sim.energies().total();
    for (int step = 0; step < 6; ++step) {
      run_steps(sim, 1);
      CHECK(sim.energies().total() <= total + 1e-12);
      total = sim.energies().total();
    }
    Eigen::MatrixXd all(3, mesh.node_count() + 3 * mesh.element_count());
    all << sim.positions(), sim.plastic_strains().reshaped(3, 3 * mesh.element_count());
    return all;
  };
  const Eigen::MatrixXd one = make(1);
  CHECK(one.rightCols(3 * mesh.element_count()).norm() > 0.01);
  for (const int threads : {2, 3}) CHECK((make(threads) == one));
}
