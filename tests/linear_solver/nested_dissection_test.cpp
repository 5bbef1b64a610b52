#include "support/catch.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <pliant/linear_solver/direct/fronts.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;

namespace {

// Nodes of a mesh, numbered at random: an order must not live on that of the generator.
Adjacency shuffled(const Mesh<Tet4>& mesh) {
  const Adjacency graph = neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count());
  Numbering numbering{std::vector<int>(static_cast<std::size_t>(mesh.node_count())), {}};
  std::iota(numbering.to_internal.begin(), numbering.to_internal.end(), 0);
  std::mt19937 random(3);
  std::shuffle(numbering.to_internal.begin(), numbering.to_internal.end(), random);
  numbering.to_user.resize(numbering.to_internal.size());
  for (std::size_t i = 0; i < numbering.to_internal.size(); ++i)
    numbering.to_user[static_cast<std::size_t>(numbering.to_internal[i])] = static_cast<int>(i);
  return detail::assembly::renumbered(graph, numbering);
}

Adjacency box(int a, int b, int c) {
  return shuffled(make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {a, b, c}, .split = Split::kuhn}));
}

// `count` graphs next to each other.
Adjacency repeated(const Adjacency& graph, int count) {
  Adjacency result;
  result.begin = {0};
  const int nodes = static_cast<int>(graph.begin.size()) - 1;
  for (int k = 0; k < count; ++k) {
    for (const int other : graph.list) result.list.push_back(other + k * nodes);
    for (int i = 0; i < nodes; ++i)
      result.begin.push_back(result.begin.back() + graph.begin[static_cast<std::size_t>(i) + 1] -
                             graph.begin[static_cast<std::size_t>(i)]);
  }
  return result;
}

bool is_permutation(std::vector<int> order, std::size_t count) {
  std::sort(order.begin(), order.end());
  std::vector<int> all(count);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

std::ptrdiff_t blocks_of(const Adjacency& graph, std::vector<int> order) {
  return detail::linear_solver::Fronts::of(BlockPattern::from_graph(graph), std::move(order)).blocks();
}

}  // namespace

TEST_CASE("nested dissection: every node once") {
  CHECK(detail::linear_solver::nested_dissection({{0}, {}}).empty());
  CHECK(detail::linear_solver::nested_dissection({{0, 0}, {}}) == std::vector<int>{0});
  CHECK(is_permutation(detail::linear_solver::nested_dissection({std::vector<int>(251, 0), {}}),
                       250));  // no neighbours at all
  CHECK(is_permutation(detail::linear_solver::nested_dissection(box(7, 5, 9)), 8 * 6 * 10));
  CHECK(is_permutation(detail::linear_solver::nested_dissection(repeated(box(4, 4, 4), 9)), 9 * 125));
  // All are neighbours: there is nothing to cut.
  Adjacency complete;
  complete.begin = {0};
  for (int i = 0; i < 120; ++i) {
    for (int j = 0; j < 120; ++j) {
      if (j != i) complete.list.push_back(j);
    }
    complete.begin.push_back(static_cast<int>(complete.list.size()));
  }
  CHECK(is_permutation(detail::linear_solver::nested_dissection(complete), 120));
}

// A chain of n nodes is cut in halves by one node again and again, so that what is eliminated last has some
// n / 2 nodes on either side and no front is larger than those of the pieces that are not worth cutting.
TEST_CASE("nested dissection halves a chain") {
  constexpr int count = 1001;
  Adjacency chain;
  chain.begin = {0};
  for (int i = 0; i < count; ++i) {
    if (i > 0) chain.list.push_back(i - 1);
    if (i + 1 < count) chain.list.push_back(i + 1);
    chain.begin.push_back(static_cast<int>(chain.list.size()));
  }
  const std::vector<int> order = detail::linear_solver::nested_dissection(chain);
  CHECK(order.back() >= count / 2 - 1);
  CHECK(order.back() <= count / 2 + 1);
}

// The factor of a cube of n nodes has of the order of n^(4/3) entries with nested dissection (George 1973);
// minimum degree does worse the larger the cube is.
TEST_CASE("nested dissection fills compact meshes less than minimum degree") {
  struct Case {
    const char* name;
    Adjacency graph;
    double most;  // of what minimum degree gives
  };
  for (const auto& [name, graph, most] :
       {Case{"box, 3,300 nodes", box(24, 11, 10), 0.95}, Case{"cube, 4,913 nodes", box(16, 16, 16), 0.85},
        Case{"ball, 3,925 nodes", shuffled(make_ball<Tet4>({.shells = 10})), 0.85}}) {
    CAPTURE(name);
    const auto by_degree = blocks_of(graph, detail::linear_solver::minimum_degree(graph));
    const auto dissected = blocks_of(graph, detail::linear_solver::nested_dissection(graph));
    CAPTURE(by_degree, dissected);
    CHECK(static_cast<double>(dissected) < most * static_cast<double>(by_degree));
    CHECK(detail::linear_solver::Fronts::of(BlockPattern::from_graph(graph)).blocks() <=
          std::min(by_degree, dissected));
  }
}

// Two that do not hang together are eliminated without a node between them.
TEST_CASE("nested dissection of two bodies fills no more than twice that of one") {
  const Adjacency one = box(9, 9, 9);
  const auto single = blocks_of(one, detail::linear_solver::nested_dissection(one));
  const Adjacency two = repeated(one, 2);
  CHECK(blocks_of(two, detail::linear_solver::nested_dissection(two)) <= 2 * single);
}
