// Lanes as plain arrays, as every compiler without vector types sees them. Their Isa differs from that of the
// other units of the program, so they are other types.
#define PLIANT_NO_VECTOR_EXTENSIONS
#include "lane_checks.hpp"
#include "support/catch.hpp"

#include <pliant/simd/lane.hpp>

using namespace pliant;
using namespace pliant::simd;

TEMPLATE_TEST_CASE("a lane without vector registers computes what its numbers would", "[core]",
                   (Lane<double, 4>), (Lane<double, 8>), (Lane<float, 8>)) {
  STATIC_REQUIRE(TestType::register_size == 1);
  lane_checks::check_vocabulary<TestType>();
}
