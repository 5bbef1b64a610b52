// The kernel in two dimensions.
#include "assembly/system_facts.hpp"
#include "mesh/sample_elements.hpp"

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

}  // namespace

TEST_CASE("Element kernel: triangles, double and float") {
  equals_brute_force_on(sample::triangles(), StableNeoHookean(material), 1e-12);
  equals_brute_force_on(brute_force::with_scalar<float>(sample::triangles()), StableNeoHookean(material),
                        2e-5);
}
