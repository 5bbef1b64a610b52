// Stable neo-Hookean material whose Hessian is reconstructed from its eigenvalues and eigenvectors: the right
// ones, or those printed in a thesis.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>

#include <pliant/pliant.hpp>

// The source of the Hessian if an eigenvalue is negative.
enum class Reconstruction {
  library,       // StableNeoHookean itself
  right,         // the eigenvectors of the scaling block A, found numerically, all of length one
  halved,        // those, with the factor 1/sqrt(2) of (B.67) on the three scaling modes
  volume_modes,  // the vectors z of (B.68), normalised: modes of another matrix
  published      // (B.67) and (B.68) as they are printed
};

// (B.68) for an eigenvalue e.
inline Eigen::Vector3d printed_vector(const Eigen::Vector3d& s, double e) {
  return {s(0) * s(2) + s(1) * e, s(1) * s(2) + s(0) * e, e * e - s(2) * s(2)};
}

// A custom energy: psi, pk1 and hessian over any scalar or lane. In addition it has `hessian(F, projection)`,
// which the element kernel calls in place of the library's projection.
class ReconstructedNeoHookean {
 public:
  ReconstructedNeoHookean(const pliant::Lame& lame, Reconstruction reconstruction)
      : energy_(lame), reconstruction_(reconstruction) {}

  template <class Derived>
  auto psi(const Eigen::MatrixBase<Derived>& F) const {
    return energy_.psi(F);
  }
  template <class Derived>
  auto pk1(const Eigen::MatrixBase<Derived>& F) const {
    return energy_.pk1(F);
  }
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F) const {
    return energy_.hessian(F);
  }

  // Lane by lane, which is slow.
  template <class Derived>
  auto hessian(const Eigen::MatrixBase<Derived>& F, pliant::Projection projection) const {
    auto H = energy_.hessian(F, projection);
    if (projection == pliant::Projection::none || reconstruction_ == Reconstruction::library) return H;
    using T = typename Derived::Scalar;
    using Scalar = pliant::simd::scalar_of<T>;
    const auto plain = energy_.hessian(F);
    for (int l = 0; l < pliant::simd::width_of<T>; ++l) {
      Eigen::Matrix3d F_l;
      for (int k = 0; k < 9; ++k)
        F_l(k % 3, k / 3) = static_cast<double>(pliant::simd::lane(F(k % 3, k / 3), l));
      Matrix9 H_l;
      for (int k = 0; k < 81; ++k)
        H_l.data()[k] = static_cast<double>(pliant::simd::lane(plain.data()[k], l));
      H_l = reconstructed(F_l, H_l, projection);
      for (int k = 0; k < 81; ++k) pliant::simd::set_lane(H.data()[k], l, static_cast<Scalar>(H_l.data()[k]));
    }
    return H;
  }

  // H if it is positive definite, else sum_i lambda_i+ q_i q_i^T.
  pliant::SmallMatrix<double, 9, 9> reconstructed(const Eigen::Matrix3d& F,
                                                  const pliant::SmallMatrix<double, 9, 9>& H,
                                                  pliant::Projection projection) const {
    const auto [mu, lambda] = energy_.coefficients<3>();
    const pliant::Svd<double, 3> frame = pliant::svd(pliant::SmallMatrix<double, 3, 3>(F));
    const Eigen::Vector3d s = frame.sigma;
    const double J = s.prod(), k = lambda * (J - 1) - mu;  // dpsi/dJ

    // The scaling block, (4.41) and (4.42).
    Eigen::Matrix3d A;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int third = 3 - i - j;
        A(i, j) = i == j ? mu + lambda * std::pow(s((i + 1) % 3) * s((i + 2) % 3), 2)
                         : s(third) * (lambda * (2 * J - 1) - mu);
      }
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> scaling(A);

    std::array<double, 9> value;
    std::array<Eigen::Matrix3d, 9> mode;
    for (int m = 0; m < 3; ++m) {
      const double e = scaling.eigenvalues()(m);
      Eigen::Vector3d z = scaling.eigenvectors().col(m);
      if (reconstruction_ == Reconstruction::halved) z /= std::sqrt(2.0);
      if (reconstruction_ == Reconstruction::volume_modes || reconstruction_ == Reconstruction::published) {
        z = printed_vector(s, e);
        if (reconstruction_ == Reconstruction::volume_modes) z.normalize();
        else z /= std::sqrt(2.0);  // (B.67)
      }
      value[static_cast<std::size_t>(m)] = e;
      mode[static_cast<std::size_t>(m)] = z.asDiagonal();
    }
    // Twists mu + s_k k and flips mu - s_k k of the axes i, j other than k, (4.35) to (4.40).
    for (int third = 0; third < 3; ++third) {
      const int i = (third + 1) % 3, j = (third + 2) % 3;
      for (const double sign : {1.0, -1.0}) {
        Eigen::Matrix3d Q = Eigen::Matrix3d::Zero();
        Q(i, j) = 1 / std::sqrt(2.0);
        Q(j, i) = -sign / std::sqrt(2.0);
        const auto m = static_cast<std::size_t>(sign > 0 ? 3 + third : 6 + third);
        value[m] = mu + sign * s(third) * k;
        mode[m] = Q;
      }
    }
    if (*std::min_element(value.begin(), value.end()) >= 0) return H;

    Matrix9 sum = Matrix9::Zero();
    for (std::size_t m = 0; m < 9; ++m) {
      const Eigen::Matrix3d Q = frame.U * mode[m] * frame.V.transpose();
      const auto q = Q.reshaped();
      sum += (projection == pliant::Projection::clamp ? std::max(value[m], 0.0) : std::abs(value[m])) * q *
             q.transpose();
    }
    return sum;
  }

 private:
  using Matrix9 = pliant::SmallMatrix<double, 9, 9>;

  pliant::StableNeoHookean energy_;
  Reconstruction reconstruction_;
};

static_assert(pliant::require_energy<ReconstructedNeoHookean, 3>());
