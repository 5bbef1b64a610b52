// The order in which the rows of an incomplete factor are worked through.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <pliant/assembly/ordering.hpp>

namespace pliant {

// The numbering of the nodes, which keeps neighbours together, is cut into segments. A row that has a
// neighbour in a later segment comes late, after all that have none; what comes early in one segment then
// knows nothing of the others, and segments are worked through side by side: two of them, turn by turn from
// their far ends towards each other, make a part, so that a processor has two chains of operations that do
// not wait for each other, and threads share the parts. The coupling of late rows of different parts is left
// out. Segments are cut by the graph alone.
struct SweepOrder {
  // Places in the order; a part goes through its early rows and, when all parts have, through its late ones.
  struct Part {
    int early_begin, early_end;
    int late_begin, late_end;
  };

  static constexpr int most_parts = 8;

  std::vector<int> node;   // at each place
  std::vector<int> place;  // of each node
  std::vector<Part> parts;

  // Whether the factor may couple two places.
  bool couples(int k, int j) const {
    const int first_late = parts.front().late_begin;
    return k < first_late || j < first_late || part_of_late(k) == part_of_late(j);
  }

  static SweepOrder of_graph(const Adjacency& graph) {
    const int count = static_cast<int>(graph.begin.size()) - 1;
    const int parts = part_count(graph), segments = 2 * parts;
    std::vector<int> begin;
    for (int s = 0; s <= segments; ++s) {
      begin.push_back(static_cast<int>(std::ptrdiff_t{count} * s / segments));
    }
    const auto is_late = [&](int i, int end) {
      const int last = graph.begin[at(i) + 1];
      return last > graph.begin[at(i)] && graph.list[at(last - 1)] >= end;
    };
    SweepOrder result;
    result.parts.resize(at(parts));
    for (const bool late : {false, true}) {
      for (int p = 0; p < parts; ++p) {
        Part& part = result.parts[at(p)];
        (late ? part.late_begin : part.early_begin) = static_cast<int>(result.node.size());
        // From both ends towards the middle: a band matrix then gets no fill-in but where parts meet.
        int left = begin[at(2 * p)], right = begin[at(2 * p + 2)] - 1;
        const int middle = begin[at(2 * p + 1)], end = begin[at(2 * p + 2)];
        while (left < middle || right >= middle) {
          while (left < middle && is_late(left, middle) != late) ++left;
          if (left < middle) result.node.push_back(left++);
          while (right >= middle && is_late(right, end) != late) --right;
          if (right >= middle) result.node.push_back(right--);
        }
        (late ? part.late_end : part.early_end) = static_cast<int>(result.node.size());
      }
    }
    result.place.resize(at(count));
    for (int k = 0; k < count; ++k) result.place[at(result.node[at(k)])] = k;
    return result;
  }

 private:
  static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int part_of_late(int k) const {
    int part = 0;
    while (k >= parts[at(part)].late_end) ++part;
    return part;
  }

  // Segments must be several times as long as the coupling between rows reaches, or most rows are late.
  static int part_count(const Adjacency& graph) {
    constexpr std::ptrdiff_t rows_per_part = 1500, reaches_per_part = 8;
    const auto count = static_cast<std::ptrdiff_t>(graph.begin.size()) - 1;
    std::ptrdiff_t reach = 1;
    for (int i = 0; i < count; ++i) {
      const int last = graph.begin[at(i) + 1];
      if (last > graph.begin[at(i)]) reach += std::max(graph.list[at(last - 1)] - i, 0);
    }
    reach = std::max<std::ptrdiff_t>(reach / std::max<std::ptrdiff_t>(count, 1), 1);
    const std::ptrdiff_t wanted = std::min(count / rows_per_part, count / (reaches_per_part * reach));
    return static_cast<int>(std::clamp<std::ptrdiff_t>(wanted, 1, most_parts));
  }
};

}  // namespace pliant
