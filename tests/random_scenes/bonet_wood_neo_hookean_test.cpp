#include "random_scenes/random_scenes.hpp"

TEST_CASE("random scenes: BonetWoodNeoHookean") {
  pliant::test::run_random_scenes<pliant::BonetWoodNeoHookean>(60, false, 0.2);
}
