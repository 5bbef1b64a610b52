// Terms of a program's own in time steps, against the same motion of a single mass.
#include "potential/terms.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <memory>

#include <pliant/constraint/pinned.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {2, 2, 2}});
const auto solid = Solid(mesh, LinearElastic(Lame::from_young_poisson(1e5, 0.3)), Density{1000});

// Of each node [kg].
const auto mass = lumped_mass(mesh, 1000);

// Springs that give the whole body the angular frequency omega: it moves without being strained.
Springs well(double omega, const Eigen::Vector3d& centre) {
  Springs result;
  for (int i = 0; i < mesh.node_count(); ++i) {
    result.springs.push_back({i, omega * omega * mass(i), mesh.nodes.col(i) + centre});
  }
  return result;
}

LaggedDrag drag(double per_mass, const Eigen::Vector3d& wind) {
  LaggedDrag result{{}, wind};
  for (int i = 0; i < mesh.node_count(); ++i) result.drag.push_back(per_mass * mass(i));
  return result;
}

constexpr double dt = 0.02, omega = 9, per_mass = 3;
const Eigen::Vector3d centre(0.1, 0, -0.2), wind(2, 0, 1);

// The positions of all nodes are those at rest and `way`.
template <class Simulation>
void check_moved(const Simulation& sim, const Eigen::Vector3d& way) {
  double error = 0;
  for (int i = 0; i < mesh.node_count(); ++i) {
    error = std::max(error, (sim.positions().col(i) - mesh.nodes.col(i) - way).norm());
  }
  CHECK(error < 1e-9);
}

const Newton exact{.tolerance = 1e-12};

}  // namespace

TEST_CASE("A spring and a lagged drag in a step of BackwardEuler are those of a mass") {
  Simulation sim(solid.with(well(omega, centre), drag(per_mass, wind)),
                 BackwardEuler{.dt = dt, .newton = exact}, Cholesky{});
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = x;
  for (int step = 0; step < 30; ++step) {
    REQUIRE(sim.step());
    // v+ = v + dt (omega^2 (centre - x - dt v+) + per_mass (wind - v))
    v = (v + dt * (omega * omega * (centre - x) + per_mass * (wind - v))) / (1 + omega * omega * dt * dt);
    x += dt * v;
    check_moved(sim, x);
  }
}

TEST_CASE("A spring in a step of Newmark is that of a mass, and its energy is kept") {
  Simulation sim(solid.with(well(omega, centre)), Newmark{.dt = dt, .newton = exact}, Cholesky{});
  const double energy = sim.energies().total(), total_mass = mass.sum();
  CHECK(energy == Approx(total_mass * omega * omega * centre.squaredNorm() / 2));
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = x;
  for (int step = 0; step < 30; ++step) {
    const StepReport report = sim.step();
    REQUIRE(report);
    // v+ - v = dt a, x+ - x = dt (v + v+) / 2, a = omega^2 (centre - (x + x+) / 2)
    const double s = omega * omega * dt * dt / 4;
    const Eigen::Vector3d before = v;
    v = ((1 - s) * v + dt * omega * omega * (centre - x)) / (1 + s);
    x += dt * (before + v) / 2;
    check_moved(sim, x);
    CHECK(report.energies.terms == Approx(total_mass * omega * omega * (x - centre).squaredNorm() / 2));
    CHECK(report.energies.total() == Approx(energy).epsilon(1e-9));
  }
}

TEST_CASE("A spring in the substeps of CentralDifferences is that of a mass") {
  Simulation sim(solid.with(well(omega, centre)), CentralDifferences{.dt = dt});
  Eigen::Vector3d x = Eigen::Vector3d::Zero(), v = x;
  for (int step = 0; step < 10; ++step) {
    const StepReport report = sim.step();
    REQUIRE(report);
    const double h = dt / report.substeps;
    for (int k = 0; k < report.substeps; ++k) {
      v += h / 2 * omega * omega * (centre - x);
      x += h * v;
      v += h / 2 * omega * omega * (centre - x);
    }
    check_moved(sim, x);
  }
}

TEST_CASE("CentralDifferences takes shorter substeps where a term is stiffer than the body") {
  Simulation soft(solid.with(well(omega, centre)), CentralDifferences{.dt = dt});
  Simulation stiff(solid.with(well(3000, centre)), CentralDifferences{.dt = dt});
  const StepReport one = soft.step(), other = stiff.step();
  REQUIRE(one);
  REQUIRE(other);
  CHECK(other.stable_dt < 2.0 / 3000);  // 2 / omega of the translation
  CHECK(other.stable_dt > 0.5 / 3000);
  CHECK(one.stable_dt > other.stable_dt);
}

TEST_CASE("A term that is switched off leaves no trace, until it is switched on") {
  Springs springs = well(omega, centre);
  springs.on = false;
  const auto held = Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; }));
  const BackwardEuler integrator{.dt = dt};
  Simulation with(solid.with(springs), integrator, Cholesky{}, held);
  Simulation without(solid, integrator, Cholesky{}, held);
  with.set_gravity({0, -9.81, 0});
  without.set_gravity({0, -9.81, 0});
  for (int step = 0; step < 5; ++step) {
    REQUIRE(with.step());
    REQUIRE(without.step());
    CHECK(with.positions() == without.positions());
  }
  springs.on = true;
  with.set_term(springs);
  REQUIRE(with.step());
  REQUIRE(without.step());
  CHECK((with.positions() - without.positions()).norm() > 1e-4);
  CHECK(with.energies().terms > 0);
}
