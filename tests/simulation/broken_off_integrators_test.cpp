// Memory that runs out, once, anywhere in what a simulation does: each integrator.
#include "allocations.hpp"
#include "broken_off.hpp"
#include "support/threads.hpp"

#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>

#if CAN_COUNT_ALLOCATIONS

using namespace pliant;

namespace {

template <class Mesh, class Integrator, class... Solver>
void goes_on(const Mesh& mesh, const Integrator& integrator, const Solver&... solver) {
  const WithThreads one(1);
  const auto held = nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; });
  const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(1e5, 0.4)), Density{1000},
                    Rayleigh{.alpha = 0.1});
  using Sim = decltype(Simulation(solid, integrator, solver..., Pinned(held)));
  test::goes_on_after_trouble(
      [&] { return std::make_unique<Sim>(solid, integrator, solver..., Pinned(held)); }, test::ground(),
      allocations, failing_allocation);
}

}  // namespace

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: OptimizationEuler") {
  goes_on(make_box<Tet4>(test::small_bar()), OptimizationEuler{.dt = 0.05}, Pcg<TwoLevel>{});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: Newmark") {
  goes_on(make_box<Tet4>(test::small_bar()), Newmark{.dt = 0.05}, Pcg<TwoLevel>{});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: CentralDifferences") {
  goes_on(make_box<Tet4>(test::small_bar()), CentralDifferences{.dt = 0.05});
  goes_on(make_box<Tet4, float>(test::small_bar()), CentralDifferences{.dt = 0.05});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: QuasiStatic") {
  goes_on(make_box<Tet4>(test::small_bar()), QuasiStatic{.dt = 0.05}, Pcg<TwoLevel>{});
}

TEST_CASE("A simulation goes on, with the same bits, where an allocation has failed: OperatorSplitting") {
  goes_on(make_box<Tet4>(test::small_bar()), OperatorSplitting{.dt = 0.05});
  goes_on(make_box<Tet4, float>(test::small_bar()), OperatorSplitting{.dt = 0.05});
}

#else

TEST_CASE("Allocations cannot fail here") {
  SKIP_HERE("there is a sanitizer, or another C library than glibc");
}

#endif
