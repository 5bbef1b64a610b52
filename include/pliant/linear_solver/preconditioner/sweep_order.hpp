// The order in which the rows of an incomplete factor are worked through.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/assembly/ordering.hpp>

namespace pliant {

// The numbering of the nodes, which keeps neighbours together, is cut into parts, and each part into two
// chains that run from its far ends towards each other: what a processor computes in one of them does not
// wait for the other. A row that has a neighbour in a later chain comes late, after all rows that have none;
// the early rows of a chain are then independent of all other chains. The coupling of late rows of different
// parts is left out. Parts are cut by the graph alone, and whatever order the chains are worked through in,
// each row is computed from the same numbers: threads may share the parts or the chains, and the bits stay
// the same.
//
// A cut costs iterations (a quarter at Poisson's ratio 0.45, however many follow), so that a mesh is one part
// unless it is large.
struct SweepOrder {
  // A range of places in the order.
  struct Range {
    int begin, end;
  };
  // All early rows come first. When all parts have gone through theirs, each goes through its late ones.
  struct Part {
    std::array<Range, 2> chains;
    Range late;
  };

  static constexpr int most_parts = 8;

  std::vector<int> node;   // at each place
  std::vector<int> place;  // of each node
  std::vector<Part> parts;

  // Whether the factor may couple two places.
  bool couples(int k, int j) const {
    const int first_late = parts.front().late.begin;
    return k < first_late || j < first_late || part_of_late(k) == part_of_late(j);
  }

  // In parts of at least rows_per_part rows.
  static SweepOrder of_graph(const Adjacency& graph, std::ptrdiff_t rows_per_part = 64'000) {
    const int count = static_cast<int>(graph.rows());
    const int parts = part_count(graph, rows_per_part), segments = 2 * parts;
    std::vector<int> begin;
    for (int s = 0; s <= segments; ++s) {
      begin.push_back(static_cast<int>(std::ptrdiff_t{count} * s / segments));
    }
    // Whether a row of a segment has a neighbour in a later one.
    const auto is_late = [&](int i, int segment) {
      return !graph[i].empty() && graph[i].back() >= begin[at(segment + 1)];
    };
    SweepOrder result;
    result.parts.resize(at(parts));
    // The second chain of a part runs backwards: a band matrix then gets no fill-in but where chains meet.
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

  // Chains must be several times as long as the coupling between rows reaches, or most rows are late.
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

}  // namespace pliant
