#include "energy/evaluations.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/st_venant_kirchhoff.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/energy/stable_neo_hookean_barrier.hpp>

namespace {

using namespace pliant;

[[maybe_unused]] const bool added[] = {
    evaluations::add_all<LinearElastic>("LinearElastic"),
    evaluations::add_all<StVenantKirchhoff>("StVenantKirchhoff"),
    evaluations::add_all<StableNeoHookean>("StableNeoHookean"),
    evaluations::add_all<StableNeoHookeanBarrier>("StableNeoHookeanBarrier"),
};

}  // namespace
