// The projection of displacements onto the rows of a step, in the metric of the diagonal blocks of a matrix.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/rows/row_pairs.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant::detail::linear_solver {

// With D the diagonal blocks of A, the rows J u + s = c with slacks s, whose metric is C^-1, are met by the
// smallest change of (u, s),
//   u += D^-1 J^T y,  s += C y,  W y = c - J u - s,  W = J D^-1 J^T + C.
// W is as sparse as the graph of the joints, whatever A couples. A multiplier of a row is free or fixed; a
// row whose multiplier is fixed is not there. Vectors of rows have the held blocks first, then the bounded
// ones, and are zero in rows that are not there.
template <class Matrix>
class RowProjection {
 public:
  using Vector = typename Matrix::Vector;
  using RowMatrix = BlockMatrix<3, double, Matrix::instruction_set>;
  using RowVector = typename RowMatrix::Vector;
  // Of each row: 0, or the bound at which its multiplier is fixed, -1 or 1.
  using Signs = std::array<signed char, 3>;
  // As in Condensed: what the diagonal of W is raised by, relative to it.
  static constexpr double raise = 1e-10;

  // For another matrix, or other derivatives of the rows. All multipliers are free.
  LinearStop prepare(const Matrix& A, const Rows& rows) {
    lay_out(A, rows);
    for (const int node : nodes_of_rows_) {
      const RowBlock::Block block = A.diagonal(node);
      if (!block.allFinite()) return LinearStop::not_finite;
      inverse_[static_cast<std::size_t>(node)] = algebra::inverse<double, 3>(block);
    }
    const auto inverse = [&](int node) -> const RowBlock::Block& {
      return inverse_[static_cast<std::size_t>(node)];
    };
    blocks_.clear();
    blocks_.insert(blocks_.end(), rows.held.begin(), rows.held.end());
    blocks_.insert(blocks_.end(), rows.bounded.begin(), rows.bounded.end());
    W_.set_zero();
    pairs_.add(blocks_, inverse, W_);
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const RowBlock& block = blocks_[k];
      for (std::size_t n = 0; n < RowBlock::most_nodes && block.node[n] != RowBlock::none; ++n) {
        spread_[k][n] = inverse(block.node[n]) * block.J[n].transpose();
      }
      auto diagonal = W_.diagonal(at(k)).diagonal();
      diagonal += block.compliance;
      diagonal *= 1 + raise;
      signs_[k].fill(0);
    }
    factorised_ = false;
    return LinearStop::converged;
  }

  std::size_t count() const { return blocks_.size(); }
  const Signs& signs(std::size_t k) const { return signs_[k]; }
  void set_signs(std::size_t k, const Signs& signs) {
    if (signs_[k] == signs) return;
    signs_[k] = signs;
    factorised_ = false;
  }

  // Must be called after prepare and set_signs, before `solve`.
  LinearStop factorise() {
    if (factorised_ || blocks_.empty()) return LinearStop::converged;
    std::copy_n(W_.values(), W_.pattern().blocks() * RowMatrix::block_size, free_W_.values());
    const BlockPattern& pattern = W_.pattern();
    for (int a = 0; a < static_cast<int>(pattern.rows()); ++a) {
      for (int slot = pattern.row_begin[index(a)]; slot < pattern.row_begin[index(a) + 1]; ++slot) {
        const int b = pattern.columns[index(slot)];
        auto block = free_W_.block(slot);
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            if (!fixed(index(a), i) && !fixed(index(b), j)) continue;
            block(i, j) = a == b && i == j ? 1 : 0;
          }
        }
      }
    }
    factor_.analyse(free_W_);
    switch (factor_.factor.factorise(free_W_)) {
      case FactorResult::done:
        factorised_ = true;
        return LinearStop::converged;
      case FactorResult::not_definite:
        return free_W_.finite() ? LinearStop::indefinite : LinearStop::not_finite;
      case FactorResult::not_finite:
        break;
    }
    return LinearStop::not_finite;
  }

  // y = W^-1 right. Where W is singular, as for redundant joints, y has a small norm.
  void solve(const RowVector& right, RowVector& y) {
    if (!blocks_.empty()) factor_.factor.solve(right, y);
  }

  // y = J D^-1 r + C s, y = J u + s, and their transposes: u += factor D^-1 J^T y, r += factor J^T y.
  void gather_spread(const Vector& r, const RowVector& s, RowVector& y) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      RowBlock::Triple sum = blocks_[k].compliance.cwiseProduct(s.node(at(k)));
      for_each_node(k, [&](int node, std::size_t n) { sum += spread_[k][n].transpose() * r.node(node); });
      y.node(at(k)) = masked(k, sum);
    }
  }
  void gather(const Vector& u, const RowVector& s, RowVector& y) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const RowBlock::Triple sum = blocks_[k].times(u) + s.node(at(k));
      y.node(at(k)) = masked(k, sum);
    }
  }
  void add_spread(double factor, const RowVector& y, Vector& u) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for_each_node(
          k, [&](int node, std::size_t n) { u.node(node) += factor * (spread_[k][n] * y.node(at(k))); });
    }
  }
  void add_forces(double factor, const RowVector& y, Vector& r) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      blocks_[k].for_each_node([&](int node, const RowBlock::Block& J) {
        r.node(node) += factor * (J.transpose() * y.node(at(k)));
      });
    }
  }

  // Calls use(k, axis, compliance) for each free row with a slack.
  template <class Use>
  void for_each_slack(Use&& use) const {
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        const double compliance = blocks_[k].compliance[axis];
        if (compliance > 0 && !fixed(k, axis)) use(at(k), axis, compliance);
      }
    }
  }

 private:
  static std::ptrdiff_t at(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }
  static std::size_t index(int k) { return static_cast<std::size_t>(k); }

  bool fixed(std::size_t k, int axis) const { return signs_[k][index(axis)] != 0; }

  RowBlock::Triple masked(std::size_t k, RowBlock::Triple y) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (fixed(k, axis)) y[axis] = 0;
    }
    return y;
  }

  template <class Use>
  void for_each_node(std::size_t k, Use&& use) const {
    const RowBlock& block = blocks_[k];
    for (std::size_t n = 0; n < RowBlock::most_nodes && block.node[n] != RowBlock::none; ++n) {
      use(block.node[n], n);
    }
  }

  // The pattern, if the nodes of the rows are not those of the last call.
  void lay_out(const Matrix& A, const Rows& rows) {
    const std::size_t held = rows.held.size(), all = held + rows.bounded.size();
    const auto block = [&](std::size_t k) -> const RowBlock& {
      return k < held ? rows.held[k] : rows.bounded[k - held];
    };
    bool same = blocks_.size() == all && signs_.size() == all && std::ssize(inverse_) == A.rows();
    for (std::size_t k = 0; same && k < all; ++k) same = blocks_[k].node == block(k).node;
    if (same) return;
    signs_.clear();  // until the pattern is complete, because an allocation may fail
    RowsAtNode at_node(static_cast<std::size_t>(A.rows()));
    for (std::size_t k = 0; k < all; ++k) append_places(block(k), k, at_node);
    nodes_of_rows_.clear();
    for (std::size_t node = 0; node < at_node.size(); ++node) {
      if (!at_node[node].empty()) nodes_of_rows_.push_back(static_cast<int>(node));
    }
    std::vector<std::vector<int>> neighbours(all);
    pairs_.add_neighbours(
        at_node, [](int) { return true; }, neighbours);
    W_ = matrix_of_rows<RowMatrix>(neighbours);
    free_W_ = W_;
    pairs_.find_slots(W_.pattern());
    inverse_.resize(static_cast<std::size_t>(A.rows()));
    spread_.resize(all);
    blocks_.reserve(all);
    signs_.resize(all);
  }

  std::vector<RowBlock> blocks_;  // held ones, then bounded ones
  std::vector<Signs> signs_;
  std::vector<int> nodes_of_rows_;
  std::vector<RowBlock::Block> inverse_;  // of diagonal blocks, at these nodes
  std::vector<std::array<RowBlock::Block, RowBlock::most_nodes>> spread_;  // D^-1 J^T
  RowPairs pairs_;
  RowMatrix W_, free_W_;  // with all rows, and with the free ones
  typename Cholesky::template Workspace<RowMatrix> factor_;
  bool factorised_ = false;
};

}  // namespace pliant::detail::linear_solver
