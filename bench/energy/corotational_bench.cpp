#include "energy/evaluations.hpp"

#include <pliant/energy/arap.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/fixed_corotated.hpp>

namespace {

using namespace pliant;

[[maybe_unused]] const bool added[] = {
    evaluations::add_all<Arap>("Arap"),
    evaluations::add_all<CorotatedLinear>("CorotatedLinear"),
    evaluations::add_all<FixedCorotated>("FixedCorotated"),
};

}  // namespace
