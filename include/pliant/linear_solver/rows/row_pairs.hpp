// The sparse part of the matrix of rows: J D^-1 J^T for a block-diagonal D.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant::detail::linear_solver {

// The blocks of rows that act on a node: the number of the block, and the place of the node in it.
using RowsAtNode = std::vector<std::vector<std::pair<int, int>>>;

// Appends the places of block `number`.
inline void append_places(const RowBlock& block, std::size_t number, RowsAtNode& at_node) {
  for (std::size_t place = 0; place < RowBlock::most_nodes && block.node[place] != RowBlock::none; ++place) {
    at_node[static_cast<std::size_t>(block.node[place])].push_back(
        {static_cast<int>(number), static_cast<int>(place)});
  }
}

// The matrix of a pattern in which row i has these neighbours, in any order, without itself.
template <class RowMatrix>
RowMatrix matrix_of_rows(std::vector<std::vector<int>>& neighbours) {
  Adjacency graph;
  graph.begin.push_back(0);
  for (std::vector<int>& row : neighbours) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.list.insert(graph.list.end(), row.begin(), row.end());
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  return RowMatrix(std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph)));
}

// All pairs of blocks that act on a common node, with their places in a matrix of the rows. The matrix is
// filled without a search.
class RowPairs {
 public:
  // Adds the neighbours that blocks have by nodes for which is_local(node).
  template <class IsLocal>
  void add_neighbours(const RowsAtNode& at_node, const IsLocal& is_local,
                      std::vector<std::vector<int>>& neighbours) {
    pairs_.clear();
    for (std::size_t node = 0; node < at_node.size(); ++node) {
      if (!is_local(static_cast<int>(node))) continue;
      for (const auto& [a, in_a] : at_node[node]) {
        for (const auto& [b, in_b] : at_node[node]) {
          if (a != b) neighbours[static_cast<std::size_t>(a)].push_back(b);
          if (a <= b) pairs_.push_back({a, b, in_a, in_b, 0});
        }
      }
    }
  }

  // Finds the places in the matrix of these neighbours.
  void find_slots(const BlockPattern& pattern) {
    for (Pair& pair : pairs_) pair.slot = pattern.slot(pair.a, pair.b);
  }

  // W += J D^-1 J^T; inverse(node) is the block of D^-1.
  template <class Inverse, class RowMatrix>
  void add(const std::vector<RowBlock>& blocks, const Inverse& inverse, RowMatrix& W) const {
    RowBlock::Block spread;
    int a = -1, in_a = -1;
    for (const Pair& pair : pairs_) {
      const RowBlock& row = blocks[static_cast<std::size_t>(pair.a)];
      const auto in_row = static_cast<std::size_t>(pair.in_a);
      if (pair.a != a || pair.in_a != in_a) {
        spread = row.J[in_row] * inverse(row.node[in_row]);
        a = pair.a;
        in_a = pair.in_a;
      }
      const RowBlock& column = blocks[static_cast<std::size_t>(pair.b)];
      W.block(pair.slot) += spread * column.J[static_cast<std::size_t>(pair.in_b)].transpose();
    }
  }

 private:
  struct Pair {
    int a, b;  // a <= b
    int in_a, in_b;
    int slot;
  };

  std::vector<Pair> pairs_;
};

}  // namespace pliant::detail::linear_solver
