#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <set>

#include <pliant/linear_solver/preconditioner/aggregates.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;

namespace {

Adjacency box_graph(int a, int b, int c) {
  const auto mesh = make_box<Tet4>({.cells = {a, b, c}, .split = Split::kuhn});
  return neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count());
}

// The nodes that are reached from `start` within its aggregate.
std::set<int> reached(const Adjacency& graph, const detail::linear_solver::Aggregates& aggregates,
                      int start) {
  std::set<int> nodes{start};
  std::vector<int> queue{start};
  while (!queue.empty()) {
    const auto i = static_cast<std::size_t>(queue.back());
    queue.pop_back();
    for (int k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
      const int j = graph.list[static_cast<std::size_t>(k)];
      if (aggregates.of[static_cast<std::size_t>(j)] != aggregates.of[i] || nodes.contains(j)) continue;
      nodes.insert(j);
      queue.push_back(j);
    }
  }
  return nodes;
}

// Every node in one aggregate, the lists agree, and every aggregate is connected.
void check_aggregates(const Adjacency& graph, const detail::linear_solver::Aggregates& aggregates) {
  const std::size_t count = graph.begin.size() - 1;
  REQUIRE(aggregates.of.size() == count);
  REQUIRE(aggregates.nodes.list.size() == count);
  for (int a = 0; a < aggregates.count(); ++a) {
    const auto first = aggregates.nodes.list.begin() + aggregates.nodes.begin[static_cast<std::size_t>(a)];
    const auto last = aggregates.nodes.list.begin() + aggregates.nodes.begin[static_cast<std::size_t>(a) + 1];
    REQUIRE(first != last);
    CHECK(std::is_sorted(first, last));
    CHECK(std::all_of(first, last, [&](int i) { return aggregates.of[static_cast<std::size_t>(i)] == a; }));
    CHECK(reached(graph, aggregates, *first) == std::set<int>(first, last));
  }
}

std::ptrdiff_t size_of(const detail::linear_solver::Aggregates& aggregates, int a) {
  return aggregates.nodes.begin[static_cast<std::size_t>(a) + 1] -
         aggregates.nodes.begin[static_cast<std::size_t>(a)];
}

}  // namespace

TEST_CASE("Aggregates: connected, and about as large as asked for") {
  const Adjacency graph = box_graph(10, 11, 24);
  for (const int size : {1, 20, 50, 200, 10000}) {
    INFO(size << " nodes each");
    const detail::linear_solver::Aggregates aggregates =
        detail::linear_solver::Aggregates::of_graph(graph, size);
    check_aggregates(graph, aggregates);
    const double expected = std::max(1.0, 3300.0 / size);
    CHECK(aggregates.count() <= 1.3 * expected);
    CHECK(aggregates.count() >= 0.7 * expected);
    if (size < 20) continue;
    std::ptrdiff_t largest = 0;
    for (int a = 0; a < aggregates.count(); ++a) largest = std::max(largest, size_of(aggregates, a));
    CHECK(static_cast<double>(largest) <= 2.5 * std::min(size, 3300));
  }
}

TEST_CASE("Aggregates: compact, fewer edges leave them than those of slabs") {
  const Adjacency graph = box_graph(20, 20, 20);
  const detail::linear_solver::Aggregates aggregates = detail::linear_solver::Aggregates::of_graph(graph, 64);
  std::ptrdiff_t cut = 0, slabs = 0;
  for (std::size_t i = 0; i + 1 < graph.begin.size(); ++i) {
    for (int k = graph.begin[i]; k < graph.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(graph.list[static_cast<std::size_t>(k)]);
      cut += aggregates.of[i] != aggregates.of[j];
      slabs += i / 64 != j / 64;  // rows of nodes one after the other
    }
  }
  CHECK(static_cast<double>(cut) < 0.6 * static_cast<double>(slabs));
}

TEST_CASE("Aggregates: none spans two components, however small these are") {
  // A chain of 100, one of 3, a lone node, a chain of 40.
  std::vector<std::vector<int>> rows(144);
  const auto chain = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      rows[static_cast<std::size_t>(i)].push_back(i + 1);
      rows[static_cast<std::size_t>(i) + 1].push_back(i);
    }
  };
  chain(0, 99);
  chain(100, 102);
  chain(104, 143);
  const Adjacency graph = eigen_view::graph_of_rows(rows);
  const detail::linear_solver::Aggregates aggregates = detail::linear_solver::Aggregates::of_graph(graph, 50);
  check_aggregates(graph, aggregates);
  CHECK(aggregates.of[99] != aggregates.of[100]);
  CHECK(aggregates.of[102] != aggregates.of[103]);
  CHECK(aggregates.of[103] != aggregates.of[104]);
  CHECK(aggregates.count() == 5);
}

TEST_CASE("Aggregates: of nothing") {
  CHECK(detail::linear_solver::Aggregates::of_graph({{0}, {}}, 50).count() == 0);
}
