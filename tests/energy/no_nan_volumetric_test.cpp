#include "energy/no_nan.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/bower_neo_hookean.hpp>
#include <pliant/energy/ogden_neo_hookean.hpp>

using namespace pliant;
using no_nan::Domain, no_nan::only_numbers, no_nan::finite_as_documented;

TEST_CASE("BonetWoodNeoHookean: never NaN") {
  only_numbers<BonetWoodNeoHookean>(Domain::positive_volume, no_nan::a_few);
}
TEST_CASE("BonetWoodNeoHookean: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<BonetWoodNeoHookean>(Domain::positive_volume, no_nan::a_million);
}

TEST_CASE("OgdenNeoHookean: never NaN") {
  only_numbers<OgdenNeoHookean>(Domain::positive_volume, no_nan::a_few);
}
TEST_CASE("OgdenNeoHookean: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<OgdenNeoHookean>(Domain::positive_volume, no_nan::a_million);
}

TEST_CASE("BowerNeoHookean: never NaN") {
  only_numbers<BowerNeoHookean>(Domain::nonzero_volume, no_nan::a_few);
}
TEST_CASE("BowerNeoHookean: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<BowerNeoHookean>(Domain::nonzero_volume, no_nan::a_million);
}

TEST_CASE("BonetWoodNeoHookean: finite up to the sizes of F that are documented") {
  finite_as_documented<BonetWoodNeoHookean>(Domain::positive_volume, {2, 1, 0}, {2, 1, 0});
}
TEST_CASE("OgdenNeoHookean: finite up to the sizes of F that are documented") {
  finite_as_documented<OgdenNeoHookean>(Domain::positive_volume, {6, 6, 6}, {4, 4, 4});
}
TEST_CASE("BowerNeoHookean: finite up to the sizes of F that are documented") {
  finite_as_documented<BowerNeoHookean>(Domain::nonzero_volume, {6, 6, 6}, {4, 4, 4});
}
