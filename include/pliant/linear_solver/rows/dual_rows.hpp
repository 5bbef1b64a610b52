// All rows and the strains of tetrahedra in one problem for their multipliers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/core/parallel.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/rows/row_pairs.hpp>
#include <pliant/linear_solver/rows/rows.hpp>
#include <pliant/linear_solver/rows/strain_rows.hpp>

namespace pliant {

namespace detail::linear_solver {

// W = J M^-1 J^T + C of the strain rows, then the held and the bounded ones, for a block-diagonal M: an
// operator for Mprgp. A tetrahedron has two triples of rows. Each node gathers the forces of its rows, so
// that products have the same bits for any number of threads.
template <class Matrix>
class DualOperator {
 public:
  using Scalar = double;
  using Vector = typename Matrix::Vector;
  using Block = RowBlock::Block;
  using Triple = RowBlock::Triple;

  // `inverse`: the blocks of M^-1. The strain rows are referred to.
  // The compliance of strain rows is raised by a part of the diagonal of J M^-1 J^T.
  void prepare(const std::vector<Block>& inverse, const Rows& rows, const StrainRows* strains,
               double regularisation) {
    inverse_ = &inverse;
    strains_ = strains;
    blocks_.clear();
    blocks_.insert(blocks_.end(), rows.held.begin(), rows.held.end());
    blocks_.insert(blocks_.end(), rows.bounded.begin(), rows.bounded.end());
    if (!same_nodes()) {
      laid_out_.clear();
      RowsAtNode lists(inverse.size());
      for (std::size_t k = 0; k < blocks_.size(); ++k) append_places(blocks_[k], k, lists);
      at_node_.sort(std::ssize(lists), [&](auto&& take) {
        for (std::size_t i = 0; i < lists.size(); ++i) {
          for (const auto& place : lists[i]) take(static_cast<std::ptrdiff_t>(i), place);
        }
      });
      for (const RowBlock& block : blocks_) laid_out_.push_back(block.node);
    }
    stress_.resize(element_count());
    if (compliance_.nodes() != first_block()) compliance_.resize(first_block());
    if (moved_.nodes() != std::ssize(inverse)) moved_.resize(std::ssize(inverse));
    if (diagonal_.nodes() != rows_count()) diagonal_.resize(rows_count());
    find_diagonal(regularisation);
  }

  std::ptrdiff_t rows() const { return rows_count(); }
  std::ptrdiff_t first_block() const { return 2 * static_cast<std::ptrdiff_t>(element_count()); }
  bool finite() const { return diagonal_.finite(); }
  Block diagonal(std::ptrdiff_t i) const { return diagonal_.node(i).asDiagonal(); }

  // y = W x; returns x.y.
  double multiply(const Vector& x, Vector& y) const {
    spread(x, nullptr, moved_);
    gather(moved_, y);
    for (std::ptrdiff_t k = 0; k < first_block(); ++k) {
      y.node(k) += compliance_.node(k).cwiseProduct(x.node(k));
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const std::ptrdiff_t at = first_block() + static_cast<std::ptrdiff_t>(k);
      y.node(at) += blocks_[k].compliance.cwiseProduct(x.node(at));
    }
    return x.dot(y);
  }

  // u = M^-1 (b + J^T x); without b if it is null.
  void spread(const Vector& x, const Vector* b, Vector& u) const {
    core::parallel_for(std::ssize(stress_), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t e = begin; e < end; ++e) {
        const Triple normal = x.node(2 * e), shear = x.node(2 * e + 1);
        stress_[static_cast<std::size_t>(e)] =
            strains_->elements[static_cast<std::size_t>(e)].stress(normal, shear);
      }
    });
    core::parallel_for(u.nodes(), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        Triple force = Triple::Zero();
        if (b != nullptr) force = b->node(i);
        if (strains_ != nullptr && i < strains_->at_node.rows()) {
          for (const StrainRows::Use& use : strains_->at_node[i]) {
            const auto e = static_cast<std::size_t>(use.element);
            force += stress_[e] * strains_->elements[e].gradient[static_cast<std::size_t>(use.corner)];
          }
        }
        for (const auto& [k, place] : at_node_[i]) {
          const RowBlock& block = blocks_[static_cast<std::size_t>(k)];
          force += block.J[static_cast<std::size_t>(place)].transpose() * x.node(first_block() + k);
        }
        u.node(i) = (*inverse_)[static_cast<std::size_t>(i)] * force;
      }
    });
  }

  void spread_forces(const Vector& b, Vector& u) const {
    for (std::ptrdiff_t i = 0; i < u.nodes(); ++i) {
      u.node(i) = (*inverse_)[static_cast<std::size_t>(i)] * b.node(i);
    }
  }

  // What the regularisation does to the elastic forces at the linearisation, in a triple of strain rows.
  Triple softened(std::ptrdiff_t k) const {
    const StrainElement& element = strains_->elements[static_cast<std::size_t>(k / 2)];
    const Triple& C = element.compliance;
    const Triple own = k % 2 == 0 ? Triple(C[0], C[1], C[1]) : Triple::Constant(C[2]);
    const Triple& forces = k % 2 == 0 ? element.forces.normal : element.forces.shear;
    return (compliance_.node(k) - own).cwiseProduct(forces);
  }

  // y = J u.
  void gather(const Vector& u, Vector& y) const {
    core::parallel_for(std::ssize(stress_), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t e = begin; e < end; ++e) {
        const StrainElement& element = strains_->elements[static_cast<std::size_t>(e)];
        Block G = Block::Zero();
        for (std::size_t a = 0; a < 4; ++a) G += u.node(element.node[a]) * element.gradient[a].transpose();
        const auto strain = element.strain(G);
        y.node(2 * e) = strain.normal;
        y.node(2 * e + 1) = strain.shear;
      }
    });
    core::parallel_for(std::ssize(blocks_), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t k = begin; k < end; ++k) {
        y.node(first_block() + k) = blocks_[static_cast<std::size_t>(k)].times(u);
      }
    });
  }

 private:
  std::size_t element_count() const { return strains_ == nullptr ? 0 : strains_->elements.size(); }
  std::ptrdiff_t rows_count() const { return first_block() + std::ssize(blocks_); }

  bool same_nodes() const {
    bool same = laid_out_.size() == blocks_.size() && at_node_.rows() == std::ssize(*inverse_);
    for (std::size_t k = 0; same && k < blocks_.size(); ++k) same = laid_out_[k] == blocks_[k].node;
    return same;
  }

  void find_diagonal(double regularisation) {
    for (std::size_t e = 0; e < element_count(); ++e) {
      const StrainElement& element = strains_->elements[e];
      for (int row = 0; row < 6; ++row) {
        Triple unit[2] = {Triple::Zero(), Triple::Zero()};
        unit[row / 3][row % 3] = 1;
        const Block P = element.stress(unit[0], unit[1]);
        double sum = 0;
        for (std::size_t a = 0; a < 4; ++a) {
          const Triple force = P * element.gradient[a];
          sum += force.dot((*inverse_)[static_cast<std::size_t>(element.node[a])] * force);
        }
        const double own = row == 0 ? element.compliance[0] : element.compliance[row < 3 ? 1 : 2];
        const std::ptrdiff_t k = 2 * static_cast<std::ptrdiff_t>(e) + row / 3;
        compliance_.node(k)(row % 3) = own + regularisation * sum;
        diagonal_.node(k)(row % 3) = sum + own + regularisation * sum;
      }
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      auto diagonal = diagonal_.node(first_block() + static_cast<std::ptrdiff_t>(k));
      diagonal = blocks_[k].compliance;
      blocks_[k].for_each_node([&](int i, const Block& J) {
        const Block& inverse = (*inverse_)[static_cast<std::size_t>(i)];
        for (int row = 0; row < 3; ++row) diagonal(row) += J.row(row) * inverse * J.row(row).transpose();
      });
    }
  }

  const std::vector<Block>* inverse_ = nullptr;
  const StrainRows* strains_ = nullptr;
  std::vector<RowBlock> blocks_;  // held ones, then bounded ones
  std::vector<std::array<int, RowBlock::most_nodes>> laid_out_;
  core::CompressedRows<std::pair<int, int>> at_node_;
  mutable std::vector<Block> stress_;  // of each element, during a product
  mutable Vector moved_;
  Vector compliance_;  // of the strain rows
  Vector diagonal_;
};

}  // namespace detail::linear_solver

// The form of Benevolensky and Voroshilov 2009: with M the inertia alone, the strains of the tetrahedra are
// rows beside the joints, six of each, with the compliance D^-1 / V of their material, and Mprgp solves for
// all multipliers,
//   (J M^-1 J^T + C) lambda = c - J p,   lower <= lambda <= upper.
// A step needs no matrix. The rows are those of the rotated elements, "warped", whose tangent is not exact
// where a CorotatedLinear is strained: Newton's method then takes more iterations. The elements must be
// Tet4, with constant strain, of LinearElastic or CorotatedLinear, also where they flow (Plastic).
//
// The solution is inexact, up to the tolerance of Mprgp, and `gap` is too large for it to be met often.
// There are about ten times as many rows as displacements, so that Condensed and Multipliers are faster: this
// is for comparisons.
template <class PreconditionerType = Jacobi>  // Jacobi, NoPreconditioner
struct DualRows {
  double gap = 1e-9;    // largest error of a row after a step [m] or [rad]
  int max_passes = 60;  // in a step
  Mprgp<PreconditionerType> solver = {.tolerance = 1e-10};  // of the multipliers
  double regularisation = 0;  // part of the diagonal that is added to C, which softens everything [-]
  RowRule rule = RowRule::end_of_step;

  static constexpr SolverAbilities abilities{.takes_rows = true, .takes_strain_rows = true};

  void check() const {
    detail::core::require_parameter(gap > 0, "DualRows::gap", gap, "must be positive (m or rad)");
    detail::core::require_parameter(max_passes >= 1, "DualRows::max_passes", max_passes,
                                    "must be at least 1");
    detail::core::require_parameter(regularisation >= 0, "DualRows::regularisation", regularisation,
                                    "must not be negative");
    solver.check();
  }

  template <class Matrix>
  struct Workspace {
    static_assert(Matrix::dim == 3, "DualRows takes systems with three numbers per node");
    using Vector = typename Matrix::Vector;
    using Operator = detail::linear_solver::DualOperator<Matrix>;

    Cholesky::Workspace<Matrix> without_rows;
    std::vector<RowBlock::Block> inverse;  // M^-1
    Operator W;
    Vector forces, moved;  // b, M^-1 b
    Vector right_side, solution;
    BoxConstraints<Vector> box;
    const StrainRows* strains = nullptr;
    typename Mprgp<PreconditionerType>::template Workspace<Operator> inner;
  };

  // Without rows.
  template <class Matrix, class W>
  LinearReport solve(const Matrix& A, const typename Matrix::Vector& b, typename Matrix::Vector& x, W& w,
                     double goal = 0, LinearMonitor monitor = {}) const {
    return Cholesky{}.solve(A, b, x, w.without_rows, goal, monitor);
  }

  // For a block-diagonal A, that of a mechanism.
  template <class Matrix, class W>
  LinearStop prepare(const Matrix& A, const Rows& rows, W& w) const {
    w.inverse.resize(static_cast<std::size_t>(A.rows()));
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      w.inverse[static_cast<std::size_t>(i)] = detail::algebra::inverse<double, 3>(A.diagonal(i));
    }
    return prepare(rows, nullptr, w);
  }

  // For the M^-1 in w.inverse, and the strains, which must live until the last solve.
  template <class W>
  LinearStop prepare(const Rows& rows, const StrainRows* strains, W& w) const {
    const auto nodes = std::ssize(w.inverse);
    w.strains = strains;
    for (auto* vector : {&w.forces, &w.moved}) {
      if (vector->nodes() != nodes) vector->resize(nodes);
      vector->set_zero();
    }
    return prepare_rows(rows, w);
  }

  // Follows a change of the rows since the last `prepare`, with the same matrix and strains.
  template <class Matrix, class W>
  LinearStop renew(const Matrix& /*A*/, const Rows& rows, bool /*same_nodes*/, W& w) const {
    return prepare_rows(rows, w);
  }

  // The next solves are those with the forces b, which they take into account themselves: x = 0.
  template <class Vector, class W>
  void apply(const Vector& b, Vector& x, W& w) const {
    w.forces.set_sum(b, 0, b);
    x.set_zero();
    w.solution.set_zero();
  }

  // Sets the multipliers and u.
  template <class Vector, class W>
  RowReport solve(const Vector& p, Rows& rows, Vector& u, W& w, double /*goal*/ = 0) const {
    const std::ptrdiff_t first = w.W.first_block(), held = std::ssize(rows.held);
    w.W.spread_forces(w.forces, w.moved);
    w.W.gather(w.moved, w.right_side);
    for (std::ptrdiff_t k = 0; k < first; ++k) {
      w.right_side.node(k) *= -1;
      if (regularisation > 0) w.right_side.node(k) -= w.W.softened(k);
    }
    const auto set = [&](std::ptrdiff_t k, const RowBlock& block) {
      const RowBlock::Triple moved = w.right_side.node(k);
      w.right_side.node(k) = block.right_side - block.times(p) - moved;
      w.box.lower.node(k) = block.lower;
      w.box.upper.node(k) = block.upper;
      w.solution.node(k) = block.multiplier;
    };
    for (std::size_t k = 0; k < rows.held.size(); ++k)
      set(first + static_cast<std::ptrdiff_t>(k), rows.held[k]);
    for (std::size_t k = 0; k < rows.bounded.size(); ++k)
      set(first + held + static_cast<std::ptrdiff_t>(k), rows.bounded[k]);
    RowReport report;
    const MprgpReport inner = solver.solve(w.W, w.right_side, w.box, w.solution, w.inner);
    report.iterations = inner.iterations;
    if (inner.stop != LinearStop::max_iterations) report.stop = inner.stop;
    for (std::size_t k = 0; k < rows.held.size(); ++k) {
      rows.held[k].multiplier = w.solution.node(first + static_cast<std::ptrdiff_t>(k));
    }
    for (std::size_t k = 0; k < rows.bounded.size(); ++k) {
      rows.bounded[k].multiplier = w.solution.node(first + held + static_cast<std::ptrdiff_t>(k));
    }
    w.W.spread(w.solution, &w.forces, u);
    u.add(1, p);
    return report;
  }

 private:
  template <class W>
  LinearStop prepare_rows(const Rows& rows, W& w) const {
    w.W.prepare(w.inverse, rows, w.strains, regularisation);
    if (w.solution.nodes() != w.W.rows()) {
      w.box = BoxConstraints<typename W::Vector>::unbounded(w.W.rows());
      w.right_side.resize(w.W.rows());
      w.solution.resize(w.W.rows());
    }
    w.solution.set_zero();
    return w.W.finite() ? LinearStop::converged : LinearStop::not_finite;
  }
};

}  // namespace pliant
