// What OperatorSplitting keeps from step to step: rotations, and the forces of the volume constraints.
#include "integrator/bodies.hpp"
#include "simulation/run_steps.hpp"
#include "support/catch.hpp"

#include <numeric>
#include <stdexcept>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/element/tet4.hpp>
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
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double density = 1000;

// One bar, whose elements are lanes, and as many as make a block of copies.
std::vector<Mesh<Tet4>> bar_and_crowd() {
  return {slender_bar(4), row_of_copies(slender_bar(4), 8, Vector3d(0, 0, 1))};
}

}  // namespace

TEST_CASE("operator splitting: a state that is restored goes the same way again") {
  for (const Mesh<Tet4>& body : bar_and_crowd()) {
    const Solid solid(body, FixedCorotated(Lame::from_young_poisson(1e4, 0.4)), Density{density});
    const OperatorSplitting integrator{.dt = 0.02, .incremental = false};
    Simulation sim(solid, integrator, Pinned(lower_end(body)));
    sim.set_gravity({0, -9.81, 0});
    run_steps(sim, 10);
    const MatrixXd x = sim.positions(), v = sim.velocities();
    run_steps(sim, 15);
    const MatrixXd end = sim.positions();
    CHECK((end - x).cwiseAbs().maxCoeff() > 0.02);
    sim.set_positions(x);
    sim.set_velocities(v);
    run_steps(sim, 15);
    // One step of a rotation from another start is not quite the same.
    CHECK((sim.positions() - end).cwiseAbs().maxCoeff() < 1e-8);
    Simulation another(solid, integrator, Pinned(lower_end(body)));
    another.set_gravity({0, -9.81, 0});
    another.set_positions(x);
    another.set_velocities(v);
    run_steps(another, 15);
    CHECK((another.positions() - end).cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE("operator splitting: a step that failed leaves no trace") {
  for (const Mesh<Tet4>& body : bar_and_crowd()) {
    const Solid solid(body, FixedCorotated(Lame::from_young_poisson(1e4, 0.4)), Density{density});
    const auto end_of = [&](int failures) {
      Simulation sim(solid, OperatorSplitting{.dt = 0.02}, Pinned(lower_end(body)));
      sim.set_gravity({0, -9.81, 0});
      run_steps(sim, 10);
      const MatrixXd nothing = MatrixXd::Zero(3, body.node_count());
      for (int k = 0; k < failures; ++k) {
        sim.set_external_forces(MatrixXd((nothing.array() + 1e308).matrix()));
        CHECK(sim.step().stop == StepStop::not_finite);
        sim.set_external_forces(nothing);
        sim.on_progress([](const Progress&) { return false; });
        CHECK(sim.step().stop == StepStop::cancelled);
        sim.on_progress(nullptr);
      }
      run_steps(sim, 10);
      return MatrixXd(sim.positions());
    };
    const MatrixXd end = end_of(0);
    CHECK((end_of(1) - end).cwiseAbs().maxCoeff() < 1e-8);
    CHECK((end_of(3) - end).cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE(
    "operator splitting: a state that is set, or volumes left out for a while, leave no volume forces") {
  for (const Mesh<Tet4>& body : bar_and_crowd()) {
    const Solid solid(body, FixedCorotated(Lame::from_young_poisson(1e4, 0.4)), Density{density});
    const Pinned held(lower_end(body));
    const OperatorSplitting integrator{.dt = 0.02, .rotation_iterations = 3},
        without{.dt = 0.02, .volume_iterations = 0, .rotation_iterations = 3};
    const auto starts_anew = [&](auto& sim) {
      Simulation fresh(solid, integrator, held);
      fresh.set_gravity({0, -9.81, 0});
      fresh.set_positions(sim.positions());
      fresh.set_velocities(sim.velocities());
      run_steps(sim, 3);
      run_steps(fresh, 3);
      return (sim.positions() - fresh.positions()).cwiseAbs().maxCoeff();
    };
    Simulation sim(solid, integrator, held);
    sim.set_gravity({0, -9.81, 0});
    run_steps(sim, 10);
    CHECK(starts_anew(sim) > 1e-4);  // its volume forces are those of the steps before
    sim.set_positions(sim.positions());
    CHECK(starts_anew(sim) < 1e-12);
    run_steps(sim, 5);
    sim.set_integrator(without);
    run_steps(sim, 5);
    sim.set_integrator(integrator);
    CHECK(starts_anew(sim) < 1e-12);
  }
}

TEST_CASE("operator splitting: a step that failed on its way through inverted elements leaves no trace") {
  for (const Mesh<Tet4>& body : bar_and_crowd()) {
    const Solid solid(body, FixedCorotated(Lame::from_young_poisson(1e5, 0.45)), Density{density});
    const auto end_of = [&](int failures) {
      Simulation sim(solid, OperatorSplitting{.dt = 0.01, .stretch_iterations = 2}, Pinned(lower_end(body)));
      sim.set_gravity({0, -9.81, 0});
      run_steps(sim, 20);
      for (int k = 0; k < failures; ++k) {
        MatrixXd push = 1e200 * noise(body.node_count(), 1);
        push.bottomRows<2>().setZero();  // det F has a sign
        sim.set_external_forces(push);
        CHECK(sim.step().stop == StepStop::not_finite);
        sim.set_external_forces(MatrixXd::Zero(3, body.node_count()));
      }
      run_steps(sim, 1);
      return MatrixXd(sim.positions());
    };
    const MatrixXd end = end_of(0);
    CHECK((end_of(1) - end).cwiseAbs().maxCoeff() < 1e-10);
    CHECK((end_of(2) - end).cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("operator splitting: a step whose path threw leaves no trace") {
  for (const Mesh<Tet4>& body : bar_and_crowd()) {
    const Solid solid(body, FixedCorotated(Lame::from_young_poisson(1e5, 0.45)), Density{density});
    const auto end_of = [&](int failures) {
      bool throws = false;
      Simulation sim(solid, OperatorSplitting{.dt = 0.01},
                     PrescribedMotion(lower_end(body), [&throws](const Vector3d& X, double) {
                       if (throws) throw std::runtime_error("no path");
                       return X;
                     }));
      sim.set_gravity({0, -9.81, 0});
      run_steps(sim, 20);
      for (int k = 0; k < failures; ++k) {
        throws = true;
        CHECK_THROWS_AS(sim.step(), std::runtime_error);
        throws = false;
      }
      run_steps(sim, 1);
      return MatrixXd(sim.positions());
    };
    const MatrixXd end = end_of(0);
    CHECK(end_of(1) == end);
    CHECK(end_of(2) == end);
  }
}

TEST_CASE("operator splitting: a body at rest stays there whatever is set again") {
  const auto mesh = slender_bar(6);
  const Pinned held(lower_end(mesh));
  for (const double nu : {0.3, 0.49}) {
    Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, nu)), Density{density},
                         Rayleigh{.alpha = 30}),
                   OperatorSplitting{.dt = 0.01}, held);
    sim.set_gravity({0, -9.81, 0});
    run_steps(sim, 1500);
    const MatrixXd rest = sim.positions();
    CHECK((rest - mesh.nodes).cwiseAbs().maxCoeff() > 0.05);
    const auto stays = [&] {
      run_steps(sim, 1);
      return (sim.positions() - rest).cwiseAbs().maxCoeff() < 1e-13;
    };
    sim.set_velocities(sim.velocities());
    CHECK(stays());
    sim.set_positions(sim.positions());
    CHECK(stays());
    sim.set_integrator({.dt = 0.003});
    CHECK(stays());
    sim.set_integrator({.dt = 0.01, .volume_iterations = 5});
    CHECK(stays());
  }
}

TEST_CASE("operator splitting: an inverted element does nothing to the volume forces of others") {
  const auto one = slender_bar(4);
  for (const int copies : {2, 8}) {
    const Mesh<Tet4> mesh = row_of_copies(one, copies, Vector3d(0, 0, 1));
    const auto path_of = [&](bool inverts) {
      Simulation sim(Solid(mesh, FixedCorotated(Lame::from_young_poisson(1e4, 0.4)), Density{density}),
                     OperatorSplitting{.dt = 0.01}, Pinned(lower_end(mesh)));
      sim.set_gravity({0, -9.81, 0});
      run_steps(sim, 10);
      MatrixXd x = sim.positions();
      const int corner = static_cast<int>(mesh.node_count()) - 1;  // of the last copy
      if (inverts) x.col(corner) -= Vector3d(0.08, 0.08, 0.08);
      sim.set_positions(x);
      run_steps(sim, 10);
      return MatrixXd(sim.positions());
    };
    const MatrixXd with = path_of(true), without = path_of(false);
    const auto others = (copies - 1) * one.node_count();
    CHECK(with.leftCols(others) == without.leftCols(others));
    CHECK(with != without);
  }
}

TEST_CASE("operator splitting: a body comes to rest where implicit Euler has it, whatever the step") {
  const auto mesh = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {6, 2, 2}});
  const Pinned held(lower_end(mesh));
  for (const double nu : {0.3, 0.45}) {
    const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, nu)), Density{density},
                      Rayleigh{.alpha = 30});
    const auto rest = [&](auto& sim) {
      sim.set_gravity({0, -9.81, 0});
      for (int n = 0; n < 1500; ++n) REQUIRE(sim.step());
      CHECK(sim.velocities().cwiseAbs().maxCoeff() < 1e-4);
      return MatrixXd(sim.positions());
    };
    Simulation euler(solid, BackwardEuler{.dt = 0.01}, Cholesky{}, held);
    const MatrixXd truth = rest(euler);
    const auto error_of = [&](const OperatorSplitting& integrator) {
      Simulation sim(solid, integrator, held);
      const MatrixXd found = rest(sim);
      CHECK(-sim.constraint_forces().row(1).sum() == Approx(-0.003 * density * 9.81).epsilon(1e-3));
      return (found - truth).cwiseAbs().maxCoeff();
    };
    const double sinking = 0.1 - truth.row(1).minCoeff();
    CHECK(error_of({.dt = 0.01, .rotation_iterations = 2}) < 3e-5 * sinking);
    CHECK(error_of({.dt = 0.005, .volume_iterations = 5, .stretch_iterations = 2}) < 3e-5 * sinking);
    CHECK(error_of({.dt = 0.005, .incremental = false}) > 5e-3 * sinking);
  }
}

TEST_CASE("operator splitting: held nodes feel the elements between them, and damping") {
  const auto mesh = slender_bar(3);
  std::vector<int> all(static_cast<std::size_t>(mesh.node_count()));
  std::iota(all.begin(), all.end(), 0);
  const double mu = 4e4, lambda = 6e4, stretch = 0.2, alpha = 2, speed = 3;
  const Solid solid(mesh, FixedCorotated(RawCoefficients{mu, lambda}), Density{density},
                    Rayleigh{.alpha = alpha});
  const double length = mesh.nodes.row(0).maxCoeff(), volume = total_volume(mesh), area = volume / length;
  Simulation sim(solid, OperatorSplitting{.dt = 0.01}, Pinned(all));
  MatrixXd x = mesh.nodes;
  x.row(0) *= 1 + stretch;
  sim.set_positions(x);
  run_steps(sim, 3);
  double pull = 0;
  for (const int node : nodes_where(mesh, [&](const auto& X) { return X.x() > length - 1e-9; }))
    pull += sim.constraint_forces()(0, node);
  CHECK(pull == Approx((2 * mu + lambda) * stretch * area).epsilon(1e-10));

  Simulation moving(solid, OperatorSplitting{.dt = 0.01},
                    PrescribedMotion(all, [&](const Vector3d& X, double t) {
                      return Vector3d(X + t * Vector3d(0, speed, 0));
                    }));
  run_steps(moving, 3);
  CHECK(moving.constraint_forces().row(1).sum() == Approx(alpha * density * volume * speed).epsilon(1e-9));
}
