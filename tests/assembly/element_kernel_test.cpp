// The kernel, through the system that drives it, against brute-force assembly in scalar Eigen.
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

TEST_CASE("Element kernel, double: StableNeoHookean equals brute force") {
  equals_brute_force<double>(StableNeoHookean(material), true, 1e-12);
}

TEST_CASE("Element kernel, double: BonetWoodNeoHookean equals brute force") {
  equals_brute_force<double>(BonetWoodNeoHookean(material), false, 1e-12);
}

TEST_CASE("Element kernel, double: LinearElastic equals brute force") {
  equals_brute_force<double>(LinearElastic(material), true, 1e-12);
}
