#include "integrator/on_any_threads.hpp"

using namespace pliant;
using pliant::test::same_bits;

TEST_CASE("a step has the same bits on any number of threads") {
  SECTION("QuasiStatic") { same_bits<StableNeoHookean>(QuasiStatic{.dt = 0.01}, Pcg<Prefactored>{}); }
  SECTION("CentralDifferences") { same_bits<StableNeoHookean>(CentralDifferences{.dt = 0.01}); }
  SECTION("OperatorSplitting") { same_bits<FixedCorotated>(OperatorSplitting{.dt = 0.01}); }
}
