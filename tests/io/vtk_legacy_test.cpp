#include "io/reading.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <pliant/io/vtk_legacy.hpp>

using namespace pliant;

namespace {

CellMesh parse(std::string_view bytes) { return detail::io::parse_vtk_legacy(bytes, "body.vtk"); }

void refuses(std::string_view bytes, std::size_t line, std::string_view words) {
  INFO(bytes);
  check_refused([&] { parse(bytes); }, line, words);
}

const std::string text = R"(# vtk DataFile Version 3.0
a title
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0  1 0 0
0 1 0  0 0 1
CELLS 2 9
4 0 1 2 3
3 0 1 2
CELL_TYPES 2
10
5
CELL_DATA 2
SCALARS temperature float 1
LOOKUP_TABLE default
0.5 0.25
SCALARS material int
LOOKUP_TABLE default
7 -2
)";

const std::string text_5 = R"(# vtk DataFile Version 5.1
a title
ASCII
DATASET UNSTRUCTURED_GRID
FIELD FieldData 1
TIME 1 1 double
0.5
METADATA
INFORMATION 0

POINTS 4 double
0 0 0  1 0 0
0 1 0  0 0 1
METADATA
INFORMATION 1
NAME L2_NORM_RANGE LOCATION vtkDataArray
DATA 2 0 1

CELLS 3 7
OFFSETS vtktypeint64
0 4 7
CONNECTIVITY vtktypeint64
0 1 2 3 0 1 2
CELL_TYPES 2
10
5
POINT_DATA 4
VECTORS v double
0 0 0  0 0 0  0 0 0  0 0 0
CELL_DATA 2
FIELD FieldData 2
other 2 2 float
1 2 3 4
MaterialID 1 2 int
7 -2
)";

std::string grid(std::string_view points, std::string_view cells, std::string_view types) {
  return "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n" + std::string(points) +
         std::string(cells) + std::string(types);
}

const std::string eight_points = "POINTS 8 int\n0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\n";

}  // namespace

TEST_CASE("VTK in text, version 3: points, cells, a material as region") {
  const CellMesh mesh = parse(text);
  check_unit_tet(mesh, 7);
  CHECK(mesh.format == "VTK legacy 3.0");
  CHECK(mesh.cells(CellKind::triangle).nodes == std::vector{0, 1, 2});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{-2});
  CHECK(mesh.remarks.empty());
}

TEST_CASE("VTK in text, version 5.1: offsets and connectivity, metadata and fields") {
  const CellMesh mesh = parse(text_5);
  check_unit_tet(mesh, 7);
  CHECK(mesh.format == "VTK legacy 5.1");
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{-2});
  CHECK(mesh.remarks.empty());
}

TEST_CASE("VTK in text: free in its layout") {
  for (const std::string& file : {text, text_5}) {
    check_unit_tet(parse(with_line_ends(file, "\r\n")), 7);
    check_unit_tet(parse(with_line_ends(file, "\r")), 7);
    check_unit_tet(parse(file.substr(0, file.size() - 1)), 7);
  }
  check_unit_tet(parse(replaced(text, "ASCII", "ASCII \n\n")), 7);
  check_unit_tet(
      parse(replaced(text, "DATASET UNSTRUCTURED_GRID\nPOINTS", "dataset unstructured_grid\npoints")), 7);
}

TEST_CASE("VTK in binary: versions 2 to 5.1, always big endian") {
  Binary file(std::endian::big);
  file.text("# vtk DataFile Version 4.2\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n");
  file.add<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}).text("\nMETADATA\nINFORMATION 0\n\nCELLS 2 9\n");
  file.add<std::int32_t>({4, 0, 1, 2, 3, 3, 0, 1, 2}).text("\nCELL_TYPES 2\n").add<std::int32_t>({10, 5});
  const std::size_t geometry = file.bytes.size();
  file.text("\nPOINT_DATA 4\nCOLOR_SCALARS c 3\n")
      .text("\n\n\n\n\n\n\n\n\n\n\n\n")
      .text("\nLOOKUP_TABLE t 2\n12345678");
  file.text("\nCELL_DATA 2\nSCALARS label unsigned_char\nLOOKUP_TABLE default\n")
      .add<std::uint8_t>({7, 200})
      .text("\n");
  const CellMesh mesh = parse(file.bytes);
  check_unit_tet(mesh, 7);
  CHECK(mesh.format == "VTK legacy 4.2 (binary)");
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{200});
  for (std::size_t size = 0; size < geometry; ++size)
    CHECK_THROWS_AS(parse(file.bytes.substr(0, size)), MeshError);

  Binary five(std::endian::big);
  five.text("# vtk DataFile Version 5.1\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n");
  five.add<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}).text("\nCELLS 2 4\nOFFSETS vtktypeint64\n");
  five.add<std::int64_t>({0, 4}).text("\nCONNECTIVITY vtktypeint32\n").add<std::int32_t>({0, 1, 2, 3});
  five.text("\nCELL_TYPES 1\n").add<std::int32_t>({10});
  check_unit_tet(parse(five.bytes));
  for (std::size_t size = 0; size < five.bytes.size(); ++size)
    CHECK_THROWS_AS(parse(five.bytes.substr(0, size)), MeshError);
}

TEST_CASE("VTK: voxels and pixels are renumbered") {
  const CellMesh mesh =
      parse(grid(eight_points, "CELLS 2 14\n8 0 1 2 3 4 5 6 7\n4 0 1 2 3\n", "CELL_TYPES 2\n11 8\n"));
  CHECK(mesh.nodes.col(7) == Eigen::Vector3d(1, 1, 1));
  CHECK(mesh.cells(CellKind::hex).nodes == std::vector{0, 1, 3, 2, 4, 5, 7, 6});
  CHECK(mesh.cells(CellKind::quad).nodes == std::vector{0, 1, 3, 2});
}

TEST_CASE("VTK: cells of higher order and of other shapes") {
  const CellMesh mesh =
      parse(grid(eight_points, "CELLS 5 27\n6 0 1 2 3 4 5\n5 0 1 2 3 4\n3 0 1 2\n4 0 1 2 3\n4 4 5 6 7\n",
                 "CELL_TYPES 5\n22 7 4 71 71\n"));
  REQUIRE(mesh.others.size() == 3);
  CHECK(mesh.others[0].name == "6-node triangles");
  CHECK(mesh.others[0].corners.nodes == std::vector{0, 1, 2});
  CHECK(mesh.others[1].name == "polygons");
  CHECK(mesh.others[2].name == "polylines");
  // Lagrange cells may have any order; those of the first are linear.
  CHECK(mesh.cells(CellKind::tet).count() == 2);
}

TEST_CASE("VTK: poly data") {
  const CellMesh mesh = parse(replaced(grid(eight_points, R"(VERTICES 1 2
1 7
LINES 2 7
2 0 1
3 0 1 2
POLYGONS 3 15
3 0 1 2
4 0 1 3 2
5 0 1 3 2 4
TRIANGLE_STRIPS 1 5
4 0 1 2 3
CELL_DATA 7
SCALARS region int
LOOKUP_TABLE default
1 2 3 4 5 6 7
)",
                                            ""),
                                       "UNSTRUCTURED_GRID", "POLYDATA"));
  CHECK(mesh.cells(CellKind::vertex).regions == std::vector{1});
  CHECK(mesh.cells(CellKind::line).regions == std::vector{2});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{4});
  CHECK(mesh.cells(CellKind::quad).regions == std::vector{5});
  CHECK(mesh.cells(CellKind::quad).nodes == std::vector{0, 1, 3, 2});
  REQUIRE(mesh.others.size() == 3);
  CHECK(mesh.others[0].name == "polylines");
  CHECK(mesh.others[1].name == "polygons");
  CHECK(mesh.others[2].name == "triangle strips");
}

TEST_CASE("VTK: structured grids of one, two and three dimensions") {
  const auto structured = [](const std::string& dimensions) {
    return "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\nDIMENSIONS " + dimensions + "\n" +
           eight_points;
  };
  CHECK(parse(structured("2 2 2")).cells(CellKind::hex).nodes == std::vector{0, 1, 3, 2, 4, 5, 7, 6});
  CHECK(parse(structured("4 1 2")).cells(CellKind::quad).nodes ==
        std::vector{0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6});
  CHECK(parse(structured("1 1 8")).cells(CellKind::line).count() == 7);
  refuses(structured("2 2 3"), 8, "do not match its 8 points");
  refuses(structured("0 2 2"), 8, "do not match");
  refuses(structured("2 -2 2"), 5, "negative");
}

TEST_CASE("VTK: a float in a text is rounded to a float") {
  CHECK(parse(replaced(replaced(text, "4 double", "4 float"), "1 0 0", "0.1 0 0")).nodes(0, 1) ==
        static_cast<double>(0.1f));
  CHECK(parse(replaced(text, "1 0 0", "0.1 0 0")).nodes(0, 1) == 0.1);
  refuses(replaced(replaced(text, "4 double", "4 float"), "1 0 0", "1e300 0 0"), 6, "overflows a float");
}

TEST_CASE("VTK: what is refused, and the line it stands in") {
  refuses("", 1, "not a legacy VTK file");
  refuses("#vtk DataFile Version 2.0\n", 1, "not a legacy VTK file");
  refuses(replaced(text, "3.0", "9.0"), 1, "the version '9.0' is not known");
  refuses(replaced(text, "ASCII", "TEXT"), 3, "expected ASCII or BINARY, found 'TEXT'");
  refuses(replaced(text, "DATASET", "DATA"), 4, "expected DATASET");
  refuses(replaced(text, "UNSTRUCTURED_GRID", "STRUCTURED_POINTS"), 4, "'STRUCTURED_POINTS' is not read");
  refuses(replaced(text, "4 double", "99999999999 double"), 5, "99999999999 points are declared");
  refuses(replaced(text, "4 double", "-4 double"), 5, "negative");
  refuses(replaced(text, "4 double", "4 quaternion"), 5, "the number type 'quaternion' is not known");
  refuses(replaced(text, "4 double", "5 double"), 8,
          "5 points are declared, but 4 are listed: 'CELLS' follows");
  refuses(replaced(text, "4 double", "3 double"), 7, "unexpected '0'");
  refuses(replaced(text, "0 1 0", "0 nan 0"), 7, "not a finite number");
  refuses(replaced(text, "CELLS 2 9", "CELLS 2 99999999999"), 8,
          "99999999999 numbers of the cell list are declared");
  refuses(replaced(text, "CELLS 2 9", "CELLS 99999999999 9"), 8, "99999999999 cells are declared");
  refuses(replaced(text, "CELLS 2 9", "CELLS 2 8"), 10, "longer than the size of the cell list, 8");
  refuses(replaced(text, "CELLS 2 9", "CELLS 2 10"), 10, "the cells have 9 numbers, but 10 are declared");
  refuses(replaced(text, "4 0 1 2 3", "4 0 1 2 4"), 9, "refers to node 4, but the nodes are 0 to 3");
  refuses(replaced(text, "4 0 1 2 3", "4 0 1 2 -1"), 9, "refers to node -1");
  refuses(replaced(text, "4 0 1 2 3", "99999999999 0 1 2 3"), 9, "99999999999 nodes of a cell are declared");
  refuses(replaced(text, "4 0 1 2 3", "-4 0 1 2 3"), 9, "negative");
  refuses(replaced(text, "CELL_TYPES 2", "CELL_TYPES 3"), 11, "3 cell types are declared for 2 cells");
  refuses(replaced(text, "\n10\n", "\n250\n"), 12, "the cell type 250 is not known");
  refuses(replaced(text, "\n10\n", "\n12\n"), 12,
          "cell 0 is of type 12, a hexahedron of 8 nodes, but has 4 nodes");
  refuses(replaced(text, "\n10\n", "\n72\n"), 12, "cell 0 is of type 72, a hexahedron, but has 4 nodes");
  refuses(text.substr(0, text.find("CELL_TYPES")), 11, "has no CELL_TYPES");
  refuses(text.substr(0, text.find("POINTS")), 5, "has no POINTS");
  refuses(text.substr(0, text.find("POINTS")) + text.substr(text.find("CELLS")), 5, "before the POINTS");
  refuses(replaced(text, "CELL_TYPES", "STRANGE"), 11, "unexpected 'STRANGE'");
  refuses(replaced(text_5, "0 4 7", "0 8 7"), 21, "the offset 8 is out of order or beyond");
  refuses(replaced(text_5, "0 4 7", "1 4 7"), 21, "the offset 1 is out of order");
  refuses(replaced(text_5, "0 4 7", "0 4 3"), 21, "the offset 3 is out of order");
  refuses(replaced(text_5, "0 4 7", "0 4 6"), 22, "the last offset is not the size");
  refuses(replaced(text_5, "CELLS 3 7", "CELLS 3 99999999999"), 22,
          "99999999999 nodes of cells are declared");
  refuses(replaced(text_5, "CELLS 3 7", "CELLS 99999999999 7"), 20, "99999999999 offsets are declared");
  refuses(replaced(text_5, "OFFSETS", "4 0 1"), 20, "expected OFFSETS, found '4'");
  refuses(replaced(text_5, "0 1 2 3 0 1 2", "0 1 2 4 0 1 2"), 23, "refers to node 4");
  for (const std::string& file : {text, text_5}) {
    const std::size_t geometry = file.find("10\n5") + 4;
    for (std::size_t size = 0; size < geometry; ++size) {
      if (size > 0 && file[size - 1] == '1' && size + 3 == geometry) continue;
      CHECK_THROWS_AS(parse(file.substr(0, size)), MeshError);
    }
  }
}

TEST_CASE("VTK: faults in the data after the cells are remarked, the geometry is kept") {
  const auto remark = [](const std::string& file) {
    const CellMesh mesh = parse(file);
    check_unit_tet(mesh, 0);
    REQUIRE(mesh.remarks.size() == 1);
    return mesh.remarks[0];
  };
  CHECK(remark(replaced(text, "CELL_DATA 2", "CELL_DATA 5")).find("is for 5 cells, but there are 2") !=
        std::string::npos);
  CHECK(remark(replaced(text, "7 -2", "7 1.5")).find("not a whole number") != std::string::npos);
  CHECK(remark(replaced(text, "7 -2", "7")).find("ends where a region number") != std::string::npos);
  CHECK(remark(replaced(text, "7 -2", "7 5e9")).find("does not fit into an int") != std::string::npos);
}

TEST_CASE(
    "VTK: arrays that are not needed are passed over by their own rule, and the regions behind them kept") {
  const auto kept = [](const std::string& file, std::size_t remarks = 0) {
    INFO(file);
    const CellMesh mesh = parse(file);
    check_unit_tet(mesh, 7);
    CHECK(mesh.cells(CellKind::triangle).regions == std::vector{-2});
    CHECK(mesh.remarks.size() == remarks);
    return remarks > 0 ? mesh.remarks[0] : std::string();
  };
  const std::string lines =
      "FIELD FieldData 2\nname 1 3 string\nPOINTS 9 double\n\nCELL_DATA%207\n"
      "other 2 2 variant\n11 0.5 7 2\n13 a%20word 13 \n";
  const std::string bits = "flags 1 3 bit\n1 0 1\n";
  const std::string absent = "FIELD FieldData 3\nNULL_ARRAY\nnone 0 0 float\n" + bits;
  // Before the points, and among the data of the cells; before and behind it too.
  for (const std::string& field : {lines, absent}) {
    kept(replaced(text, "POINTS", field + "POINTS"));
    kept(replaced(text_5, "POINTS", field + "POINTS"));
    kept(replaced(text, "SCALARS temp", field + "SCALARS temp"));
    kept(replaced(text, "CELL_DATA", "POINT_DATA 4\n" + field + "CELL_DATA"));
    kept(text + field);
  }
  kept(replaced(text, "SCALARS temp",
                "PEDIGREE_IDS p string\none\nCELL_DATA 9\nGLOBAL_IDS g vtkIdType\n4 5\n"
                "TEXTURE_COORDINATES t 2 float\n0 0 1 1\nNORMALS n float\n1 0 0 1 0 0\n"
                "TENSORS6 s float\n1 2 3 4 5 6 1 2 3 4 5 6\nTENSORS t float\n1 2 3 4 5 6 7 8 9\n"
                "1 2 3 4 5 6 7 8 9\nCOLOR_SCALARS c 1\n0.5 1\nLOOKUP_TABLE t 1\n0 0 0 1\nSCALARS temp"));
  const std::string odd = kept(replaced(text, "float 1", "quaternion 1"), 1);
  CHECK(odd.find("the type 'quaternion' of an array is not known") != std::string::npos);
  // What is wrong behind the regions does not cost them.
  CHECK(kept(text + "STRANGE\n", 1).find("unexpected 'STRANGE'") != std::string::npos);
}

TEST_CASE("VTK: components without names and keys of information do not end the metadata") {
  const std::string metadata = "METADATA\nCOMPONENT_NAMES\nx\n\nPOINTS\n\n";
  check_unit_tet(parse(replaced(text, "CELLS", metadata + "CELLS")), 7);
  check_unit_tet(parse(replaced(text, "CELLS",
                                "METADATA\nINFORMATION 2\nNAME A LOCATION B\nDATA 2\none\n\n"
                                "NAME C LOCATION D\nDATA 1\n\nCELLS")),
                 7);
  // Two keys are announced, and one is there.
  check_unit_tet(
      parse(replaced(text, "CELLS", "METADATA\nINFORMATION 2\nNAME A LOCATION B\nDATA 1\n\nCELLS")), 7);
}

TEST_CASE("VTK in binary: strings, variants and bits are passed over by their lengths") {
  const auto start = [](Binary& file) {
    file.text("# vtk DataFile Version 4.2\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
  };
  const auto geometry = [](Binary& file) {
    file.text("POINTS 4 float\n").add<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
    file.text("\nCELLS 1 5\n").add<std::int32_t>({4, 0, 1, 2, 3});
    file.text("\nCELL_TYPES 1\n").add<std::int32_t>({10}).text("\n");
  };
  // Lengths of 1, 2, 4 and 8 bytes, of which the first two bits are 3, 2, 1 and 0.
  Binary strings(std::endian::big);
  strings.text("name 1 5 string\n").add<std::uint8_t>({0xC0 | 5}).text("a\nb\nc");
  strings.add<std::uint16_t>({0x8000 | 300}).text(std::string(300, '\n'));
  strings.add<std::uint32_t>({0x40000000 | 2}).text("xy").add<std::uint64_t>({3}).text("xyz");
  strings.add<std::uint8_t>({0xC0}).text("\nv 1 2 variant\n6 1\n13 two\nb 1 17 bit\n").text("\n\n\n");
  Binary file(std::endian::big);
  start(file);
  file.text("FIELD FieldData 3\n").text(strings.bytes).text("\n");
  geometry(file);
  file.text("CELL_DATA 1\nFIELD FieldData 4\n").text(strings.bytes);
  file.text("\nregion 1 1 int\n").add<std::int32_t>({7});
  const CellMesh mesh = parse(file.bytes);
  check_unit_tet(mesh, 7);
  CHECK(mesh.remarks.empty());
  // In a binary file nobody knows how long the values of an unknown type are.
  Binary unknown(std::endian::big);
  start(unknown);
  unknown.text("FIELD FieldData 1\nq 1 1 quaternion\n");
  refuses(unknown.bytes, 0, "the number type 'quaternion' is not known");
  Binary longer(std::endian::big);
  start(longer);
  longer.text("FIELD FieldData 1\nq 1 1 string\n").add<std::uint64_t>({1u << 30});
  refuses(longer.bytes, 0, "1073741824 bytes of a string are declared");
}

TEST_CASE("VTK: integer arrays of the cells that are left aside are remarked") {
  const auto remark = [](const std::string& file, int region) {
    const CellMesh mesh = parse(file);
    check_unit_tet(mesh, region);
    return mesh.remarks.empty() ? std::string() : mesh.remarks[0];
  };
  CHECK(remark(replaced(text, "SCALARS material", "SCALARS MaterialIDs"), 0) ==
        "integer arrays of the cells left aside: 'MaterialIDs'; none has a name that is taken for regions");
  CHECK(remark(text + "FIELD f 3\nObjectId 1 2 int\n1 2\nvtkGhostType 1 2 unsigned_char\n0 0\n"
                      "label 1 2 short\n1 2\nPOINT_DATA 4\nSCALARS i int\nLOOKUP_TABLE d\n1 2 3 4\n",
               7) ==
        "integer arrays of the cells left aside: 'ObjectId', 'label'; the regions are from 'material'");
}

TEST_CASE("VTK: the lists of polyhedra hold the sizes of their faces, which are no nodes") {
  // A tetrahedron of four faces of three nodes; the 4 and the 3 are no nodes of a mesh of three points more.
  const auto polyhedron = [](const std::string& list, const std::string& points = "4 double") {
    const std::string numbers = std::to_string(std::count(list.begin(), list.end(), ' ') + 1);
    const std::string old_list = "CELLS 2 9\n4 0 1 2 3\n";
    return replaced(
        replaced(replaced(text, "4 double", points), old_list,
                 "CELLS 2 " + std::to_string(std::stoi(numbers) + 5) + "\n" + numbers + " " + list + "\n"),
        "\n10\n", "\n42\n");
  };
  const std::string faces = "4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2";
  const CellMesh mesh = parse(polyhedron(faces));
  REQUIRE(mesh.others.size() == 1);
  CHECK(mesh.others[0].name == "polyhedra");
  CHECK(mesh.others[0].dimension == 3);
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{-2});
  refuses(polyhedron("4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 4"), 12,
          "cell 0, a polyhedron, refers to node 4, but the nodes are 0 to 3");
  refuses(polyhedron("5 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2"), 12, "which ends in face 4");
  refuses(polyhedron("4 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3"), 12, "which ends in face 3");
  refuses(polyhedron("3 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2"), 12, "has faces of 13 numbers, but a list of 17");
  // A tetrahedron is none, in the same file.
  refuses(replaced(polyhedron(faces), "3 0 1 2\n", "3 0 1 4\n"), 10,
          "refers to node 4, but the nodes are 0 to 3");
  const std::string five = replaced(replaced(replaced(text_5, "CELLS 3 7", "CELLS 3 20"), "0 4 7", "0 17 20"),
                                    "0 1 2 3 0 1 2", faces + " 0 1 2");
  CHECK(parse(replaced(five, "\n10\n", "\n42\n")).others.at(0).name == "polyhedra");
  refuses(five, 23, "refers to node 4");
}

TEST_CASE("VTK: an XML file is called one") {
  const std::string xml = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\">\n";
  refuses(xml, 1, "is an XML file of VTK, as .vtu files are");
}

TEST_CASE("VTK: structured grids may give their extent, and hide no points") {
  const auto structured = [](const std::string& size) {
    return "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n" + size + "\n" + eight_points;
  };
  CHECK(parse(structured("EXTENT 3 4 0 1 -1 0")).cells(CellKind::hex).nodes ==
        std::vector{0, 1, 3, 2, 4, 5, 7, 6});
  refuses(structured("EXTENT 3 1 0 1 -1 0"), 5, "negative");
  CHECK(parse(structured("DIMENSIONS 2 2 2\nBLANKING 8 unsigned_char\n1 1 1 1 1 1 1 1"))
            .cells(CellKind::hex)
            .count() == 1);
  refuses(structured("DIMENSIONS 2 2 2\nBLANKING 8 unsigned_char\n1 1 1 0 1 1 1 1"), 7, "hides points");
}
