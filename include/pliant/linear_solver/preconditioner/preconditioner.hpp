// The Preconditioner concept and its simplest models.
//
// A model is a plain aggregate of parameters with a nested Workspace<Matrix> and
//   prepare(A, workspace)          called once per matrix; false where A is not positive definite enough
//   apply(r, norm, z, workspace)   z = P^-1 r; returns r.z; norm = |r|, which the solver knows
// P must be symmetric and positive definite. One that is so for r in a subspace only offers
//   correct(r, x, workspace)       changes x so that r = b - A x is in it; false where x can stay as it is
// which is called once per solve, before the first apply. A workspace that wants to know where the nodes are
// offers
//   set_positions(x)               x [m] are the positions for which the next matrices are computed
// which is called before prepare where positions are known; `Pcg` passes them on. A model that wants to know
// how the solves end that it was prepared for offers
//   observe(report, workspace)
// with the LinearReport, which `Pcg` calls last. A model that treats each node by itself, a
// NodewisePreconditioner, offers instead of apply
//   at(i, r, workspace)            the numbers of node i in P^-1 r, from those of that node in r, as
//                                  NodeVector::Rows
// and a solver applies it in a pass over its vectors that it makes anyway. One that does so at times offers
// both, and tells by
//   nodewise(workspace)
// A workspace that depends on earlier matrices or solves has a History, see core/history.hpp.
// One that scales each unknown by itself, a DiagonalPreconditioner, says so by
// `static constexpr bool is_diagonal = true`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>
#include <limits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>

namespace pliant {

template <class P, class Matrix>
concept NodewisePreconditioner = requires(const P& preconditioner, std::ptrdiff_t i,
                                          typename Matrix::Vector::Row r,
                                          const typename P::template Workspace<Matrix>& workspace) {
  { preconditioner.at(i, r, workspace) } -> std::same_as<typename Matrix::Vector::Row>;
};

template <class P, class Matrix>
concept Preconditioner = requires(const P& preconditioner, const Matrix& A,
                                  typename P::template Workspace<Matrix>& workspace) {
  { preconditioner.prepare(A, workspace) } -> std::same_as<bool>;
}
&&(NodewisePreconditioner<P, Matrix> ||
   requires(const P& preconditioner, const typename Matrix::Vector& r, typename Matrix::Vector& z,
            typename P::template Workspace<Matrix>& workspace) {
     {
       preconditioner.apply(r, 1.0, z, workspace)
       } -> std::same_as<typename Matrix::Scalar>;  // z = P^-1 r, r.z
   });

template <class P, class Matrix>
concept DiagonalPreconditioner = NodewisePreconditioner<P, Matrix> && P::is_diagonal;

namespace detail {

// What r is divided by to be of size one in floats, so that it neither overflows nor vanishes.
template <class Scalar>
double size_in_floats(double norm) {
  return norm > std::numeric_limits<Scalar>::min() ? norm : 1;
}

// Where the nodes are, for workspaces that want to know.
template <class Vector>
struct NodePositions {
  Vector positions;  // [m]; without nodes: not known

  // From the next matrix on.
  void set_positions(const Vector& x) {
    if (positions.nodes() != x.nodes()) positions.resize(x.nodes());
    positions.set_sum(x, 0, x);
  }
};

}  // namespace detail

// P = I.
struct Identity {
  static constexpr bool is_diagonal = true;

  template <class Matrix>
  struct Workspace {};

  template <class Matrix, class W>
  bool prepare(const Matrix&, W&) const {
    return true;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t, const Row& r, const W&) const {
    return r;
  }
};

// P = the diagonal of A.
struct Jacobi {
  static constexpr bool is_diagonal = true;

  template <class Matrix>
  struct Workspace {
    typename Matrix::Vector inverse;
  };

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& workspace) const {
    if (workspace.inverse.nodes() != A.rows()) workspace.inverse.resize(A.rows());
    std::atomic<bool> positive = true;
    parallel_for(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const auto block = A.diagonal(i);
        const auto diagonal = block.diagonal();
        if (!(diagonal.minCoeff() > 0)) positive = false;
        workspace.inverse.node(i) = diagonal.cwiseInverse();
      }
    });
    return positive;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& workspace) const {
    return r * workspace.inverse.row(i);
  }
};

// P = the diagonal blocks of A, one per node.
struct BlockJacobi {
  template <class Matrix>
  struct Workspace {
    AlignedVector<typename Matrix::Scalar>
        inverse;  // dim columns of node_stride numbers per node, padding zero
  };

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& workspace) const {
    constexpr int dim = Matrix::dim, stride = node_stride<dim>;
    const auto size = static_cast<std::size_t>(A.rows()) * dim * stride;
    if (workspace.inverse.size() != size) workspace.inverse.assign(size, 0);
    std::atomic<bool> positive = true;
    parallel_for(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        // Scaled, so that no determinant overflows or vanishes, in floats and whatever the units are.
        typename Matrix::Block block = A.diagonal(i);
        const typename Matrix::Scalar scale = 1 / std::abs(trace(block));
        block *= scale;
        // Sylvester: a symmetric block is positive definite when its leading minors are positive.
        bool definite = block(0, 0) > 0 && block(0, 0) * block(1, 1) - block(0, 1) * block(1, 0) > 0;
        if constexpr (dim == 3) definite = definite && determinant(block) > 0;
        if (!definite) positive = false;
        const typename Matrix::Block inverted = inverse(block);
        typename Matrix::Scalar* out = workspace.inverse.data() + i * dim * stride;
        for (int c = 0; c < dim; ++c) {
          for (int r = 0; r < dim; ++r) out[c * stride + r] = scale * inverted(r, c);
        }
      }
    });
    return positive;
  }

  template <class Row, class W>
  PLIANT_INLINE Row at(std::ptrdiff_t i, const Row& r, const W& workspace) const {
    constexpr int stride = Row::width, dim = stride == 4 ? 3 : stride;
    const auto* const inverse = workspace.inverse.data() + i * dim * stride;
    Row z = load<Row>(inverse) * Row(r[0]);
    PLIANT_UNROLL for (int c = 1; c < dim; ++c) z =
        multiply_add(load<Row>(inverse + c * stride), Row(r[c]), z);
    return z;
  }
};

}  // namespace pliant
