#include "random_scenes/random_scenes.hpp"

TEST_CASE("random scenes: FixedCorotated") {
  pliant::test::run_random_scenes<pliant::FixedCorotated>(60, true, 0.1);
}
