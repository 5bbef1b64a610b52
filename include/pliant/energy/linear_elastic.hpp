// Linear (small-strain) elasticity.
#pragma once

#include <pliant/core/tensor.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu eps:eps + lambda/2 tr(eps)^2 with eps = (F + F^T)/2 - I, plane strain in 2D. Its Hessian is
// Hooke's tensor, constant and positive semidefinite. It is not invariant under rotation: large rotations
// cost energy.
class LinearElastic : public LameMaterial<LinearElastic> {
 public:
  using LameMaterial::LameMaterial;

  template <int>
  static RawCoefficients coefficients_from(double mu, double lambda) {
    return {mu, lambda};
  }

  // Energy density [J/m^3].
  template <class Derived>
  typename Derived::Scalar psi(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const RawCoefficients c = coefficients<dim>();
    const SmallMatrix<T, dim, dim> strain = strain_of(F);
    const T trace = trace_of(strain);
    return constant<T>(c.mu) * double_dot<T, dim, dim>(strain, strain) +
           constant<T>(0.5 * c.lambda) * trace * trace;
  }

  // P = 2 mu eps + lambda tr(eps) I [Pa].
  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const RawCoefficients c = coefficients<dim>();
    SmallMatrix<T, dim, dim> P = strain_of(F);
    const T pressure = constant<T>(c.lambda) * trace_of(P);
    for (int k = 0; k < dim * dim; ++k) P.data()[k] *= constant<T>(2 * c.mu);
    for (int i = 0; i < dim; ++i) P(i, i) += pressure;
    return P;
  }

  // mu (I + T) + lambda vec(I) vec(I)^T [Pa], T the transposition.
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>&, Projection = Projection::none) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const RawCoefficients c = coefficients<dim>();
    SmallMatrix<T, dim * dim, dim * dim> H;
    for (int k = 0; k < H.size(); ++k) H.data()[k] = constant<T>(0);
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        H(i + dim * j, i + dim * j) += constant<T>(c.mu);
        H(i + dim * j, j + dim * i) += constant<T>(c.mu);
        H(i + dim * i, j + dim * j) += constant<T>(c.lambda);
      }
    }
    return H;
  }

  // The contracted form: K_ab = mu (g_a.g_b I + g_b g_a^T) + lambda g_a g_b^T.
  template <Projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>&) const {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const RawCoefficients c = coefficients<dim>();
    return Tangent<T, dim>{constant<T>(c.mu), constant<T>(c.lambda)};
  }

 private:
  template <class T, int Dim>
  struct Tangent {
    T mu, lambda;

    PLIANT_INLINE const SmallVector<T, Dim>& at_node(const SmallVector<T, Dim>& g) const { return g; }

    PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const SmallVector<T, Dim>& a,
                                                 const SmallVector<T, Dim>& b) const {
      SmallMatrix<T, Dim, Dim> K;
      for (int k = 0; k < Dim; ++k) {
        for (int i = 0; i < Dim; ++i) K(i, k) = mu * (b(i) * a(k)) + lambda * (a(i) * b(k));
      }
      const T diagonal = mu * dot<T, Dim>(a, b);
      for (int i = 0; i < Dim; ++i) K(i, i) += diagonal;
      return K;
    }
  };

  template <class Derived>
  static auto strain_of(const Eigen::MatrixBase<Derived>& deformation_gradient) {
    using T = typename Derived::Scalar;
    constexpr int dim = Derived::RowsAtCompileTime;
    const SmallMatrix<T, dim, dim> F = deformation_gradient;
    SmallMatrix<T, dim, dim> strain;
    for (int j = 0; j < dim; ++j) {
      for (int i = 0; i < dim; ++i) {
        strain(i, j) = constant<T>(0.5) * (F(i, j) + F(j, i));
        if (i == j) strain(i, j) -= constant<T>(1);
      }
    }
    return strain;
  }

  template <class T, int Dim>
  static T trace_of(const SmallMatrix<T, Dim, Dim>& A) {
    T trace = A(0, 0);
    for (int i = 1; i < Dim; ++i) trace += A(i, i);
    return trace;
  }
};

static_assert(Energy<LinearElastic, 2> && Energy<LinearElastic, 3>);

}  // namespace pliant
