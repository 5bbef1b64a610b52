// The pairs of elements, and the batches of pairs, of operator splitting.
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <pliant/element/tet4.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/operator_splitting/split_pairs.hpp>

namespace {

using namespace pliant;
using Elements = std::vector<detail::operator_splitting::SplitElement<double>>;

// Row a of the gradients tells the number of the element and that of its node a.
Elements elements_of(const ElementMatrix<Tet4>& nodes) {
  Elements result;
  for (int e = 0; e < nodes.cols(); ++e) {
    detail::operator_splitting::SplitElement<double> element{{}, {}, 1.0 + e, 1, 1};
    for (int a = 0; a < 4; ++a) {
      element.nodes[static_cast<std::size_t>(a)] = nodes(a, e);
      element.gradients.row(a) << e, nodes(a, e), 0;
    }
    result.push_back(element);
  }
  return result;
}

int number_of(const detail::operator_splitting::SplitElement<double>& e) {
  return static_cast<int>(e.volume) - 1;
}

// Every element is in one pair, with its own numbers, and both of a pair have the nodes of the pair.
void check_pairs(const Elements& elements,
                 const std::vector<detail::operator_splitting::SplitPair<double>>& pairs) {
  std::vector<int> times(elements.size(), 0);
  for (const auto& pair : pairs) {
    for (int k = 0; k < 2; ++k) {
      const detail::operator_splitting::SplitElement<double>& e = pair.elements[static_cast<std::size_t>(k)];
      if (k == 0 || !pair.alone) ++times[static_cast<std::size_t>(number_of(e))];
      for (int a = 0; a < 4; ++a) {
        const int node = e.nodes[static_cast<std::size_t>(a)];
        CHECK(pair.nodes[static_cast<std::size_t>(detail::operator_splitting::pair_node(k, a))] == node);
        CHECK((e.gradients(a, 0) == number_of(e) && e.gradients(a, 1) == node));
      }
      const auto& own = elements[static_cast<std::size_t>(number_of(e))].nodes;
      CHECK(std::is_permutation(own.begin(), own.end(), e.nodes.begin()));
    }
    const bool same = number_of(pair.elements[0]) == number_of(pair.elements[1]);
    CHECK(same == pair.alone);
    CHECK((pair.nodes[3] == pair.nodes[4]) == pair.alone);
  }
  CHECK(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

int alone_in(const std::vector<detail::operator_splitting::SplitPair<double>>& pairs) {
  return static_cast<int>(std::count_if(pairs.begin(), pairs.end(), [](const auto& p) { return p.alone; }));
}

}  // namespace

TEST_CASE("pairs of elements: of two with a face in common, nearly all of a body") {
  for (const Split split : {Split::kuhn, Split::alternating}) {
    const auto mesh = make_box<Tet4>({.lengths = {3, 2, 2}, .cells = {6, 4, 4}, .split = split});
    const Elements elements = elements_of(mesh.elements);
    const auto pairs = detail::operator_splitting::pairs_of(elements);
    check_pairs(elements, pairs);
    CHECK(alone_in(pairs) <= static_cast<int>(elements.size() / 20));
  }
}

TEST_CASE("pairs of elements: whatever the elements have in common") {
  ElementMatrix<Tet4> nodes;
  SECTION("none") { nodes.resize(4, 0); }
  SECTION("one") {
    nodes.resize(4, 1);
    nodes << 3, 1, 0, 2;
  }
  SECTION("an edge only") {
    nodes.resize(4, 2);
    nodes << 0, 0, 1, 1, 2, 4, 3, 5;
  }
  SECTION("three about one face") {
    nodes.resize(4, 3);
    nodes << 0, 2, 1, 1, 0, 2, 2, 1, 0, 3, 4, 5;
    CHECK(alone_in(detail::operator_splitting::pairs_of(elements_of(nodes))) == 1);
  }
  SECTION("all nodes") {
    nodes.resize(4, 2);
    nodes << 0, 2, 1, 1, 2, 0, 3, 3;
    CHECK(alone_in(detail::operator_splitting::pairs_of(elements_of(nodes))) == 2);
  }
  SECTION("a star: one with a neighbour at each face") {
    nodes.resize(4, 5);
    nodes << 0, 1, 0, 0, 0, 1, 2, 2, 1, 1, 2, 3, 3, 3, 2, 3, 4, 5, 6, 7;
    CHECK(alone_in(detail::operator_splitting::pairs_of(elements_of(nodes))) == 3);
  }
  SECTION("a chain of four, which is two pairs") {
    nodes.resize(4, 4);
    nodes << 1, 0, 2, 3, 2, 1, 3, 4, 3, 2, 4, 5, 4, 3, 5, 6;
    CHECK(alone_in(detail::operator_splitting::pairs_of(elements_of(nodes))) == 0);
  }
  const Elements elements = elements_of(nodes);
  check_pairs(elements, detail::operator_splitting::pairs_of(elements));
}

TEST_CASE("batches of pairs: each pair once, no node that can move twice in a batch, nearly all lanes used") {
  const auto mesh = make_box<Tet4>({.lengths = {3, 2, 2}, .cells = {9, 6, 6}});
  const Elements elements = elements_of(mesh.elements);
  const auto pairs = detail::operator_splitting::pairs_of(elements);
  const int count = static_cast<int>(mesh.node_count());
  for (const int size : {1, 4, 16}) {
    for (const int first_fixed : {0, count / 2, count}) {
      const auto batches = detail::operator_splitting::batches_of(pairs, first_fixed, size);
      std::vector<detail::operator_splitting::SplitPair<double>> all;
      for (const auto& batch : batches) {
        CHECK(static_cast<int>(batch.size()) <= size);
        std::set<int> taken;
        for (const auto& pair : batch) {
          all.push_back(pair);
          std::set<int> own(pair.nodes.begin(), pair.nodes.end());
          for (const int node : own) CHECK((node >= first_fixed || taken.insert(node).second));
        }
      }
      check_pairs(elements, all);
      CHECK(static_cast<double>(batches.size()) < 1.1 * static_cast<double>(pairs.size()) / size + 4);
    }
  }
}

TEST_CASE("batches of pairs: a piece is dealt with in the same order beside others") {
  const auto mesh = make_box<Tet4>({.lengths = {3, 2, 2}, .cells = {5, 3, 3}}),
             other = make_box<Tet4>({.lengths = {3, 2, 2}, .cells = {4, 4, 2}});
  const int count = static_cast<int>(mesh.node_count());
  const auto order = [&](const ElementMatrix<Tet4>& nodes, int nodes_in_all) {
    std::vector<std::array<int, 5>> result;
    for (const auto& batch : detail::operator_splitting::batches_of(
             detail::operator_splitting::pairs_of(elements_of(nodes)), nodes_in_all, 8)) {
      for (const auto& pair : batch) {
        if (pair.nodes[0] < count) result.push_back(pair.nodes);
      }
    }
    return result;
  };
  const auto alone = order(mesh.elements, count);
  for (const bool first : {false, true}) {
    ElementMatrix<Tet4> both(4, mesh.elements.cols() + other.elements.cols());
    const ElementMatrix<Tet4> moved = other.elements.array() + count;
    if (first) both << mesh.elements, moved;
    else both << moved, mesh.elements;
    CHECK(order(both, count + static_cast<int>(other.node_count())) == alone);
  }
}
