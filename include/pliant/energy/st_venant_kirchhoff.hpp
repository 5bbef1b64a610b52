// The St. Venant-Kirchhoff energy.
#pragma once

#include <pliant/algebra/svd.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/spectral_tangent.hpp>

namespace pliant {

// psi = mu G:G + lambda/2 tr(G)^2 with the Green strain G = (F^T F - I)/2: Hooke's law for large rotations
// and small strains. Defined for every F; in compression it softens, below a stretch of 1/sqrt(3) its
// resistance decreases, and F = 0 is an equilibrium. Bonet and Wood, "Nonlinear Continuum Mechanics for
// Finite Element Analysis", 2nd ed., eq. 6.28.
class StVenantKirchhoff : public LameMaterial<StVenantKirchhoff> {
 public:
  using LameMaterial::LameMaterial;

  // Energy density [J/m^3].
  template <class Derived>
  PLIANT_INLINE EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const {
    return density(deformation_gradient(F));
  }

  // P = F (2 mu G + lambda tr(G) I) [Pa].
  template <class Derived>
  PLIANT_INLINE DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F) const {
    const auto matrix = deformation_gradient(F);
    return detail::algebra::times(matrix, stress(matrix));
  }

  // dvec(P)/dvec(F) [Pa], dim^2 x dim^2, with projection by the analytic eigensystem.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F,
                                 Projection projection = Projection::none) const {
    const auto matrix = deformation_gradient(F);
    return with_projection(projection, [&]<Projection p>() -> EnergyHessian<Derived> {
      if constexpr (p == Projection::none) return hessian_at(matrix);
      else return tangent<p>(matrix).matrix();
    });
  }

  // The contracted form of `hessian(F, projection)`, see tangent.hpp.
  template <Projection projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& F) const {
    const auto matrix = deformation_gradient(F);
    if constexpr (projection == Projection::none) {
      return closed_tangent(matrix);
    } else {
      const auto frame = svd(matrix);
      return projected_tangent<projection>(frame, principal_hessian(frame.sigma));
    }
  }

 private:
  template <class T, int Dim>
  using Square = SmallMatrix<T, Dim, Dim>;

  // With a, b the shape gradients of two nodes and S the second Piola-Kirchhoff stress, K_ab is
  //   a.S b I + mu (F b)(F a)^T + mu (a.b) F F^T + lambda (F a)(F b)^T.
  template <class T, int Dim>
  struct Tangent {
    struct Node {
      SmallVector<T, Dim> gradient;   // a
      SmallVector<T, Dim> stressed;   // S a
      SmallVector<T, Dim> stretched;  // F a
    };

    T mu, lambda;
    Square<T, Dim> F, S, mu_FFt;

    PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& g) const {
      return {g, detail::algebra::times<T, Dim, Dim>(S, g), detail::algebra::times<T, Dim, Dim>(F, g)};
    }

    PLIANT_INLINE Square<T, Dim> block(const Node& a, const Node& b) const {
      const T together = detail::algebra::dot<T, Dim>(a.gradient, b.gradient);
      const T pressure = detail::algebra::dot<T, Dim>(a.gradient, b.stressed);
      Square<T, Dim> K;
      PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
        PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
          K(i, k) = mu * (b.stretched(i) * a.stretched(k)) + lambda * (a.stretched(i) * b.stretched(k)) +
                    together * mu_FFt(i, k);
        }
        K(k, k) += pressure;
      }
      return K;
    }
  };

  template <class T, int Dim>
  static PLIANT_INLINE Square<T, Dim> green_strain(const Square<T, Dim>& F) {
    Square<T, Dim> G;
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i <= j; ++i) {
        T entry = F(0, i) * F(0, j);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) entry += F(m, i) * F(m, j);
        if (i == j) entry -= constant<T>(1);
        G(i, j) = G(j, i) = constant<T>(0.5) * entry;
      }
    }
    return G;
  }

  template <class T, int Dim>
  PLIANT_INLINE T density(const Square<T, Dim>& F) const {
    const RawCoefficients& c = coefficients<Dim>();
    const Square<T, Dim> G = green_strain(F);
    const T volume_change = trace(G);
    return constant<T>(c.mu) * double_dot(G, G) + constant<T>(0.5 * c.lambda) * volume_change * volume_change;
  }

  // The second Piola-Kirchhoff stress.
  template <class T, int Dim>
  PLIANT_INLINE Square<T, Dim> stress(const Square<T, Dim>& F) const {
    const RawCoefficients& c = coefficients<Dim>();
    const Square<T, Dim> G = green_strain(F);
    const T pressure = constant<T>(c.lambda) * trace(G);
    Square<T, Dim> S;
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) S.data()[k] = constant<T>(2 * c.mu) * G.data()[k];
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) S(i, i) += pressure;
    return S;
  }

  template <class T, int Dim>
  PLIANT_INLINE Tangent<T, Dim> closed_tangent(const Square<T, Dim>& F) const {
    const RawCoefficients& c = coefficients<Dim>();
    Tangent<T, Dim> tangent{constant<T>(c.mu), constant<T>(c.lambda), F, stress(F), {}};
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        T entry = F(i, 0) * F(j, 0);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) entry += F(i, m) * F(j, m);
        tangent.mu_FFt(i, j) = tangent.mu * entry;
      }
    }
    return tangent;
  }

  // The blocks of the tangent for unit shape gradients are those of the Hessian.
  template <class T, int Dim>
  SmallMatrix<T, Dim * Dim, Dim * Dim> hessian_at(const Square<T, Dim>& F) const {
    const Tangent<T, Dim> tangent = closed_tangent(F);
    typename Tangent<T, Dim>::Node node[Dim];
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      SmallVector<T, Dim> axis;
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) axis(i) = constant<T>(i == j ? 1 : 0);
      node[j] = tangent.at_node(axis);
    }
    SmallMatrix<T, Dim * Dim, Dim * Dim> H;
    for (int l = 0; l < Dim; ++l) {
      PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
        const Square<T, Dim> K = tangent.block(node[j], node[l]);
        PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
          PLIANT_UNROLL for (int i = 0; i < Dim; ++i) H(i + Dim * j, k + Dim * l) = K(i, k);
        }
      }
    }
    return H;
  }

  // With p = mu (s^2 - 1) + lambda/2 (|F|^2 - dim) at each s, psi_i = p_i s_i. The quotients of sums and
  // differences in the twists and flips are evaluated in closed form.
  template <class T, int Dim>
  PrincipalHessian<T, Dim> principal_hessian(const SmallVector<T, Dim>& s) const {
    const RawCoefficients& c = coefficients<Dim>();
    const T mu = constant<T>(c.mu), lambda = constant<T>(c.lambda);
    T trace = s(0) * s(0) - constant<T>(1);
    PLIANT_UNROLL for (int i = 1; i < Dim; ++i) trace += s(i) * s(i) - constant<T>(1);
    const T common = constant<T>(0.5) * lambda * trace - mu;

    PrincipalHessian<T, Dim> H;
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
      PLIANT_UNROLL for (int j = 0; j < Dim; ++j) H.scaling(i, j) = lambda * s(i) * s(j);
      H.scaling(i, i) += common + constant<T>(3) * mu * s(i) * s(i);
    }
    for (int p = 0; p < SpectralTangent<T, Dim>::pairs; ++p) {
      const int i = Dim == 2 ? 0 : (p + 1) % 3, j = Dim == 2 ? 1 : (p + 2) % 3;
      const T squares = common + mu * (s(i) * s(i) + s(j) * s(j)), cross = mu * s(i) * s(j);
      H.twist(p) = squares - cross;
      H.flip(p) = squares + cross;
    }
    return H;
  }
};

static_assert(require_energy<StVenantKirchhoff, 2>() && require_energy<StVenantKirchhoff, 3>());

}  // namespace pliant
