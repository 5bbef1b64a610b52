// Rigid motions that nothing holds.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/mesh/disjoint_sets.hpp>

namespace pliant {

namespace detail {

// The held nodes of a connected part of a body, as far as its rigid motions are concerned.
template <int Dim>
struct HeldPart {
  int first_node = 0;  // any node of the part
  int held = 0;
  SmallVector<double, Dim> sum = SmallVector<double, Dim>::Zero();                // of positions
  SmallMatrix<double, Dim, Dim> squares = SmallMatrix<double, Dim, Dim>::Zero();  // of positions
  SmallVector<double, Dim> anchor = SmallVector<double, Dim>::Zero();             // a held node

  // Dimensions that the held nodes span: -1 without any, 0 for a point, 1 for a line, and so on. Positions
  // are counted from the anchor, and what is below the rounding of the size of the part is nothing.
  int span(double size) const {
    if (held == 0) return -1;
    const SmallVector<double, Dim> mean = sum / held;
    const SmallMatrix<double, Dim, Dim> spread = squares / held - mean * mean.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, Dim, Dim>> axes(
        Eigen::Matrix<double, Dim, Dim>(spread), Eigen::EigenvaluesOnly);
    int result = 0;
    for (int axis = 0; axis < Dim; ++axis) {
      if (axes.eigenvalues()(axis) > 1e-12 * size * size) ++result;
    }
    return result;
  }
};

}  // namespace detail

// In words, which parts of a body can move as rigid bodies although the nodes `fixed` (internal numbering)
// are held; empty where none can. Parts are what the pattern connects; `x` are positions [m]. A part is held
// by three nodes that are not on one line, in 2D by two.
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
  std::vector<double> sizes(static_cast<std::size_t>(nodes), 0);
  for (int i = 0; i < nodes; ++i) {
    const int representative = sets.representative(i);
    auto& size = sizes[static_cast<std::size_t>(representative)];
    size = std::max(size, static_cast<double>((x.node(i) - x.node(representative)).norm()));
  }
  for (const int node : fixed) {
    auto& part = parts[static_cast<std::size_t>(sets.representative(node))];
    const SmallVector<double, dim> position = x.node(node).template cast<double>();
    if (part.held++ == 0) part.anchor = position;
    const SmallVector<double, dim> from_anchor = position - part.anchor;
    part.sum += from_anchor;
    part.squares += from_anchor * from_anchor.transpose();
  }
  std::string words;
  for (int i = 0; i < nodes; ++i) {
    if (sets.representative(i) != i) continue;
    const int span = parts[static_cast<std::size_t>(i)].span(sizes[static_cast<std::size_t>(i)]);
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
