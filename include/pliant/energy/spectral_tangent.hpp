// Hessians of isotropic energies by their eigensystem.
#pragma once

#include <pliant/algebra/svd.hpp>
#include <pliant/algebra/symmetric_eigen.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/projection.hpp>

namespace pliant {

// The eigensystem of an isotropic Hessian in the frame of the SVD F = U diag(s) V^T. There the Hessian has a
// dim x dim scaling block and, for each pair i < j, a twist and a flip mode:
//   H = sum_ij A_ij vec(u_i v_i^T) vec(u_j v_j^T)^T + sum_pairs twist * t t^T + flip * f f^T,
//   t = vec(u_i v_j^T - u_j v_i^T) / sqrt 2,  f = vec(u_i v_j^T + u_j v_i^T) / sqrt 2.
template <class T, int Dim>
class SpectralTangent {
 public:
  static constexpr int pairs = Dim * (Dim - 1) / 2;

  struct Node {
    SmallVector<T, Dim> gradient;  // V^T g, in the frame of the SVD
  };

  // `scaling` is the projected scaling block; twist and flip are projected eigenvalues. Pair p of 3D has the
  // indices (p+1) % 3 and (p+2) % 3, that is, it belongs to the axis p that it does not change; in 2D the
  // only pair is (0, 1).
  PLIANT_INLINE SpectralTangent(const SmallMatrix<T, Dim, Dim>& U, const SmallMatrix<T, Dim, Dim>& V,
                                const SmallMatrix<T, Dim, Dim>& scaling, const SmallVector<T, pairs>& twist,
                                const SmallVector<T, pairs>& flip)
      : U_(U), V_(V), scaling_(scaling) {
    PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
      same_(p) = constant<T>(0.5) * (flip(p) + twist(p));
      swapped_(p) = constant<T>(0.5) * (flip(p) - twist(p));
    }
  }

  PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& g) const {
    return {detail::algebra::transposed_times<T, Dim, Dim>(V_, g)};
  }

  PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const Node& a, const Node& b) const {
    const SmallVector<T, Dim>&ga = a.gradient, &gb = b.gradient;
    SmallMatrix<T, Dim, Dim> K;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) K(i, k) = scaling_(i, k) * (ga(i) * gb(k));
    }
    PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
      const int i = first(p), j = second(p);
      K(i, i) += same_(p) * (ga(j) * gb(j));
      K(j, j) += same_(p) * (ga(i) * gb(i));
      K(i, j) += swapped_(p) * (ga(j) * gb(i));
      K(j, i) += swapped_(p) * (ga(i) * gb(j));
    }
    return rotated(K);
  }

  // The Hessian itself, dim^2 x dim^2.
  SmallMatrix<T, Dim * Dim, Dim * Dim> matrix() const {
    using Vector = SmallVector<T, Dim * Dim>;
    SmallMatrix<T, Dim * Dim, Dim * Dim> H;
    for (int k = 0; k < Dim * Dim * Dim * Dim; ++k) H.data()[k] = constant<T>(0);
    const auto add = [&H](const T& weight, const Vector& a, const Vector& b) {
      for (int c = 0; c < Dim * Dim; ++c) {
        const T scaled = weight * b(c);
        PLIANT_UNROLL for (int r = 0; r < Dim * Dim; ++r) H(r, c) += scaled * a(r);
      }
    };
    for (int i = 0; i < Dim; ++i) {
      for (int j = 0; j < Dim; ++j) add(scaling_(i, j), dyad(i, i), dyad(j, j));
    }
    for (int p = 0; p < pairs; ++p) {
      const Vector ij = dyad(first(p), second(p)), ji = dyad(second(p), first(p));
      add(same_(p), ij, ij);
      add(same_(p), ji, ji);
      add(swapped_(p), ij, ji);
      add(swapped_(p), ji, ij);
    }
    return H;
  }

 private:
  static constexpr int first(int pair) { return Dim == 2 ? 0 : (pair + 1) % 3; }
  static constexpr int second(int pair) { return Dim == 2 ? 1 : (pair + 2) % 3; }

  // vec(u_i v_j^T)
  SmallVector<T, Dim * Dim> dyad(int i, int j) const {
    SmallVector<T, Dim * Dim> result;
    PLIANT_UNROLL for (int c = 0; c < Dim; ++c) {
      PLIANT_UNROLL for (int r = 0; r < Dim; ++r) result(r + Dim * c) = U_(r, i) * V_(c, j);
    }
    return result;
  }

  // U K U^T
  PLIANT_INLINE SmallMatrix<T, Dim, Dim> rotated(const SmallMatrix<T, Dim, Dim>& K) const {
    SmallMatrix<T, Dim, Dim> UK, result;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        UK(i, k) = U_(i, 0) * K(0, k);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) UK(i, k) += U_(i, m) * K(m, k);
      }
    }
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        result(i, k) = UK(i, 0) * U_(k, 0);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) result(i, k) += UK(i, m) * U_(k, m);
      }
    }
    return result;
  }

  SmallMatrix<T, Dim, Dim> U_;
  SmallMatrix<T, Dim, Dim> V_;
  SmallMatrix<T, Dim, Dim> scaling_;
  SmallVector<T, pairs> same_;     // weight of u_i v_j^T with itself
  SmallVector<T, pairs> swapped_;  // weight of u_i v_j^T with u_j v_i^T
};

// The parts of the eigensystem of an isotropic psi(s_1, s_2, s_3), in the frame of the SVD; psi_i is the
// derivative with respect to the singular value s_i [Pa].
template <class T, int Dim>
struct PrincipalHessian {
  SmallMatrix<T, Dim, Dim> scaling;                      // psi_ij
  SmallVector<T, SpectralTangent<T, Dim>::pairs> twist;  // (psi_i + psi_j) / (s_i + s_j)
  SmallVector<T, SpectralTangent<T, Dim>::pairs> flip;   // (psi_i - psi_j) / (s_i - s_j)
};

namespace detail::energy {

// Whether the symmetric A is positive definite in every lane, by its pivots: to rounding, and false if an
// intermediate result overflows.
template <class T, int Dim>
PLIANT_INLINE bool all_positive_definite(SmallMatrix<T, Dim, Dim> A) {
  bool result = all(A(0, 0) > T(0));
  PLIANT_UNROLL for (int k = 0; k + 1 < Dim; ++k) {
    PLIANT_UNROLL for (int i = k + 1; i < Dim; ++i) {
      const T factor = A(k, i) / A(k, k);
      PLIANT_UNROLL for (int j = i; j < Dim; ++j) A(i, j) -= factor * A(k, j);
    }
    result = result && all(A(k + 1, k + 1) > T(0));
  }
  return result;
}

// The projection of a symmetric matrix by its eigensystem.
template <Projection projection, class T, int Dim>
SmallMatrix<T, Dim, Dim> projected_matrix(const SmallMatrix<T, Dim, Dim>& A) {
  const SymmetricEigen<T, Dim> eigen = symmetric_eigen<T, Dim>(A);
  SmallVector<T, Dim> values;
  PLIANT_UNROLL for (int m = 0; m < Dim; ++m) values(m) = projected<projection>(T(eigen.values(m)));
  SmallMatrix<T, Dim, Dim> result;
  PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
    PLIANT_UNROLL for (int j = i; j < Dim; ++j) {
      result(i, j) = values(0) * eigen.vectors(i, 0) * eigen.vectors(j, 0);
      PLIANT_UNROLL for (int m = 1; m < Dim; ++m) result(i, j) +=
          values(m) * eigen.vectors(i, m) * eigen.vectors(j, m);
      result(j, i) = result(i, j);
    }
  }
  return result;
}

}  // namespace detail::energy

// The eigenvalues are those of the scaling block, the twists and the flips (Smith et al. 2019, "Analytic
// eigensystems for isotropic distortion energies", section 4); each is projected separately. A positive
// definite scaling block, as for most materials in most states, needs no eigensystem.
template <Projection projection, class T, int Dim>
SpectralTangent<T, Dim> projected_tangent(const Svd<T, Dim>& frame, const PrincipalHessian<T, Dim>& H) {
  if constexpr (projection == Projection::none) {
    return SpectralTangent<T, Dim>(frame.U, frame.V, H.scaling, H.twist, H.flip);
  } else {
    auto twist = H.twist, flip = H.flip;
    for (auto* const values : {&twist, &flip}) {
      for (T& value : *values) value = projected<projection>(value);
    }
    if (detail::energy::all_positive_definite<T, Dim>(H.scaling)) {
      return SpectralTangent<T, Dim>(frame.U, frame.V, H.scaling, twist, flip);
    }
    return SpectralTangent<T, Dim>(
        frame.U, frame.V, detail::energy::projected_matrix<projection, T, Dim>(H.scaling), twist, flip);
  }
}

}  // namespace pliant
