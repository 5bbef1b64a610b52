#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <set>
#include <vector>

#include <pliant/linear_solver/direct/fronts.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// By rows, in the order of elimination: which entries of L are not zero, found by eliminating.
std::vector<std::vector<char>> factor_pattern(const BlockPattern& pattern,
                                              const detail::linear_solver::Fronts& fronts) {
  const std::size_t count = fronts.order.size();
  std::vector<std::vector<char>> linked(count, std::vector<char>(count, 0));
  for (int i = 0; i < static_cast<int>(count); ++i) {
    for (int k = pattern.row_begin[at(i)]; k < pattern.row_begin[at(i) + 1]; ++k) {
      const std::size_t a = at(fronts.position[at(i)]), b = at(fronts.position[at(pattern.columns[at(k)])]);
      linked[a][b] = linked[b][a] = 1;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = k + 1; i < count; ++i) {
      for (std::size_t j = k + 1; j < count && linked[i][k] != 0; ++j) linked[i][j] |= linked[j][k];
    }
  }
  return linked;
}

std::shared_ptr<const BlockPattern> pattern_of(const Mesh<Tet4>& mesh) {
  return std::make_shared<const BlockPattern>(
      BlockPattern::from_graph(neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count())));
}

void check_fronts(const BlockPattern& pattern) {
  const detail::linear_solver::Fronts fronts = detail::linear_solver::Fronts::of(pattern);
  const auto count = static_cast<int>(pattern.rows());
  REQUIRE(std::ssize(fronts.order) == count);
  bool inverse = true;
  for (int k = 0; k < count; ++k) inverse = inverse && fronts.position[at(fronts.order[at(k)])] == k;
  REQUIRE(inverse);

  const auto filled = factor_pattern(pattern, fronts);
  std::ptrdiff_t stored = 0, needed = 0;
  int next = 0;
  bool all_stored = true, ascending = true, in_parent = true, children_first = true;
  for (std::size_t f = 0; f < fronts.fronts.size(); ++f) {
    const auto& front = fronts.fronts[f];
    REQUIRE(front.begin == next);
    REQUIRE(front.end > front.begin);
    next = front.end;
    const std::vector<int> below(fronts.rows.begin() + front.rows, fronts.rows.begin() + front.rows_end);
    ascending = ascending && std::is_sorted(below.begin(), below.end()) &&
                (below.empty() || below.front() >= front.end);
    const std::set<int> rows(below.begin(), below.end());
    REQUIRE(rows.size() == below.size());
    for (int c = front.begin; c < front.end; ++c) {
      stored += front.end - c + std::ssize(below);
      for (int r = c; r < count; ++r) {
        if (filled[at(r)][at(c)] == 0) continue;
        ++needed;
        all_stored = all_stored && (r < front.end || rows.contains(r));
      }
    }
    REQUIRE((front.parent == -1) == below.empty());
    if (below.empty()) continue;
    children_first = children_first && front.parent > static_cast<int>(f);
    const auto& parent = fronts.fronts[at(front.parent)];
    in_parent = in_parent && below.front() >= parent.begin && below.front() < parent.end;
    for (std::size_t k = 0; k < below.size(); ++k) {
      const int place = fronts.place_in_parent[at(front.rows) + k];
      const int row = place < parent.columns() ? parent.begin + place
                                               : fronts.rows[at(parent.rows + place - parent.columns())];
      in_parent = in_parent && row == below[k];
    }
    const auto first = fronts.children[front.parent].begin(), last = fronts.children[front.parent].end();
    children_first = children_first && std::count(first, last, static_cast<int>(f)) == 1;
  }
  CHECK(next == count);
  CHECK(all_stored);
  CHECK(ascending);
  CHECK(in_parent);
  CHECK(children_first);
  CHECK(stored == fronts.blocks());
  CAPTURE(stored, needed);
  CHECK(static_cast<double>(stored) <= 1.4 * static_cast<double>(needed));  // the price of larger fronts

  // Every block of the matrix, once, where it belongs.
  std::set<int> slots;
  bool placed = true;
  for (std::size_t f = 0; f < fronts.fronts.size(); ++f) {
    const auto& front = fronts.fronts[f];
    for (const detail::linear_solver::Fronts::Entry& entry : fronts.entries[static_cast<std::ptrdiff_t>(f)]) {
      slots.insert(entry.slot);
      const int row = entry.row < front.columns() ? front.begin + entry.row
                                                  : fronts.rows[at(front.rows + entry.row - front.columns())];
      const int a = fronts.order[at(row)], b = fronts.order[at(front.begin + entry.column)];
      placed = placed && entry.row >= entry.column &&
               pattern.slot(std::min(a, b), std::max(a, b)) == entry.slot &&
               pattern.columns[at(entry.slot)] == std::max(a, b) && entry.transposed == (b < a);
    }
  }
  CHECK(placed);
  CHECK(std::ssize(slots) == pattern.blocks());
  CHECK(std::ssize(fronts.entries.list) == pattern.blocks());

  // Parts are whole subtrees.
  std::vector<int> seen(fronts.fronts.size(), 0);
  bool subtrees = true;
  for (std::size_t p = 0; p < fronts.parts.size(); ++p) {
    CHECK(std::is_sorted(fronts.parts[p].begin(), fronts.parts[p].end()));
    for (const int f : fronts.parts[p]) {
      ++seen[at(f)];
      subtrees = subtrees && fronts.fronts[at(f)].part == static_cast<int>(p);
      for (const int child : fronts.children[f]) {
        subtrees = subtrees && fronts.fronts[at(child)].part == static_cast<int>(p);
      }
    }
  }
  for (const int f : fronts.top) {
    ++seen[at(f)];
    subtrees = subtrees && fronts.fronts[at(f)].part == -1;
  }
  CHECK(subtrees);
  CHECK(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

}  // namespace

TEST_CASE("fronts: every entry of the factor has its place, and every block of the matrix is in one") {
  std::mt19937 random(1);
  for (const int nodes : {1, 2, 7, 40, 300}) {
    INFO(nodes << " nodes");
    check_fronts(*random_pattern(nodes, random));
  }
  Adjacency nothing_connected;
  nothing_connected.begin.assign(12, 0);
  check_fronts(BlockPattern::from_graph(nothing_connected));
}

TEST_CASE("fronts: those of a mesh are cut into parts, none of which takes more than its share of the work") {
  const auto pattern = pattern_of(make_box<Tet4>({.cells = {9, 9, 8}, .split = Split::kuhn}));
  check_fronts(*pattern);
  const detail::linear_solver::Fronts fronts = detail::linear_solver::Fronts::of(*pattern);
  REQUIRE(fronts.parts.size() == detail::linear_solver::Fronts::most_parts);
  // Multiplications: each column with k rows, the diagonal included, takes k^2 / 2.
  const auto work_of = [&](const std::vector<int>& list) {
    double work = 0;
    for (const int f : list) {
      const auto& front = fronts.fronts[at(f)];
      for (int k = 1; k <= front.columns(); ++k) work += std::pow(front.rows_below() + k, 2) / 2;
    }
    return work;
  };
  double total = work_of(fronts.top), most = 0;
  for (const auto& part : fronts.parts) {
    total += work_of(part);
    most = std::max(most, work_of(part));
  }
  CAPTURE(total, most);
  CHECK(most <= total / detail::linear_solver::Fronts::most_parts);
  CHECK(most > 0);
  // A few dense fronts instead of as many columns as nodes.
  CHECK(10 * fronts.fronts.size() < 6 * fronts.order.size());
}
