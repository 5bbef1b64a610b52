// The symbolic half of a sparse Cholesky factorisation: the groups of columns that are eliminated together,
// and their rows. It depends on the pattern of the matrix alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/direct/metis.hpp>
#include <pliant/linear_solver/direct/minimum_degree.hpp>
#include <pliant/linear_solver/direct/nested_dissection.hpp>

namespace pliant::detail::linear_solver {

// A front is a run of columns of L that have, up to a few zeros, the same rows below them, and is factorised
// as a dense matrix. Its rows are its own columns and then the rows below. The contribution of its
// elimination to the rows below, the update, is added to its parent: the front that has the first of these
// rows among its columns. Children come before their parent. Duff and Reid 1983; Liu 1992.
struct Fronts {
  struct Front {
    int begin, end;           // columns, in the order of elimination
    std::ptrdiff_t rows;      // index in `rows` of the first of the rows below
    std::ptrdiff_t rows_end;  // one past the last
    int parent;               // -1: none
    int part;                 // the part to which it belongs; -1: the top

    int columns() const { return end - begin; }
    int rows_below() const { return static_cast<int>(rows_end - rows); }
  };

  // A block of the matrix at its position in its front.
  struct Entry {
    int slot;
    int row, column;  // within the front
    bool transposed;
  };

  static constexpr int most_parts = 16;

  std::vector<int> order;     // the node that is eliminated k-th
  std::vector<int> position;  // the position of each node in that order
  std::vector<Front> fronts;
  std::vector<int> rows;                // of all fronts, ascending in each
  std::vector<int> place_in_parent;     // of each of `rows`: the index of the same row in the parent's front
  core::CompressedRows<Entry> entries;  // of each front
  core::CompressedRows<int> children;   // of each front, ascending
  std::vector<std::vector<int>> parts;  // independent subtrees; fronts ascending
  std::vector<int> top;                 // the fronts above all parts, ascending

  // Orders by minimum degree, by nested dissection or, in a program with METIS, by METIS: takes the order for
  // which L has the fewest blocks. For small or branching bodies minimum degree fills so little that no
  // nested dissection is tried.
  static Fronts of(const BlockPattern& pattern) {
    constexpr std::ptrdiff_t few = 80;  // blocks per node
    const Adjacency graph = graph_of(pattern);
    Fronts result = in_order(graph, minimum_degree(graph));
    const auto take_if_less = [&](Fronts other) {
      if (other.blocks() < result.blocks()) result = std::move(other);
    };
    if (result.blocks() > few * pattern.rows()) take_if_less(in_order(graph, nested_dissection(graph)));
    if (order_by_metis != nullptr) {
      std::vector<int> by_metis = order_by_metis(graph);
      if (std::ssize(by_metis) == pattern.rows()) take_if_less(in_order(graph, std::move(by_metis)));
    }
    result.link(pattern);
    result.cut();
    return result;
  }

  // In a given order of elimination, up to reordering of independent nodes.
  static Fronts of(const BlockPattern& pattern, std::vector<int> order) {
    Fronts result = in_order(graph_of(pattern), std::move(order));
    result.link(pattern);
    result.cut();
    return result;
  }

  // Blocks of L, including the zeros in the fronts.
  std::ptrdiff_t blocks() const {
    std::ptrdiff_t sum = 0;
    for (const Front& f : fronts) {
      sum += std::ptrdiff_t{f.columns()} * (f.columns() + 1) / 2 + f.columns() * (f.rows_end - f.rows);
    }
    return sum;
  }

  // The total work of each subtree, by its root; own(front) is the work of a front alone.
  template <class Own>
  std::vector<double> work_of_subtrees(Own&& own) const {
    std::vector<double> work(fronts.size(), 0);
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      work[f] += own(fronts[f]);
      if (fronts[f].parent >= 0) work[at(fronts[f].parent)] += work[f];
    }
    return work;
  }

  struct Dealt {
    std::vector<int> part_of;  // of each front; -1: above all given subtrees
    double heaviest = 0;       // the largest work of a part
  };

  // Distributes subtrees, given by their roots, over parts: always the subtree with the most work of the rest
  // to the part with the least work. Leaves the roots in that order.
  Dealt deal(std::vector<int>& roots, const std::vector<double>& work, std::ptrdiff_t count) const {
    std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) { return work[at(a)] > work[at(b)]; });
    Dealt result{std::vector<int>(fronts.size(), -1)};
    std::vector<double> load(at(count), 0);
    for (const int root : roots) {
      const auto part = std::min_element(load.begin(), load.end()) - load.begin();
      load[at(part)] += work[at(root)];
      result.heaviest = std::max(result.heaviest, load[at(part)]);
      result.part_of[at(root)] = static_cast<int>(part);
    }
    for (std::size_t f = fronts.size(); f-- > 0;) {
      const int parent = fronts[f].parent;
      if (parent >= 0 && result.part_of[at(parent)] >= 0) result.part_of[f] = result.part_of[at(parent)];
    }
    return result;
  }

  // The fronts of each of `count` parts and, last, those that are in no part, all ascending.
  static std::vector<std::vector<int>> grouped(const std::vector<int>& part_of, std::ptrdiff_t count) {
    std::vector<std::vector<int>> result(at(count) + 1);
    for (std::size_t f = 0; f < part_of.size(); ++f) {
      result[at(part_of[f] < 0 ? count : part_of[f])].push_back(static_cast<int>(f));
    }
    return result;
  }

 private:
  static constexpr std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

  // Finds the fronts, without parents and parts.
  static Fronts in_order(const Adjacency& graph, std::vector<int> order) {
    Fronts result;
    result.order = std::move(order);
    result.find_fronts(graph, result.postorder(graph));
    return result;
  }

  // Calls run(j) for the positions j, in the order of elimination, of the neighbours of the k-th node.
  template <class Run>
  void for_each_neighbour(const Adjacency& graph, int k, Run&& run) const {
    for (const int neighbour : graph[order[at(k)]]) run(position[at(neighbour)]);
  }

  void number_positions() {
    position.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) position[at(order[k])] = static_cast<int>(k);
  }

  // The parent of column j in the elimination tree is the first row below the diagonal of L(:, j).
  std::vector<int> elimination_tree(const Adjacency& graph) const {
    const int count = static_cast<int>(order.size());
    std::vector<int> parent(order.size(), -1), ancestor(order.size(), -1);
    for (int k = 0; k < count; ++k) {
      for_each_neighbour(graph, k, [&](int j) {
        while (j != -1 && j < k) {
          const int next = std::exchange(ancestor[at(j)], k);
          if (next == -1) parent[at(j)] = k;
          j = next;
        }
      });
    }
    return parent;
  }

  // Blocks in each column of L, the diagonal included.
  std::vector<int> column_counts(const Adjacency& graph, const std::vector<int>& parent) const {
    const int count = static_cast<int>(order.size());
    std::vector<int> counts(order.size(), 1), mark(order.size(), -1);
    for (int k = 0; k < count; ++k) {
      mark[at(k)] = k;
      for_each_neighbour(graph, k, [&](int j) {
        for (; j < k && mark[at(j)] != k; j = parent[at(j)]) {
          mark[at(j)] = k;
          ++counts[at(j)];
        }
      });
    }
    return counts;
  }

  // Makes every subtree contiguous, with the child with the longest column last, next to its parent. Returns
  // the lengths of the columns in the new order; reordering does not change them.
  std::vector<int> postorder(const Adjacency& graph) {
    number_positions();
    const std::vector<int> parent = elimination_tree(graph), counts = column_counts(graph, parent);
    const int count = static_cast<int>(order.size());
    std::vector<int> by_count(order.size());
    std::iota(by_count.begin(), by_count.end(), 0);
    std::stable_sort(by_count.begin(), by_count.end(),
                     [&](int a, int b) { return counts[at(a)] > counts[at(b)]; });
    // Lists of children, the shortest column first.
    std::vector<int> first(order.size() + 1, -1), sibling(order.size(), -1);
    for (const int j : by_count) {
      int& head = first[at(parent[at(j)] == -1 ? count : parent[at(j)])];
      sibling[at(j)] = head;
      head = j;
    }
    std::vector<int> sorted, sorted_counts, path;
    sorted.reserve(order.size());
    sorted_counts.reserve(order.size());
    for (int next = first[at(count)]; next != -1 || !path.empty();) {
      if (next != -1) {
        path.push_back(next);
        next = first[at(next)];
      } else {
        const int done = path.back();
        path.pop_back();
        sorted.push_back(order[at(done)]);
        sorted_counts.push_back(counts[at(done)]);
        next = sibling[at(done)];
      }
    }
    order = std::move(sorted);
    number_positions();
    return sorted_counts;
  }

  // A front while fronts are merged.
  struct Candidate {
    int begin, end;
    std::vector<int> rows;     // below
    std::ptrdiff_t zeros = 0;  // blocks that are stored although they are zero
  };

  // `counts`: the lengths of the columns.
  void find_fronts(const Adjacency& graph, const std::vector<int>& counts) {
    const std::vector<int> parent = elimination_tree(graph);
    const int count = static_cast<int>(order.size());
    std::vector<std::vector<int>> rows_of;  // of each front without zeros
    std::vector<int> first_child(order.size(), -1), sibling;
    std::vector<int> mark(order.size(), -1);
    std::vector<Candidate> joined;
    for (int begin = 0, end = 0; begin < count; begin = end) {
      for (end = begin + 1;
           end < count && parent[at(end) - 1] == end && counts[at(end) - 1] == counts[at(end)] + 1;) {
        ++end;
      }
      const int number = static_cast<int>(rows_of.size());
      std::vector<int> below;
      const auto take = [&](int row) {
        if (row < end || mark[at(row)] == number) return;
        mark[at(row)] = number;
        below.push_back(row);
      };
      for (int k = begin; k < end; ++k) {
        for_each_neighbour(graph, k, take);
        for (int child = first_child[at(k)]; child != -1; child = sibling[at(child)]) {
          for (const int row : rows_of[at(child)]) take(row);
        }
      }
      std::sort(below.begin(), below.end());
      sibling.push_back(below.empty() ? -1 : std::exchange(first_child[at(below.front())], number));
      rows_of.push_back(below);

      Candidate front{begin, end, std::move(below)};
      while (!joined.empty() && worth_joining(joined.back(), front)) {
        front.zeros += joined.back().zeros + new_zeros(joined.back(), front);
        front.begin = joined.back().begin;
        joined.pop_back();
      }
      joined.push_back(std::move(front));
    }
    for (const Candidate& front : joined) {
      const auto first = std::ssize(rows);
      rows.insert(rows.end(), front.rows.begin(), front.rows.end());
      fronts.push_back({front.begin, front.end, first, std::ssize(rows), -1, -1});
    }
  }

  // The zero blocks that the columns of the child get if it is merged with its parent.
  static std::ptrdiff_t new_zeros(const Candidate& child, const Candidate& parent) {
    return (child.end - child.begin) *
           (parent.end - parent.begin + std::ssize(parent.rows) - std::ssize(child.rows));
  }

  // Merging makes fronts larger, and thereby faster, until the zeros cost more. The last child is next to its
  // parent.
  static bool worth_joining(const Candidate& child, const Candidate& parent) {
    if (child.rows.empty() || child.rows.front() >= parent.end) return false;
    const std::ptrdiff_t columns = parent.end - child.begin;
    const std::ptrdiff_t blocks = columns * (columns + 1) / 2 + columns * std::ssize(parent.rows);
    const double zeros = static_cast<double>(child.zeros + parent.zeros + new_zeros(child, parent));
    const double part = columns <= 4 ? 0.4 : columns <= 16 ? 0.2 : columns <= 48 ? 0.1 : 0.05;
    return zeros <= part * static_cast<double>(blocks);
  }

  // Sets parents and children, and the targets of rows and of blocks of the matrix.
  void link(const BlockPattern& pattern) {
    std::vector<int> front_of(order.size());
    const int count = static_cast<int>(fronts.size());
    for (int f = 0; f < count; ++f) {
      for (int k = fronts[at(f)].begin; k < fronts[at(f)].end; ++k) front_of[at(k)] = f;
    }
    place_in_parent.resize(rows.size());
    for (Front& front : fronts) {
      if (front.rows == front.rows_end) continue;
      front.parent = front_of[at(rows[at(front.rows)])];
      for (std::ptrdiff_t k = front.rows; k < front.rows_end; ++k) {
        place_in_parent[at(k)] = place(fronts[at(front.parent)], rows[at(k)]);
      }
    }
    children.sort(count, [&](auto&& take) {
      for (int f = 0; f < count; ++f) {
        if (fronts[at(f)].parent >= 0) take(fronts[at(f)].parent, f);
      }
    });
    entries.sort(count, [&](auto&& take) {
      for (int i = 0; i < pattern.rows(); ++i) {
        for (int k = pattern.row_begin[at(i)]; k < pattern.row_begin[at(i) + 1]; ++k) {
          const int a = position[at(i)], b = position[at(pattern.columns[at(k)])];
          const int f = front_of[at(std::min(a, b))];
          const Front& front = fronts[at(f)];
          take(f, Entry{k, place(front, std::max(a, b)), std::min(a, b) - front.begin, a < b});
        }
      }
    });
  }

  // The index within the front of a row of the matrix.
  int place(const Front& front, int row) const {
    if (row < front.end) return row - front.begin;
    const auto first = rows.begin() + front.rows;
    return front.columns() +
           static_cast<int>(std::lower_bound(first, rows.begin() + front.rows_end, row) - first);
  }

  // Cuts off subtrees, each with at most half of an equal share of the work, and distributes them over the
  // parts. They depend on the pattern alone, not on the number of threads.
  void cut() {
    constexpr double worth_parts = 1e6;  // products of blocks
    const std::vector<double> work = work_of_subtrees([](const Front& f) {
      const double n = f.columns(), m = f.rows_below();
      return n * (n * n / 3 + n * m + m * m) / 2;
    });
    double total = 0;
    for (std::size_t f = 0; f < fronts.size(); ++f) total += fronts[f].parent < 0 ? work[f] : 0;
    const double share = total < worth_parts ? 0 : total / (2 * most_parts);
    std::vector<int> roots;
    for (int f = 0; f < static_cast<int>(fronts.size()); ++f) {
      const int parent = fronts[at(f)].parent;
      if (work[at(f)] <= share && (parent < 0 || work[at(parent)] > share)) roots.push_back(f);
    }
    const auto count = std::min<std::ptrdiff_t>(most_parts, std::ssize(roots));
    const Dealt dealt = deal(roots, work, count);
    for (std::size_t f = 0; f < fronts.size(); ++f) fronts[f].part = dealt.part_of[f];
    parts = grouped(dealt.part_of, count);
    top = std::move(parts.back());
    parts.pop_back();
  }
};

}  // namespace pliant::detail::linear_solver
