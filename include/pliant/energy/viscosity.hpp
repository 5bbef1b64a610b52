// Viscosity: the stress that resists the rate of strain, for the stiffness damping of a body.
//
// psi_v = T/2 G':beta C:G' is the potential, over a step, of the viscous stress S = beta C:G' (second
// Piola-Kirchhoff, Kelvin-Voigt law) at a rate G' of Green's strain that is (G+ - G) / T plus a term that
// does not depend on the end of the step, with G and G+ at its start and end: incremental potentials as in
// Brown et al. 2018, "Accurate dissipative forces in optimization integrators". C is Hooke's law of the
// energy at rest; any other isotropic law serves as well. A rigid motion, with a rotation of any size, does
// not change Green's strain in any state, and the forces of F S with a symmetric S have no moment about the
// positions at the end.
#pragma once

#include <algorithm>
#include <type_traits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/core/error.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/plane_stress.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/energy/tangent.hpp>
#include <pliant/simd/register.hpp>

namespace pliant::detail::energy {

// beta C of an isotropic material: C:A = 2 mu A + lambda tr(A) I for symmetric A.
struct IsotropicViscosity {
  double mu, lambda;  // beta times those of the energy at rest [Pa s]

  template <class T, int Dim>
  PLIANT_INLINE SmallMatrix<T, Dim, Dim> stress(const SmallMatrix<T, Dim, Dim>& rate) const {
    const T pressure = constant<T>(lambda) * trace(rate), twice_mu = constant<T>(2 * mu);
    SmallMatrix<T, Dim, Dim> S;
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) S.data()[k] = twice_mu * rate.data()[k];
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) S(i, i) += pressure;
    return S;
  }

  // d(F S)/dF = F (C:sym(F^T dF)) / T + dF S, contracted with the shape gradients a and b of two nodes:
  //   K_ab = (mu ((a.b) F F^T + (F b)(F a)^T) + lambda (F a)(F b)^T) / T + (a.S b) I.
  template <class T, int Dim>
  struct Tangent {
    struct Node {
      SmallVector<T, Dim> gradient;   // a
      SmallVector<T, Dim> stretched;  // F a
      SmallVector<T, Dim> pulled;     // S a
    };

    SmallMatrix<T, Dim, Dim> F, S, square;  // square: mu F F^T / T
    T mu, lambda;                           // divided by T

    PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& a) const {
      return {a, algebra::times<T, Dim, Dim>(F, a), algebra::times<T, Dim, Dim>(S, a)};
    }

    PLIANT_INLINE SmallMatrix<T, Dim, Dim> block(const Node& a, const Node& b) const {
      const T along = algebra::dot<T, Dim>(a.gradient, b.gradient),
              turning = algebra::dot<T, Dim>(a.gradient, b.pulled);
      SmallMatrix<T, Dim, Dim> K;
      PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
        const T from_mu = mu * a.stretched(k), from_lambda = lambda * b.stretched(k);
        PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
          K(i, k) = multiply_add(b.stretched(i), from_mu,
                                 multiply_add(a.stretched(i), from_lambda, along * square(i, k)));
        }
        K(k, k) += turning;
      }
      return K;
    }
  };

  template <class T, int Dim>
  PLIANT_INLINE Tangent<T, Dim> tangent(const SmallMatrix<T, Dim, Dim>& F, const SmallMatrix<T, Dim, Dim>& S,
                                        const T& per_time) const {
    Tangent<T, Dim> result{F, S, {}, constant<T>(mu) * per_time, constant<T>(lambda) * per_time};
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        T entry = F(i, 0) * F(j, 0);
        PLIANT_UNROLL for (int k = 1; k < Dim; ++k) entry = multiply_add(F(i, k), F(j, k), entry);
        result.square(i, j) = result.mu * entry;
      }
    }
    return result;
  }
};

// beta C of any material, as a matrix [Pa s] that maps symmetric tensors to symmetric tensors.
template <int Dim>
struct AnisotropicViscosity {
  SmallMatrix<double, Dim * Dim, Dim * Dim> C;

  template <class T>
  PLIANT_INLINE SmallMatrix<T, Dim, Dim> stress(const SmallMatrix<T, Dim, Dim>& rate) const {
    SmallMatrix<T, Dim, Dim> S;
    for (int r = 0; r < Dim * Dim; ++r) {
      S.data()[r] = constant<T>(C(r, 0)) * rate.data()[0];
      PLIANT_UNROLL for (int c = 1; c < Dim * Dim; ++c) S.data()[r] += constant<T>(C(r, c)) * rate.data()[c];
    }
    return S;
  }

  // H[(i,j),(k,l)] = F_ip C[(p,j),(q,l)] F_kq / T + delta_ik S_jl
  template <class T>
  HessianTangent<T, Dim> tangent(const SmallMatrix<T, Dim, Dim>& F, const SmallMatrix<T, Dim, Dim>& S,
                                 const T& per_time) const {
    constexpr int size = Dim * Dim;
    SmallMatrix<T, size, size> half, H;  // half: F_ip C[(p,j),(q,l)]
    for (int c = 0; c < size; ++c) {
      for (int j = 0; j < Dim; ++j) {
        for (int i = 0; i < Dim; ++i) {
          T& entry = half(i + Dim * j, c);
          entry = F(i, 0) * constant<T>(C(Dim * j, c));
          PLIANT_UNROLL for (int p = 1; p < Dim; ++p) entry += F(i, p) * constant<T>(C(p + Dim * j, c));
        }
      }
    }
    for (int l = 0; l < Dim; ++l) {
      for (int k = 0; k < Dim; ++k) {
        for (int r = 0; r < size; ++r) {
          T entry = half(r, Dim * l) * F(k, 0);
          PLIANT_UNROLL for (int q = 1; q < Dim; ++q) entry += half(r, q + Dim * l) * F(k, q);
          H(r, k + Dim * l) = per_time * entry;
        }
        for (int j = 0; j < Dim; ++j) H(k + Dim * j, k + Dim * l) += S(j, l);
      }
    }
    return HessianTangent<T, Dim>(H);
  }
};

// The potential above at one deformation gradient F at the end of a step, with the strain rate G' [1/s]; the
// counterpart of the result of energy_at.
template <class Law, class T, int Dim>
class ViscousState {
 public:
  PLIANT_INLINE ViscousState(const Law& law, const SmallMatrix<T, Dim, Dim>& F,
                             const SmallMatrix<T, Dim, Dim>& rate, const T& time)
      : law_(law), F_(F), rate_(rate), S_(law.stress(rate)), time_(time) {}

  PLIANT_INLINE T psi() const { return constant<T>(0.5) * time_ * double_dot<T, Dim, Dim>(rate_, S_); }
  PLIANT_INLINE SmallMatrix<T, Dim, Dim> pk1() const { return algebra::times<T, Dim, Dim>(F_, S_); }

  // The Hessian; its projection omits the term dF S: it is positive semidefinite, and equal to the Hessian if
  // the strain does not change within the step.
  template <Projection projection>
  PLIANT_INLINE auto tangent() const {
    const T per_time = constant<T>(1) / time_;
    if constexpr (projection == Projection::none) {
      return law_.tangent(F_, S_, per_time);
    } else {
      SmallMatrix<T, Dim, Dim> none;
      PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) none.data()[k] = constant<T>(0);
      return law_.tangent(F_, none, per_time);
    }
  }

 private:
  Law law_;
  SmallMatrix<T, Dim, Dim> F_, rate_, S_;
  T time_;
};

// The viscosity of a material whose stiffness damping is beta, plus an isotropic one.
template <class Energy, int Dim>
class Viscosity {
  static constexpr bool isotropic = has_lame<Energy>;
  static constexpr int size = Dim * Dim;
  using Matrix = SmallMatrix<double, size, size>;

 public:
  // No viscosity.
  Viscosity() = default;

  // beta [s] >= 0; shear and bulk [Pa s] >= 0, see StrainDamping. Throws ParameterError if beta is not zero
  // and the Hessian at rest is not finite.
  Viscosity(const Energy& energy, double beta, double shear, double bulk) {
    if (beta > 0) damp_stiffness(energy, beta);
    if (shear == 0 && bulk == 0) return;
    IsotropicViscosity own{shear, bulk - 2. / 3 * shear};
    if constexpr (is_plane_stress<Energy>) own.lambda *= 2 * own.mu / (own.lambda + 2 * own.mu);
    isotropic_ = {isotropic_.mu + own.mu, isotropic_.lambda + own.lambda};
    if constexpr (!isotropic) {
      if (!is_isotropic_) anisotropic_.C += matrix_of(own);
    }
  }

  // Calls use(law), with an IsotropicViscosity if the law is isotropic.
  template <class Use>
  auto with_law(Use&& use) const {
    if constexpr (!isotropic) {
      if (!is_isotropic_) return use(anisotropic_);
    }
    return use(isotropic_);
  }

 private:
  // C is the Hessian at rest restricted to symmetric tensors, and projected to the nearest positive
  // semidefinite matrix.
  void damp_stiffness(const Energy& energy, double beta) {
    using Rest = SmallMatrix<double, Dim, Dim>;
    const Matrix H = energy.hessian(Rest(Rest::Identity()));
    const bool finite = std::all_of(H.data(), H.data() + H.size(), core::is_finite);
    core::require_parameter(finite, "Rayleigh::beta", beta,
                            "must be zero with an energy whose Hessian at rest is not finite");
    const auto swapped = [](int k) { return k % Dim * Dim + k / Dim; };
    Matrix C;
    for (int c = 0; c < size; ++c) {
      for (int r = 0; r < size; ++r) {
        const int rt = swapped(r), ct = swapped(c);
        C(r, c) = (H(r, c) + H(rt, c) + H(r, ct) + H(rt, ct) + H(c, r) + H(ct, r) + H(c, rt) + H(ct, rt)) / 8;
      }
    }
    isotropic_ = {std::max(C(1, 1), 0.0), 0};
    isotropic_.lambda = std::max(C(0, size - 1), -2 * isotropic_.mu / Dim);
    is_isotropic_ =
        isotropic || (C - matrix_of(isotropic_)).cwiseAbs().maxCoeff() <= 1e-10 * C.cwiseAbs().maxCoeff();
    isotropic_ = {beta * isotropic_.mu, beta * isotropic_.lambda};
    if constexpr (!isotropic) anisotropic_.C = beta * project_numerically<double, size>(C, Projection::clamp);
  }

  static Matrix matrix_of(const IsotropicViscosity& law) {
    Matrix C = Matrix::Zero();
    for (int i = 0; i < Dim; ++i) {
      for (int j = 0; j < Dim; ++j) {
        C(i + Dim * j, i + Dim * j) += law.mu;
        C(i + Dim * j, j + Dim * i) += law.mu;
        C(i + Dim * i, j + Dim * j) += law.lambda;
      }
    }
    return C;
  }

  struct None {};

  IsotropicViscosity isotropic_{0, 0};
  [[no_unique_address]] std::conditional_t<isotropic, None, AnisotropicViscosity<Dim>> anisotropic_{};
  bool is_isotropic_ = true;
};

}  // namespace pliant::detail::energy
