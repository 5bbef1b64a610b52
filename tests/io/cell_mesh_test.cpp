#include "support/catch.hpp"

#include <array>

#include <pliant/io/cell_mesh.hpp>

using namespace pliant;

TEST_CASE("cells of a file are sorted by kind, higher-order ones keep their corners") {
  CellMesh mesh;
  detail::io::CellCollector collector(mesh);
  const std::array nodes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto first = [&](std::size_t n) { return std::span(nodes).first(n); };
  collector.add({CellKind::triangle, 3}, first(3), 5);
  const auto place = collector.add({CellKind::tet, 10}, first(10), 6);
  collector.add({std::nullopt, 0, "polygons"}, first(5), 7);
  collector.add({std::nullopt, 0, "polygons"}, first(6), 8);
  collector.add({CellKind::tet, 4}, std::span(nodes).last(4), 9);
  collector.set_region(place, 60);

  CHECK(mesh.cells(CellKind::triangle).nodes == std::vector{0, 1, 2});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{5});
  CHECK(mesh.cells(CellKind::tet).count() == 1);
  CHECK(mesh.cells(CellKind::tet).cell(0)[0] == 6);
  REQUIRE(mesh.others.size() == 2);
  CHECK(mesh.others[0].name == "10-node tetrahedra");
  CHECK(mesh.others[0].count == 1);
  CHECK(mesh.others[0].corners.nodes == std::vector{0, 1, 2, 3});
  CHECK(mesh.others[0].corners.regions == std::vector{60});
  CHECK(mesh.others[1].name == "polygons");
  CHECK(mesh.others[1].count == 2);
  CHECK_FALSE(mesh.others[1].kind);
  CHECK(mesh.others[1].corners.count() == 0);
}

TEST_CASE("every kind of cell has a size, a dimension and names") {
  CHECK(nodes_per_cell(CellKind::vertex) == 1);
  CHECK(nodes_per_cell(CellKind::hex) == 8);
  CHECK(nodes_per_cell(CellKind::wedge) == 6);
  CHECK(nodes_per_cell(CellKind::pyramid) == 5);
  CHECK(cell_dimension(CellKind::vertex) == 0);
  CHECK(cell_dimension(CellKind::quad) == 2);
  CHECK(cell_dimension(CellKind::pyramid) == 3);
  CHECK(cell_name(CellKind::tet, 1) == "tetrahedron");
  CHECK(cell_name(CellKind::tet, 0) == "tetrahedra");
  CHECK(cell_name(CellKind::hex) == "hexahedra");
}
