#include "energy/no_nan.hpp"

#include <pliant/energy/arap.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/fixed_corotated.hpp>

using namespace pliant;
using no_nan::Domain, no_nan::only_numbers;

TEST_CASE("Arap: never NaN") { only_numbers<Arap>(Domain::everywhere, no_nan::a_few); }
TEST_CASE("Arap: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<Arap>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("CorotatedLinear: never NaN") { only_numbers<CorotatedLinear>(Domain::everywhere, no_nan::a_few); }
TEST_CASE("CorotatedLinear: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<CorotatedLinear>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("FixedCorotated: never NaN") { only_numbers<FixedCorotated>(Domain::everywhere, no_nan::a_few); }
TEST_CASE("FixedCorotated: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<FixedCorotated>(Domain::everywhere, no_nan::a_million);
}
