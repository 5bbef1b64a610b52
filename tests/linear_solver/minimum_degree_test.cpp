#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <random>
#include <vector>

#include <Eigen/OrderingMethods>

#include <pliant/linear_solver/direct/minimum_degree.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;

namespace {

Adjacency graph_of(int nodes, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::vector<int>> rows(static_cast<std::size_t>(nodes));
  for (const auto& [i, j] : edges) {
    rows[static_cast<std::size_t>(i)].push_back(j);
    rows[static_cast<std::size_t>(j)].push_back(i);
  }
  return eigen_view::graph_of_rows(std::move(rows));
}

template <class E>
Adjacency graph_of(const Mesh<E>& mesh) {
  return neighbours_of_nodes<E>(mesh.elements, mesh.node_count());
}

bool is_permutation(const std::vector<int>& order, std::size_t count) {
  std::vector<char> seen(count, 0);
  for (const int i : order) {
    if (i < 0 || static_cast<std::size_t>(i) >= count || seen[static_cast<std::size_t>(i)]++ != 0)
      return false;
  }
  return order.size() == count;
}

// Entries below the diagonal of the factor, by eliminating the nodes one by one on a dense graph.
std::ptrdiff_t entries_of_factor(const Adjacency& graph, const std::vector<int>& order) {
  const std::size_t count = order.size();
  std::vector<std::vector<char>> linked(count, std::vector<char>(count, 0));
  for (std::size_t i = 0; i < count; ++i) {
    for (int k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
      linked[i][static_cast<std::size_t>(graph.list[static_cast<std::size_t>(k)])] = 1;
    }
  }
  std::ptrdiff_t entries = 0;
  std::vector<char> gone(count, 0);
  for (const int node : order) {
    const auto i = static_cast<std::size_t>(node);
    gone[i] = 1;
    std::vector<std::size_t> clique;
    for (std::size_t j = 0; j < count; ++j) {
      if (linked[i][j] != 0 && gone[j] == 0) clique.push_back(j);
    }
    entries += std::ssize(clique);
    for (const std::size_t a : clique) {
      for (const std::size_t b : clique) linked[a][b] = a != b;
    }
  }
  return entries;
}

std::vector<int> order_by_eigen(const Adjacency& graph) {
  const int count = static_cast<int>(graph.begin.size()) - 1;
  std::vector<Eigen::Triplet<double>> triplets;
  for (int i = 0; i < count; ++i) {
    triplets.emplace_back(i, i, 1);
    for (int k = graph.begin[static_cast<std::size_t>(i)]; k < graph.begin[static_cast<std::size_t>(i) + 1];
         ++k) {
      triplets.emplace_back(i, graph.list[static_cast<std::size_t>(k)], 1);
    }
  }
  Eigen::SparseMatrix<double> A(count, count);
  A.setFromTriplets(triplets.begin(), triplets.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(A, permutation);
  return {permutation.indices().data(), permutation.indices().data() + count};
}

}  // namespace

TEST_CASE("minimum degree: each node once, whatever the graph") {
  CHECK(detail::linear_solver::minimum_degree(graph_of(0, {})).empty());
  CHECK(detail::linear_solver::minimum_degree(graph_of(1, {})) == std::vector<int>{0});
  CHECK(is_permutation(detail::linear_solver::minimum_degree(graph_of(9, {})), 9));  // nothing is connected
  std::mt19937 random(1);
  for (const int nodes : {2, 3, 10, 60, 400}) {
    for (const double edges_per_node : {0.5, 1.0, 2.0, 8.0}) {
      std::uniform_int_distribution<int> any(0, nodes - 1);
      std::vector<std::pair<int, int>> edges;
      for (int k = 0; k < edges_per_node * nodes; ++k) {
        const int i = any(random), j = any(random);
        if (i != j) edges.emplace_back(i, j);
      }
      const Adjacency graph = graph_of(nodes, edges);
      const std::vector<int> order = detail::linear_solver::minimum_degree(graph);
      CHECK(is_permutation(order, static_cast<std::size_t>(nodes)));
      CHECK(order == detail::linear_solver::minimum_degree(graph));
    }
  }
}

TEST_CASE("minimum degree: a tree fills nothing in, a ring one entry for each node but three") {
  std::mt19937 random(2);
  for (const int nodes : {2, 5, 40, 200}) {
    std::vector<std::pair<int, int>> tree, ring, star;
    for (int i = 1; i < nodes; ++i) {
      tree.emplace_back(std::uniform_int_distribution<int>(0, i - 1)(random), i);
      star.emplace_back(0, i);
      ring.emplace_back(i - 1, i);
    }
    if (nodes > 2) ring.emplace_back(nodes - 1, 0);
    for (const auto& edges : {tree, star}) {
      const Adjacency graph = graph_of(nodes, edges);
      CHECK(entries_of_factor(graph, detail::linear_solver::minimum_degree(graph)) == nodes - 1);
    }
    const Adjacency graph = graph_of(nodes, ring);
    CHECK(entries_of_factor(graph, detail::linear_solver::minimum_degree(graph)) ==
          (nodes > 2 ? 2 * nodes - 3 : 1));
  }
}

TEST_CASE("minimum degree: nodes with the same neighbours are eliminated in a row") {
  // Two cliques of 20 that share 5 nodes: whatever comes first, its clique follows, and nothing fills in.
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < i; ++j) {
      edges.emplace_back(i, j);
      edges.emplace_back(i + 15, j + 15);
    }
  }
  const Adjacency graph = graph_of(35, edges);
  CHECK(entries_of_factor(graph, detail::linear_solver::minimum_degree(graph)) == std::ssize(graph.list) / 2);
}

TEST_CASE("minimum degree: on meshes no more fill-in than by Eigen's ordering, give or take a tenth") {
  const auto compare = [](const Adjacency& graph) {
    const std::vector<int> order = detail::linear_solver::minimum_degree(graph),
                           other = order_by_eigen(graph);
    REQUIRE(is_permutation(order, graph.begin.size() - 1));
    const auto entries = entries_of_factor(graph, order), entries_by_eigen = entries_of_factor(graph, other);
    CAPTURE(order.size(), entries, entries_by_eigen);
    CHECK(static_cast<double>(entries) <= 1.1 * static_cast<double>(entries_by_eigen));
  };
  compare(graph_of(make_box<Tet4>({.cells = {7, 7, 7}})));
  compare(graph_of(make_box<Tet4>({.cells = {30, 3, 4}, .split = Split::kuhn})));
  compare(graph_of(make_box<Hex8>({.cells = {6, 7, 8}})));
  compare(graph_of(make_rectangle<Tri3>({.cells = {30, 20}})));
}
