// The factor of an earlier matrix as the preconditioner of whole steps.
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

struct Outcome {
  NodeMatrix<double, 3> positions;
  double solves = 0, iterations = 0;
  double lowest = 0;  // y of any node at any time [m]
};

template <class Solver>
class Run {
 public:
  Run(const Solver& solver, const BoxShape& shape, bool held)
      : mesh_(make_box<Tet4>(shape)),
        simulation_(Solid(mesh_, StableNeoHookean(Lame::from_young_poisson(2e5, 0.33)), Density{1000}),
                    BackwardEuler{.dt = 0.01}, solver,
                    Pinned(nodes_where(mesh_, [&](const auto& X) { return held && X.z() < 1e-6; }))) {}

  const Mesh<Tet4>& mesh() const { return mesh_; }
  auto& simulation() { return simulation_; }

  Outcome steps(int count) {
    Outcome outcome;
    for (int step = 0; step < count; ++step) {
      const StepReport report = simulation_.step();
      INFO(report.message());
      REQUIRE(report);
      outcome.solves += report.newton_iterations;
      outcome.iterations += report.linear_iterations;
      outcome.lowest = std::min(outcome.lowest, simulation_.positions().row(1).minCoeff());
    }
    outcome.positions = simulation_.positions();
    return outcome;
  }

 private:
  Mesh<Tet4> mesh_;
  Simulation<Solid<Tet4, StableNeoHookean>, BackwardEuler, Solver, Pinned> simulation_;
};

// Prefactored that never looks at positions.
struct Unwarped : Prefactored {
  template <class Matrix>
  struct Workspace : Prefactored::Workspace<Matrix> {
    void set_positions(const typename Matrix::Vector&) {}
  };
};

const BoxShape bar{.lengths = {0.04, 0.04, 0.2}, .cells = {3, 3, 15}, .split = Split::kuhn};

}  // namespace

TEST_CASE(
    "Prefactored: a bar swings through a quarter of its length as with a direct solver, in few iterations") {
  const auto swing = [](const auto& solver) {
    Run run(solver, bar, true);
    run.simulation().set_gravity({0, -9.81, 0});
    return run.steps(30);
  };
  const Outcome direct = swing(Cholesky{.tolerance = 1e-8}),
                prefactored = swing(Pcg<Prefactored>{.tolerance = 1e-8});
  CHECK(prefactored.lowest < -0.05);
  CHECK((prefactored.positions - direct.positions).norm() <= 1e-5 * direct.positions.norm());
  INFO(prefactored.iterations << " iterations, " << prefactored.solves << " solves");
  CHECK(prefactored.iterations < 6 * prefactored.solves);
}

TEST_CASE("Prefactored: a free bar that tumbles keeps its factor, which turns with it") {
  const auto tumble = [](const auto& solver) {
    Run run(solver, bar, false);
    NodeMatrix<double, 3> velocities = run.mesh().nodes;
    const Eigen::Vector3d spin(10, 3, 5);  // [1/s]
    for (Eigen::Index i = 0; i < velocities.cols(); ++i) {
      velocities.col(i) = spin.cross(Eigen::Vector3d(velocities.col(i)));
    }
    run.simulation().set_velocities(velocities);
    return run.steps(20);
  };
  const Outcome warped = tumble(Pcg<Prefactored>{.preconditioner = {.refactor_above = 1000}}),
                straight =
                    tumble(Pcg<Unwarped>{.preconditioner = Unwarped{Prefactored{.refactor_above = 1000}}});
  INFO(warped.iterations << " iterations, without positions " << straight.iterations);
  CHECK(warped.iterations < 5 * warped.solves);
  CHECK(straight.iterations > 3 * warped.iterations);
}

TEST_CASE("Prefactored: a body crushed at random comes back to itself as with a direct solver") {
  const auto recover = [](const auto& solver) {
    Run run(solver, bar, true);
    NodeMatrix<double, 3> positions = run.mesh().nodes;
    for (Eigen::Index i = 0; i < positions.cols(); ++i) {  // about an edge of an element
      if (positions(2, i) < 1e-6) continue;
      for (int axis = 0; axis < 3; ++axis) {
        positions(axis, i) += 0.01 * std::sin(double{12.9898} * static_cast<double>(3 * i + axis + 1));
      }
    }
    run.simulation().set_positions(positions);
    return run.steps(60);
  };
  const Outcome direct = recover(Cholesky{}), prefactored = recover(Pcg<Prefactored>{});
  const auto rest = make_box<Tet4>(bar).nodes;
  CHECK((prefactored.positions - rest).norm() < 0.02 * rest.norm());
  CHECK((prefactored.positions - direct.positions).norm() <= 1e-4 * direct.positions.norm());
}
