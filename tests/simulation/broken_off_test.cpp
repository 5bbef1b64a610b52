// Memory that runs out, once, anywhere in what a simulation does: Newton's method with each solver.
#include "broken_off.hpp"

#include "allocations.hpp"
#include "support/threads.hpp"

#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>

#if CAN_COUNT_ALLOCATIONS

using namespace pliant;

namespace {

template <class Solver>
void goes_on(const Solver& solver) {
  const WithThreads one(1);
  const auto mesh = make_box<Tet4>(test::small_bar());
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; });
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000},
                    Rayleigh{.alpha = 0.1, .beta = 0.01});
  const BackwardEuler integrator{.dt = 0.05};
  using Sim = decltype(Simulation(solid, integrator, solver, Pinned(held)));
  test::goes_on_after_trouble([&] { return std::make_unique<Sim>(solid, integrator, solver, Pinned(held)); },
                              test::ground(), allocations, failing_allocation);
}

}  // namespace

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: conjugate gradients") {
  goes_on(Pcg{});
}

// Which is kept from step to step.
TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: an earlier factor") {
  goes_on(Pcg<Prefactored>{});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: a direct solver") {
  goes_on(Cholesky{});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: bounds") {
  goes_on(Mprgp<Jacobi>{});
}

#else

TEST_CASE("Allocations cannot fail here") {
  SKIP_HERE("there is a sanitizer, or another C library than glibc");
}

#endif
