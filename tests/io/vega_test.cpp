#include "io/reading.hpp"

#include <map>
#include <optional>
#include <string>

#include <pliant/io/vega.hpp>

using namespace pliant;

namespace {

using Files = std::map<std::string, std::string>;  // to include, by name

CellMesh parse(std::string_view bytes, const Files& files = {}) {
  const auto resolve = [&files](const std::filesystem::path& name) {
    const auto file = files.find(name.generic_string());
    return file == files.end() ? std::nullopt : std::optional(file->second);
  };
  return detail::io::parse_vega(bytes, "folder/body.veg", resolve);
}

void refuses(std::string_view bytes, std::size_t line, std::string_view words, const Files& files = {},
             const std::string& file = "folder/body.veg") {
  INFO(bytes);
  check_refused([&] { parse(bytes, files); }, line, words);
  try {
    parse(bytes, files);
  } catch (const MeshError& error) {
    CHECK(error.file() == file);
  }
}

const std::string text = R"(# Vega mesh file.

*VERTICES
5 3 0 0
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 1 1 1

*ELEMENTS
TET
3 4 0
1 1 2 3 4
2 2 3 4 5
3 4 3 2 5

*MATERIAL soft
ENU, 1000, 1E6, 0.45

*SET tip
2,
3

*REGION
allElements, soft

*REGION
tip, soft
)";

}  // namespace

TEST_CASE("Vega: vertices, elements and regions") {
  const CellMesh mesh = parse(text);
  CHECK(mesh.format == "Vega");
  CHECK(mesh.nodes.cols() == 5);
  CHECK(mesh.nodes.col(3) == Eigen::Vector3d(0, 0, 1));
  CHECK(mesh.cells(CellKind::tet).nodes == std::vector{0, 1, 2, 3, 1, 2, 3, 4, 3, 2, 1, 4});
  CHECK(mesh.cells(CellKind::tet).regions == std::vector{1, 2, 2});
  CHECK(mesh.region_names[3] == std::map<int, std::string>{{1, "allElements"}, {2, "tip"}});
  CHECK(mesh.remarks == std::vector<std::string>{"materials left aside: 1"});
}

TEST_CASE("Vega: where regions overlap the later one counts") {
  const std::string turned =
      replaced(replaced(replaced(text, "allElements, soft", "X, soft"), "tip, soft", "allElements, soft"),
               "X, soft", "tip, soft");
  CHECK(parse(turned).cells(CellKind::tet).regions == std::vector{2, 2, 2});
}

TEST_CASE("Vega: commas, case, line ends, hexes, numbers from 0") {
  const std::string cubic = R"(*vertices
8, 3, 0, 0
0, 0,0,0
1, 1,0,0
2, 1,1,0
3, 0,1,0
4, 0,0,1
5, 1,0,1
6, 1,1,1
7, 0,1,1
*elements
cubic
1, 8, 0
0, 0,1,2,3,4,5,6,7
*set s
0
*material m
enu, 1, 2, 0.3
*region
s, m)";
  for (const std::string end : {"\n", "\r\n", "\r", "\n\n# x\n"}) {
    const CellMesh mesh = parse(with_line_ends(cubic, end));
    CHECK(mesh.nodes.cols() == 8);
    CHECK(mesh.cells(CellKind::hex).nodes == std::vector{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(mesh.cells(CellKind::hex).regions == std::vector{1});
  }
}

TEST_CASE("Vega: included files stand in place of the line, also nested") {
  const std::string with_includes = replaced(replaced(text, "2,\n3\n", "*INCLUDE lists/tip.txt\n"),
                                             "1 0 0 0\n2 1 0 0\n", "1 0 0 0\n  *include  more.txt  \n");
  const Files files{
      {"lists/tip.txt", "*INCLUDE three.txt\n2"}, {"three.txt", "3,\r\n"}, {"more.txt", "2 1 0 0"}};
  const CellMesh mesh = parse(with_includes, files);
  CHECK(mesh.nodes == parse(text).nodes);
  CHECK(mesh.cells(CellKind::tet).regions == std::vector{1, 2, 2});

  Files wrong = files;
  wrong["three.txt"] = "3,\n\n99\n";
  refuses(with_includes, 3, "the set 'tip' refers to element 99", wrong, "folder/three.txt");
  wrong["three.txt"] = "3,\n";
  wrong["lists/tip.txt"] = "*INCLUDE three.txt\n# x\n77";
  refuses(with_includes, 3, "refers to element 77", wrong, "folder/lists/tip.txt");
  // After the includes the lines of the mesh file count on.
  refuses(replaced(with_includes, "tip, soft", "tap, soft"), 28, "the set 'tap' is not defined", files);
}

TEST_CASE("Vega: includes that are refused") {
  const std::string start = "# x\n*INCLUDE a.txt\n";
  refuses(start, 2, "'a.txt' cannot be read");
  refuses("*INCLUDE body.veg\n", 1, "included more than once", {{"body.veg", "x"}});
  refuses(start, 1, "included more than once", {{"a.txt", "*INCLUDE b.txt"}, {"b.txt", "*INCLUDE a.txt"}},
          "folder/b.txt");
  refuses(start + "*INCLUDE a.txt\n", 3, "included more than once", {{"a.txt", ""}});
  for (const std::string name : {"../a.txt", "/etc/passwd", "x/../../a.txt", "..", ""}) {
    refuses("*INCLUDE " + name + "\n", 1, "does not lie in the folder",
            {{"../a.txt", ""}, {"/etc/passwd", ""}});
  }
}

TEST_CASE("Vega: what is refused, and the line it stands in") {
  refuses("", 1, "no *VERTICES");
  refuses("hello\n", 1, "expected a section such as *VERTICES, found 'hello'");
  refuses(text.substr(0, text.find("*ELEMENTS")), 11, "no *ELEMENTS");
  refuses(replaced(text, "*VERTICES", "*NODES"), 11, "comes before the *VERTICES");
  refuses(replaced(text, "5 3 0 0", "99999999999 3 0 0"), 4, "99999999999 vertices are declared");
  refuses(replaced(text, "5 3 0 0", "-5 3 0 0"), 4, "negative");
  refuses(replaced(text, "5 3 0 0", "5 2 0 0"), 4, "the dimension of the vertices is not 3");
  refuses(replaced(text, "5 3 0 0", "6 3 0 0"), 11,
          "6 vertices are declared, but 5 are listed: '*ELEMENTS' follows");
  refuses(replaced(text, "3 4 0", "4 4 0"), 18,
          "4 elements are declared, but 3 are listed: '*MATERIAL' follows");
  refuses(replaced(text, "5 3 0 0", "4 3 0 0"), 9, "expected a section such as *VERTICES, found '5'");
  refuses(replaced(text, "1 0 0 0", "3 0 0 0"), 5, "the first vertex has the number 3");
  refuses(replaced(text, "3 0 1 0", "4 0 1 0"), 7, "the vertex number 4 is out of order: expected 3");
  refuses(replaced(text, "3 0 1 0", "3 0 1e999 0"), 7, "not a finite number");
  refuses(replaced(text, "3 0 1 0", "3 0 1 0 0"), 7, "unexpected '0'");
  refuses(replaced(text, "TET", "PRISM"), 12, "'PRISM' is not known");
  refuses(replaced(text, "3 4 0", "3 8 0"), 13, "8 nodes per element are declared: TET has 4");
  refuses(replaced(text, "3 4 0", "99999999999 4 0"), 13, "99999999999 elements are declared");
  refuses(replaced(text, "2 2 3 4 5", "2 2 3 4 6"), 15, "refers to node 6, but the nodes are 1 to 5");
  refuses(replaced(text, "2 2 3 4 5", "2 2 3 4 0"), 15, "refers to node 0");
  refuses(replaced(text, "2 2 3 4 5", "7 2 3 4 5"), 15, "the element number 7 is out of order");
  refuses(replaced(text, "2,\n3", "2,\n4"), 23, "the set 'tip' refers to element 4");
  refuses(replaced(text, "2,\n3", "2,\n0"), 23, "the set 'tip' refers to element 0");
  refuses(replaced(text, "2,\n3", "2,\nx"), 23, "expected an element of a set");
  refuses(replaced(text, "tip, soft", "tap, soft"), 29, "the set 'tap' is not defined");
  refuses(replaced(text, "tip, soft", "tip, hard"), 29, "the material 'hard' is not defined");
  refuses(text + "*VERTICES\n", 30, "a second *VERTICES");
  refuses(text + "*ELEMENTS\n", 30, "a second *ELEMENTS");
  refuses("*SET s\n1\n", 1, "before the *ELEMENTS");
  for (std::size_t size = 0; size < text.find("3 4 3 2 5") + 8; ++size)
    CHECK_THROWS_AS(parse(text.substr(0, size)), MeshError);
}

TEST_CASE("Vega: unknown sections are left aside with a remark") {
  const CellMesh mesh = parse(replaced(text, "*MATERIAL", "*COLOR\n1 2 x\n*MATERIAL"));
  CHECK(mesh.cells(CellKind::tet).count() == 3);
  CHECK(mesh.remarks.front() == "section left aside: *COLOR");
}

TEST_CASE("Vega: from files") {
  const TemporaryFolder folder;
  const auto path = folder.write("body.veg", replaced(text, "2,\n3\n", "*INCLUDE lists/tip.txt\n"));
  check_refused([&] { read_vega(path); }, 22, "cannot be read");
  folder.write("lists/tip.txt", "2, 3");
  CHECK(read_vega(path).cells(CellKind::tet).regions == std::vector{1, 2, 2});
}
