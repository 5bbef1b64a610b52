// An element that leaves the domain of its energy: the sum is +infinity, and the system names the element.
#include "assembly/brute_force.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/assembly/system.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>

using namespace pliant;

// With every element count modulo the width of a batch, so that the last batch is filled up or not.
TEMPLATE_TEST_CASE("An inverted element makes the energy infinite and is named", "", float, double) {
  for (int count = 1; count <= 17; ++count) {
    // Tets that share no nodes.
    Mesh<Tet4, TestType> mesh;
    mesh.nodes.resize(3, 4 * count);
    mesh.elements.resize(4, count);
    for (int e = 0; e < count; ++e) {
      mesh.elements.col(e) << 4 * e, 4 * e + 1, 4 * e + 2, 4 * e + 3;
      mesh.nodes.template middleCols<4>(4 * e) << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
      mesh.nodes.template middleCols<4>(4 * e).row(0).array() += static_cast<TestType>(2 * e);
    }
    ElasticSystem system{Solid(mesh, BonetWoodNeoHookean(Lame::from_young_poisson(1, 0.3)), Density{1})};
    auto x = system.make_vector(), g = system.make_vector();
    auto A = system.make_matrix();
    system.to_internal(mesh.nodes, x);
    CHECK(std::abs(system.energy(x)) <= 1e-6);
    CHECK(system.undefined_element(x) == -1);
    for (int e = 0; e < count; ++e) {
      INFO("element " << e << " of " << count);
      NodeMatrix<TestType, 3> inverted = mesh.nodes;
      inverted(2, 4 * e + 3) = -1;
      system.to_internal(inverted, x);
      constexpr double infinity = std::numeric_limits<double>::infinity();
      CHECK(system.energy(x) == infinity);
      CHECK(system.gradient(x, g) == infinity);
      CHECK(system.tangent(x, Projection::clamp, TestType(1), g, A) == infinity);
      CHECK(g.finite());
      CHECK(system.undefined_element(x) == e);
    }
  }
}
