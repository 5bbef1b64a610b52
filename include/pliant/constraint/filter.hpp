// Takes the constrained unknowns out of A x = b, keeping A symmetric and positive definite.
#pragma once

#include <cmath>
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
  Filter(const NodeConstraints& constraints, const Numbering& numbering, const BlockPattern& pattern) {
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
  }

  const std::vector<int>& fixed_nodes() const { return fixed_nodes_; }  // internal numbering

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
  std::vector<int> fixed_nodes_;
  std::vector<int> coupling_;  // blocks that couple a fixed node with another
};

}  // namespace pliant
