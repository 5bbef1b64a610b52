// An element that leaves the domain of its energy: the sum is +infinity, and the system names the element.
#include "assembly/brute_force.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/assembly/system.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/energy/bonet_wood_neo_hookean.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/generators.hpp>
#include <pliant/mesh/selection.hpp>

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
      CHECK(system.inverted_elements(x).all == 1);
      CHECK(system.inverted_elements(x).wrong() == 1);
    }
    const NodeMatrix<TestType, 3> mirrored = -mesh.nodes;
    system.to_internal(mirrored, x);
    CHECK(system.inverted_elements(x).all == count);
    system.to_internal(mesh.nodes, x);
    CHECK(system.inverted_elements(x).all == 0);
  }
}

// A quadrilateral or hexahedron is inverted where one of its quadrature points is; an energy of small strain
// takes it for none; the solids of several are added up.
TEST_CASE("Inverted elements of hexahedra, of the plane, of small strain and of several solids") {
  const Lame lame = Lame::from_young_poisson(1, 0.3);
  const auto hexes = make_box<Hex8>({.cells = {3, 1, 1}});
  {
    ElasticSystem system{Solid(hexes, StableNeoHookean(lame), Density{1})};
    auto x = system.make_vector();
    Eigen::Matrix3Xd folded = hexes.nodes;
    const auto end = nodes_where(hexes, [](const auto& X) { return X.x() > 1 - 1e-9; });
    folded(0, end.front()) =
        0.3;  // of the last element, of edges of a third, one corner through the other face
    system.to_internal(folded, x);
    CHECK(system.inverted_elements(x).all == 1);
    system.to_internal(hexes.nodes, x);
    CHECK(system.inverted_elements(x).all == 0);
  }
  const auto sheet = make_rectangle<Tri3>({.lengths = {1, 1}, .cells = {3, 2}});
  {
    ElasticSystem system{Solid(sheet, StableNeoHookean(lame), Density{1})};
    auto x = system.make_vector();
    Eigen::Matrix2Xd mirrored = sheet.nodes;
    mirrored.row(0) *= -1;
    system.to_internal(mirrored, x);
    CHECK(system.inverted_elements(x).all == sheet.element_count());
  }
  const auto tets = make_box<Tet4>({.cells = {2, 1, 1}});
  ElasticSystem system{
      Bodies(Solid(hexes, LinearElastic(lame), Density{1}), Solid(tets, StableNeoHookean(lame), Density{1}))};
  auto x = system.make_vector();
  Eigen::Matrix3Xd mirrored(3, hexes.node_count() + tets.node_count());
  mirrored << -hexes.nodes, -tets.nodes;
  system.to_internal(mirrored, x);
  CHECK(system.inverted_elements(x).all == hexes.element_count() + tets.element_count());
  CHECK(system.inverted_elements(x).small_strain == hexes.element_count());
  CHECK(system.inverted_elements(x).wrong() == tets.element_count());
}
