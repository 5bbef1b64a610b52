// The Preconditioner concept and its simplest models.
//
// A model is a plain aggregate of parameters with a nested Workspace<Dim, Scalar> and
//   prepare(A, workspace)      called once per matrix; returns false where A cannot be preconditioned this
//   way because
//                              it is not positive definite
//   apply(r, z, workspace)     z = P^-1 r; returns r.z
// P must be symmetric and positive definite.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <concepts>

#include <Eigen/LU>

#include <pliant/assembly/block_matrix.hpp>

namespace pliant {

template <class P, class Matrix>
concept Preconditioner = requires(
    const P& preconditioner, const Matrix& A, const typename Matrix::Vector& r, typename Matrix::Vector& z,
    typename P::template Workspace<Matrix::dim, typename Matrix::Scalar>& workspace) {
  { preconditioner.prepare(A, workspace) } -> std::same_as<bool>;  // false: A is indefinite
  {
    preconditioner.apply(r, z, workspace)
    } -> std::convertible_to<typename Matrix::Scalar>;  // z = P^-1 r; r.z
};

// P = I.
struct Identity {
  template <int, class>
  struct Workspace {};

  template <class Matrix, class W>
  bool prepare(const Matrix&, W&) const {
    return true;
  }

  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, Vector& z, W&) const {
    return r.sum_blocks([&](std::ptrdiff_t i) {
      z.set_block(i, r.block(i));
      return r.block(i) * r.block(i);
    });
  }
};

// P = the diagonal of A.
struct Jacobi {
  template <int Dim, class Scalar>
  struct Workspace {
    NodeVector<Dim, Scalar> inverse;
  };

  template <class Matrix, class W>
  bool prepare(const Matrix& A, W& workspace) const {
    if (workspace.inverse.nodes() != A.rows()) workspace.inverse.resize(A.rows());
    std::atomic<bool> positive = true;
    parallel_for(A.rows(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const auto diagonal = A.diagonal(i).diagonal();
        if (!(diagonal.minCoeff() > 0)) positive = false;
        workspace.inverse.node(i) = diagonal.cwiseInverse();
      }
    });
    return positive;
  }

  template <class Vector, class W>
  typename Vector::Scalar apply(const Vector& r, Vector& z, W& workspace) const {
    return r.sum_blocks([&](std::ptrdiff_t i) {
      const auto scaled = r.block(i) * workspace.inverse.block(i);
      z.set_block(i, scaled);
      return r.block(i) * scaled;
    });
  }
};

// P = the diagonal blocks of A, one per node.
struct BlockJacobi {
  template <int Dim, class Scalar>
  struct Workspace {
    AlignedVector<Scalar> inverse;  // Dim columns of node_stride<Dim> numbers per node, padding zero
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
        const typename Matrix::Scalar scale = 1 / std::abs(A.diagonal(i).trace());
        const typename Matrix::Block block = scale * A.diagonal(i);
        // Sylvester: a symmetric block is positive definite when its leading minors are positive.
        bool definite = block(0, 0) > 0 && block.template topLeftCorner<2, 2>().determinant() > 0;
        if constexpr (dim == 3) definite = definite && block.determinant() > 0;
        if (!definite) positive = false;
        const typename Matrix::Block inverse = scale * block.inverse();
        typename Matrix::Scalar* out = workspace.inverse.data() + i * dim * stride;
        for (int c = 0; c < dim; ++c) {
          for (int r = 0; r < dim; ++r) out[c * stride + r] = inverse(r, c);
        }
      }
    });
    return positive;
  }

  template <int Dim, class Scalar, Isa isa, class W>
  Scalar apply(const NodeVector<Dim, Scalar, isa>& r, NodeVector<Dim, Scalar, isa>& z, W& workspace) const {
    constexpr int stride = node_stride<Dim>;
    using Row = Lane<Scalar, stride, isa>;
    return parallel_sum<Scalar>(r.nodes(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      Row product(Scalar(0));
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        const Scalar* const inverse = workspace.inverse.data() + i * Dim * stride;
        const Scalar* const r_i = r.data() + i * stride;
        Row z_i = load<Row>(inverse) * Row(r_i[0]);
        for (int c = 1; c < Dim; ++c) z_i = multiply_add(load<Row>(inverse + c * stride), Row(r_i[c]), z_i);
        store(z.data() + i * stride, z_i);
        product = multiply_add(z_i, load<Row>(r_i), product);
      }
      return sum(product);
    });
  }
};

}  // namespace pliant
