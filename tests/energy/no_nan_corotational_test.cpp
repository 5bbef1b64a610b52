#include "energy/no_nan.hpp"

#include <pliant/energy/arap.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/fixed_corotated.hpp>

using namespace pliant;
using no_nan::Domain, no_nan::only_numbers, no_nan::finite_as_documented;

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

TEST_CASE("Arap: finite up to the sizes of F that are documented") {
  finite_as_documented<Arap>(Domain::everywhere, {2, 1, 0}, {2, 1, 0});
}
TEST_CASE("CorotatedLinear: finite up to the sizes of F that are documented") {
  finite_as_documented<CorotatedLinear>(Domain::everywhere, {2, 1, 0}, {2, 1, 0});
}
TEST_CASE("FixedCorotated: finite up to the sizes of F that are documented") {
  finite_as_documented<FixedCorotated>(Domain::everywhere, {6, 5, 4}, {4, 3, 2});
}
