#include "random_scenes/random_scenes.hpp"

TEST_CASE("random scenes: CentralDifferences") {
  pliant::test::run_random_scenes<pliant::StableNeoHookean>(40, true, 0.1, 10, pliant::test::ExplicitSteps{});
}
