// Implicit runs that are saved and gone on with.
#include "simulation/dragged_body.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>

using namespace pliant;
using namespace pliant::test;

TEST_CASE("a saved run goes on with the same bits: BackwardEuler, automatic preconditioner") {
  // Between the two preconditioners more than once.
  check_dragged_body<StableNeoHookean>(BackwardEuler{.dt = 0.01},
                                       Pcg<>{.preconditioner = {.switch_above = 30, .switch_below = 8}});
}

TEST_CASE("a saved run goes on with the same bits: Newmark, two levels, in floats") {
  check_dragged_body<StableNeoHookean, float>(Newmark{.dt = 0.01, .newton = {.tolerance = 1e-3}},
                                              Pcg<TwoLevel>{.tolerance = 1e-4});
}

TEST_CASE("a saved run goes on with the same bits: BackwardEuler, one linear system, an earlier factor") {
  const Pcg<Prefactored> solver{.preconditioner = {.refactor_above = 3}};
  check_dragged_body<StableNeoHookean>(BackwardEuler{.dt = 0.01, .newton = Newton::linearised()}, solver);
}

TEST_CASE("a saved run goes on with the same bits: OptimizationEuler, a solver with bounds") {
  check_dragged_body<StableNeoHookean>(OptimizationEuler{.dt = 0.01}, Mprgp<Jacobi>{});
}

TEST_CASE("a saved run goes on with the same bits: QuasiStatic, Cholesky, loads that grow") {
  const auto make = [] {
    return dragged_body<StableNeoHookean, double>(QuasiStatic{.dt = 0.01}, Cholesky{});
  };
  check_saved_state(make, 4, 3, [](auto& sim, int n) { sim.set_gravity({0, -2.0 * (n + 1), 0.5}); });
}
