#include "random_scenes/random_scenes.hpp"

TEST_CASE("random scenes: StableNeoHookean") {
  pliant::test::run_random_scenes<pliant::StableNeoHookean>(80, true, 0.02);
}
