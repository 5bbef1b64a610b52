// Rigid motions that nothing holds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/core/symmetric_eigen.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

namespace detail {

// A connected part of a body, as far as its rigid motions are concerned. Positions are counted from its first
// held node.
template <int Dim>
struct HeldPart {
  double size = 0;                                                                // [m]
  int held = 0;                                                                   // nodes
  SmallVector<double, Dim> anchor = SmallVector<double, Dim>::Zero();             // the first of them [m]
  SmallVector<double, Dim> sum = SmallVector<double, Dim>::Zero();                // of their positions [m]
  SmallMatrix<double, Dim, Dim> squares = SmallMatrix<double, Dim, Dim>::Zero();  // of the same [m^2]

  void hold(const SmallVector<double, Dim>& position) {
    if (held++ == 0) anchor = position;
    const SmallVector<double, Dim> from_anchor = position - anchor;
    sum += from_anchor;
    squares += from_anchor * from_anchor.transpose();
  }

  // Dimensions that the held nodes span: -1 without any, 0 for a point, 1 for a line, and so on. What is
  // below the rounding of the size of the part is nothing.
  int span() const {
    if (held == 0) return -1;
    const SmallVector<double, Dim> mean = sum / held;
    const auto axes = symmetric_eigen<double, Dim>(squares / held - mean * mean.transpose());
    int result = 0;
    for (int axis = 0; axis < Dim; ++axis) result += axes.values[axis] > 1e-12 * size * size ? 1 : 0;
    return result;
  }
};

}  // namespace detail

// In words, which parts of a body can move as rigid bodies although the nodes `fixed` (internal numbering)
// are held; empty where none can. Parts are what the pattern connects; `x` are positions [m]. A part is held
// by three nodes that are not on one line, in 2D by two. Parts that hang together at a node or an edge only
// count as one, although they can turn there.
template <class Vector>
std::string free_motion(const BlockPattern& pattern, const std::vector<int>& fixed,
                        const std::vector<int>& to_user, const Vector& x) {
  constexpr int dim = Vector::dim;
  const auto nodes = static_cast<int>(pattern.rows());
  detail::DisjointSets sets(nodes);
  for (int i = 0; i < nodes; ++i) {
    for (int k = pattern.row_begin[static_cast<std::size_t>(i)];
         k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
      sets.join(i, pattern.columns[static_cast<std::size_t>(k)]);
    }
  }
  std::vector<detail::HeldPart<dim>> parts(static_cast<std::size_t>(nodes));  // by representative
  for (int i = 0; i < nodes; ++i) {
    const int representative = sets.representative(i);
    double& size = parts[static_cast<std::size_t>(representative)].size;
    size = std::max(size, static_cast<double>((x.node(i) - x.node(representative)).norm()));
  }
  for (const int node : fixed) {
    parts[static_cast<std::size_t>(sets.representative(node))].hold(x.node(node).template cast<double>());
  }
  std::string words;
  for (int i = 0; i < nodes; ++i) {
    if (sets.representative(i) != i) continue;
    const int span = parts[static_cast<std::size_t>(i)].span();
    if (span >= dim - 1) continue;
    if (!words.empty()) words += "; ";
    words += "the part of node " + std::to_string(to_user[static_cast<std::size_t>(i)]) + " can ";
    if (span < 0) {
      words += "move and turn freely, for none of its nodes is held";
    } else if (span == 0) {
      words += "turn about a point, for all of its held nodes are there";
    } else {
      words += "turn about a line, for all of its held nodes are on it";
    }
  }
  return words;
}

}  // namespace pliant
