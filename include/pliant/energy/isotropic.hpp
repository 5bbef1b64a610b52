// The base of isotropic energies: psi, P and the Hessian from the derivatives with respect to the invariants
// of F.
#pragma once

#include <pliant/algebra/svd.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/energy/spectral_tangent.hpp>
#include <pliant/energy/tangent.hpp>

namespace pliant {

// Base of the energies psi(I2, J), I2 = |F|^2 and J = det F. A model derives from it and provides
//
//   class Model : public IsotropicEnergy<Model> {
//    public:
//     static constexpr bool linear_in_I2 = true;  // if d22 and d23 are zero: saves their code
//     template <int Dim, class T> T density(const T& I2, const T& J) const;  // psi [J/m^3]
//     template <int Dim, class T> InvariantDerivatives<T> derivatives(const T& I2, const T& J) const;
//   };
//
// The base supplies psi, P, the Hessian, its eigensystem and both projections, for scalars and lanes. The
// projections are valid for every F: inverted, flat, zero, with equal or opposite singular values.
template <class Model>
class IsotropicEnergy {
 public:
  static constexpr bool linear_in_I2 = false;  // the default

  // Energy density [J/m^3].
  template <class Derived>
  PLIANT_INLINE EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const {
    const auto state = state_at(deformation_gradient(F));
    return model().template density<state.dim>(state.I2, state.J);
  }

  // P = 2 d2 F + d3 cof F [Pa].
  template <class Derived>
  PLIANT_INLINE DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F) const {
    const auto state = state_at(deformation_gradient(F));
    const auto d = derivatives_at(state);
    const auto twice_d2 = d.d2 + d.d2;
    DeformationGradient<Derived> P;
    PLIANT_UNROLL for (int k = 0; k < state.dim * state.dim; ++k) {
      P.data()[k] = twice_d2 * state.F.data()[k] + d.d3 * (d.unit * state.cofactor.data()[k]);
    }
    return P;
  }

  // dvec(P)/dvec(F) [Pa], dim^2 x dim^2.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F) const {
    const auto state = state_at(deformation_gradient(F));
    return hessian_at(state, derivatives_at(state));
  }

  // The same, projected to positive semidefinite by the analytic eigensystem.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F, Projection projection) const {
    return with_projection(projection, [&]<Projection p>() -> EnergyHessian<Derived> {
      if constexpr (p == Projection::none) return hessian(F);
      else return tangent<p>(F).matrix();
    });
  }

  // The contracted form of `hessian(F, projection)`, see tangent.hpp.
  template <Projection projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& F) const {
    const auto state = state_at(deformation_gradient(F));
    using T = typename decltype(state)::Scalar;
    if constexpr (projection == Projection::none) {
      return detail::energy::InvariantTangent<T, state.dim, Model::linear_in_I2>(state.F, state.cofactor,
                                                                                 derivatives_at(state));
    } else {
      const Svd<T, state.dim> frame = svd(state.F);
      return projected_tangent<projection>(frame, principal_hessian(frame.sigma, derivatives_at(state)));
    }
  }

 private:
  template <class T, int Dim>
  struct State {
    using Scalar = T;
    static constexpr int dim = Dim;

    SmallMatrix<T, Dim, Dim> F;
    SmallMatrix<T, Dim, Dim> cofactor;
    T I2, J;
  };

  template <class T, int Dim>
  static PLIANT_INLINE State<T, Dim> state_at(const SmallMatrix<T, Dim, Dim>& F) {
    const SmallMatrix<T, Dim, Dim> C = cofactor<T, Dim>(F);
    return {detail::algebra::copied(F), detail::algebra::copied(C), double_dot<T, Dim, Dim>(F, F),
            determinant<T, Dim>(F, C)};
  }

  PLIANT_INLINE const Model& model() const { return static_cast<const Model&>(*this); }

  template <class T, int Dim>
  PLIANT_INLINE InvariantDerivatives<T> derivatives_at(const State<T, Dim>& state) const {
    return model().template derivatives<Dim>(state.I2, state.J);
  }

  template <class T, int Dim>
  static SmallMatrix<T, Dim * Dim, Dim * Dim> hessian_at(const State<T, Dim>& state,
                                                         const InvariantDerivatives<T>& d) {
    constexpr int size = Dim * Dim;
    SmallMatrix<T, size, size> H;
    const T* f = state.F.data();
    T g[size];
    PLIANT_UNROLL for (int k = 0; k < size; ++k) g[k] = d.unit * state.cofactor.data()[k];
    for (int c = 0; c < size; ++c) {
      PLIANT_UNROLL for (int r = 0; r < size; ++r) {
        H(r, c) = d.d33 * g[r] * g[c];
        if constexpr (!Model::linear_in_I2) {
          H(r, c) +=
              constant<T>(4) * d.d22 * f[r] * f[c] + constant<T>(2) * d.d23 * (f[r] * g[c] + g[r] * f[c]);
        }
      }
      H(c, c) += constant<T>(2) * d.d2;
    }
    add_determinant_hessian(state.F, d, H);
    return H;
  }

  // H += d3 d2J/dF2.
  template <class T, int Dim>
  static void add_determinant_hessian(const SmallMatrix<T, Dim, Dim>& F, const InvariantDerivatives<T>& d,
                                      SmallMatrix<T, Dim * Dim, Dim * Dim>& H) {
    if constexpr (Dim == 2) {
      const T value = d.d3 * d.unit;
      H(0, 3) += value;
      H(3, 0) += value;
      H(1, 2) -= value;
      H(2, 1) -= value;
    } else {
      // d2J/(dF_ij dF_kl) = eps_ikm eps_jln F_mn
      PLIANT_UNROLL for (int m = 0; m < 3; ++m) {
        const int i = (m + 1) % 3, k = (m + 2) % 3;
        PLIANT_UNROLL for (int n = 0; n < 3; ++n) {
          const int j = (n + 1) % 3, l = (n + 2) % 3;
          const T value = d.d3 * (d.unit * F(m, n));
          H(i + 3 * j, k + 3 * l) += value;
          H(k + 3 * l, i + 3 * j) += value;
          H(k + 3 * j, i + 3 * l) -= value;
          H(i + 3 * l, k + 3 * j) -= value;
        }
      }
    }
  }

  // In the frame of the SVD twist and flip of the pair (i, j) are 2 d2 +- d3 s_k, with s_k the third singular
  // value (1 in 2D). s_j s_k replaces the J / s_i of the literature, which is undefined for flat elements.
  //
  // `d` is evaluated at the J of psi, P and the Hessian and not at the product of the singular values: the
  // two differ by the rounding of |F|^dim, which for a nearly flat element is a large fraction of J and can
  // change its sign.
  template <class T, int Dim>
  static PrincipalHessian<T, Dim> principal_hessian(const SmallVector<T, Dim>& s,
                                                    const InvariantDerivatives<T>& d) {
    const T twice_d2 = d.d2 + d.d2;

    PrincipalHessian<T, Dim> H;
    constexpr int pairs = SpectralTangent<T, Dim>::pairs;
    SmallVector<T, Dim> area;     // unit dJ/ds_i
    SmallVector<T, pairs> third;  // d3 unit d2J/(ds_i ds_j)
    if constexpr (Dim == 2) {
      PLIANT_UNROLL for (int i = 0; i < 2; ++i) area(i) = d.unit * s(1 - i);
      third(0) = d.d3 * d.unit;
    } else {
      PLIANT_UNROLL for (int i = 0; i < 3; ++i) {
        area(i) = d.unit * s((i + 1) % 3) * s((i + 2) % 3);
        third(i) = d.d3 * (d.unit * s(i));
      }
    }
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
      PLIANT_UNROLL for (int j = i; j < Dim; ++j) {
        T& entry = H.scaling(i, j);
        entry = d.d33 * area(i) * area(j);
        if constexpr (!Model::linear_in_I2) {
          entry += constant<T>(4) * d.d22 * s(i) * s(j) +
                   constant<T>(2) * d.d23 * (s(i) * area(j) + s(j) * area(i));
        }
        if (i == j) entry += twice_d2;
        else entry += third(Dim == 2 ? 0 : 3 - i - j);
        H.scaling(j, i) = entry;
      }
    }
    PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
      H.twist(p) = twice_d2 + third(p);
      H.flip(p) = twice_d2 - third(p);
    }
    return H;
  }
};

}  // namespace pliant
