// Hexahedra in single precision.
#include "assembly/system_facts.hpp"
#include "mesh/sample_meshes.hpp"

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

TEST_CASE("Element kernel, float: distorted hexahedra") {
  std::mt19937 random(2);
  Mesh<Hex8> mesh = sample::hexahedra(2);
  mesh.nodes = brute_force::perturbed(mesh.nodes, 0.1, random);
  equals_brute_force_on(brute_force::with_scalar<float>(mesh),
                        StableNeoHookean(Lame::from_young_poisson(3, 0.4)), 2e-5);
}
