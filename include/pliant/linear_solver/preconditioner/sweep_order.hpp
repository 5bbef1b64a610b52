// The order in which the rows of an incomplete factor are processed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/assembly/ordering.hpp>

namespace pliant::detail::linear_solver {

// The nodes, numbered so that neighbours have close numbers, are cut into parts, and each part into two
// chains, which run from its ends towards each other: the arithmetic of one chain does not wait for the
// other. For two parts, in the numbering of the nodes:
//   | chain 0 -->  <-- chain 1 | chain 2 -->  <-- chain 3 |
// A row with a neighbour in a later chain is late, and comes after all other rows; the early rows of a chain
// are then independent of the other chains. The coupling between late rows of different parts is dropped. The
// cuts depend on the graph alone, and each row is computed from the same numbers in any order of the chains:
// threads may share the parts or the chains without a change of bits. docs/architecture.md has a drawing.
//
// A cut costs iterations (a quarter more at Poisson's ratio 0.45, for any number of cuts), so that only large
// meshes have several parts.
struct SweepOrder {
  // A range of permuted indices.
  struct Range {
    int begin, end;
  };
  // All early rows come first. After the early rows of all parts, each part processes its late rows.
  struct Part {
    std::array<Range, 2> chains;
    Range late;
  };

  static constexpr int most_parts = 8;

  std::vector<int> node;   // of each permuted index
  std::vector<int> place;  // permuted index of each node
  std::vector<Part> parts;

  // Whether the factor may couple two permuted indices.
  bool couples(int k, int j) const {
    const int first_late = parts.front().late.begin;
    return k < first_late || j < first_late || part_of_late(k) == part_of_late(j);
  }

  // With parts of at least rows_per_part rows.
  static SweepOrder of_graph(const Adjacency& graph, std::ptrdiff_t rows_per_part = 64'000) {
    const int count = static_cast<int>(graph.rows());
    const int parts = part_count(graph, rows_per_part), segments = 2 * parts;
    std::vector<int> begin;
    for (int s = 0; s <= segments; ++s) {
      begin.push_back(static_cast<int>(std::ptrdiff_t{count} * s / segments));
    }
    // Whether a row of a segment has a neighbour in a later segment.
    const auto is_late = [&](int i, int segment) {
      return !graph[i].empty() && graph[i].back() >= begin[at(segment + 1)];
    };
    SweepOrder result;
    result.parts.resize(at(parts));
    // The second chain of a part runs backwards: a band matrix then has fill-in only where chains meet.
    const auto append = [&](int segment, bool late) {
      const Range range{begin[at(segment)], begin[at(segment + 1)]};
      for (int n = 0; n < range.end - range.begin; ++n) {
        const int i = segment % 2 == 0 ? range.begin + n : range.end - 1 - n;
        if (is_late(i, segment) == late) result.node.push_back(i);
      }
      return static_cast<int>(result.node.size());
    };
    int end = 0;
    const auto range_to = [&](int new_end) { return Range{std::exchange(end, new_end), new_end}; };
    for (int s = 0; s < segments; ++s) result.parts[at(s / 2)].chains[at(s % 2)] = range_to(append(s, false));
    for (int p = 0; p < parts; ++p) {
      append(2 * p, true);
      result.parts[at(p)].late = range_to(append(2 * p + 1, true));
    }
    result.place.resize(at(count));
    for (int k = 0; k < count; ++k) result.place[at(result.node[at(k)])] = k;
    return result;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int part_of_late(int k) const {
    int part = 0;
    while (k >= parts[at(part)].late.end) ++part;
    return part;
  }

  // Chains must be several times as long as the bandwidth of the coupling, otherwise most rows are late.
  static int part_count(const Adjacency& graph, std::ptrdiff_t rows_per_part) {
    constexpr std::ptrdiff_t reaches_per_part = 8;
    const std::ptrdiff_t count = graph.rows();
    std::ptrdiff_t reach = 1;
    for (int i = 0; i < count; ++i) {
      if (!graph[i].empty()) reach += std::max(graph[i].back() - i, 0);
    }
    reach = std::max<std::ptrdiff_t>(reach / std::max<std::ptrdiff_t>(count, 1), 1);
    const std::ptrdiff_t wanted = std::min(count / rows_per_part, count / (reaches_per_part * reach));
    return static_cast<int>(std::clamp<std::ptrdiff_t>(wanted, 1, most_parts));
  }
};

}  // namespace pliant::detail::linear_solver
