#include "io/reading.hpp"

#include <bit>
#include <string>

#include <pliant/io/medit.hpp>

using namespace pliant;

namespace {

CellMesh parse(std::string_view bytes) { return detail::io::parse_medit(bytes, "body.mesh"); }

void refuses(std::string_view bytes, std::size_t line, std::string_view words) {
  INFO(bytes);
  check_refused([&] { parse(bytes); }, line, words);
}

const std::string text = R"(MeshVersionFormatted 2
# a comment
Dimension
3

Vertices
4
0 0 0 1
1 0 0 1
0 1 0 1 # another
0 0 1 2.5

Triangles 1
1 2 3 7
Corners
2
1 2
Tetrahedra
1
1 2 3 4 -5
End
)";

// Sections of a binary file: code, position of the next section, content.
class MeshbFile {
 public:
  MeshbFile(int version, std::endian order) : version_(version), order_(order), file_(order) {
    file_.add<std::int32_t>({1, version});
  }

  template <class Fill>
  void section(int code, const Fill& fill) {
    Binary content(order_);
    fill(content);
    const std::size_t next = file_.bytes.size() + 4 + (version_ < 3 ? 4u : 8u) + content.bytes.size();
    file_.add<std::int32_t>({code});
    position(next);
    file_.text(content.bytes);
  }

  void position(std::size_t next) {
    if (version_ < 3) {
      file_.add<std::uint32_t>({static_cast<std::uint32_t>(next)});
    } else {
      file_.add<std::uint64_t>({next});
    }
  }

  void integers(Binary& content, std::initializer_list<int> values) const {
    for (const int value : values) {
      if (version_ < 4) {
        content.add<std::int32_t>({value});
      } else {
        content.add<std::int64_t>({value});
      }
    }
  }

  void reals(Binary& content, std::initializer_list<double> values) const {
    for (const double value : values) {
      if (version_ == 1) {
        content.add<float>({static_cast<float>(value)});
      } else {
        content.add<double>({value});
      }
    }
  }

  void dimension() {
    section(3, [](Binary& content) { content.add<std::int32_t>({3}); });
  }

  void vertices() {
    section(4, [this](Binary& content) {
      integers(content, {4});
      reals(content, {0, 0, 0});
      integers(content, {1});
      reals(content, {1, 0, 0});
      integers(content, {1});
      reals(content, {0, 1, 0});
      integers(content, {1});
      reals(content, {0, 0, 1});
      integers(content, {1});
    });
  }

  void tets(int last_node = 4) {
    section(8, [&](Binary& content) { integers(content, {1, 1, 2, 3, last_node, -5}); });
  }

  void unknown() {
    section(131, [this](Binary& content) { integers(content, {1, 9, 9}); });
  }

  void end() {
    file_.add<std::int32_t>({54});
    position(0);
  }

  const std::string& bytes() const { return file_.bytes; }

 private:
  int version_;
  std::endian order_;
  Binary file_;
};

}  // namespace

TEST_CASE("Medit in text: nodes, cells, references as regions") {
  const CellMesh mesh = parse(text);
  check_unit_tet(mesh, -5);
  CHECK(mesh.format == "Medit");
  CHECK(mesh.cells(CellKind::triangle).nodes == std::vector{0, 1, 2});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{7});
  CHECK(mesh.remarks == std::vector<std::string>{"sections left aside: Corners"});
}

TEST_CASE("Medit in text: free in its layout") {
  check_unit_tet(parse(with_line_ends(text, "\r\n")), -5);
  check_unit_tet(parse(with_line_ends(text, "\r")), -5);
  check_unit_tet(parse(with_line_ends(text, "\n\n \t")), -5);
  check_unit_tet(parse(replaced(text, "End\n", "")), -5);
  check_unit_tet(parse(text + "anything after the end"), -5);
  check_unit_tet(parse(text.substr(0, text.size() - 1)), -5);
  check_unit_tet(parse(replaced(text, "Vertices", "MeshVersionFormatted 1 Vertices")), -5);
  check_unit_tet(parse(replaced(text, "Corners\n2", "Strange 1 nan inf 2e5\nCorners\n2")), -5);
}

TEST_CASE("Medit: names of files are passed over with what stands in their quotes") {
  const CellMesh mesh =
      parse(replaced(text, "Triangles 1", "Geometry\n\"Tetrahedra 9 Vertices.mesh\" 1\nTriangles 1"));
  check_unit_tet(mesh, -5);
  CHECK(mesh.remarks == std::vector<std::string>{"sections left aside: Geometry, Corners"});
  check_unit_tet(parse(replaced(text, "Corners", "Identifier \"no second quote\nCorners")), -5);
}

TEST_CASE("Medit: other names of hexahedra and prisms") {
  const CellMesh mesh = parse(R"(MeshVersionFormatted 1 Dimension 3 Vertices 8
0 0 0 0  1 0 0 0  1 1 0 0  0 1 0 0  0 0 1 0  1 0 1 0  1 1 1 0  0 1 1 0
Hexaedra 1  1 2 3 4 5 6 7 8 5
Pentahedra 1  1 2 3 5 6 7 4
End)");
  CHECK(mesh.cells(CellKind::hex).regions == std::vector{5});
  CHECK(mesh.cells(CellKind::wedge).nodes == std::vector{0, 1, 2, 4, 5, 6});
}

TEST_CASE("Medit: cells before the vertices") {
  const std::size_t vertices = text.find("Vertices");
  const std::size_t triangles = text.find("Triangles");
  const std::string moved = text.substr(0, vertices) + text.substr(triangles, text.find("End") - triangles) +
                            text.substr(vertices, triangles - vertices) + "End\n";
  const CellMesh mesh = parse(moved);
  check_unit_tet(mesh, -5);
  CHECK(mesh.cells(CellKind::triangle).count() == 1);
  refuses(replaced(moved, "1 2 3 4 -5", "1 2 3 5 -5"), 13, "refers to node 5");
}

TEST_CASE("Medit: two dimensions, and every kind of cell") {
  const CellMesh mesh = parse(R"(MeshVersionFormatted 1 Dimension 2 Vertices 8
0 0 0  1 0 0  1 1 0  0 1 0  2 0 0  2 1 0  3 0 0  3 1 0
Edges 1  1 2 1
Triangles 1  1 2 3 2
Quadrilaterals 1  1 2 3 4 3
Prisms 1  1 2 3 4 5 6 4
Hexahedra 1  1 2 3 4 5 6 7 8 5
Pyramids 1  1 2 3 4 5 6
TrianglesP2 1  1 2 3 4 5 6 7
End)");
  CHECK(mesh.nodes.col(7) == Eigen::Vector3d(3, 1, 0));
  CHECK(mesh.cells(CellKind::line).regions == std::vector{1});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{2});
  CHECK(mesh.cells(CellKind::quad).nodes == std::vector{0, 1, 2, 3});
  CHECK(mesh.cells(CellKind::wedge).nodes == std::vector{0, 1, 2, 3, 4, 5});
  CHECK(mesh.cells(CellKind::hex).nodes == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(mesh.cells(CellKind::pyramid).nodes == std::vector{0, 1, 2, 3, 4});
  REQUIRE(mesh.others.size() == 1);
  CHECK(mesh.others[0].corners.nodes == std::vector{0, 1, 2});
  CHECK(mesh.others[0].corners.regions == std::vector{7});
}

TEST_CASE("Medit: what is refused, and the line it stands in") {
  refuses("", 1, "begins with ''");
  refuses("MFEM mesh v1.0\n", 1, "begins with 'MFEM'");
  refuses(replaced(text, "Formatted 2", "Formatted 0"), 1, "MeshVersionFormatted 0 is not known");
  refuses(replaced(text, "3\n\nVer", "4\n\nVer"), 4, "the dimension is 4");
  refuses(replaced(text, "Dimension\n3\n", ""), 4, "before the dimension");
  refuses(replaced(text, "End", "Dimension 3"), 21, "after the vertices");
  refuses(replaced(text, "Vertices\n4", "Vertices\n99999999999"), 7, "99999999999 vertices are declared");
  refuses(replaced(text, "Vertices\n4", "Vertices\n-4"), 7, "negative");
  refuses(replaced(text, "Vertices\n4", "Vertices\n5"), 13,
          "5 vertices are declared, but 4 are listed: 'Triangles' follows");
  refuses(replaced(text, "Triangles 1", "Triangles 2"), 15,
          "2 Triangles are declared, but 1 are listed: 'Corners' follows");
  refuses(replaced(text, "Vertices\n4", "Vertices\n3"), 11, "expected a keyword, found '0'");
  refuses(replaced(text, "Tetrahedra\n1", "Tetrahedra\n99999999999"), 19,
          "99999999999 Tetrahedra are declared");
  refuses(replaced(text, "Tetrahedra\n1", "Tetrahedra\n2"), 19, "2 Tetrahedra are declared");
  refuses(replaced(text, "1 2 3 4 -5", "1 2 3 4"), 21,
          "expected the reference number of a cell, found 'End'");
  refuses(replaced(text, "1 2 3 4 -5", "1 2 3 5 -5"), 20, "refers to node 5, but the nodes are 1 to 4");
  refuses(replaced(text, "1 2 3 4 -5", "1 2 3 0 -5"), 20, "refers to node 0");
  refuses(replaced(text, "1 2 3 4 -5", "1 2 3 4 5000000000"), 20, "does not fit into an int");
  refuses(replaced(text, "0 1 0 1", "0 nan 0 1"), 10, "a coordinate is 'nan'");
  refuses(replaced(text, "0 0 1 2.5", "0 0 1"), 13,
          "expected the reference number of a vertex, found 'Triangles'");
  refuses(replaced(text, "End", "Vertices 1 0 0 0 0"), 21, "a second Vertices");
  refuses("MeshVersionFormatted 1\nDimension 3\nEnd\n", 3, "no Vertices");
}

// Cut between two sections, a file is whole, but holds less: only that it never holds a wrong cell can be
// asked.
static void check_cut(const std::string& bytes) {
  std::size_t tets = 0;
  try {
    tets = parse(bytes).cells(CellKind::tet).count();
  } catch (const MeshError&) {
  }
  CHECK(tets == 0);
}

TEST_CASE("Medit: a file cut anywhere") {
  for (std::size_t size = 0; size < text.find("-5"); ++size) check_cut(text.substr(0, size));
}

TEST_CASE("Medit in binary: four versions, either byte order") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const int version : {1, 2, 3, 4}) {
      MeshbFile file(version, order);
      file.dimension();
      file.vertices();
      file.unknown();
      file.tets();
      const std::string without_end = file.bytes();
      file.end();
      const CellMesh mesh = parse(file.bytes());
      check_unit_tet(mesh, -5);
      CHECK(mesh.format == "Medit (binary, version " + std::to_string(version) + ")");
      check_unit_tet(parse(without_end), -5);
      for (std::size_t size = 0; size < without_end.size(); ++size) check_cut(file.bytes().substr(0, size));
    }
  }
}

TEST_CASE("Medit in binary: cells before the vertices") {
  MeshbFile file(2, std::endian::little);
  file.dimension();
  file.tets();
  file.vertices();
  file.end();
  check_unit_tet(parse(file.bytes()), -5);
}

TEST_CASE("Medit in binary: the last section need not say where the next one is") {
  for (const int version : {2, 3}) {
    MeshbFile file(version, std::endian::little);
    file.dimension();
    file.vertices();
    const std::size_t start = file.bytes().size();
    file.tets();
    std::string bytes = file.bytes();
    bytes.replace(start + 4, version < 3 ? 4 : 8, version < 3 ? 4 : 8, '\0');
    check_unit_tet(parse(bytes), -5);
  }
}

TEST_CASE("Medit in binary: what is refused") {
  const auto built = [](const auto& fill) {
    MeshbFile file(2, std::endian::little);
    fill(file);
    file.end();
    return file.bytes();
  };
  refuses(Binary().add<std::int32_t>({1, 7}).bytes, 0, "the version 7 is not known");
  refuses(built([](auto& file) { file.vertices(); }), 0, "before the dimension");
  refuses(built([](auto& file) { file.dimension(); }), 0, "no Vertices");
  refuses(built([](auto& file) {
            file.dimension();
            file.vertices();
            file.tets(5);
          }),
          0, "refers to node 5");
  refuses(built([](auto& file) { file.section(4000, [](Binary&) {}); }), 0,
          "the keyword code 4000 is not known");
  refuses(built([](auto& file) {
            file.dimension();
            file.section(4, [](Binary& content) { content.add<std::int32_t>({1000000}); });
          }),
          0, "1000000 vertices are declared");
  // The next section is said to start before, or far behind, this one.
  refuses(Binary().add<std::int32_t>({1, 2, 3, 8, 3}).bytes, 0, "outside the file");
  refuses(Binary().add<std::int32_t>({1, 2, 3, 1000, 3}).bytes, 0, "outside the file");
  refuses(Binary().add<std::int32_t>({1, 2, 3, 16, 3}).bytes, 0, "longer than the position");
}
