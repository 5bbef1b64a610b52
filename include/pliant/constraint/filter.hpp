// Eliminates the constrained unknowns of A x = b, keeping A symmetric and positive definite.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/algebra/origins.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/constraint/concept.hpp>
#include <pliant/constraint/node_filter.hpp>

namespace pliant {

// With S the projection onto the free unknowns, node by node, A becomes S A S + D (I - S) and b becomes S b:
// the pre-filtered form of Tamstorf, Jones, McCormick 2015, block by block, without forming S. D is the mean
// diagonal entry of the node's own block, which preserves the condition number; a plain identity can increase
// it by a factor of hundreds. If that mean is not positive, D is its absolute value or one, so that a held
// node never makes a matrix indefinite.
template <int Dim, class Scalar, Isa isa = PLIANT_NATIVE_ISA>
class Filter : public NodeFilter<NodeVector<Dim, Scalar, isa>> {
  using Base = NodeFilter<NodeVector<Dim, Scalar, isa>>;

 public:
  using Vector = NodeVector<Dim, Scalar, isa>;
  using Matrix = BlockMatrix<Dim, Scalar, isa>;
  using Constraints = NodeConstraints<Dim>;

  Filter() = default;

  // `rest`: the rest positions [m] in the user's numbering, dim x #nodes, relative to `origins`, as the
  // positions in a step are.
  template <class Derived>
  Filter(const Constraints& constraints, const Eigen::MatrixBase<Derived>& rest, const Numbering& numbering,
         const BlockPattern& pattern, const Origins<Dim>& origins = {})
      : Base(
            constraints, rest, pattern.rows(),
            [&](std::ptrdiff_t i) { return numbering.to_user[static_cast<std::size_t>(i)]; }, origins) {
    find_blocks(pattern);
  }

  // For an ElasticSystem.
  template <class System>
  Filter(const Constraints& constraints, const System& system)
      : Filter(constraints, rest_of(system), system.numbering(), *system.matrix_pattern(), system.origins()) {
    pattern_ = system.matrix_pattern();
  }

  using Base::apply;
  void apply(Matrix& A) const {
    if (pattern_ != A.shared_pattern()) {  // it has grown
      find_blocks(A.pattern());
      pattern_ = A.shared_pattern();
    }
    for (const int slot : decoupled_) A.block(slot).setZero();
    for (const GuidedBlock& guided : guided_blocks_) {
      auto block = A.block(guided.slot);
      Block kept = block;
      if (guided.of_row != Base::free) kept = detail::algebra::times(this->projection(guided.of_row), kept);
      if (guided.of_column != Base::free)
        kept = detail::algebra::times(kept, this->projection(guided.of_column));
      block = kept;
    }
    this->apply_to_diagonal(A);
  }

 private:
  using Block = typename Base::Block;

  // An off-diagonal block of a node with some, but not all, directions free.
  struct GuidedBlock {
    int slot;
    int of_row, of_column;  // see place_
  };

  // Finds the blocks of constrained nodes in the pattern of a matrix.
  void find_blocks(const BlockPattern& pattern) const {
    pattern_ = nullptr;  // until all are found, because an allocation may fail
    decoupled_.clear();
    guided_blocks_.clear();
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const int of_row = this->place_[static_cast<std::size_t>(i)];
      for (int k = pattern.row_begin[static_cast<std::size_t>(i)] + 1;
           k < pattern.row_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const int column = pattern.columns[static_cast<std::size_t>(k)];
        const int of_column = this->place_[static_cast<std::size_t>(column)];
        if (of_row == Base::fixed || of_column == Base::fixed) decoupled_.push_back(k);
        else if (of_row != Base::free || of_column != Base::free)
          guided_blocks_.push_back({k, of_row, of_column});
      }
    }
  }

  template <class System>
  static typename System::Positions rest_of(const System& system) {
    typename System::Positions rest(Dim, system.node_count());
    system.to_user(system.rest(), rest);
    return rest;
  }

  // Found again for a matrix of another pattern.
  mutable std::shared_ptr<const BlockPattern> pattern_;
  mutable std::vector<int> decoupled_;  // blocks of a fixed node with another
  mutable std::vector<GuidedBlock> guided_blocks_;
};

}  // namespace pliant
