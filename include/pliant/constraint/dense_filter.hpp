// Eliminates the constrained unknowns of a dense A x = b.
#pragma once

#include <cstddef>

#include <pliant/algebra/tensor.hpp>
#include <pliant/constraint/node_filter.hpp>

namespace pliant {

// The counterpart of Filter for a matrix with block(i, j) for all nodes i and j.
template <class MatrixType>  // a DenseMatrix
class DenseFilter : public NodeFilter<typename MatrixType::Vector> {
  using Base = NodeFilter<typename MatrixType::Vector>;

 public:
  using Matrix = MatrixType;
  using Vector = typename Matrix::Vector;
  using Constraints = typename Base::Constraints;

  DenseFilter() = default;

  // For the nodes of a system with the same numbering as the constraints.
  template <class System>
  DenseFilter(const Constraints& constraints, const System& system)
      : Base(constraints, rest_of(system), system.node_count(),
             [](std::ptrdiff_t i) { return static_cast<int>(i); }) {}

  using Base::apply;
  void apply(Matrix& A) const {
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      for (std::ptrdiff_t j = 0; j < A.rows(); ++j) {
        if (i == j) continue;
        auto block = A.block(i, j);
        Block kept = block;
        if (!this->keep(i, [&](const Block& S) { kept = detail::algebra::times(S, kept); }) ||
            !this->keep(j, [&](const Block& S) { kept = detail::algebra::times(kept, S); })) {
          kept.setZero();
        }
        block = kept;
      }
    }
    this->apply_to_diagonal(A);
  }

 private:
  using Block = typename Base::Block;

  // Calls use(S) for a node with some free directions. Returns false for a node without any.
  template <class Use>
  bool keep(std::ptrdiff_t node, Use&& use) const {
    const int place = this->place_[static_cast<std::size_t>(node)];
    if (place >= 0) use(this->projection(place));
    return place != Base::fixed;
  }

  template <class System>
  static auto rest_of(const System& system) {
    NodeMatrix<typename System::Scalar, System::dim> rest(System::dim, system.node_count());
    for (std::ptrdiff_t i = 0; i < rest.cols(); ++i) rest.col(i) = system.rest().node(i);
    return rest;
  }
};

}  // namespace pliant
