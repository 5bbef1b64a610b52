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
        motions_.back().nodes.push_back({internal, node, rest.col(node).template cast<double>()});
      }
    }
  }

  // Held nodes, moved ones included, in the internal numbering.
  const std::vector<int>& fixed_nodes() const { return fixed_nodes_; }

  // u: the displacements [m] that take the moved nodes from x to where they are at a time [s], zero
  // elsewhere. False where none of them moves. Throws ParameterError for a path that is not finite.
  bool prescribe(double time, const Vector& x, Vector& u) const {
    u.set_zero();
    bool moves = false;
    for (const Motion& motion : motions_) {
      for (const MovedNode& node : motion.nodes) {
        const auto target = motion.path(node.rest, time);
        for (int axis = 0; axis < Dim; ++axis) {
          if (!std::isfinite(static_cast<Scalar>(target(axis)))) {
            throw ParameterError("path of PrescribedMotion for node " + std::to_string(node.user),
                                 target(axis), "must be finite (m)");
          }
        }
        u.node(node.internal) = target.template cast<Scalar>() - x.node(node.internal);
        moves = moves || !u.node(node.internal).isZero(0);
      }
    }
    return moves;
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

  std::vector<Motion> motions_;
  std::vector<int> fixed_nodes_;
  std::vector<int> coupling_;  // blocks that couple a fixed node with another
};

}  // namespace pliant
