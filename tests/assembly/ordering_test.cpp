#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <random>
#include <set>
#include <string>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/assembly/ordering.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;

namespace {

bool is_permutation(const Numbering& numbering, std::ptrdiff_t count) {
  if (static_cast<std::ptrdiff_t>(numbering.to_user.size()) != count) return false;
  if (static_cast<std::ptrdiff_t>(numbering.to_internal.size()) != count) return false;
  for (int i = 0; i < count; ++i) {
    const int user = numbering.to_user[static_cast<std::size_t>(i)];
    if (user < 0 || user >= count) return false;
    if (numbering.to_internal[static_cast<std::size_t>(user)] != i) return false;
  }
  return true;
}

// The largest difference of the numbers of two neighbours.
int bandwidth(const Adjacency& graph, const std::vector<int>& numbers) {
  int result = 0;
  for (std::size_t i = 0; i + 1 < graph.begin.size(); ++i) {
    for (int k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(graph.list[static_cast<std::size_t>(k)]);
      result = std::max(result, std::abs(numbers[i] - numbers[j]));
    }
  }
  return result;
}

Adjacency graph_of(const Mesh<Tet4>& mesh) {
  return neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count());
}

// The same body with its nodes in random order.
Mesh<Tet4> shuffled(const Mesh<Tet4>& mesh, std::mt19937& random) {
  std::vector<int> number(static_cast<std::size_t>(mesh.node_count()));
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<int>(i);
  std::shuffle(number.begin(), number.end(), random);
  Mesh<Tet4> result = mesh;
  for (int i = 0; i < mesh.node_count(); ++i) {
    result.nodes.col(number[static_cast<std::size_t>(i)]) = mesh.nodes.col(i);
  }
  for (std::ptrdiff_t k = 0; k < mesh.elements.size(); ++k) {
    result.elements.data()[k] = number[static_cast<std::size_t>(mesh.elements.data()[k])];
  }
  return result;
}

}  // namespace

TEST_CASE("Neighbours are those that share an element, ascending") {
  const Mesh<Tet4> mesh = make_box<Tet4>({.cells = {2, 3, 2}});
  std::vector<std::set<int>> expected(static_cast<std::size_t>(mesh.node_count()));
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    for (const int i : mesh.elements.col(e)) {
      for (const int j : mesh.elements.col(e)) {
        if (i != j) expected[static_cast<std::size_t>(i)].insert(j);
      }
    }
  }
  const Adjacency graph = graph_of(mesh);
  REQUIRE(graph.begin.size() == expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::vector<int>(graph.list.begin() + graph.begin[i], graph.list.begin() + graph.begin[i + 1]) ==
          std::vector<int>(expected[i].begin(), expected[i].end()));
  }
}

TEST_CASE(
    "reverse_cuthill_mckee: a beam gets the bandwidth of its cross-section, whatever the user's order") {
  std::mt19937 random(1);
  // x runs fastest in the user's numbering, so a long beam along x is numbered badly.
  const Mesh<Tet4> beam = make_box<Tet4>({.lengths = {40, 3, 3}, .cells = {40, 3, 3}, .split = Split::kuhn});
  const int cross_section = 16;
  for (const Mesh<Tet4>& mesh : {beam, shuffled(beam, random), shuffled(beam, random)}) {
    const Adjacency graph = graph_of(mesh);
    const Numbering numbering = detail::assembly::reverse_cuthill_mckee(graph);
    REQUIRE(is_permutation(numbering, mesh.node_count()));
    CHECK(bandwidth(graph, numbering.to_internal) <= 3 * cross_section);
  }
  std::vector<int> natural(static_cast<std::size_t>(beam.node_count()));
  for (std::size_t i = 0; i < natural.size(); ++i) natural[i] = static_cast<int>(i);
  CHECK(bandwidth(graph_of(beam), natural) > 4 * 3 * cross_section);
}

TEST_CASE("reverse_cuthill_mckee: a path gets bandwidth one") {
  // 0-3-1-4-2, started from the middle.
  const Adjacency path{{0, 1, 3, 4, 6, 8}, {3, 3, 4, 4, 0, 1, 1, 2}};
  const Numbering numbering = detail::assembly::reverse_cuthill_mckee(path);
  REQUIRE(is_permutation(numbering, 5));
  CHECK(bandwidth(path, numbering.to_internal) == 1);
}

TEST_CASE("reverse_cuthill_mckee: the same mesh gets the same numbering") {
  std::mt19937 random(2);
  const Mesh<Tet4> mesh = shuffled(make_box<Tet4>({.cells = {5, 4, 6}}), random);
  CHECK(detail::assembly::reverse_cuthill_mckee(graph_of(mesh)).to_user ==
        detail::assembly::reverse_cuthill_mckee(graph_of(mesh)).to_user);
}

TEST_CASE("reverse_cuthill_mckee: several components, single nodes, no nodes") {
  const Mesh<Tet4> box = make_box<Tet4>({.cells = {2, 2, 2}});
  Mesh<Tet4> mesh;  // three boxes whose nodes alternate, and two nodes without elements
  const auto count = static_cast<int>(box.node_count());
  mesh.nodes.resize(3, 3 * count + 2);
  mesh.nodes.setZero();
  mesh.elements.resize(4, 3 * box.element_count());
  for (int part = 0; part < 3; ++part) {
    for (int i = 0; i < count; ++i) mesh.nodes.col(3 * i + part) = box.nodes.col(i).array() + 5.0 * part;
    mesh.elements.middleCols(part * box.element_count(), box.element_count()) =
        (3 * box.elements).array() + part;
  }
  const Adjacency graph = graph_of(mesh);
  const Numbering numbering = detail::assembly::reverse_cuthill_mckee(graph);
  REQUIRE(is_permutation(numbering, mesh.node_count()));
  CHECK(bandwidth(graph, numbering.to_internal) < count);  // components are not interleaved any more

  CHECK(is_permutation(detail::assembly::reverse_cuthill_mckee(Adjacency{{0, 0}, {}}), 1));
  CHECK(is_permutation(detail::assembly::reverse_cuthill_mckee(Adjacency{{0}, {}}), 0));
}

TEST_CASE("order_elements: the same elements, nodes ascending, elements ascending, corners remembered") {
  std::mt19937 random(3);
  const Mesh<Tet4> mesh = shuffled(make_box<Tet4>({.cells = {4, 3, 2}}), random);
  const Numbering numbering = detail::assembly::reverse_cuthill_mckee(graph_of(mesh));
  const auto ordered = detail::assembly::order_elements<Tet4>(mesh.elements, numbering);
  REQUIRE(ordered.elements.cols() == mesh.element_count());
  std::set<int> users(ordered.to_user.begin(), ordered.to_user.end());
  CHECK(static_cast<std::ptrdiff_t>(users.size()) == mesh.element_count());
  CHECK(*users.begin() == 0);
  CHECK(*users.rbegin() == mesh.element_count() - 1);
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) {
      if (a > 0) CHECK(ordered.elements(a - 1, e) < ordered.elements(a, e));
      const int user = mesh.elements(ordered.corner(a, e), ordered.to_user[static_cast<std::size_t>(e)]);
      CHECK(numbering.to_internal[static_cast<std::size_t>(user)] == ordered.elements(a, e));
    }
    if (e > 0) CHECK(ordered.elements(0, e - 1) <= ordered.elements(0, e));
  }
}

TEST_CASE("order_elements: a single element, and elements of many nodes") {
  const Mesh<Hex8> mesh = sample::hexahedra(1);
  const Numbering numbering =
      detail::assembly::reverse_cuthill_mckee(neighbours_of_nodes<Hex8>(mesh.elements, mesh.node_count()));
  REQUIRE(is_permutation(numbering, 8));
  const auto ordered = detail::assembly::order_elements<Hex8>(mesh.elements, numbering);
  for (int a = 0; a < 8; ++a) {
    CHECK(ordered.elements(a, 0) == a);
    CHECK(numbering.to_user[static_cast<std::size_t>(a)] == mesh.elements(ordered.corner(a, 0), 0));
  }
}

TEST_CASE("A graph or pattern with more entries than an int can number is refused with the numbers") {
  const auto refused = [](const auto& make, const std::string& words) {
    try {
      make();
      FAIL("was not refused");
    } catch (const MeshError& error) {
      INFO(error.what());
      CHECK(std::string(error.what()).find(words) != std::string::npos);
    }
  };
  CHECK(detail::assembly::offset_of("neighbours", 2147483647, 1, 1) == 2147483647);
  refused([] { detail::assembly::offset_of("neighbours", std::size_t{2147483648}, 7, 9); },
          "the mesh is too large: the first 7 of its 9 nodes have 2147483648 neighbours, and 2147483647");
  // The eight nodes of a hexahedron have 56 neighbours, and its matrix 36 blocks in the upper half.
  const Mesh<Hex8> mesh = make_box<Hex8>({});
  CHECK(neighbours_of_nodes<Hex8>(mesh.elements, 8, 56).list.size() == 56);
  refused([&] { neighbours_of_nodes<Hex8>(mesh.elements, 8, 55); },
          "the first 8 of its 8 nodes have 56 neighbours, and 55 are the most");
  refused([&] { neighbours_of_nodes<Hex8>(mesh.elements, 8, 13); }, "the first 2 of its 8 nodes have 14");
  const Adjacency graph = neighbours_of_nodes<Hex8>(mesh.elements, 8);
  CHECK(BlockPattern::from_graph(graph, 36).blocks() == 36);
  refused([&] { BlockPattern::from_graph(graph, 35); }, "its 8 nodes have 36 blocks of a matrix, and 35");
}
