// Whole steps with the direct solver.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

// A soft bar that gravity bends by a good part of its length.
auto bar() {
  return Solid(make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {8, 2, 2}}),
               StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
}

template <class Integrator, class Solver>
Eigen::MatrixXd bent(const Integrator& integrator, const Solver& solver, int steps) {
  Simulation simulation(bar(), integrator, solver,
                        Pinned(nodes_where(bar().mesh(), [](const auto& X) { return X.x() < 1e-6; })));
  simulation.set_gravity({0, -9.81, 0});
  for (int step = 0; step < steps; ++step) {
    const StepReport report = simulation.step();
    INFO(report.message());
    REQUIRE(report);
  }
  return simulation.positions();
}

template <class Integrator>
void bends_as_with_pcg(const Integrator& integrator, int steps) {
  const Eigen::MatrixXd direct = bent(integrator, Cholesky{}, steps),
                        iterative = bent(integrator, Pcg<BlockJacobi>{.tolerance = 1e-10}, steps);
  CHECK((direct - iterative).norm() <= 1e-7 * (direct - bar().mesh().nodes).norm());
  CHECK((direct - bar().mesh().nodes).colwise().norm().maxCoeff() > 0.1);
}

}  // namespace

TEST_CASE("Cholesky: a bar falls as with conjugate gradients") {
  bends_as_with_pcg(BackwardEuler{.dt = 0.02, .newton = {.tolerance = 1e-10}}, 10);
}

TEST_CASE("Cholesky: a bar comes to rest as with conjugate gradients") {
  bends_as_with_pcg(QuasiStatic{.newton = {.max_iterations = 200, .tolerance = 1e-10}}, 1);
}

TEST_CASE("Cholesky: scrambled statics, whose first Hessians are indefinite, come back to rest") {
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {3, 3, 3}});
  Simulation simulation(
      Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000}),
      QuasiStatic{
          .newton = {.max_iterations = 200, .tolerance = 1e-10, .hessian = HessianStrategy::progressive}},
      Cholesky{}, Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; })));
  Eigen::Matrix3Xd x = mesh.nodes;
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    const auto k = static_cast<double>(i);
    if (x(0, i) > 1e-6) x.col(i) = Eigen::Vector3d(std::sin(7 * k), std::cos(5 * k), std::sin(3 * k + 1));
  }
  simulation.set_positions(x);
  const StepReport report = simulation.step();
  INFO(report.message());
  REQUIRE(report);
  CHECK((simulation.positions() - mesh.nodes).norm() < 1e-6);
}
