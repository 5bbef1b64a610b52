// Takes the constrained unknowns out of A x = b, keeping A symmetric and positive definite.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <pliant/assembly/block_matrix.hpp>
#include <pliant/constraint/concept.hpp>

namespace pliant {

// With S the projection onto the free unknowns, A becomes S A S + D (I - S) and b becomes S b: the
// pre-filtered form of Tamstorf, Jones, McCormick 2015. D is the mean diagonal entry of the node's own block,
// which keeps the condition number where it was; a plain identity can make it hundreds of times worse. Where
// that mean is not positive, D is its absolute value or one: a held node makes no matrix indefinite.
template <int Dim, class Scalar, Isa isa = PLIANT_NATIVE_ISA>
class Filter {
 public:
  using Vector = NodeVector<Dim, Scalar, isa>;
  using Matrix = BlockMatrix<Dim, Scalar, isa>;

  Filter() = default;

  // `rest`: the rest positions [m] in the user's numbering, dim x #nodes.
  template <class Derived>
  Filter(const NodeConstraints<Dim>& constraints, const Eigen::MatrixBase<Derived>& rest,
         const Numbering& numbering, const BlockPattern& pattern) {
    const auto fixed = [&](std::ptrdiff_t i) {
      return constraints.fixed(numbering.to_user[static_cast<std::size_t>(i)]);
    };
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      if (fixed(i)) fixed_nodes_.push_back(static_cast<int>(i));
      for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
           k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        if (fixed(i) || fixed(pattern.columns[static_cast<std::size_t>(k)])) coupling_.push_back(k);
      }
    }
    for (const auto& motion : constraints.motions()) {
      motions_.push_back({{}, motion.path});
      for (const int node : motion.nodes) {
        const int internal = numbering.to_internal[static_cast<std::size_t>(node)];
        moved_nodes_.push_back(internal);
        motions_.back().nodes.push_back({internal, node, rest.col(node).template cast<double>()});
      }
    }
  }

  // Held nodes, moved ones included, in the internal numbering.
  const std::vector<int>& fixed_nodes() const { return fixed_nodes_; }

  // Those of them that go along a path.
  const std::vector<int>& moved_nodes() const { return moved_nodes_; }

  // u: the displacements [m] that take the moved nodes from x to where they are at a time [s], zero
  // elsewhere. False where none of them moves. Throws ParameterError for a path that is not finite.
  bool prescribe(double time, const Vector& x, Vector& u) const {
    u.set_zero();
    bool moves = false;
    for (const Motion& motion : motions_) {
      for (const MovedNode& node : motion.nodes) {
        const auto target = place(motion, node, time);
        u.node(node.internal) = target.template cast<Scalar>() - x.node(node.internal);
        moves = moves || !u.node(node.internal).isZero(0);
      }
    }
    return moves;
  }

  // Sets the velocities v [m/s] of the moved nodes, and of no others, to those of their paths at the time
  // `to` [s]: one-sided differences from `from`, which may be earlier or later, of second order, so that a
  // kink of a path at either time does no harm. Throws ParameterError for a path that is not finite.
  void follow_paths(double from, double to, Vector& v) const {
    for (const Motion& motion : motions_) {
      for (const MovedNode& node : motion.nodes) {
        const SmallVector<double, Dim> there = place(motion, node, to);
        const SmallVector<double, Dim> last = there - place(motion, node, from + (to - from) / 2);
        const SmallVector<double, Dim> all = there - place(motion, node, from);
        v.node(node.internal) = ((4 * last - all) / (to - from)).template cast<Scalar>();
      }
    }
  }

  void apply(Matrix& A) const {
    for (const int slot : coupling_) A.block(slot).setZero();
    for (const int node : fixed_nodes_) {
      auto block = A.diagonal(node);
      const Scalar mean = std::abs(block.trace()) / Dim;
      block.setZero();
      block.diagonal().setConstant(mean > 0 ? mean : Scalar(1));
    }
  }

  void apply(Vector& b) const {
    for (const int node : fixed_nodes_) b.node(node).setZero();
  }

 private:
  struct MovedNode {
    int internal, user;
    SmallVector<double, Dim> rest;  // [m]
  };
  struct Motion {
    std::vector<MovedNode> nodes;
    typename NodeConstraints<Dim>::Path path;
  };

  static SmallVector<double, Dim> place(const Motion& motion, const MovedNode& node, double time) {
    const SmallVector<double, Dim> target = motion.path(node.rest, time);
    for (int axis = 0; axis < Dim; ++axis) {
      if (!std::isfinite(static_cast<Scalar>(target(axis)))) {
        throw ParameterError("path of PrescribedMotion for node " + std::to_string(node.user), target(axis),
                             "must be finite (m)");
      }
    }
    return target;
  }

  std::vector<Motion> motions_;
  std::vector<int> fixed_nodes_;
  std::vector<int> moved_nodes_;
  std::vector<int> coupling_;  // blocks that couple a fixed node with another
};

}  // namespace pliant
