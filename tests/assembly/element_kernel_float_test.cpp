// The kernel in single precision against brute-force assembly in double.
#include "assembly/system_facts.hpp"

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

}  // namespace

TEST_CASE("Element kernel, float: StableNeoHookean equals brute force") {
  equals_brute_force<float>(StableNeoHookean(material), true, 2e-5);
}

TEST_CASE("Element kernel, float: BonetWoodNeoHookean equals brute force") {
  equals_brute_force<float>(BonetWoodNeoHookean(material), false, 2e-5);
}

TEST_CASE("Element kernel, float: LinearElastic equals brute force") {
  equals_brute_force<float>(LinearElastic(material), true, 2e-5);
}
