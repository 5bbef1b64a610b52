// The base of isotropic energies that compare F with its rotation: psi, P and the Hessian from the
// derivatives with respect to the invariants of F.
#pragma once

#include <limits>
#include <type_traits>

#include <pliant/algebra/svd.hpp>
#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/energy/spectral_tangent.hpp>

namespace pliant {

// First and second derivatives of psi(I1, I2, J), with d1 = dpsi/dI1, d12 = d2psi/(dI1 dI2) and so on.
template <class T>
struct CorotationalDerivatives {
  T d1, d2, d3;
  T d11 = constant<T>(0), d22 = constant<T>(0), d33 = constant<T>(0);
  T d12 = constant<T>(0), d13 = constant<T>(0), d23 = constant<T>(0);
};

// Base of the energies psi(I1, I2, J) with F = R S, I1 = tr S = R:F, I2 = |F|^2 and J = det F. In singular
// values (the last with the sign of J) these are the sum, the sum of squares and the product. A model
// provides
//
//   class Model : public CorotationalEnergy<Model> {
//    public:
//     template <int Dim, class T> T density(const T& I1, const T& I2, const T& J) const;  // psi [J/m^3]
//     template <int Dim, class T>
//     CorotationalDerivatives<T> derivatives(const T& I1, const T& I2, const T& J) const;
//   };
//
// The base supplies psi, P, the Hessian, its eigensystem and both projections, for scalars and lanes and for
// every F. A model that does not depend on I1 should derive from IsotropicEnergy (isotropic.hpp), which needs
// no singular values.
//
// If s_i + s_j = 0 (a line, a point, a reflected disc) the nearest rotation jumps, and the twist eigenvalue 2
// d1 / (s_i + s_j) + ... has a pole. The sum is bounded from below by the rounding of the largest singular
// value and by 1e-20, so that all results are finite. With d1 < 0 (compression) a clamp makes the eigenvalue
// 0; `absolute` makes the mode nearly rigid.
template <class Model>
class CorotationalEnergy {
  // An energy at one deformation gradient: shared results of psi, P and the tangent are computed once.
  template <class T, int Dim>
  class State {
    static constexpr int pairs = SpectralTangent<T, Dim>::pairs;

   public:
    PLIANT_INLINE State(const Model& model, const SmallMatrix<T, Dim, Dim>& F)
        : model_(model), frame_(svd(F)) {
      const SmallVector<T, Dim>& s = frame_.sigma;
      I1_ = s(0);
      I2_ = s(0) * s(0);
      PLIANT_UNROLL for (int i = 1; i < Dim; ++i) {
        I1_ += s(i);
        I2_ += s(i) * s(i);
      }
      if constexpr (Dim == 2) {
        PLIANT_UNROLL for (int i = 0; i < 2; ++i) area_(i) = s(1 - i);
      } else {
        PLIANT_UNROLL for (int i = 0; i < 3; ++i) area_(i) = s((i + 1) % 3) * s((i + 2) % 3);
      }
      J_ = s(0) * area_(0);
    }

    PLIANT_INLINE T psi() const { return model_.template density<Dim>(I1_, I2_, J_); }

    // U diag(psi_i) V^T
    PLIANT_INLINE SmallMatrix<T, Dim, Dim> pk1() const {
      const SmallVector<T, Dim> slopes = principal_stress(derivatives());
      SmallMatrix<T, Dim, Dim> P;
      PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
        PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
          P(i, j) = slopes(0) * frame_.U(i, 0) * frame_.V(j, 0);
          PLIANT_UNROLL for (int m = 1; m < Dim; ++m) P(i, j) += slopes(m) * frame_.U(i, m) * frame_.V(j, m);
        }
      }
      return P;
    }

    template <Projection projection>
    PLIANT_INLINE SpectralTangent<T, Dim> tangent() const {
      return projected_tangent<projection>(frame_, principal_hessian());
    }

   private:
    PLIANT_INLINE CorotationalDerivatives<T> derivatives() const {
      return model_.template derivatives<Dim>(I1_, I2_, J_);
    }

    // dpsi/ds_i
    PLIANT_INLINE SmallVector<T, Dim> principal_stress(const CorotationalDerivatives<T>& d) const {
      SmallVector<T, Dim> slopes;
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) slopes(i) =
          d.d1 + (d.d2 + d.d2) * frame_.sigma(i) + d.d3 * area_(i);
      return slopes;
    }

    // As in IsotropicEnergy, with the additional terms 2 d1 / (s_i + s_j) in the twists and d11, d12, d13 in
    // the scaling block.
    PrincipalHessian<T, Dim> principal_hessian() const {
      using std::max;
      const SmallVector<T, Dim>& s = frame_.sigma;
      const CorotationalDerivatives<T> d = derivatives();
      const T twice_d2 = d.d2 + d.d2;
      const T floor =
          max(T(constant<T>(std::numeric_limits<simd::scalar_of<T>>::epsilon()) * s(0)), constant<T>(1e-20));

      PrincipalHessian<T, Dim> H;
      PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
        const int i = Dim == 2 ? 0 : (p + 1) % 3, j = Dim == 2 ? 1 : (p + 2) % 3;
        const T third = Dim == 2 ? d.d3 : T(d.d3 * s(p));  // d3 d2J/(ds_i ds_j)
        H.twist(p) = twice_d2 + third + (d.d1 + d.d1) / max(T(s(i) + s(j)), floor);
        H.flip(p) = twice_d2 - third;
        H.scaling(i, j) = H.scaling(j, i) = third + mixed(d, i, j);
      }
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) H.scaling(i, i) = twice_d2 + mixed(d, i, i);
      return H;
    }

    // The second derivatives of psi with respect to the invariants, times those of the invariants.
    PLIANT_INLINE T mixed(const CorotationalDerivatives<T>& d, int i, int j) const {
      const SmallVector<T, Dim>& s = frame_.sigma;
      return d.d11 + constant<T>(4) * d.d22 * s(i) * s(j) + d.d33 * area_(i) * area_(j) +
             constant<T>(2) * (d.d12 * (s(i) + s(j)) + d.d23 * (s(i) * area_(j) + s(j) * area_(i))) +
             d.d13 * (area_(i) + area_(j));
    }

    const Model& model_;
    Svd<T, Dim> frame_;
    SmallVector<T, Dim> area_;  // dJ/ds_i
    T I1_, I2_, J_;
  };

 public:
  // The energy at one F: an object with psi(), pk1() and tangent<projection>() that decomposes F once.
  template <class Derived>
  PLIANT_INLINE auto at(const Eigen::MatrixBase<Derived>& F) const {
    const auto matrix = deformation_gradient(F);
    using Matrix = std::remove_const_t<decltype(matrix)>;
    return State<typename Matrix::Scalar, Matrix::RowsAtCompileTime>(static_cast<const Model&>(*this),
                                                                     matrix);
  }

  // Energy density [J/m^3].
  template <class Derived>
  EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const {
    return at(F).psi();
  }

  // P = d1 R + 2 d2 F + d3 cof F [Pa].
  template <class Derived>
  DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F) const {
    return at(F).pk1();
  }

  // dvec(P)/dvec(F) [Pa], dim^2 x dim^2, projected by the analytic eigensystem.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F,
                                 Projection projection = Projection::none) const {
    const auto state = at(F);
    return with_projection(projection, [&]<Projection p>() -> EnergyHessian<Derived> {
      return state.template tangent<p>().matrix();
    });
  }

  // The contracted form of `hessian(F, projection)`, see tangent.hpp.
  template <Projection projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& F) const {
    return at(F).template tangent<projection>();
  }
};

}  // namespace pliant
