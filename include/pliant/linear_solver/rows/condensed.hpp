// Rows without bounds are eliminated by a factorisation, rows with bounds by Mprgp on what is left.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/rows/row_pairs.hpp>
#include <pliant/linear_solver/rows/rows.hpp>

namespace pliant {

// Solves  A (u - p) = J^T lambda  with the rows of `Rows`. With W = J A^-1 J^T + C, the multipliers solve
// W lambda = c - J p within their bounds. For a block-diagonal A, as that of a mechanism, the block of the
// rows without bounds is as sparse as the graph of the joints, linear in their number for chains and trees.
// It is factorised once per step. The Schur complement of the others is dense.
//
// If A couples nodes, as that of a soft body, it is factorised too. The nodes with neighbours that rows act
// on are eliminated last, which gives the blocks of A^-1 between them: W is dense for their rows. That suits
// some hundred nodes.
//
// Redundant rows, as those of a closed loop, make W singular. Therefore each solve is one of the proximal
// point method: W + e diag(W), with the multipliers before, on the right. The multipliers that it finds
// belong to the same u, and as passes are repeated the error vanishes that e makes.
//
// Repeated passes within a step correct the rows by what their linearisation has left, until all are met to
// `gap`.
template <class Direct = Cholesky>  // factorises the rows without bounds
struct Condensed {
  double gap = 1e-11;   // largest error of a row after a step, unless rounding is larger [m] or [rad]
  int max_passes = 60;  // in a step
  Direct direct = {};   // also solves systems without rows
  RowRule rule = RowRule::end_of_step;

  static constexpr SolverAbilities abilities{.takes_rows = true};

  void check() const {
    detail::core::require_parameter(gap > 0, "Condensed::gap", gap, "must be positive (m or rad)");
    detail::core::require_parameter(max_passes >= 1, "Condensed::max_passes", max_passes,
                                    "must be at least 1");
    direct.check();
  }

  template <class Matrix>
  struct Workspace {
    static_assert(Matrix::dim == 3, "Condensed takes systems with three numbers per node");
    using RowMatrix = BlockMatrix<3, double, Matrix::instruction_set>;
    using RowVector = typename RowMatrix::Vector;

    typename Direct::template Workspace<Matrix> without_rows;  // of A, where it couples nodes
    typename Direct::template Workspace<RowMatrix> held;
    typename Mprgp<>::template Workspace<RowMatrix> bounded;
    std::vector<std::array<int, RowBlock::most_nodes>> nodes;  // of all rows, for which the patterns are
    detail::linear_solver::RowsAtNode at_node;                 // held rows
    detail::linear_solver::RowPairs pairs;                     // of held rows, by nodes without neighbours
    std::vector<RowBlock::Block> inverse;                      // A^-1 of nodes without neighbours
    std::shared_ptr<const BlockPattern> pattern;               // of A
    bool couples = false;                                      // whether A couples nodes
    std::vector<int> reached;              // of the nodes with neighbours, those of rows, ascending
    std::vector<int> place;                // of each node in it; alone, or no_row
    std::vector<RowBlock::Block> between;  // A^-1 between them
    typename Matrix::Vector forces, displacement;
    std::vector<RowBlock::Triple> raised, raised_bounded;  // e diag(W)
    RowMatrix W, S;                                        // of the held rows; Schur complement
    std::vector<RowVector> coupling, eliminated;           // columns of W_hb, and W_hh^-1 W_hb
    RowVector right_side, solution, bounded_side, bounded_solution;
    BoxConstraints<RowVector> box;
  };

  // Without rows.
  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    return direct.solve(A, b, x, w.without_rows, goal, monitor);
  }

  // Factorises for a matrix and the derivatives of the rows.
  template <class Matrix, class W>
  LinearStop prepare(const Matrix& A, const Rows& rows, W& w) const {
    lay_out(A, rows, w);
    w.inverse.resize(static_cast<std::size_t>(A.rows()));
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      if (w.place[static_cast<std::size_t>(i)] != alone) continue;
      w.inverse[static_cast<std::size_t>(i)] = detail::algebra::inverse<double, 3>(A.diagonal(i));
    }
    if (w.couples) {
      if (const LinearStop stop = factorise(A, w.without_rows); stop != LinearStop::converged) return stop;
      find_inverse(w);
    }
    if (!rows.held.empty()) {
      fill_held(rows, w);
      if (const LinearStop stop = factorise(w.W, w.held); stop != LinearStop::converged) return stop;
    }
    if (!rows.bounded.empty()) fill_bounded(rows, w);
    return LinearStop::converged;
  }

  // Follows a change of the bounded rows since the last `prepare`, with the same A. `same_nodes`: only their
  // derivatives and compliances have changed.
  template <class Matrix, class W>
  LinearStop renew(const Matrix& A, const Rows& rows, bool same_nodes, W& w) const {
    if (!same_nodes) return prepare(A, rows, w);
    if (!rows.bounded.empty()) fill_bounded(rows, w);
    return LinearStop::converged;
  }

  // x = A^-1 b with the last prepared A.
  template <class Vector, class W>
  void apply(const Vector& b, Vector& x, W& w) const {
    if (w.couples) return w.without_rows.factor.solve(b, x);
    for (std::ptrdiff_t i = 0; i < b.nodes(); ++i) {
      x.node(i) = w.inverse[static_cast<std::size_t>(i)] * b.node(i);
    }
  }

  // Sets the multipliers and u, from the displacement p without rows. The solution is exact up to rounding.
  template <class Vector, class W>
  RowReport solve(const Vector& p, Rows& rows, Vector& u, W& w, double /*goal*/ = 0) const {
    RowReport report;
    for (std::size_t k = 0; k < rows.held.size(); ++k) {
      w.right_side.node(at(k)) = remaining(rows.held[k], p, w.raised[k]);
    }
    if (!rows.bounded.empty()) {
      if (!rows.held.empty()) w.held.factor.solve(w.right_side, w.solution);
      for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
        const RowBlock& block = rows.bounded[k];
        w.bounded_side.node(at(k)) = remaining(block, p, w.raised_bounded[k]);
        for (int axis = 0; axis < 3; ++axis) {
          const std::size_t column = 3 * k + static_cast<std::size_t>(axis);
          if (!rows.held.empty()) w.bounded_side.node(at(k))(axis) -= w.coupling[column].dot(w.solution);
        }
        w.box.lower.node(at(k)) = block.lower;
        w.box.upper.node(at(k)) = block.upper;
        w.bounded_solution.node(at(k)) = block.multiplier;
      }
      // Contacts are often redundant, so that the residual does not fall to its rounding; the passes close
      // what is left of a row.
      const double enough = rows.contacts > 0 ? gap / 100 : 0;
      const MprgpReport inner =
          Mprgp<>{.tolerance = 1e-14, .absolute_tolerance = enough, .max_iterations = 1000}.solve(
              w.S, w.bounded_side, w.box, w.bounded_solution, w.bounded);
      report.iterations = inner.iterations;
      if (inner.stop == LinearStop::indefinite || inner.stop == LinearStop::not_finite) {
        report.stop = inner.stop;
        return report;
      }
      for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
        rows.bounded[k].multiplier = w.bounded_solution.node(at(k));
        for (int axis = 0; axis < 3; ++axis) {
          const double multiplier = rows.bounded[k].multiplier[axis];
          if (rows.held.empty() || multiplier == 0) continue;
          w.right_side.add(-multiplier, w.coupling[3 * k + static_cast<std::size_t>(axis)]);
        }
      }
    }
    if (!rows.held.empty()) w.held.factor.solve(w.right_side, w.solution);
    for (std::size_t k = 0; k < rows.held.size(); ++k) rows.held[k].multiplier = w.solution.node(at(k));

    u.set_zero();  // the forces
    for (const auto* blocks : {&rows.held, &rows.bounded}) {
      for (const RowBlock& block : *blocks) {
        block.for_each_node(
            [&](int i, const RowBlock::Block& J) { u.node(i) += J.transpose() * block.multiplier; });
      }
    }
    if (w.couples) {
      w.without_rows.factor.solve(u, w.displacement);
      u.set_sum(p, 1, w.displacement);
      return report;
    }
    for (std::ptrdiff_t i = 0; i < u.nodes(); ++i) {
      u.node(i) = p.node(i) + w.inverse[static_cast<std::size_t>(i)] * u.node(i);
    }
    return report;
  }

 private:
  // The weight e of the proximal point method, relative to the diagonal of W.
  static constexpr double proximal = 1e-10;

  static std::ptrdiff_t at(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }

  // The places of nodes without neighbours in A, and of nodes with neighbours that have no row.
  static constexpr int alone = -1, no_row = -2;

  template <class Matrix, class W>
  static LinearStop factorise(const Matrix& A, W& w) {
    w.analyse(A);
    switch (w.factor.factorise(A)) {
      case detail::linear_solver::FactorResult::done:
        return LinearStop::converged;
      case detail::linear_solver::FactorResult::not_definite:
        return A.finite() ? LinearStop::indefinite : LinearStop::not_finite;
      case detail::linear_solver::FactorResult::not_finite:
        break;
    }
    return LinearStop::not_finite;
  }

  // The block of A^-1 in the rows of node i and the columns of node j, or null if it is zero.
  template <class W>
  static const RowBlock::Block* inverse_between(int i, int j, const W& w) {
    const int row = w.place[static_cast<std::size_t>(i)], column = w.place[static_cast<std::size_t>(j)];
    if (row == alone || column == alone) return i == j ? &w.inverse[static_cast<std::size_t>(i)] : nullptr;
    return &w.between[static_cast<std::size_t>(row) * w.reached.size() + static_cast<std::size_t>(column)];
  }

  // Calls use(j) for all nodes j of rows for which the block (j, i) of A^-1 is not zero.
  template <class W, class Use>
  static void for_each_reached(int i, const W& w, Use&& use) {
    if (w.place[static_cast<std::size_t>(i)] == alone) return use(i);
    for (const int j : w.reached) use(j);
  }

  // Orders the elimination of A: the reached nodes come last.
  template <class Matrix, class W>
  static void order(const Matrix& A, W& w) {
    using detail::linear_solver::Fronts;
    if constexpr (requires { w.without_rows.factor.analyse(Fronts{}); }) {
      std::vector<int> order = Fronts::of(A.pattern()).order;
      std::stable_partition(order.begin(), order.end(),
                            [&](int node) { return w.place[static_cast<std::size_t>(node)] < 0; });
      w.without_rows.pattern = nullptr;  // until the analysis is complete, because an allocation may fail
      w.without_rows.factor.analyse(Fronts::of(A.pattern(), std::move(order)));
      w.without_rows.pattern = A.shared_pattern();
      ++w.without_rows.analyses;
    }
  }

  // Computes the blocks of A^-1 between the reached nodes, by a solve for each of their unknowns if the
  // factor has no faster way.
  template <class W>
  static void find_inverse(W& w) {
    if constexpr (requires { w.without_rows.factor.inverse_between(w.reached, w.between); }) {
      return w.without_rows.factor.inverse_between(w.reached, w.between);
    }
    w.forces.set_zero();
    for (std::size_t column = 0; column < w.reached.size(); ++column) {
      for (int axis = 0; axis < 3; ++axis) {
        w.forces.node(w.reached[column])(axis) = 1;
        w.without_rows.factor.solve(w.forces, w.displacement);
        w.forces.node(w.reached[column])(axis) = 0;
        for (std::size_t row = 0; row < w.reached.size(); ++row) {
          w.between[row * w.reached.size() + column].col(axis) = w.displacement.node(w.reached[row]);
        }
      }
    }
  }

  // The part of W in the rows of `a` and the columns of `b`, by two of their nodes.
  static RowBlock::Block product(const RowBlock& a, std::size_t in_a, const RowBlock::Block& inverse,
                                 const RowBlock& b, std::size_t in_b) {
    return a.J[in_a] * inverse * b.J[in_b].transpose();
  }

  // c - J p, and the multipliers before times what the diagonal was raised by.
  template <class Vector>
  static RowBlock::Triple remaining(const RowBlock& block, const Vector& p, const RowBlock::Triple& raised) {
    return block.right_side - block.times(p) + raised.cwiseProduct(block.multiplier);
  }

  // The patterns, if the nodes of the rows are not those of the last call.
  template <class Matrix, class W>
  static void lay_out(const Matrix& A, const Rows& rows, W& w) {
    const std::size_t held = rows.held.size(), bounded = rows.bounded.size();
    bool same = w.pattern == A.shared_pattern() && w.nodes.size() == held + bounded &&
                w.coupling.size() == 3 * bounded;
    for (std::size_t k = 0; same && k < held + bounded; ++k) {
      same = w.nodes[k] == (k < held ? rows.held[k] : rows.bounded[k - held]).node;
    }
    if (same) return;
    w.nodes.clear();  // until the patterns are complete, because an allocation may fail
    w.pattern = nullptr;
    find_reached(A.pattern(), rows, w);
    if (w.couples) order(A, w);
    for (auto* vector : {&w.forces, &w.displacement}) vector->resize(w.couples ? A.rows() : 0);
    w.at_node.assign(static_cast<std::size_t>(A.rows()), {});
    for (std::size_t k = 0; k < held; ++k) detail::linear_solver::append_places(rows.held[k], k, w.at_node);
    std::vector<std::vector<int>> neighbours(held);
    w.pairs.add_neighbours(
        w.at_node, [&](int node) { return w.place[static_cast<std::size_t>(node)] == alone; }, neighbours);
    std::vector<int> together;  // held rows on reached nodes
    for (const int node : w.reached) {
      for (const auto& [a, in_a] : w.at_node[static_cast<std::size_t>(node)]) together.push_back(a);
    }
    std::sort(together.begin(), together.end());
    together.erase(std::unique(together.begin(), together.end()), together.end());
    for (const int a : together) {
      for (const int b : together) {
        if (a != b) neighbours[static_cast<std::size_t>(a)].push_back(b);
      }
    }
    w.W = detail::linear_solver::matrix_of_rows<typename W::RowMatrix>(neighbours);
    w.pairs.find_slots(w.W.pattern());
    std::vector<std::vector<int>> others(bounded);
    for (std::size_t a = 0; a < bounded; ++a) {
      for (std::size_t b = 0; b < bounded; ++b) {
        if (a != b) others[a].push_back(static_cast<int>(b));
      }
    }
    w.S = detail::linear_solver::matrix_of_rows<typename W::RowMatrix>(others);
    for (auto* vector : {&w.right_side, &w.solution}) vector->resize(at(held));
    for (auto* vector : {&w.bounded_side, &w.bounded_solution}) vector->resize(at(bounded));
    w.coupling.assign(3 * bounded, w.right_side);
    w.eliminated.assign(3 * bounded, w.right_side);
    w.box = BoxConstraints<typename W::RowVector>::unbounded(at(bounded));
    for (const RowBlock& block : rows.held) w.nodes.push_back(block.node);
    for (const RowBlock& block : rows.bounded) w.nodes.push_back(block.node);
    w.pattern = A.shared_pattern();
  }

  // Finds the nodes of rows that have neighbours in A.
  template <class W>
  static void find_reached(const BlockPattern& pattern, const Rows& rows, W& w) {
    w.couples = pattern.blocks() > pattern.rows();
    w.place.assign(static_cast<std::size_t>(pattern.rows()), alone);
    w.reached.clear();
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
           k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        w.place[static_cast<std::size_t>(i)] = no_row;
        w.place[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(k)])] = no_row;
      }
    }
    for (const auto* blocks : {&rows.held, &rows.bounded}) {
      for (const RowBlock& block : *blocks) {
        block.for_each_node([&](int node, const RowBlock::Block&) {
          if (w.place[static_cast<std::size_t>(node)] == no_row) w.reached.push_back(node);
        });
      }
    }
    std::sort(w.reached.begin(), w.reached.end());
    w.reached.erase(std::unique(w.reached.begin(), w.reached.end()), w.reached.end());
    for (std::size_t k = 0; k < w.reached.size(); ++k) {
      w.place[static_cast<std::size_t>(w.reached[k])] = static_cast<int>(k);
    }
    w.between.assign(w.reached.size() * w.reached.size(), RowBlock::Block::Zero());
  }

  // Completes the diagonal; returns what it was raised by.
  template <class RowMatrix>
  static RowBlock::Triple add_compliance(const RowBlock& block, std::ptrdiff_t k, RowMatrix& W) {
    auto diagonal = W.diagonal(k).diagonal();
    diagonal += block.compliance;
    const RowBlock::Triple raised = proximal * diagonal;
    diagonal += raised;
    return raised;
  }

  template <class W>
  static void fill_held(const Rows& rows, W& w) {
    w.W.set_zero();
    for (const int i : w.reached) {
      for (const int j : w.reached) {
        const RowBlock::Block& inverse = *inverse_between(i, j, w);
        for (const auto& [a, in_a] : w.at_node[static_cast<std::size_t>(i)]) {
          for (const auto& [b, in_b] : w.at_node[static_cast<std::size_t>(j)]) {
            if (b < a) continue;
            w.W.add(a, b,
                    product(rows.held[static_cast<std::size_t>(a)], static_cast<std::size_t>(in_a), inverse,
                            rows.held[static_cast<std::size_t>(b)], static_cast<std::size_t>(in_b)));
          }
        }
      }
    }
    w.pairs.add(
        rows.held,
        [&](int node) -> const RowBlock::Block& { return w.inverse[static_cast<std::size_t>(node)]; }, w.W);
    w.raised.resize(rows.held.size());
    for (std::size_t k = 0; k < rows.held.size(); ++k) w.raised[k] = add_compliance(rows.held[k], at(k), w.W);
  }

  // The coupling with the held rows, and the Schur complement W_bb - W_bh W_hh^-1 W_hb.
  template <class W>
  static void fill_bounded(const Rows& rows, W& w) {
    w.S.set_zero();
    w.raised_bounded.resize(rows.bounded.size());
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      const RowBlock& own = rows.bounded[k];
      for (std::size_t axis = 0; axis < 3; ++axis) w.coupling[3 * k + axis].set_zero();
      for (std::size_t place = 0; place < RowBlock::most_nodes && own.node[place] != RowBlock::none;
           ++place) {
        const int node = own.node[place];
        for_each_reached(node, w, [&](int i) {
          const RowBlock::Block& inverse = *inverse_between(i, node, w);
          for (const auto& [row, in_row] : w.at_node[static_cast<std::size_t>(i)]) {
            const RowBlock::Block block = product(rows.held[static_cast<std::size_t>(row)],
                                                  static_cast<std::size_t>(in_row), inverse, own, place);
            for (int axis = 0; axis < 3; ++axis) {
              w.coupling[3 * k + static_cast<std::size_t>(axis)].node(row) += block.col(axis);
            }
          }
        });
        for (std::size_t l = k; l < rows.bounded.size(); ++l) {
          const RowBlock& other = rows.bounded[l];
          for (std::size_t in = 0; in < RowBlock::most_nodes && other.node[in] != RowBlock::none; ++in) {
            const RowBlock::Block* inverse = inverse_between(node, other.node[in], w);
            if (inverse == nullptr) continue;
            w.S.add(static_cast<int>(k), static_cast<int>(l), product(own, place, *inverse, other, in));
          }
        }
      }
      w.raised_bounded[k] = add_compliance(own, at(k), w.S);
    }
    if (rows.held.empty()) return;
    for (std::size_t c = 0; c < w.coupling.size(); ++c) w.held.factor.solve(w.coupling[c], w.eliminated[c]);
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      for (std::size_t l = k; l < rows.bounded.size(); ++l) {
        RowBlock::Block block;
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            block(i, j) = -w.coupling[3 * k + static_cast<std::size_t>(i)].dot(
                w.eliminated[3 * l + static_cast<std::size_t>(j)]);
          }
        }
        w.S.add(static_cast<int>(k), static_cast<int>(l), block);
      }
    }
  }
};

}  // namespace pliant
