// Solves linear systems with bounds at some nodes, with any solver.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/constraint/bounded_nodes.hpp>
#include <pliant/linear_solver/bounded/box_constraints.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/concept.hpp>

namespace pliant::detail::linear_solver {

// A solver that accepts bounds.
template <class S, class Matrix>
concept BoxSolver = LinearSolver<S, Matrix> &&
    requires(const S& solver, const Matrix& A, const typename Matrix::Vector& b,
             const BoxConstraints<typename Matrix::Vector>& box, typename Matrix::Vector& x,
             typename S::template Workspace<Matrix>& workspace) {
  { solver.solve(A, b, box, x, workspace, 0.0, LinearMonitor{}) } -> std::convertible_to<LinearReport>;
};

// Whether BoundedSolve handles bounds for matrices of a type.
template <class Matrix>
inline constexpr bool solves_within_bounds = false;
template <int Dim, class Scalar, Isa isa>
inline constexpr bool solves_within_bounds<BlockMatrix<Dim, Scalar, isa>> = true;

// Minimises d.A d / 2 - b.d over the displacements u + d within the bounds. The unknowns of a bounded node
// are its components y in the frame of its contact planes, in which the bounds are a box: A becomes T^T A T,
// block by block. A solver with bounds, Mprgp, gets this box. For any other solver the active set is guessed
// and updated until no inactive plane is crossed and no active plane pulls (a primal-dual active set method,
// Hintermueller, Ito, Kunisch 2002); active unknowns are eliminated from the system like held ones. The first
// guess is the active set of the last solve, so that steady contact takes one system. Mprgp solves the
// problem if the active sets do not settle, because they can cycle, or if an inexact solution is no descent
// direction.
template <class MatrixType>  // a BlockMatrix
class BoundedSolve {
 public:
  using Matrix = MatrixType;
  using Vector = typename Matrix::Vector;
  using Scalar = typename Matrix::Scalar;
  static constexpr int dim = Matrix::dim;
  using Bounds = BoundedNodes<Vector>;

  // d holds the first guess on entry and the solution on return; A and b are overwritten. `goal` and
  // `monitor` are those of a LinearSolver; `iterations` of the report is the total of all systems.
  template <class Solver, class Workspace>
  LinearReport solve(const Solver& solver, Workspace& workspace, Matrix& A, Vector& b, const Bounds& bounds,
                     const Vector& u, Vector& d, double goal, LinearMonitor monitor) {
    enter(A, b, bounds, u, d);
    LinearReport report;
    if constexpr (BoxSolver<Solver, Matrix>) {
      report = solve_in_box(solver, workspace, A, b, d, goal, monitor);
    } else {
      report = find_active(solver, workspace, A, b, d, goal, monitor);
    }
    for (std::size_t m = 0; m < nodes_.size(); ++m) {
      const auto& bounded = bounds.nodes()[m];
      const Point y = d.node(bounded.node);
      d.node(bounded.node) = algebra::times<Scalar, dim, dim, 1>(bounded.T, y);
    }
    return report;
  }

  using Signs = std::array<signed char, std::size_t{dim}>;

  // The last active set, see core/history.hpp.
  struct History {
    std::vector<Signs> active;  // of each node; empty before the first solve
  };
  void save(History& history) const { history.active = active_; }
  void restore(History&& history) { active_ = std::move(history.active); }

  // The active set persists from step to step; see integrator/concept.hpp.
  void begin_step() { active_before_ = active_; }
  void step_undone() { std::swap(active_, active_before_); }
  void keep_from(BoundedSolve& other) { std::swap(active_, other.active_); }

 private:
  using Block = SmallMatrix<Scalar, dim, dim>;
  using Point = SmallVector<Scalar, dim>;
  static constexpr Scalar straight = 16 * std::numeric_limits<Scalar>::epsilon();
  static constexpr int most_changes = 12;     // of the active set
  static constexpr double settled_by = 1e-6;  // tolerance of Mprgp if they do not settle [-]

  // A bounded node during a solve.
  struct Node {
    int node;
    int axes;
    Point lower, upper;  // of its unknowns y [m]
    Point reaction;      // A y - b, in its frame [N]
    Scalar rounding;     // of y [m]
    Scalar mean;         // of the diagonal of its own diagonal block
    Signs active;        // of each axis: -1 or 1: active at the lower or upper bound, 0: inactive
    Block rotation;      // T, if it is a rotation
    bool rotated;        // whether T is a rotation: the planes are orthogonal
  };

  // A block of A in the rows or columns of bounded nodes, in their frames.
  struct Touched {
    int slot;
    int row, column;
    int of_row, of_column;  // in nodes_, or -1
    Block block;
  };

  // A block above the diagonal.
  struct InColumn {
    int slot, row;
  };

  void find_columns(const std::shared_ptr<const BlockPattern>& pattern) {
    column_pattern_ = nullptr;  // until the columns are complete, because an allocation may fail
    columns_.sort(pattern->rows(), [&](auto&& take) {
      for (int i = 0; i < static_cast<int>(pattern->rows()); ++i) {
        const auto first = static_cast<std::size_t>(i);
        for (int k = pattern->row_begin[first] + 1; k < pattern->row_begin[first + 1]; ++k) {
          take(pattern->columns[static_cast<std::size_t>(k)], InColumn{k, i});
        }
      }
    });
    column_pattern_ = pattern;
  }

  // Transforms the bounded nodes of A, b and d into their frames.
  void enter(const Matrix& A, Vector& b, const Bounds& bounds, const Vector& u, Vector& d) {
    const BlockPattern& pattern = A.pattern();
    if (column_pattern_ != A.shared_pattern()) find_columns(A.shared_pattern());
    if (std::ssize(active_) != A.rows()) {
      active_before_.reserve(static_cast<std::size_t>(A.rows()));
      active_.assign(static_cast<std::size_t>(A.rows()), Signs{});
    }
    if (right_.nodes() != A.rows()) right_.resize(A.rows());
    nodes_.clear();
    touched_.clear();
    for (const auto& bounded : bounds.nodes()) {
      const int i = bounded.node;
      const Point already = Bounds::in_frame(bounded, u.node(i));
      Node node{.node = i,
                .axes = bounded.axes,
                .lower = bounded.lower - already,
                .upper = bounded.upper - already,
                .reaction = Point::Zero(),
                .rounding = bounded.rounding_at(u.node(i)),
                .mean = 0,
                .active = active_[static_cast<std::size_t>(i)],
                .rotation = bounded.T,
                .rotated = (bounded.T - bounded.N).cwiseAbs().maxCoeff() < straight};
      for (int k = 0; k < dim; ++k) {
        // A node on a plane, up to rounding, stays there: the work of the contact force along so small a
        // displacement would be noise in the slope of the objective.
        if (std::abs(node.lower[k]) <= node.rounding) node.lower[k] = 0;
        if (std::abs(node.upper[k]) <= node.rounding) node.upper[k] = 0;
        auto& sign = node.active[static_cast<std::size_t>(k)];
        if (k >= bounded.axes || !std::isfinite(sign < 0 ? node.lower[k] : node.upper[k])) sign = 0;
        if (node.lower[k] == node.upper[k]) sign = -1;
      }
      b.node(i) = algebra::transposed_times<Scalar, dim, dim, 1>(bounded.T, b.node(i));
      d.node(i) = Bounds::in_frame(bounded, d.node(i));
      const auto first = static_cast<std::size_t>(i);
      const std::size_t own = touched_.size();
      for (int k = pattern.row_begin[first]; k < pattern.row_begin[first + 1]; ++k) {
        touch(A, bounds, k, i, pattern.columns[static_cast<std::size_t>(k)]);
      }
      node.mean = std::abs(trace<Scalar, dim>(touched_[own].block)) / dim;
      if (!(node.mean > 0)) node.mean = 1;
      nodes_.push_back(node);
      for (const InColumn& block : columns_[i]) {
        if (bounds.place(block.row) < 0) touch(A, bounds, block.slot, block.row, i);
      }
    }
  }

  void touch(const Matrix& A, const Bounds& bounds, int slot, int row, int column) {
    const int of_row = bounds.place(row), of_column = bounds.place(column);
    Block block = A.block(slot);
    if (of_row >= 0) {
      block = algebra::transposed_times<Scalar, dim, dim, dim>(
          bounds.nodes()[static_cast<std::size_t>(of_row)].T, block);
    }
    if (of_column >= 0) {
      block =
          algebra::times<Scalar, dim, dim, dim>(block, bounds.nodes()[static_cast<std::size_t>(of_column)].T);
    }
    touched_.push_back({slot, row, column, of_row, of_column, block});
  }

  // Writes the touched blocks; if `without_active`, with rows and columns of active unknowns that are
  // zero except for the diagonal.
  void write_blocks(Matrix& A, bool without_active) const {
    for (const Touched& touched : touched_) {
      Block block = touched.block;
      if (without_active) {
        for (int j = 0; j < dim; ++j) {
          for (int i = 0; i < dim; ++i) {
            if (presses(touched.of_row, i) || presses(touched.of_column, j)) block(i, j) = 0;
          }
        }
        if (touched.row == touched.column) {
          for (int k = 0; k < dim; ++k) {
            if (presses(touched.of_row, k))
              block(k, k) = nodes_[static_cast<std::size_t>(touched.of_row)].mean;
          }
        }
      }
      if (without_active && rotated(touched.of_row)) {
        block = algebra::times<Scalar, dim, dim, dim>(
            nodes_[static_cast<std::size_t>(touched.of_row)].rotation, block);
      }
      if (without_active && rotated(touched.of_column)) {
        const Block back = nodes_[static_cast<std::size_t>(touched.of_column)].rotation.transpose();
        block = algebra::times<Scalar, dim, dim, dim>(block, back);
      }
      A.block(touched.slot) = block;
    }
  }

  bool rotated(int m) const { return m >= 0 && nodes_[static_cast<std::size_t>(m)].rotated; }

  // Rotated nodes are passed to a solver in the axes of the world, which preconditioners assume.
  void turn_back(Vector& vector) const {
    for (const Node& node : nodes_) {
      if (!node.rotated) continue;
      const Point y = vector.node(node.node);
      vector.node(node.node) = algebra::times<Scalar, dim, dim, 1>(node.rotation, y);
    }
  }
  void turn(Vector& vector) const {
    for (const Node& node : nodes_) {
      if (!node.rotated) continue;
      const Point d = vector.node(node.node);
      vector.node(node.node) = algebra::transposed_times<Scalar, dim, dim, 1>(node.rotation, d);
    }
  }

  bool presses(int m, int axis) const {
    return m >= 0 && nodes_[static_cast<std::size_t>(m)].active[static_cast<std::size_t>(axis)] != 0;
  }

  // y of the active unknowns, zero for the others.
  Point at_bounds(int m) const {
    Point y = Point::Zero();
    if (m < 0) return y;
    const Node& node = nodes_[static_cast<std::size_t>(m)];
    for (int k = 0; k < node.axes; ++k) {
      const int sign = node.active[static_cast<std::size_t>(k)];
      if (sign != 0) y[k] = sign < 0 ? node.lower[k] : node.upper[k];
    }
    return y;
  }

  template <class Solver, class Workspace>
  LinearReport solve_in_box(const Solver& solver, Workspace& workspace, Matrix& A, const Vector& b, Vector& d,
                            double goal, LinearMonitor monitor) {
    write_blocks(A, false);
    fill_box(b.nodes());
    const LinearReport report = solver.solve(A, b, box_, d, workspace, goal, monitor);
    clear_box();
    return report;
  }

  template <class Solver, class Workspace>
  LinearReport find_active(const Solver& solver, Workspace& workspace, Matrix& A, const Vector& b, Vector& d,
                           double goal, LinearMonitor monitor) {
    LinearReport report;
    int iterations = 0;
    const auto counting = [&](int done, double residual) { return monitor(iterations + done, residual); };
    int change = 0;
    for (; change < most_changes; ++change) {
      write_blocks(A, true);
      take_out_active(b, d);
      turn_back(right_);
      turn_back(d);
      report = solver.solve(A, right_, d, workspace, goal, counting);
      turn(d);
      report.iterations = iterations += report.iterations;
      if (!report && report.stop != LinearStop::max_iterations) return report;
      for_each_active([&](const Node& node, int k, Scalar bound) { d.node(node.node)(k) = bound; });
      find_reactions(b, d);
      if (!report || !mend(d, report.goal)) break;  // a truncated solve is not continued
    }
    if (change < most_changes && (b.dot(d) > 0 || !may_stay())) {
      for (const Node& node : nodes_) active_[static_cast<std::size_t>(node.node)] = node.active;
      return report;
    }
    d.set_zero();
    report = solve_in_box(Mprgp<Jacobi>{.tolerance = settled_by}, box_workspace_, A, b, d, goal, counting);
    report.iterations += iterations;
    return report;
  }

  // Whether d = 0 is feasible.
  bool may_stay() const {
    return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
      for (int k = 0; k < node.axes; ++k) {
        if (node.lower[k] > 0 || node.upper[k] < 0) return false;
      }
      return true;
    });
  }

  // The right-hand side of the inactive unknowns. Active ones are zero during the solve, so that an inexact
  // solver leaves them at their bounds.
  void take_out_active(const Vector& b, Vector& d) {
    right_.set_sum(b, Scalar(0), b);
    for (const Touched& touched : touched_) {
      const Point of_column = at_bounds(touched.of_column);
      right_.node(touched.row) -= algebra::times<Scalar, dim, dim, 1>(touched.block, of_column);
      if (touched.row == touched.column) continue;
      const Point of_row = at_bounds(touched.of_row);
      right_.node(touched.column) -= algebra::transposed_times<Scalar, dim, dim, 1>(touched.block, of_row);
    }
    for_each_active(
        [&](const Node& node, int k, Scalar) { right_.node(node.node)(k) = d.node(node.node)(k) = 0; });
  }

  template <class Use>
  void for_each_active(Use&& use) const {
    for (std::size_t m = 0; m < nodes_.size(); ++m) {
      const Point y = at_bounds(static_cast<int>(m));
      for (int k = 0; k < nodes_[m].axes; ++k) {
        if (nodes_[m].active[static_cast<std::size_t>(k)] != 0) use(nodes_[m], k, y[k]);
      }
    }
  }

  void find_reactions(const Vector& b, const Vector& d) {
    for (Node& node : nodes_) node.reaction = -b.node(node.node);
    for (const Touched& touched : touched_) {
      const Point of_column = d.node(touched.column), of_row = d.node(touched.row);
      if (touched.of_row >= 0) {
        nodes_[static_cast<std::size_t>(touched.of_row)].reaction +=
            algebra::times<Scalar, dim, dim, 1>(touched.block, of_column);
      }
      if (touched.row != touched.column && touched.of_column >= 0) {
        nodes_[static_cast<std::size_t>(touched.of_column)].reaction +=
            algebra::transposed_times<Scalar, dim, dim, 1>(touched.block, of_row);
      }
    }
  }

  // Activates planes that are crossed and releases those that pull. Returns true if the active set has
  // changed.
  bool mend(const Vector& d, double goal) {
    bool changed = false;
    for (Node& node : nodes_) {
      for (int k = 0; k < node.axes; ++k) {
        auto& sign = node.active[static_cast<std::size_t>(k)];
        if (node.lower[k] == node.upper[k]) continue;
        const Scalar y = d.node(node.node)(k);
        if (sign == 0) {
          if (y < node.lower[k] - node.rounding) sign = -1;
          else if (y > node.upper[k] + node.rounding) sign = 1;
          changed = changed || sign != 0;
        } else if (static_cast<double>(-sign * node.reaction[k]) < -goal) {
          sign = 0;
          changed = true;
        }
      }
    }
    return changed;
  }

  void fill_box(std::ptrdiff_t count) {
    if (box_.lower.nodes() != count) box_ = BoxConstraints<Vector>::unbounded(count);
    for (const Node& node : nodes_) {
      box_.lower.node(node.node) = node.lower;
      box_.upper.node(node.node) = node.upper;
    }
  }

  void clear_box() {
    constexpr auto infinity = std::numeric_limits<Scalar>::infinity();
    for (const Node& node : nodes_) {
      box_.lower.node(node.node).setConstant(-infinity);
      box_.upper.node(node.node).setConstant(infinity);
    }
  }

  std::vector<Node> nodes_;
  std::vector<Touched> touched_;
  std::vector<Signs> active_,
      active_before_;  // last active set of each node of the matrix; that before the step
  core::CompressedRows<InColumn> columns_;              // of the upper half
  std::shared_ptr<const BlockPattern> column_pattern_;  // the pattern of columns_
  Vector right_;
  BoxConstraints<Vector> box_;
  typename Mprgp<Jacobi>::template Workspace<Matrix> box_workspace_;
};

// For other matrices, of Systems without contacts: it solves nothing.
template <class Matrix>
requires(!solves_within_bounds<Matrix>) class BoundedSolve<Matrix> {
 public:
  struct History {};
  void save(History&) const {}
  void restore(History&&) {}
  void begin_step() {}
  void step_undone() {}
  void keep_from(BoundedSolve&) {}
};

}  // namespace pliant::detail::linear_solver
