#include "support/catch.hpp"

#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;

TEST_CASE("nodes_where returns the nodes that satisfy a predicate, in increasing order") {
  const auto mesh = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {2, 1, 1}});
  CHECK(nodes_where(mesh, [](const auto& X) { return X.x() == 2; }) == std::vector<int>{2, 5, 8, 11});
  CHECK(nodes_where(mesh, [](const auto& X) { return X.y() > 0.9 && X.z() < 0.1; }) ==
        std::vector<int>{3, 4, 5});
  CHECK(nodes_where(mesh, [](const auto&) { return false; }).empty());
  CHECK(nodes_where(mesh, [](const SmallVector<double, 3>&) { return true; }).size() == 12);
}

TEST_CASE(
    "nodes_of_region: interface nodes belong to both sides, a wrong region is an error that lists the right "
    "ones") {
  auto mesh = make_box<Tet4>({.lengths = {2, 1, 1}, .cells = {2, 1, 1}});
  CHECK(nodes_of_region(mesh, 0).size() == 12);
  CHECK_THROWS_WITH(nodes_of_region(mesh, 1), "no element is in region 1; regions of this mesh: 0");

  mesh.regions = {4, 4, 4, 4, 4, 7, 7, 7, 7, 7};
  mesh.region_names[7] = "rubber";
  CHECK(nodes_of_region(mesh, 4) == std::vector<int>{0, 1, 3, 4, 6, 7, 9, 10});
  CHECK(nodes_of_region(mesh, "rubber") == std::vector<int>{1, 2, 4, 5, 7, 8, 10, 11});
  CHECK_THROWS_AS(nodes_of_region(mesh, 5), MeshError);
  CHECK_THROWS_WITH(nodes_of_region(mesh, "steel"),
                    "no region is named 'steel'; names in this mesh: 'rubber'");

  mesh.regions.pop_back();
  CHECK_THROWS_AS(nodes_of_region(mesh, 4), SizeError);
}

TEST_CASE("nodes_of_region refuses a node number outside the mesh") {
  auto mesh = make_box<Tet4>();
  mesh.elements(2, 3) = 8;
  CHECK_THROWS_WITH(nodes_of_region(mesh, 0), "element 3: node 8: outside [0, 8)");
  mesh.elements(2, 3) = -1;
  CHECK_THROWS_AS(nodes_of_region(mesh, 0), IndexError);
}

TEST_CASE("nearest_node: closest, lowest number among equals, never a node without coordinates") {
  auto mesh = make_box<Tet4, float>({.lengths = {1, 1, 1}, .cells = {1, 1, 1}});
  CHECK(nearest_node(mesh, {0.9f, 0.1f, 0.8f}) == 5);
  CHECK(nearest_node(mesh, {0.5f, 0.5f, 0.5f}) == 0);
  mesh.nodes(1, 5) = std::numeric_limits<float>::quiet_NaN();
  CHECK(nearest_node(mesh, {1, 0, 1}) == 1);
  CHECK_THROWS_AS(nearest_node(Mesh<Tet4>{}, {0, 0, 0}), MeshError);
}
