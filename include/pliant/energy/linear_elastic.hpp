// Linear (small-strain) elasticity.
#pragma once

#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/lame.hpp>

namespace pliant {

// psi = mu eps:eps + lambda/2 tr(eps)^2 with eps = (F + F^T)/2 - I, plane strain in 2D. Its Hessian is
// Hooke's tensor, constant and positive semidefinite, so that no projection changes it (except for
// RawCoefficients with lambda < -2/3 mu, which no material has). It is not invariant under rotation: large
// rotations cost energy.
class LinearElastic : public LameMaterial<LinearElastic> {
 public:
  static constexpr bool small_strain = true;  // det F has no meaning, see viscosity.hpp

  using LameMaterial::LameMaterial;

  // Energy density [J/m^3].
  template <class Derived>
  PLIANT_INLINE EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const {
    return density(strain_of(deformation_gradient(F)));
  }

  // P = 2 mu eps + lambda tr(eps) I [Pa].
  template <class Derived>
  PLIANT_INLINE DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F) const {
    return stress(strain_of(deformation_gradient(F)));
  }

  // mu (I + T) + lambda vec(I) vec(I)^T [Pa], T the transposition.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F, Projection = Projection::none) const {
    return hooke(deformation_gradient(F));
  }

  // The contracted form, see tangent.hpp.
  template <Projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& F) const {
    return tangent_like(deformation_gradient(F));
  }

 private:
  // K_ab = mu (a.b I + b a^T) + lambda a b^T, with a and b the shape gradients of two nodes.
  template <class T, int Dim>
  struct Tangent {
    T mu, lambda;

    PLIANT_INLINE const SmallVector<T, Dim>& at_node(const SmallVector<T, Dim>& gradient) const {
      return gradient;
    }

    PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const SmallVector<T, Dim>& a,
                                                 const SmallVector<T, Dim>& b) const {
      SmallMatrix<T, Dim, Dim> K;
      PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
        PLIANT_UNROLL for (int i = 0; i < Dim; ++i) K(i, k) = mu * (b(i) * a(k)) + lambda * (a(i) * b(k));
      }
      const T diagonal = mu * detail::algebra::dot<T, Dim>(a, b);
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) K(i, i) += diagonal;
      return K;
    }
  };

  template <class T, int Dim>
  static PLIANT_INLINE SmallMatrix<T, Dim, Dim> strain_of(const SmallMatrix<T, Dim, Dim>& F) {
    SmallMatrix<T, Dim, Dim> strain;
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) strain(i, j) = constant<T>(0.5) * (F(i, j) + F(j, i));
      strain(j, j) -= constant<T>(1);
    }
    return strain;
  }

  template <class T, int Dim>
  PLIANT_INLINE T density(const SmallMatrix<T, Dim, Dim>& strain) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T volume_change = trace(strain);
    return constant<T>(c.mu) * double_dot(strain, strain) +
           constant<T>(0.5 * c.lambda) * volume_change * volume_change;
  }

  template <class T, int Dim>
  PLIANT_INLINE SmallMatrix<T, Dim, Dim> stress(const SmallMatrix<T, Dim, Dim>& strain) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T pressure = constant<T>(c.lambda) * trace(strain);
    SmallMatrix<T, Dim, Dim> P;
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) P.data()[k] = constant<T>(2 * c.mu) * strain.data()[k];
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) P(i, i) += pressure;
    return P;
  }

  template <class T, int Dim>
  SmallMatrix<T, Dim * Dim, Dim * Dim> hooke(const SmallMatrix<T, Dim, Dim>&) const {
    const RawCoefficients& c = coefficients<Dim>();
    SmallMatrix<T, Dim * Dim, Dim * Dim> H;
    for (int k = 0; k < H.size(); ++k) H.data()[k] = constant<T>(0);
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
      PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
        H(i + Dim * j, i + Dim * j) += constant<T>(c.mu);
        H(i + Dim * j, j + Dim * i) += constant<T>(c.mu);
        H(i + Dim * i, j + Dim * j) += constant<T>(c.lambda);
      }
    }
    return H;
  }

  template <class T, int Dim>
  PLIANT_INLINE Tangent<T, Dim> tangent_like(const SmallMatrix<T, Dim, Dim>&) const {
    const RawCoefficients& c = coefficients<Dim>();
    return {constant<T>(c.mu), constant<T>(c.lambda)};
  }
};

static_assert(require_energy<LinearElastic, 2>() && require_energy<LinearElastic, 3>());

}  // namespace pliant
