#include "io/reading.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <type_traits>

#include <pliant/element/tet4.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/io/read_mesh.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;

namespace {

const std::string medit = R"(MeshVersionFormatted 1 Dimension 3 Vertices 5
0 0 0 0  1 0 0 0  0 1 0 0  0 0 1 0  9 9 9 0
Triangles 2
1 2 3 7
1 2 4 8
Tetrahedra 1
1 2 3 4 5
Corners 1 1
End
)";

const std::string gmsh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 5 "skin"
3 5 "flesh"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 5 1 1 2 3 4
$EndElements
)";

const std::string vtk = R"(# vtk DataFile Version 3.0
t
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 0 0 1
CELLS 1 5
4 0 1 2 3
CELL_TYPES 1
10
)";

const std::string vega =
    "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n";

const std::string tetgen_nodes = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
const std::string tetgen_cells = "1 4 0\n1 1 2 3 4\n";

template <class ElementType>
void refuses(const std::string& name, const std::string& bytes, std::string_view words) {
  const TemporaryFolder folder;
  const auto path = folder.write(name, bytes);
  check_refused([&] { read_mesh<ElementType>(path); }, 0, words);
}

}  // namespace

TEST_CASE("read_mesh takes the cells of its element, all nodes, and reports the rest") {
  const TemporaryFolder folder;
  const auto path = folder.write("body.mesh", medit);
  ReadReport report;
  const auto mesh = read_mesh<Tet4>(path, report);
  CHECK(mesh.nodes.cols() == 5);  // also the one that no element uses
  CHECK(mesh.nodes.col(4) == Eigen::Vector3d(9, 9, 9));
  CHECK(mesh.elements == Eigen::Vector4i(0, 1, 2, 3));
  CHECK(mesh.regions == std::vector{5});
  CHECK(mesh.region_names.empty());

  CHECK(report.file == path.string());
  CHECK(report.format == "Medit");
  CHECK(report.element == "Tet4");
  CHECK(report.node_count == 5);
  CHECK(report.element_count == 1);
  REQUIRE(report.left_aside.size() == 1);
  CHECK(report.left_aside[0].name == "triangles");
  CHECK(report.left_aside[0].count == 2);
  CHECK(report.remarks.size() == 1);
  CHECK(report.message() == path.string() +
                                " (Medit): 5 nodes, 1 tetrahedron taken as Tet4\nleft aside: 2 triangles\n"
                                "remark: sections left aside: Corners");

  const auto single = read_mesh<Tet4, float>(path);
  static_assert(std::is_same_v<decltype(single), const Mesh<Tet4, float>>);
  CHECK(single.nodes == mesh.nodes.cast<float>());
  CHECK(single.elements == mesh.elements);
}

TEST_CASE("read_mesh without a report refuses a file whose other cells would be missing") {
  const TemporaryFolder folder;
  const auto path = folder.write("mixed.vtk", R"(# vtk DataFile Version 3.0
t
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 7 double
0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1 1 1 0
CELLS 3 16
4 0 1 2 3
6 0 1 2 3 4 5
3 1 2 6
CELL_TYPES 3
10
13
5
)");
  check_refused([&] { read_mesh<Tet4>(path); }, 0,
                "beside tetrahedra the file holds 1 wedge, which Tet4 cannot use");
  check_refused([&] { read_mesh<Tet4>(path); }, 0, "ReadReport");
  ReadReport report;
  CHECK(read_mesh<Tet4>(path, report).element_count() == 1);
  CHECK(report.left_aside.size() == 2);
}

TEST_CASE("read_mesh keeps the names of the regions of its dimension") {
  const TemporaryFolder folder;
  const auto mesh = read_mesh<Tet4>(folder.write("body.msh", gmsh));
  CHECK(mesh.region_names == std::map<int, std::string>{{5, "flesh"}});
}

TEST_CASE("read_mesh makes node sets of the groups of lower dimension") {
  std::string text = gmsh;
  text.replace(text.find("$Elements"), std::string::npos, R"($Elements
5
1 2 2 5 1 1 2 3
2 2 2 5 1 3 4 1
3 2 2 9 1 2 3 4
4 15 2 5 1 4
5 4 2 5 1 1 2 3 4
$EndElements
)");
  const TemporaryFolder folder;
  const auto mesh = read_mesh<Tet4>(folder.write("sets.msh", text));
  const std::map<std::string, std::vector<int>> expected{
      {"skin", {0, 1, 2, 3}}, {"surface 9", {1, 2, 3}}, {"point 5", {3}}};
  CHECK(mesh.node_sets == expected);
  CHECK(node_set(mesh, "surface 9") == std::vector{1, 2, 3});
  try {
    static_cast<void>(node_set(mesh, "flesh"));
    FAIL("accepted");
  } catch (const MeshError& error) {
    CHECK(error.reason() == "no node set is named 'flesh'; sets in this mesh: 'point 5' 'skin' 'surface 9'");
  }

  const auto reference = folder.write("sets.mesh", medit);
  ReadReport report;
  const auto body = read_mesh<Tet4>(reference, report);
  CHECK(body.node_sets ==
        std::map<std::string, std::vector<int>>{{"surface 7", {0, 1, 2}}, {"surface 8", {0, 1, 3}}});
  const auto plane = read_mesh<Tri3>(folder.write("plane.msh", R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
3
1 0 0 0
2 1 0 0
3 0 1 0
$EndNodes
$Elements
2
1 1 2 4 1 1 2
2 2 2 5 1 1 2 3
$EndElements
)"));
  CHECK(plane.node_sets == std::map<std::string, std::vector<int>>{{"line 4", {0, 1}}});
}

TEST_CASE("a surface of several physical groups belongs to the node sets of all") {
  const std::string text = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
4
1 4 "a"
2 1 "a"
2 2 "b"
3 3 "body"
$EndPhysicalNames
$Entities
0 1 2 1
1 0 0 0 1 0 0 1 4 0
1 0 0 0 1 1 1 2 -1 2 0
2 0 0 0 1 1 1 1 2 0
1 0 0 0 1 1 1 1 3 0
$EndEntities
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
4 4 1 4
1 1 1 1
4 3 4
2 1 2 1
1 1 2 3
2 2 2 1
2 1 2 4
3 1 4 1
3 1 2 3 4
$EndElements
)";
  const TemporaryFolder folder;
  const auto path = folder.write("several.msh", text);
  const auto mesh = read_mesh<Tet4>(path);
  CHECK(node_set(mesh, "b") == std::vector{0, 1, 2, 3});
  CHECK(node_set(mesh, "a") == std::vector{0, 1, 2, 3});  // a curve of that name too
  CHECK(read_cells(path).further_groups[2] == std::map<int, std::vector<int>>{{2, {0, 1, 2}}});
}

TEST_CASE("the format is told by the content, whatever the extension") {
  const TemporaryFolder folder;
  const auto format = [&](const std::string& name, const std::string& bytes) {
    return read_cells(folder.write(name, bytes)).format;
  };
  for (const std::string extension : {".msh", ".mesh", ".veg", ".vtk", ".txt", ""}) {
    CHECK(format("body" + extension, gmsh) == "Gmsh 2.2");
    CHECK(format("body" + extension, medit) == "Medit");
    CHECK(format("body" + extension, vega) == "Vega");
    CHECK(format("body" + extension, vtk) == "VTK legacy 3.0");
    CHECK(format("body" + extension, "\xEF\xBB\xBF  \n" + medit) == "Medit");
  }
}

TEST_CASE("where the content does not tell the format, the extension does") {
  const TemporaryFolder folder;
  folder.write("body.node", tetgen_nodes);
  const auto cells = folder.write("body.ELE", tetgen_cells);
  folder.write("body.ele", tetgen_cells);
  CHECK(read_cells(folder.path / "body.node").format == "TetGen");
  CHECK(read_cells(cells).format == "TetGen");
  check_refused([&] { read_cells(folder.write("body.msh", "1 2 3")); }, 1, "expected a section");
  check_refused([&] { read_cells(folder.write("body.MESH", "1 2 3")); }, 1, "not a Medit file");
  check_refused([&] { read_cells(folder.write("body.vtk", "1 2 3")); }, 1, "not a legacy VTK file");
  check_refused([&] { read_cells(folder.write("body.veg", "1 2 3")); }, 1,
                "expected a section such as *VERTICES");
  check_refused([&] { read_cells(folder.write("body.stl", "solid")); }, 0, "the format is not known");
  check_refused([&] { read_cells(folder.path / "none.msh"); }, 0, "there is no such file");
  check_refused([&] { read_cells(folder.path); }, 0, "not a regular file");
}

TEST_CASE("read_mesh says what it found when nothing can be used") {
  refuses<Tet4>(
      "surface.mesh", replaced(medit, "Tetrahedra 1\n1 2 3 4 5\n", ""),
      "found 2 triangles; Tet4 needs tetrahedra: this is a surface mesh, and a volume mesh is needed");
  refuses<Tet4>("lines.mesh",
                "MeshVersionFormatted 1 Dimension 3 Vertices 2 0 0 0 0 1 0 0 0 Edges 1 1 2 0 End",
                "found 1 line; Tet4 needs tetrahedra");
  refuses<Tet4>("empty.mesh", "MeshVersionFormatted 1 Dimension 3 Vertices 0 End", "the file holds no cells");
  refuses<Tet4>("hex.vtk",
                replaced(replaced(replaced(replaced(vtk, "POINTS 4", "POINTS 8"), "0 1\nCELLS 1 5",
                                           "0 1 0 0 0 0 0 0 0 0 0 0 0 0\nCELLS 1 9"),
                                  "4 0 1 2 3", "8 0 1 2 3 4 5 6 7"),
                         "\n10\n", "\n12\n"),
                "found 1 hexahedron; Tet4 needs tetrahedra");
  // Second-order cells, with the way out.
  std::string nodes = "10 3 0 0\n";
  for (int i = 0; i < 10; ++i) nodes += std::to_string(i) + " 0 0 " + std::to_string(i) + "\n";
  const TemporaryFolder folder;
  folder.write("second.ele", "1 10 0\n0 0 1 2 3 4 5 6 7 8 9\n");
  check_refused([&] { read_mesh<Tet4>(folder.write("second.node", nodes)); }, 0,
                "found 1 10-node tetrahedron; Tet4 needs tetrahedra of 4 nodes: save the mesh with "
                "first-order elements");
}

TEST_CASE("a plane element takes x and y of a plane mesh") {
  const TemporaryFolder folder;
  const std::string plane =
      "MeshVersionFormatted 1 Dimension 3 Vertices 3 0 0 2 0 1 0 2 0 0 1 2 0 Triangles 1 1 2 3 4 End";
  const auto mesh = read_mesh<Tri3>(folder.write("plane.mesh", plane));
  CHECK(mesh.nodes.col(1) == Eigen::Vector2d(1, 0));
  CHECK(mesh.elements == Eigen::Vector3i(0, 1, 2));
  CHECK(mesh.regions == std::vector{4});
  refuses<Tri3>("bent.mesh", replaced(plane, "0 1 2 0", "0 1 2.5 0"),
                "a plane mesh is needed, with the same z");
  refuses<Tri3>("tets.vtk", vtk, "found 1 tetrahedron; Tri3 needs triangles");
}

TEST_CASE("coordinates that overflow the scalar are refused") {
  const TemporaryFolder folder;
  const auto path = folder.write("far.mesh", replaced(medit, "9 9 9", "9 1e99 9"));
  CHECK(read_mesh<Tet4>(path).nodes(1, 4) == 1e99);
  check_refused([&] { read_mesh<Tet4, float>(path); }, 0, "a coordinate of node 4 overflows");
}

TEST_CASE("cells of any shape and the dimension of the element would leave holes") {
  const auto with = [](const std::string& cell, const std::string& type) {
    const std::string size = std::to_string(5 + 1 + std::count(cell.begin(), cell.end(), ' '));
    return replaced(replaced(replaced(vtk, "CELLS 1 5", "CELLS 2 " + size), "CELL_TYPES 1\n10",
                             "CELL_TYPES 2\n10 " + type),
                    "4 0 1 2 3\n", "4 0 1 2 3\n" + cell + "\n");
  };
  const std::string polyhedron = with("17 4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2", "42");
  refuses<Tet4>("body.vtk", polyhedron,
                "beside tetrahedra the file holds 1 polyhedra, which Tet4 cannot use");
  refuses<Tet4>("body.vtk", with("4 0 1 2 3", "41"), "holds 1 convex point sets");
  refuses<Tri3>("body.vtk", with("5 0 1 2 3 0", "7"), "needs triangles");
  const TemporaryFolder folder;
  CHECK(read_mesh<Tet4>(folder.write("polygon.vtk", with("5 0 1 2 3 0", "7"))).element_count() == 1);
  ReadReport report;
  CHECK(read_mesh<Tet4>(folder.write("polyhedron.vtk", polyhedron), report).element_count() == 1);
  CHECK(report.message().find("left aside: 1 polyhedra") != std::string::npos);
}

TEST_CASE("an XML file of VTK is called one under any name") {
  const std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n";
  const TemporaryFolder folder;
  for (const char* name : {"body.vtk", "body.vtu", "body.msh"}) {
    check_refused([&] { read_cells(folder.write(name, xml)); }, 1,
                  "is an XML file of VTK, as .vtu files are");
  }
}
