// Strain, energy, stress and Hessian of a Plastic material at one deformation gradient and plastic strain.
#pragma once

#include <limits>
#include <type_traits>

#include <pliant/algebra/polar.hpp>
#include <pliant/algebra/svd.hpp>
#include <pliant/energy/plastic.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/energy/spectral_tangent.hpp>
#include <pliant/energy/tangent.hpp>

namespace pliant::detail::energy {

// The strain e of F.
template <class E, class T, int Dim>
PLIANT_INLINE SmallMatrix<T, Dim, Dim> strain_of(const Plastic<E>&, const SmallMatrix<T, Dim, Dim>& F) {
  SmallMatrix<T, Dim, Dim> strain = F;
  if constexpr (std::is_same_v<E, CorotatedLinear>) strain = polar<T, Dim>(F).S;
  PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
    PLIANT_UNROLL for (int i = 0; i < j; ++i) {
      strain(i, j) = strain(j, i) = constant<T>(0.5) * (strain(i, j) + strain(j, i));
    }
    strain(j, j) -= constant<T>(1);
  }
  return strain;
}

// The plastic update of a strain e in a step of length dt, see Plasticity. Returns 1 in the lanes in which
// the material flows, and 0 elsewhere, where p does not change.
template <class T, int Dim>
PLIANT_INLINE T flow(const Plasticity& plasticity, double dt, const SmallMatrix<T, Dim, Dim>& strain,
                     SmallMatrix<T, Dim, Dim>& p) {
  using std::sqrt;
  constexpr int size = Dim * Dim;
  SmallMatrix<T, Dim, Dim> elastic, moved;
  PLIANT_UNROLL for (int k = 0; k < size; ++k) elastic.data()[k] = strain.data()[k] - p.data()[k];
  const auto flows = sqrt(double_dot(elastic, elastic)) > constant<T>(plasticity.yield);
  const double part = dt * plasticity.creep < 1 ? dt * plasticity.creep : 1;
  PLIANT_UNROLL for (int k = 0; k < size; ++k) {
    moved.data()[k] = p.data()[k] + constant<T>(part) * elastic.data()[k];
  }
  const T norm = sqrt(double_dot(moved, moved)), limit = constant<T>(plasticity.limit);
  const T scale = select(norm > limit, T(limit / norm), constant<T>(1));
  PLIANT_UNROLL for (int k = 0; k < size; ++k) {
    p.data()[k] = select(flows, T(scale * moved.data()[k]), p.data()[k]);
  }
  return select(flows, constant<T>(1), constant<T>(0));
}

// The Hessian of psi = mu el:el + lambda/2 tr(el)^2 with el = S - I - p, in the frame of the SVD F = U
// diag(s) V^T. A change M of F there is M = X + W diag(s) to first order, with the change X of S and the
// rotation W,
//   X_ij = r_ij M_ij + r_ji M_ji,   W_ij = t_ij (M_ij - M_ji),   t_ij = 1/(s_i + s_j),   r_ij = s_i t_ij.
// The second order of S is (M^T M - X^2)_ij t_ij. With the stress sigma of the frame the second derivative is
//   H[M, M] = 2 mu X:X + lambda tr(X)^2 + 4 tr(K X W) - 2 tr(D W W),   K_ij = r_ij sigma_ij,
//   D_ij = r_ij s_j sigma_ij.
// `shift` is added to the Hessian with respect to the components of W.
template <class T, int Dim, bool shifted>
class CorotatedPlasticTangent {
 public:
  static constexpr int pairs = Dim * (Dim - 1) / 2;
  using Matrix = SmallMatrix<T, Dim, Dim>;
  using Shift = SmallMatrix<T, pairs, pairs>;
  using Node = typename HessianTangent<T, Dim>::Node;

  CorotatedPlasticTangent(const Svd<T, Dim>& frame, const Matrix& share, const Matrix& inverse_sum,
                          const Matrix& K, const Matrix& D, const T& mu, const T& lambda, const Shift& shift)
      : U_(frame.U),
        V_(frame.V),
        share_(share),
        inverse_sum_(inverse_sum),
        K_(K),
        D_(D),
        twice_mu_(mu + mu),
        lambda_(lambda),
        shift_(shift) {}

  // The products of the Hessian with M = e_k b^T, b = V^T g. Its X has the only row and column x, its W the
  // row w and the column -w.
  PLIANT_INLINE Node at_node(const SmallVector<T, Dim>& g) const {
    Node node{algebra::transposed_times<T, Dim, Dim>(V_, g), {}};
    const SmallVector<T, Dim>& b = node.gradient;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      SmallVector<T, Dim> x, w;
      PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
        x(j) = j == k ? b(k) : T(share_(k, j) * b(j));
        w(j) = j == k ? constant<T>(0) : T(inverse_sum_(k, j) * b(j));
      }
      // W A and K X.
      const auto turned = [&](const Matrix& A, int i, int j) {
        if (i != k) return T(-w(i) * A(k, j));
        T sum = constant<T>(0);
        PLIANT_UNROLL for (int l = 0; l < Dim; ++l) {
          if (l != k) sum += w(l) * A(l, j);
        }
        return sum;
      };
      const auto stretched = [&](int i, int j) {
        if (j != k) return T(K_(i, k) * x(j));
        T sum = K_(i, 0) * x(0);
        PLIANT_UNROLL for (int l = 1; l < Dim; ++l) sum += K_(i, l) * x(l);
        return sum;
      };
      [[maybe_unused]] SmallVector<T, pairs> added;
      if constexpr (shifted) {
        SmallVector<T, pairs> of_pairs;
        PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
          of_pairs(p) = first(p) == k ? w(second(p)) : second(p) == k ? T(-w(first(p))) : constant<T>(0);
        }
        added = algebra::times<T, pairs, pairs>(shift_, of_pairs);
      }
      // dH/dX = 2 mu X + lambda tr(X) I + W K + (W K)^T
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        const T WK = turned(K_, i, i);
        node.product(i + Dim * i, k) = lambda_ * b(k) + (WK + WK);
      }
      node.product(k + Dim * k, k) += twice_mu_ * b(k);
      // dH/dW is the skew part of A^T with A = 2 K X - W D - D W, where D W = -(W D)^T.
      PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
        const int i = first(p), j = second(p);
        T Y = turned(K_, i, j) + turned(K_, j, i);
        if (i == k) Y += twice_mu_ * x(j);
        if (j == k) Y += twice_mu_ * x(i);
        const T half = (stretched(j, i) - stretched(i, j)) + (turned(D_, i, j) - turned(D_, j, i));
        T turn = half + half;
        if constexpr (shifted) turn += added(p);
        node.product(i + Dim * j, k) = (share_(i, j) + share_(i, j)) * Y + inverse_sum_(i, j) * turn;
        node.product(j + Dim * i, k) = (share_(j, i) + share_(j, i)) * Y - inverse_sum_(i, j) * turn;
      }
    }
    return node;
  }

  PLIANT_INLINE Matrix block(const Node& a, const Node& b) const {
    Matrix K, UK, result;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        K(i, k) = a.gradient(0) * b.product(i, k);
        PLIANT_UNROLL for (int j = 1; j < Dim; ++j) K(i, k) += a.gradient(j) * b.product(i + Dim * j, k);
      }
    }
    UK = algebra::times<T, Dim, Dim, Dim>(U_, K);
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        result(i, k) = UK(i, 0) * U_(k, 0);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) result(i, k) += UK(i, m) * U_(k, m);
      }
    }
    return result;
  }

  // The indices of a pair.
  static constexpr int first(int pair) { return Dim == 2 ? 0 : (pair + 1) % 3; }
  static constexpr int second(int pair) { return Dim == 2 ? 1 : (pair + 2) % 3; }

 private:
  Matrix U_, V_, share_, inverse_sum_, K_, D_;
  T twice_mu_, lambda_;
  Shift shift_;
};

// CorotatedLinear with a plastic strain p. P = U Q V^T with Q_ij = 2 r_ij sigma_ij, see above. If s_i + s_j
// vanishes (a reflection, a point), the axes of S are not unique, and psi jumps unless p is isotropic; the
// sum is bounded from below as in CorotationalEnergy, so that all results are finite.
template <class T, int Dim>
class CorotatedPlasticState {
  using Matrix = SmallMatrix<T, Dim, Dim>;
  static constexpr int pairs = Dim * (Dim - 1) / 2;

 public:
  PLIANT_INLINE CorotatedPlasticState(const Plastic<CorotatedLinear>& energy, const Matrix& F,
                                      const Matrix& p)
      : coefficients_(energy.coefficients<Dim>()), frame_(svd(F)) {
    using std::max;
    const SmallVector<T, Dim>& s = frame_.sigma;
    const Matrix pV = algebra::times<T, Dim, Dim, Dim>(p, frame_.V);
    const Matrix in_frame = algebra::transposed_times<T, Dim, Dim, Dim>(frame_.V, pV);
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) elastic_.data()[k] = -in_frame.data()[k];
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) elastic_(i, i) += s(i) - constant<T>(1);
    const T pressure = constant<T>(coefficients_.lambda) * trace(elastic_);
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) {
      stress_.data()[k] = constant<T>(2 * coefficients_.mu) * elastic_.data()[k];
    }
    PLIANT_UNROLL for (int i = 0; i < Dim; ++i) stress_(i, i) += pressure;
    const T floor =
        max(T(constant<T>(std::numeric_limits<simd::scalar_of<T>>::epsilon()) * s(0)), constant<T>(1e-20));
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < j; ++i) {
        inverse_sum_(i, j) = inverse_sum_(j, i) = constant<T>(1) / max(T(s(i) + s(j)), floor);
        share_(i, j) = s(i) * inverse_sum_(i, j);
        share_(j, i) = s(j) * inverse_sum_(i, j);
      }
      inverse_sum_(j, j) = constant<T>(0);
      share_(j, j) = constant<T>(0.5);
    }
  }

  PLIANT_INLINE T psi() const { return constant<T>(0.5) * double_dot<T, Dim, Dim>(stress_, elastic_); }

  PLIANT_INLINE Matrix pk1() const {
    Matrix Q, P;
    PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) {
      Q.data()[k] = (share_.data()[k] + share_.data()[k]) * stress_.data()[k];
    }
    const Matrix UQ = algebra::times<T, Dim, Dim, Dim>(frame_.U, Q);
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        P(i, j) = UQ(i, 0) * frame_.V(j, 0);
        PLIANT_UNROLL for (int m = 1; m < Dim; ++m) P(i, j) += UQ(i, m) * frame_.V(j, m);
      }
    }
    return P;
  }

  // A projection changes the Schur complement of the rotations W, whose Hessian is the only one that can be
  // indefinite: the result is positive semidefinite, equal to the Hessian if that is, and differs from it in
  // as many directions as there are rotations.
  template <Projection projection>
  PLIANT_INLINE auto tangent() const {
    using Tangent = CorotatedPlasticTangent<T, Dim, projection != Projection::none>;
    Matrix K, D;
    PLIANT_UNROLL for (int j = 0; j < Dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < Dim; ++i) {
        K(i, j) = share_(i, j) * stress_(i, j);
        D(i, j) = K(i, j) * frame_.sigma(j);
      }
    }
    typename Tangent::Shift shift;
    if constexpr (projection != Projection::none) shift = shift_of<projection>(K, D);
    else shift.fill(constant<T>(0));
    return Tangent(frame_, share_, inverse_sum_, K, D, constant<T>(coefficients_.mu),
                   constant<T>(coefficients_.lambda), shift);
  }

 private:
  template <Projection projection>
  SmallMatrix<T, pairs, pairs> shift_of(const Matrix& K, const Matrix& D) const {
    using Tangent = CorotatedPlasticTangent<T, Dim, true>;
    // For the rotation E_p of pair p: 4 tr(K X E_p) = 2 Y_p:X, and -2 tr(D E_p E_q) in a 3 x 3 matrix.
    Matrix Y[pairs];
    SmallMatrix<T, pairs, pairs> schur, shift;
    PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
      const int i = Tangent::first(p), j = Tangent::second(p);
      PLIANT_UNROLL for (int l = 0; l < Dim; ++l) {
        PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
          T entry = constant<T>(0);  // of E_p K + (E_p K)^T
          if (k == i) entry += K(j, l);
          if (k == j) entry -= K(i, l);
          if (l == i) entry += K(j, k);
          if (l == j) entry -= K(i, k);
          Y[p](k, l) = entry;
        }
      }
    }
    const T twice_trace = constant<T>(2) * trace(D);
    const double mu = coefficients_.mu, lambda = coefficients_.lambda;
    const T compliance = constant<T>(1 / (2 * mu)), of_trace = constant<T>(lambda / (2 * mu + Dim * lambda));
    PLIANT_UNROLL for (int q = 0; q < pairs; ++q) {
      PLIANT_UNROLL for (int p = 0; p < pairs; ++p) {
        T entry = p == q ? twice_trace : constant<T>(0);
        if constexpr (Dim == 3) entry -= D(p, q) + D(p, q);
        const T coupled =
            double_dot<T, Dim, Dim>(Y[p], Y[q]) - of_trace * trace<T, Dim>(Y[p]) * trace<T, Dim>(Y[q]);
        schur(p, q) = entry - compliance * coupled;
        shift(p, q) = constant<T>(0);
      }
    }
    if constexpr (pairs == 1) {
      shift(0, 0) = projected<projection>(T(schur(0, 0))) - schur(0, 0);
    } else if (!all_positive_definite<T, pairs>(schur)) {
      const auto wanted = projected_matrix<projection, T, pairs>(schur);
      PLIANT_UNROLL for (int k = 0; k < pairs * pairs; ++k) shift.data()[k] =
          wanted.data()[k] - schur.data()[k];
    }
    return shift;
  }

  RawCoefficients coefficients_;
  Svd<T, Dim> frame_;
  Matrix elastic_, stress_;     // in the frame
  Matrix share_, inverse_sum_;  // r and t
};

// The counterpart of energy_at for a plastic strain p.
template <class T, int Dim>
PLIANT_INLINE auto energy_at(const Plastic<CorotatedLinear>& energy, const SmallMatrix<T, Dim, Dim>& F,
                             const SmallMatrix<T, Dim, Dim>& p) {
  return CorotatedPlasticState<T, Dim>(energy, F, p);
}
template <class T, int Dim>
PLIANT_INLINE auto energy_at(const Plastic<LinearElastic>& energy, const SmallMatrix<T, Dim, Dim>& F,
                             const SmallMatrix<T, Dim, Dim>& p) {
  SmallMatrix<T, Dim, Dim> elastic;
  PLIANT_UNROLL for (int k = 0; k < Dim * Dim; ++k) elastic.data()[k] = F.data()[k] - p.data()[k];
  return EnergyAt<Plastic<LinearElastic>, T, Dim>{energy, elastic};
}

}  // namespace pliant::detail::energy
