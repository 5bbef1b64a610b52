#include "energy/no_nan.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean_barrier.hpp>

using namespace pliant;
using no_nan::Domain, no_nan::only_numbers, no_nan::finite_as_documented;

TEST_CASE("LinearElastic: never NaN") { only_numbers<LinearElastic>(Domain::everywhere, no_nan::a_few); }
TEST_CASE("LinearElastic: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<LinearElastic>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("StVenantKirchhoff: never NaN") {
  only_numbers<StVenantKirchhoff>(Domain::everywhere, no_nan::a_few);
}
TEST_CASE("StVenantKirchhoff: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<StVenantKirchhoff>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("StableNeoHookean: never NaN") {
  only_numbers<StableNeoHookean>(Domain::everywhere, no_nan::a_few);
}
TEST_CASE("StableNeoHookean: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<StableNeoHookean>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("StableNeoHookeanBarrier: never NaN") {
  only_numbers<StableNeoHookeanBarrier>(Domain::everywhere, no_nan::a_few);
}
TEST_CASE("StableNeoHookeanBarrier: never NaN, a million deformation gradients", "[slow]") {
  only_numbers<StableNeoHookeanBarrier>(Domain::everywhere, no_nan::a_million);
}

TEST_CASE("LinearElastic: finite up to the sizes of F that are documented") {
  finite_as_documented<LinearElastic>(Domain::everywhere, {2, 1, 0}, {2, 1, 0});
}
TEST_CASE("StVenantKirchhoff: finite up to the sizes of F that are documented") {
  finite_as_documented<StVenantKirchhoff>(Domain::everywhere, {4, 3, 2}, {4, 3, 2});
}
TEST_CASE("StableNeoHookean: finite up to the sizes of F that are documented") {
  finite_as_documented<StableNeoHookean>(Domain::everywhere, {6, 5, 4}, {4, 3, 2});
}
TEST_CASE("StableNeoHookeanBarrier: finite up to the sizes of F that are documented") {
  finite_as_documented<StableNeoHookeanBarrier>(Domain::everywhere, {6, 5, 4}, {4, 3, 2});
}
