#include "integrator/on_any_threads.hpp"

using namespace pliant;
using pliant::test::same_bits;

TEST_CASE("an implicit step has the same bits on any number of threads") {
  SECTION("BackwardEuler") { same_bits<StableNeoHookean>(BackwardEuler{.dt = 0.01}, Pcg<TwoLevel>{}); }
  SECTION("OptimizationEuler") {
    same_bits<StableNeoHookean>(OptimizationEuler{.dt = 0.01}, Pcg<BlockJacobi>{});
  }
  SECTION("Newmark") { same_bits<StableNeoHookean>(Newmark{.dt = 0.01}, Cholesky{}); }
}
