// The preconditioner that picks another one by the iterations of the last solves.
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/automatic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

using Matrix = BlockMatrix<3, double>;

LinearReport report(int iterations, double digits) {
  return {.iterations = iterations, .first_residual = std::pow(10, digits), .residual = 1};
}

}  // namespace

TEST_CASE("Automatic: iterations decide, counted for six digits") {
  const Automatic automatic;
  Automatic::Workspace<Matrix> w;
  const auto after = [&](int iterations, double digits) {
    automatic.observe(report(iterations, digits), w);
    return w.two_levels.value();
  };
  CHECK_FALSE(after(70, 6));
  CHECK_FALSE(after(35, 3));
  CHECK_FALSE(after(69, 0.5));  // a short way tells little
  CHECK(after(36, 3));
  CHECK(after(11, 6));
  CHECK(after(5, 0.5));
  CHECK_FALSE(after(10, 6));
  CHECK(after(1000, 0));  // that did not converge at all
}

TEST_CASE("Automatic: a body of more nodes than start_above begins with two levels, and may leave them") {
  const auto problem = test::definite_problem<3, double>(40, 7);
  const auto begins_with_two_levels = [&](const Automatic& automatic) {
    Automatic::Workspace<Matrix> w;
    REQUIRE(automatic.prepare(problem.A, w));
    CHECK(automatic.nodewise(w) == !w.two_levels.value());
    return w.two_levels.value();
  };
  CHECK_FALSE(begins_with_two_levels({}));
  CHECK_FALSE(begins_with_two_levels({.start_above = 40}));
  CHECK(begins_with_two_levels({.start_above = 39}));

  const Pcg<Automatic> solver{.preconditioner = {.start_above = 39}};
  Pcg<Automatic>::Workspace<Matrix> workspace;
  NodeVector<3, double> x(40);
  REQUIRE(solver.solve(problem.A, problem.b, x, workspace));
  solver.preconditioner.observe(report(5, 6), workspace.preconditioner);
  CHECK_FALSE(workspace.preconditioner.two_levels.value());
}

TEST_CASE("Automatic: is BlockJacobi, to the last bit, as long as that does") {
  const auto problem = test::definite_problem<3, double>(40, 7);
  const auto solve = [&](auto solver) {
    typename decltype(solver)::template Workspace<Matrix> workspace;
    NodeVector<3, double> x(40);
    REQUIRE(solver.solve(problem.A, problem.b, x, workspace));
    return eigen_view::stacked(x);
  };
  CHECK(solve(Pcg<Automatic>{}) == solve(Pcg<BlockJacobi>{}));
}

TEST_CASE("Automatic: a slender bar makes it take two levels, which halves the work and leaves the result") {
  const auto bar = make_box<Tet4>({.lengths = {1, 1, 12}, .cells = {2, 2, 24}});
  const auto sag = [&](const auto& solver) {
    Simulation sim(Solid(bar, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                   BackwardEuler{.dt = 0.1, .newton = {.tolerance = 1e-8}}, solver,
                   Pinned(nodes_where(bar, [](const auto& X) { return X.z() < 1e-6; })));
    sim.set_gravity({0, -9.81, 0});
    int iterations = 0;
    for (int n = 0; n < 6; ++n) {
      const StepReport step = sim.step();
      INFO(step.message());
      REQUIRE(step);
      iterations += step.linear_iterations;
    }
    return std::pair(iterations, NodeMatrix<double, 3>(sim.positions()));
  };
  const auto [simple, expected] = sag(Pcg<BlockJacobi>{.tolerance = 1e-8});
  const auto [automatic, positions] = sag(Pcg<Automatic>{.tolerance = 1e-8});
  INFO(simple << " iterations of BlockJacobi, " << automatic << " of Automatic");
  CHECK(2 * automatic < simple);
  CHECK((positions - expected).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("Automatic: what makes no sense is refused") {
  CHECK_THROWS_AS((Automatic{.switch_above = -1}.check()), ParameterError);
  CHECK_THROWS_AS((Automatic{.switch_above = 15}.check()), ParameterError);
  CHECK_THROWS_AS((Automatic{.start_above = -1}.check()), ParameterError);
}
