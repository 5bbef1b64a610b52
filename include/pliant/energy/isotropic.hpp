// Everything an isotropic energy needs, from its derivatives with respect to the invariants of F.
#pragma once

#include <pliant/energy/projection.hpp>
#include <pliant/energy/tangent.hpp>

namespace pliant {

// Base of the energies psi(I2, J), I2 = |F|^2 and J = det F. A model derives from it as
//
//   class Model : public IsotropicEnergy<Model> {
//     static constexpr bool linear_in_I2 = ...;                       // d22 = d23 = 0
//     template <int Dim, class T> T density(const T& I2, const T& J) const;                             //
//     psi template <int Dim, class T> InvariantDerivatives<T> derivatives(const T& I2, const T& J) const;
//   };
//
// and gets psi, P, the Hessian, its eigensystem and with it both projections, for scalars and lanes.
template <class Model>
class IsotropicEnergy {
 public:
  // Energy density [J/m^3].
  template <class Derived>
  auto psi(const Eigen::MatrixBase<Derived>& deformation_gradient) const {
    return with(deformation_gradient,
                [this](const auto& s) { return model().template density<dim_of<Derived>>(s.I2, s.J); });
  }

  // P = 2 d2 F + d3 cof F [Pa].
  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& deformation_gradient) const {
    return with(deformation_gradient, [this](const auto& s) {
      const auto d = model().template derivatives<dim_of<Derived>>(s.I2, s.J);
      const auto twice_d2 = d.d2 + d.d2;
      auto P = s.F;
      for (int k = 0; k < P.size(); ++k) P.data()[k] = twice_d2 * s.F.data()[k] + d.d3 * s.C.data()[k];
      return P;
    });
  }

  // dvec(P)/dvec(F) [Pa], dim^2 x dim^2.
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& deformation_gradient) const {
    return with(deformation_gradient, [this](const auto& s) {
      return hessian_of(s, model().template derivatives<dim_of<Derived>>(s.I2, s.J));
    });
  }

  // The same, projected to positive semidefinite by the analytic eigensystem.
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F, Projection projection) const {
    switch (projection) {
      case Projection::clamp:
        return tangent<Projection::clamp>(F).matrix();
      case Projection::absolute:
        return tangent<Projection::absolute>(F).matrix();
      case Projection::none:
        break;
    }
    return hessian(F);
  }

  // The contracted form of `hessian(F, projection)`, see tangent.hpp.
  template <Projection projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& deformation_gradient) const {
    constexpr int dim = dim_of<Derived>;
    using T = typename Derived::Scalar;
    if constexpr (projection == Projection::none) {
      const State<T, dim> s(deformation_gradient);
      return InvariantTangent<T, dim, Model::linear_in_I2>(s.F, s.C,
                                                           model().template derivatives<dim>(s.I2, s.J));
    } else {
      return spectral_tangent<projection, T, dim>(deformation_gradient);
    }
  }

 private:
  template <class Derived>
  static constexpr int dim_of = Derived::RowsAtCompileTime;

  template <class T, int Dim>
  struct State {
    static_assert(Dim == 2 || Dim == 3, "a deformation gradient is a 2x2 or 3x3 matrix of fixed size");
    SmallMatrix<T, Dim, Dim> F, C;  // F and cof F
    T I2, J;

    template <class Derived>
    PLIANT_INLINE explicit State(const Eigen::MatrixBase<Derived>& deformation_gradient)
        : F(deformation_gradient),
          C(cofactor<T, Dim>(F)),
          I2(double_dot<T, Dim, Dim>(F, F)),
          J(determinant<T, Dim>(F, C)) {}
  };

  const Model& model() const { return static_cast<const Model&>(*this); }

  template <class Derived, class Function>
  static PLIANT_INLINE auto with(const Eigen::MatrixBase<Derived>& deformation_gradient,
                                 Function&& function) {
    return function(State<typename Derived::Scalar, dim_of<Derived>>(deformation_gradient));
  }

  template <class T, int Dim>
  static SmallMatrix<T, Dim * Dim, Dim * Dim> hessian_of(const State<T, Dim>& s,
                                                         const InvariantDerivatives<T>& d) {
    constexpr int size = Dim * Dim;
    SmallMatrix<T, size, size> H;
    const T* f = s.F.data();
    const T* g = s.C.data();
    for (int c = 0; c < size; ++c) {
      for (int r = 0; r < size; ++r) {
        H(r, c) = d.d33 * g[r] * g[c];
        if constexpr (!Model::linear_in_I2) {
          H(r, c) +=
              constant<T>(4) * d.d22 * f[r] * f[c] + constant<T>(2) * d.d23 * (f[r] * g[c] + g[r] * f[c]);
        }
      }
      H(c, c) += constant<T>(2) * d.d2;
    }
    add_determinant_hessian(s.F, d.d3, H);
    return H;
  }

  // H += weight * d2J/dF2.
  template <class T, int Dim>
  static void add_determinant_hessian(const SmallMatrix<T, Dim, Dim>& F, const T& weight,
                                      SmallMatrix<T, Dim * Dim, Dim * Dim>& H) {
    if constexpr (Dim == 2) {
      H(0, 3) += weight;
      H(3, 0) += weight;
      H(1, 2) -= weight;
      H(2, 1) -= weight;
    } else {
      // d2J/(dF_ij dF_kl) = eps_ikm eps_jln F_mn
      for (int m = 0; m < 3; ++m) {
        const int i = (m + 1) % 3, k = (m + 2) % 3;
        for (int n = 0; n < 3; ++n) {
          const int j = (n + 1) % 3, l = (n + 2) % 3;
          const T value = weight * F(m, n);
          H(i + 3 * j, k + 3 * l) += value;
          H(k + 3 * l, i + 3 * j) += value;
          H(k + 3 * j, i + 3 * l) -= value;
          H(i + 3 * l, k + 3 * j) -= value;
        }
      }
    }
  }

  // The eigensystem in the frame of the SVD; the pair (i, j) of 3D goes with the third singular value s_k.
  template <Projection projection, class T, int Dim, class Derived>
  PLIANT_INLINE auto spectral_tangent(const Eigen::MatrixBase<Derived>& deformation_gradient) const {
    const Svd<T, Dim> decomposition = svd<T, Dim>(SmallMatrix<T, Dim, Dim>(deformation_gradient));
    const SmallVector<T, Dim>& s = decomposition.sigma;
    T I2 = s(0) * s(0), J = s(0);
    for (int i = 1; i < Dim; ++i) {
      I2 += s(i) * s(i);
      J = J * s(i);
    }
    const InvariantDerivatives<T> d = model().template derivatives<Dim>(I2, J);
    const T twice_d2 = d.d2 + d.d2;

    SmallMatrix<T, Dim, Dim> A;
    SmallVector<T, SpectralTangent<T, Dim>::pairs> twist, flip;
    const auto others = [&s](int i) {  // the product of the other singular values, dJ/ds_i
      if constexpr (Dim == 2) return s(1 - i);
      else return s((i + 1) % 3) * s((i + 2) % 3);
    };
    for (int i = 0; i < Dim; ++i) {
      for (int j = i; j < Dim; ++j) {
        A(i, j) = d.d33 * others(i) * others(j);
        if constexpr (!Model::linear_in_I2) {
          A(i, j) += constant<T>(4) * d.d22 * s(i) * s(j) +
                     constant<T>(2) * d.d23 * (s(i) * others(j) + s(j) * others(i));
        }
        if (i == j) A(i, j) += twice_d2;
        else A(i, j) += d.d3 * (Dim == 2 ? constant<T>(1) : s(3 - i - j));
        A(j, i) = A(i, j);
      }
    }
    for (int p = 0; p < SpectralTangent<T, Dim>::pairs; ++p) {
      const T third = d.d3 * (Dim == 2 ? constant<T>(1) : s(p));
      twist(p) = projected<projection>(T(twice_d2 + third));
      flip(p) = projected<projection>(T(twice_d2 - third));
    }

    const SymmetricEigen<T, Dim> eigen = symmetric_eigen<T, Dim>(A);
    SmallMatrix<T, Dim, Dim> scaling;
    for (int i = 0; i < Dim; ++i) {
      for (int j = i; j < Dim; ++j) {
        T entry = constant<T>(0);
        for (int m = 0; m < Dim; ++m) {
          entry += projected<projection>(T(eigen.values(m))) * eigen.vectors(i, m) * eigen.vectors(j, m);
        }
        scaling(i, j) = entry;
        scaling(j, i) = entry;
      }
    }
    return SpectralTangent<T, Dim>(decomposition.U, decomposition.V, scaling, twist, flip);
  }
};

}  // namespace pliant
