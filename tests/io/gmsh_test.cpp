#include "io/reading.hpp"

#include <bit>
#include <cstdint>
#include <sstream>
#include <string>

#include <pliant/io/gmsh.hpp>

using namespace pliant;

namespace {

CellMesh parse(std::string_view bytes) { return detail::io::parse_gmsh(bytes, "body.msh"); }

void refuses(std::string_view bytes, std::size_t line, std::string_view words) {
  INFO(bytes);
  check_refused([&] { parse(bytes); }, line, words);
}

const std::string two = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 7 "wall"
3 5 "soft part"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
9 0 0 1
$EndNodes
$Elements
3
1 2 2 7 1 1 2 3
2 4 2 5 1 1 2 3 9
3 15 0 9
$EndElements
)";

const std::string forty = R"($MeshFormat
4 0 8
$EndMeshFormat
$PhysicalNames
1
3 5 "soft part"
$EndPhysicalNames
$Entities
1 0 0 1
1 0 0 0 0 0 0 0
8 0 0 0 1 1 1 1 5 2 -1 3
$EndEntities
$Nodes
2 4
1 0 0 1
1 0 0 0
8 3 1 3
2 1 0 0 0.5 0.5 0.5
3 0 1 0 0.5 0.5 0.5
4 0 0 1 0.5 0.5 0.5
$EndNodes
$Elements
1 1
8 3 4 1
1 1 2 3 4
$EndElements
)";

const std::string forty_one = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
3 5 "soft part"
$EndPhysicalNames
$Entities
1 0 1 1
1 0 0 0 0
2 0 0 0 1 1 0 1 -7 1 6
8 0 0 0 1 1 1 2 5 6 2 -1 3
$EndEntities
$Nodes
2 4 1 40
2 2 1 3
1
2
30
0 0 0 0.5 0.5
1 0 0 0.5 0.5
0 1 0 0.5 0.5
3 8 0 1
40
0 0 1
$EndNodes
$Elements
2 2 1 2
2 2 2 1
1 1 2 30
3 8 4 1
2 1 2 30 40
$EndElements
)";

}  // namespace

TEST_CASE("Gmsh 2.2 in text: nodes, cells, physical groups as regions") {
  const CellMesh mesh = parse(two);
  check_unit_tet(mesh, 5);
  CHECK(mesh.format == "Gmsh 2.2");
  CHECK(mesh.file == "body.msh");
  CHECK(mesh.cells(CellKind::triangle).nodes == std::vector{0, 1, 2});
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{7});
  CHECK(mesh.cells(CellKind::vertex).nodes == std::vector{3});
  CHECK(mesh.cells(CellKind::vertex).regions == std::vector{0});
  CHECK(mesh.region_names[3].at(5) == "soft part");
  CHECK(mesh.region_names[2].at(7) == "wall");
  CHECK(mesh.region_names[3].size() == 1);
  CHECK(mesh.remarks.empty());
}

TEST_CASE("Gmsh 4.0 in text: entities give the regions, parametric nodes have more columns") {
  const CellMesh mesh = parse(forty);
  check_unit_tet(mesh, 5);
  CHECK(mesh.format == "Gmsh 4");
  CHECK(mesh.region_names[3].at(5) == "soft part");
}

TEST_CASE("Gmsh 4.1 in text: blocks, sparse tags, reversed and several groups") {
  const CellMesh mesh = parse(forty_one);
  check_unit_tet(mesh, 5);
  CHECK(mesh.cells(CellKind::triangle).regions == std::vector{7});
  REQUIRE(mesh.remarks.size() == 1);
  CHECK(mesh.remarks[0].find("several physical groups") != std::string::npos);
  CHECK(mesh.further_groups[2].empty());  // volume 8 is in 5 and 6, surface 2 in 7 alone
}

TEST_CASE("Gmsh 4.1: an entity of more groups than anyone needs is refused") {
  std::string groups = " 1000";
  for (int k = 0; k < 1000; ++k) groups += " " + std::to_string(k + 1);
  refuses(replaced(forty_one, " 1 -7 1 6", groups + " 1 6"), 11,
          "an entity is in 1000 physical groups; at most 64 are read");
}

TEST_CASE("Gmsh 4.1 with partitions: their entities have groups too") {
  const std::string text = replaced(replaced(forty_one, "$Nodes\n", R"($PartitionedEntities
2
1
9 1
1 0 0 1
5 0 1 2 1 2 0 0 0 0
80 3 8 1 1 0 0 0 1 1 1 1 6 0
$EndPartitionedEntities
$Nodes
)"),
                                    "3 8 4 1\n", "3 80 4 1\n");
  check_unit_tet(parse(text), 6);
}

TEST_CASE("Gmsh in text: a number may stand on any line") {
  // All of a section on one line, and each number on a line of its own; the names keep their lines.
  const auto rearranged = [](const std::string& text, char blank) {
    std::string result;
    std::istringstream lines(text);
    bool free = false;
    for (std::string line; std::getline(lines, line);) {
      if (line[0] == '$') {
        if (line.substr(0, 4) == "$End") result += '\n';
        free = line == "$Nodes" || line == "$Elements" || line == "$Entities";
      } else if (free) {
        for (char& c : line) c = c == ' ' ? blank : c;
      }
      result += line + (free && line[0] != '$' ? blank : '\n');
    }
    return result;
  };
  for (const std::string& text : {two, forty, forty_one}) {
    check_unit_tet(parse(rearranged(text, ' ')), 5);
    check_unit_tet(parse(rearranged(text, '\n')), 5);
  }
  CHECK(parse(replaced(two, "2 7 \"wall\"\n3 5", "2 7 \"wall\" 3 5")).region_names[3].at(5) == "soft part");
  check_unit_tet(
      parse(replaced(two, "1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1", "1\n0 0 0 2 1 0 0\n3 0 1 0 9\n0 0 1")), 5);
  check_unit_tet(parse(replaced(two, "1 2 3\n2 4", "1 2 3 2 4")), 5);
}

TEST_CASE("Gmsh 2.2: parametric nodes in place of nodes, in text and binary") {
  const std::string nodes = "1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes";
  const std::string parametric =
      "1 0 0 0 0 7\n2 1 0 0 1 7 0.5\n3 0 1 0 2 7 0.25 -3\n9 0 0 1 3 7\n$EndParametricNodes";
  const std::string text = replaced(replaced(two, "$Nodes", "$ParametricNodes"), nodes, parametric);
  check_unit_tet(parse(text), 5);
  CHECK(parse(text).cells(CellKind::triangle).regions == std::vector{7});
  refuses(replaced(text, "0 1 0 2 7", "0 1 0 4 7"), 13, "the dimension of an entity is 4");
  refuses(replaced(text, "0.25 -3", "0.25"), 14, "unexpected '0' after the last number of a node");
  // Here the rows still add up, but the numbers of the nodes do not.
  refuses(replaced(text, "0.25 -3", "0.25 -3 4"), 19,
          "node 9, which the file does not define (line 13: unexpected '4' after the last number of a node)");
  refuses(text + two.substr(two.find("$Nodes")), 22, "a second $Nodes");
  // Other versions have no such section.
  refuses(replaced(text, "2.2", "4.1"), 16, "before the $Nodes");
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    Binary file(order);
    file.text("$MeshFormat\n2.2 1 8\n")
        .add<std::int32_t>({1})
        .text("\n$EndMeshFormat\n$ParametricNodes\n4\n");
    file.add<std::int32_t>({1}).add({0.0, 0.0, 0.0}).add<std::int32_t>({0, 7});
    file.add<std::int32_t>({2}).add({1.0, 0.0, 0.0}).add<std::int32_t>({1, 7}).add({0.5});
    file.add<std::int32_t>({3}).add({0.0, 1.0, 0.0}).add<std::int32_t>({2, 7}).add({0.25, -3.0});
    file.add<std::int32_t>({9}).add({0.0, 0.0, 1.0}).add<std::int32_t>({3, 7});
    file.text("\n$EndParametricNodes\n$Elements\n1\n").add<std::int32_t>({4, 1, 2, 1, 5, 1, 1, 2, 3, 9});
    file.text("\n$EndElements\n");
    check_unit_tet(parse(file.bytes), 5);
    for (std::size_t size = 0; size < file.bytes.size() - 1; ++size)
      CHECK_THROWS_AS(parse(file.bytes.substr(0, size)), MeshError);
  }
}

TEST_CASE("Gmsh: sections that are not used end with their own word only") {
  const std::string others =
      "$Comments\nthe word $EndComments does not end it here, $EndCommentsX neither\n  $EndComments\n"
      "$Periodic\n1\n1 2 1\nAffine 1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n1\n2 1\n$EndPeriodic\n"
      "$ElementNodeData\n1\n\"$EndElements\"\n$ElementEndNodeData\n"
      "$Node\n$EndNodeX\n$EndNode\n$InterpolationScheme\n\"x\"\n1\n$EndInterpolationScheme\n";
  for (const std::string& text : {two, forty, forty_one}) {
    check_unit_tet(parse(replaced(text, "$Nodes", others + "$Nodes")), 5);
    check_unit_tet(parse(text + others), 5);
  }
  // In a time that grows as the section does.
  check_unit_tet(parse(two + "$Comments\n" + std::string(1 << 20, '$') + "\n$EndComments\n"), 5);
  refuses(forty_one + forty_one.substr(forty_one.find("$Entities"),
                                       forty_one.find("$Nodes") - forty_one.find("$Entities")),
          34, "the section $Entities comes after the $Elements section");
}

TEST_CASE("Gmsh 4.0 with partitions: their entities have groups too") {
  const std::string text = replaced(replaced(forty, "$Nodes\n", R"($PartitionedEntities
2
0
0 0 0 1
80 3 8 1 2 0 0 0 1 1 1 1 6 0
$EndPartitionedEntities
$Nodes
)"),
                                    "8 3 4 1\n", "80 3 4 1\n");
  check_unit_tet(parse(text), 6);
  Binary file;
  file.text("$MeshFormat\n4 1 8\n").add<std::int32_t>({1}).text("\n$EndMeshFormat\n$PartitionedEntities\n");
  file.add<std::int32_t>({2, 1, 9, 1})
      .add<std::uint64_t>({0, 0, 0, 1})
      .add<std::int32_t>({80, 3, 8, 2, 1, 2});
  file.add({0.0, 0.0, 0.0, 1.0, 1.0, 1.0})
      .add<std::uint64_t>({1})
      .add<std::int32_t>({6})
      .add<std::uint64_t>({0});
  file.text("\n$EndPartitionedEntities\n$Nodes\n").add<std::uint64_t>({1, 4});
  file.add<std::int32_t>({80, 3, 0}).add<std::uint64_t>({4});
  file.add<std::int32_t>({1}).add({0.0, 0.0, 0.0}).add<std::int32_t>({2}).add({1.0, 0.0, 0.0});
  file.add<std::int32_t>({3}).add({0.0, 1.0, 0.0}).add<std::int32_t>({4}).add({0.0, 0.0, 1.0});
  file.text("\n$EndNodes\n$Elements\n").add<std::uint64_t>({1, 1}).add<std::int32_t>({80, 3, 4});
  file.add<std::uint64_t>({1}).add<std::int32_t>({1, 1, 2, 3, 4}).text("\n$EndElements\n");
  check_unit_tet(parse(file.bytes), 6);
}

TEST_CASE("Gmsh 2.2 in binary, of either byte order") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    Binary file(order);
    file.text("$MeshFormat\n2.2 1 8\n").add<std::int32_t>({1}).text("\n$EndMeshFormat\n$Nodes\n4\n");
    file.add<std::int32_t>({1}).add({0.0, 0.0, 0.0}).add<std::int32_t>({2}).add({1.0, 0.0, 0.0});
    file.add<std::int32_t>({3}).add({0.0, 1.0, 0.0}).add<std::int32_t>({9}).add({0.0, 0.0, 1.0});
    file.text("\n$EndNodes\n$Elements\n2\n").add<std::int32_t>({4, 1, 2, 1, 5, 1, 1, 2, 3, 9});
    const std::string without_triangle = file.bytes;
    file.add<std::int32_t>({2, 1, 0, 2, 1, 2, 3}).text("\n$EndElements\n");
    const CellMesh mesh = parse(file.bytes);
    check_unit_tet(mesh, 5);
    CHECK(mesh.format == "Gmsh 2.2 (binary)");
    CHECK(mesh.cells(CellKind::triangle).nodes == std::vector{0, 1, 2});
    for (std::size_t size = 0; size < file.bytes.size() - 1; ++size)
      CHECK_THROWS_AS(parse(file.bytes.substr(0, size)), MeshError);
    refuses(without_triangle + Binary(order).add<std::int32_t>({2, 2, 0, 2, 1, 2, 3, 3, 1, 2, 3}).bytes, 0,
            "do not add up");
    refuses(without_triangle + Binary(order).add<std::int32_t>({2, 0, 0}).bytes, 0, "do not add up");
    refuses(without_triangle + Binary(order).add<std::int32_t>({2, -1, 0}).bytes, 0, "negative");
    refuses(without_triangle + Binary(order).add<std::int32_t>({2, 1, 2147483647}).bytes, 0,
            "tags are declared");
  }
}

TEST_CASE("Gmsh 4.0 and 4.1 in binary, of either byte order") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const bool is_40 : {true, false}) {
      Binary file(order);
      const auto tags = [&](std::initializer_list<int> values) {
        for (const int tag : values) {
          if (is_40) {
            file.add<std::int32_t>({tag});
          } else {
            file.add<std::uint64_t>({static_cast<std::uint64_t>(tag)});
          }
        }
      };
      file.text(is_40 ? "$MeshFormat\n4 1 8\n" : "$MeshFormat\n4.1 1 8\n").add<std::int32_t>({1});
      file.text("\n$EndMeshFormat\n$Entities\n").add<std::uint64_t>({1, 0, 0, 1});
      file.add<std::int32_t>({3}).add({0.0, 0.0, 0.0});
      if (is_40) file.add({0.0, 0.0, 0.0});
      file.add<std::uint64_t>({0}).add<std::int32_t>({8}).add({0.0, 0.0, 0.0, 1.0, 1.0, 1.0});
      file.add<std::uint64_t>({1}).add<std::int32_t>({5}).add<std::uint64_t>({0});
      file.text("\n$EndEntities\n$Nodes\n").add<std::uint64_t>({1, 4});
      if (!is_40) file.add<std::uint64_t>({1, 9});
      file.add<std::int32_t>({is_40 ? 8 : 3, is_40 ? 3 : 8, 0}).add<std::uint64_t>({4});
      if (is_40) {
        file.add<std::int32_t>({1}).add({0.0, 0.0, 0.0}).add<std::int32_t>({2}).add({1.0, 0.0, 0.0});
        file.add<std::int32_t>({3}).add({0.0, 1.0, 0.0}).add<std::int32_t>({9}).add({0.0, 0.0, 1.0});
      } else {
        tags({1, 2, 3, 9});
        file.add({0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
      }
      file.text("\n$EndNodes\n$Elements\n").add<std::uint64_t>({1, 1});
      if (!is_40) file.add<std::uint64_t>({1, 1});
      file.add<std::int32_t>({is_40 ? 8 : 3, is_40 ? 3 : 8, 4}).add<std::uint64_t>({1});
      tags({1, 1, 2, 3, 9});
      file.text("\n$EndElements\n");
      check_unit_tet(parse(file.bytes), 5);
      for (std::size_t size = 0; size < file.bytes.size() - 1; ++size) {
        CHECK_THROWS_AS(parse(file.bytes.substr(0, size)), MeshError);
      }
    }
  }
}

TEST_CASE("Gmsh files with any line ends, blank lines, unknown sections, no final newline") {
  for (const std::string& text : {two, forty, forty_one}) {
    check_unit_tet(parse(with_line_ends(text, "\r\n")), 5);
    check_unit_tet(parse(with_line_ends(text, "\r")), 5);
    check_unit_tet(parse(with_line_ends(text, " \n\n")), 5);
    check_unit_tet(parse(text.substr(0, text.size() - 1)), 5);
    check_unit_tet(parse("\xEF\xBB\xBF$Comments\nanything $Nodes\n$EndComments\n" + text +
                         "$Surface\n1 2\n$EndSurface\n"),
                   5);
  }
}

TEST_CASE("a text cut anywhere is refused") {
  for (const std::string& text : {two, forty, forty_one}) {
    // Up to the last letter but one of $EndElements: from there on the file is whole.
    for (std::size_t size = 0; size + 2 < text.size(); ++size) {
      INFO(text.substr(0, size));
      CHECK_THROWS_AS(parse(text.substr(0, size)), MeshError);
    }
  }
}

TEST_CASE("Gmsh 2.2: what is refused, and the line it stands in") {
  refuses("", 1, "no $MeshFormat");
  refuses("$NOD\n1\n1 0 0 0\n$ENDNOD\n", 1, "format 1");
  refuses(two.substr(two.find("$Nodes")), 1, "no $MeshFormat");
  refuses(replaced(two, "2.2", "9.9"), 2, "'9.9' is not known");
  refuses(replaced(two, "2.2 0", "2.2 2"), 2, "neither 0 (text) nor 1 (binary)");
  refuses(replaced(two, "2.2 0 8", "2.2 1 4"), 2, "of 4 bytes");
  refuses(replaced(two, "$Nodes", "nodes"), 9, "expected a section such as $Nodes, found 'nodes'");
  refuses(two + two, 22, "a second $MeshFormat");
  refuses(two + two.substr(two.find("$Nodes")), 22, "a second $Nodes");
  refuses(two + two.substr(two.find("$Elements")), 22, "a second $Elements");
  refuses(replaced(two, "4\n1 0", "99999999999\n1 0"), 10,
          "99999999999 nodes are declared, but the rest of the file has room for");
  refuses(replaced(two, "4\n1 0", "-4\n1 0"), 10, "negative");
  refuses(replaced(two, "4\n1 0", "5\n1 0"), 15,
          "5 nodes are declared, but 4 are listed: '$EndNodes' follows");
  refuses(replaced(two, "4\n1 0", "3\n1 0"), 14, "expected $EndNodes, found '9'");
  refuses(replaced(two, "4\n1 0", "1 0"), 10, "unexpected '0' after the number of nodes");
  refuses(replaced(two, "0 1 0", "0 nan 0"), 13, "a coordinate is 'nan'");
  refuses(replaced(two, "0 1 0", "0 1e999 0"), 13, "not a finite number");
  refuses(replaced(two, "0 1 0", "0 1 0 0"), 13, "unexpected '0'");
  refuses(replaced(two, "0 1 0", "0 1"), 14, "");
  refuses(replaced(two, "9 0 0 1", "3 0 0 1"), 14, "the node number 3 is given twice");
  refuses(replaced(two, "3\n1 2 2", "4\n1 2 2"), 21,
          "4 elements are declared, but 3 are listed: '$EndElements' follows");
  refuses(replaced(two, "2 4 2", "2 250 2"), 19, "the element type 250 is not known");
  refuses(replaced(two, "2 4 2", "2 4 99999"), 19, "99999 tags are declared");
  refuses(replaced(two, "2 4 2", "2 4 -2"), 19, "negative");
  refuses(replaced(two, "1 2 3 9", "1 2 3 4"), 19, "refers to node 4, which the file does not define");
  refuses(replaced(two, "1 2 3 9", "1 2 3 -9"), 19, "refers to node -9");
  refuses(replaced(two, "1 2 3 9", "1 2 3 9 9"), 19, "unexpected '9' after the nodes of an element");
  refuses(replaced(two, "1 2 3 9", "1 2 3"), 20, "");
  refuses(replaced(two, "2 4 2 5", "2 4 2 5000000000"), 19, "does not fit into an int");
  refuses(replaced(two, "$EndNodes\n", ""), 15, "expected $EndNodes, found '$Elements'");
  refuses(replaced(two, "$EndElements", "$EndElement"), 21, "expected $EndElements");
  refuses(two.substr(0, two.find("$Elements")), 16, "no $Elements section");
  refuses(two.substr(0, two.find("$Nodes")) + two.substr(two.find("$Elements")), 9,
          "comes before the $Nodes");
  refuses(replaced(two, "\"wall\"", "wall"), 6, "not in quotes");
  refuses(replaced(two, "2 7 \"", "8 7 \""), 6, "is not 0, 1, 2 or 3");
  refuses(two + "$Stuff\n1\n", 22, "has no $EndStuff");
}

TEST_CASE("Gmsh 4: what is refused, and the line it stands in") {
  refuses(replaced(forty_one, "2 4 1 40", "2 4000000000 1 40"), 15, "4000000000 nodes are declared");
  refuses(replaced(forty_one, "2 4 1 40", "2 -4 1 40"), 15, "negative");
  refuses(replaced(forty_one, "2 4 1 40", "2 5 1 40"), 25, "do not add up to the 5 nodes");
  refuses(replaced(forty_one, "2 4 1 40", "2 3 1 40"), 23, "do not add up to the 3 nodes");
  refuses(replaced(forty_one, "2 4 1 40", "2 4"), 16, "");
  refuses(replaced(forty_one, "2 2 1 3", "4 2 1 3"), 16, "the dimension of an entity is 4");
  refuses(replaced(forty_one, "2 2 1 3", "2 2 7 3"), 16, "neither 0 nor 1");
  refuses(replaced(forty_one, "30\n0 0 0", "2\n0 0 0"), 25, "the node number 2 is given twice");
  refuses(replaced(forty_one, "1 0 0 0.5 0.5", "1 inf 0 0.5 0.5"), 21, "not a finite number");
  refuses(replaced(forty_one, "2 2 1 2\n2 2 2 1", "2 3 1 2\n2 2 2 1"), 32, "do not add up to the 3 elements");
  refuses(replaced(forty_one, "2 2 1 2\n2 2 2 1", "2 1 1 2\n2 2 2 1"), 31, "do not add up to the 1 elements");
  refuses(replaced(forty_one, "3 8 4 1", "3 8 400 1"), 31, "the element type 400 is not known");
  refuses(replaced(forty_one, "3 8 4 1", "3 8 4 99999999999"), 31, "99999999999 elements are declared");
  refuses(replaced(forty_one, "2 1 2 30 40", "2 1 2 30 41"), 32, "refers to node 41");
  refuses(replaced(forty_one, "1 0 1 1", "1 0 1 99999999"), 9, "99999999 entities are declared");
  refuses(replaced(forty, "2 4\n", "2 5\n"), 20, "do not add up");
  refuses(replaced(forty, "1 1 2 3 4", "1 1 2 3 5"), 25, "refers to node 5");
}

TEST_CASE("Gmsh: what deserves a remark") {
  const auto remark = [](const std::string& text) {
    const CellMesh mesh = parse(text);
    return mesh.remarks.empty() ? std::string() : mesh.remarks.back();
  };
  CHECK(remark(replaced(two, "2 4 2 5", "1 4 2 5")).find("the element number 1 is used 2 times") !=
        std::string::npos);
  CHECK(remark(replaced(replaced(forty_one, "2 4 1 40", "2 4 1 99"), "2 5 6 2", "1 5 2"))
            .find("from 1 to 99, but are from 1 to 40") != std::string::npos);
}

TEST_CASE("Gmsh: higher-order elements keep their corners") {
  const std::string text = replaced(two, "1 2 2 7 1 1 2 3\n", "1 9 2 7 1 1 2 3 9 9 9\n");
  const CellMesh mesh = parse(text);
  REQUIRE(mesh.others.size() == 1);
  CHECK(mesh.others[0].name == "6-node triangles");
  CHECK(mesh.others[0].corners.nodes == std::vector{0, 1, 2});
  CHECK(mesh.others[0].corners.regions == std::vector{7});
  refuses(replaced(text, "1 2 3 9 9 9\n", "1 2 3 9 9 8\n"), 18, "refers to node 8");
}

TEST_CASE("Gmsh 2.0: names of physical groups without a dimension hold for all") {
  const CellMesh mesh = parse(replaced(two, "3 5 \"soft part\"", "5 \"soft \"inner\" part\""));
  for (const auto& names : mesh.region_names) CHECK(names.at(5) == "soft \"inner\" part");
}
