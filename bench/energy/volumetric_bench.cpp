#include "energy/evaluations.hpp"

#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/bower_neo_hookean.hpp>
#include <pliant/energy/ogden_neo_hookean.hpp>

namespace {

using namespace pliant;

[[maybe_unused]] const bool added[] = {
    evaluations::add_all<BonetWoodNeoHookean>("BonetWoodNeoHookean"),
    evaluations::add_all<OgdenNeoHookean>("OgdenNeoHookean"),
    evaluations::add_all<BowerNeoHookean>("BowerNeoHookean"),
};

}  // namespace
