// Families of matrices on which a decomposition can go wrong: degenerate, repeated, cancelling, badly scaled.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/lane.hpp>

namespace hard_matrices {

template <int D>
using Matrix = Eigen::Matrix<double, D, D>;

enum class Family {
  zero,
  identity,
  diagonal,
  random,
  small_integers,
  nearly_small_integers,
  orthogonal,
  minus_a_rotation,
  reflection,
  rank_one,
  rank_one_less,
  opposite,  // the last two values cancel
  nearly_opposite,
  nearly_repeated,
  graded,
  every_magnitude,  // entries of every size side by side
  nearly_diagonal,
  any_scale,
  graded_at_any_scale,
};
inline constexpr int number_of_families = static_cast<int>(Family::graded_at_any_scale) + 1;

class Random {
 public:
  double normal() { return normal_(generator_); }
  double uniform(double low, double high) { return low + (high - low) * uniform_(generator_); }
  double power_of_ten(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  double sign() { return normal() < 0 ? -1.0 : 1.0; }
  double integer(int low, int high) { return std::floor(uniform(low, high + 1)); }

  template <int D>
  Matrix<D> rotation() {
    double Q[D][D] = {};
    for (int i = 0; i < D; ++i) Q[i][i] = 1;
    for (int p = 0; p < D; ++p) {
      for (int q = p + 1; q < D; ++q) {
        const double angle = uniform(-3.15, 3.15), c = std::cos(angle), s = std::sin(angle);
        for (int i = 0; i < D; ++i) {
          const double x = Q[i][p], y = Q[i][q];
          Q[i][p] = c * x + s * y;
          Q[i][q] = c * y - s * x;
        }
      }
    }
    Matrix<D> result;
    for (int i = 0; i < D * D; ++i) result(i) = Q[i % D][i / D];
    return result;
  }

  // U diag(values) V^T with rotations U and V, which are the same where it is to be symmetric.
  template <int D>
  Matrix<D> with_values(const double (&values)[D], bool symmetric) {
    const Matrix<D> V = rotation<D>();
    const Matrix<D> U = symmetric ? V : rotation<D>();
    Matrix<D> A;
    for (int j = 0; j < D; ++j) {
      for (int i = 0; i < D; ++i) {
        A(i, j) = 0;
        for (int k = 0; k < D; ++k) A(i, j) += U(i, k) * values[k] * V(j, k);
      }
    }
    return A;
  }

 private:
  std::mt19937_64 generator_{20};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// Singular value i of a member, for the families that are made from values.
inline double value_of(Family family, Random& random, int i, bool last) {
  const bool first = i == 0;
  switch (family) {
    case Family::minus_a_rotation:
      return -1;
    case Family::reflection:
      return last ? -1 : 1;
    case Family::rank_one:
      return first ? 3 : 0;
    case Family::rank_one_less:
      return last ? 0 : random.uniform(0.1, 2);
    case Family::opposite:
      return last ? -0.3 : (first ? 0.3 : 1);
    case Family::nearly_opposite:
      return last ? -0.3 * (1 + random.power_of_ten(-17, -1)) : (first ? 0.3 : 1);
    case Family::nearly_repeated:
      return (1 + random.power_of_ten(-17, -1)) * random.sign();
    case Family::graded:
    case Family::graded_at_any_scale:
      return first ? 1 : random.power_of_ten(-20, 0) * random.sign();
    default:
      return 1;
  }
}

// The entry (i, j) of a member, for the families that are made entry by entry; `range` is the largest power
// of ten.
inline double entry_of(Family family, Random& random, int i, int j, double range) {
  switch (family) {
    case Family::identity:
    case Family::nearly_diagonal:
      return i == j ? 1 : 0;
    case Family::diagonal:
      return i == j ? random.integer(-3, 3) : 0;
    case Family::random:
    case Family::any_scale:
      return random.normal();
    case Family::small_integers:
    case Family::nearly_small_integers:
      return random.integer(-1, 1);
    case Family::every_magnitude:
      return random.normal() * random.power_of_ten(-range, 0);
    default:
      return 0;
  }
}

// One member of a family whose entries stay below 10^range; a symmetric one on request.
template <int D>
Matrix<D> draw(Family family, Random& random, double range, bool symmetric) {
  Matrix<D> A;
  if (family >= Family::orthogonal && family <= Family::graded) {
    double values[D];
    for (int i = 0; i < D; ++i) values[i] = value_of(family, random, i, i == D - 1);
    return random.with_values<D>(values, symmetric);
  }
  if (family == Family::graded_at_any_scale) {
    double values[D];
    const double scale = random.power_of_ten(-range, range - 1);
    for (int i = 0; i < D; ++i) values[i] = value_of(family, random, i, i == D - 1) * scale;
    return random.with_values<D>(values, symmetric);
  }
  const bool perturbed = family == Family::nearly_diagonal || family == Family::nearly_small_integers;
  const double perturbation = perturbed ? random.power_of_ten(-20, -1) : 0;
  const double scale = family == Family::any_scale ? random.power_of_ten(-range, range - 1) : 1;
  for (int j = 0; j < D; ++j) {
    for (int i = 0; i < D; ++i)
      A(i, j) = scale * (entry_of(family, random, i, j, range) + perturbation * random.normal());
  }
  for (int j = 0; symmetric && j < D; ++j) {
    for (int i = 0; i < j; ++i) A(j, i) = A(i, j);
  }
  return A;
}

// `count` members of every family, one family after the other in turn, so that neighbours differ in kind.
// They are rounded to T, so that a reference sees what the decomposition sees.
template <class T, int D>
std::vector<Matrix<D>> mixed(int count, bool symmetric) {
  Random random;
  std::vector<Matrix<D>> matrices;
  for (int i = 0; i < count * number_of_families; ++i) {
    const auto family = static_cast<Family>(i % number_of_families);
    Matrix<D> A = draw<D>(family, random, std::numeric_limits<T>::max_exponent10 - 1, symmetric);
    for (int k = 0; k < D * D; ++k) A(k) = static_cast<double>(static_cast<T>(A(k)));
    matrices.push_back(A);
  }
  return matrices;
}

// Matrices first, first + 1, ... (cyclically) in the lanes of one matrix.
template <class T, int D>
pliant::SmallMatrix<T, D, D> pack(const std::vector<Matrix<D>>& matrices, std::size_t first) {
  pliant::SmallMatrix<T, D, D> packed;
  for (int lane = 0; lane < pliant::simd::width_of<T>; ++lane) {
    const auto& A = matrices[(first + static_cast<std::size_t>(lane)) % matrices.size()];
    for (int i = 0; i < D * D; ++i)
      pliant::simd::set_lane(packed(i), lane, static_cast<pliant::simd::scalar_of<T>>(A(i)));
  }
  return packed;
}

// The matrix in one lane, exactly.
template <class T, int Rows, int Columns>
Eigen::Matrix<long double, Rows, Columns> exact(const pliant::SmallMatrix<T, Rows, Columns>& packed,
                                                int lane) {
  Eigen::Matrix<long double, Rows, Columns> A;
  for (int i = 0; i < Rows * Columns; ++i) A(i) = pliant::simd::lane(packed(i), lane);
  return A;
}

// |A^T A - I|, infinite where det A is not positive.
template <int D>
long double distance_from_rotation(const Eigen::Matrix<long double, D, D>& A) {
  using Exact = Eigen::Matrix<long double, D, D>;
  const long double error = (A.transpose() * A - Exact::Identity()).norm();
  return A.determinant() > 0 ? error : std::numeric_limits<long double>::infinity();
}

// The largest tr(R^T F) that a rotation R can reach: the signed sum of the singular values.
template <int D>
long double largest_trace(const Eigen::Matrix<long double, D, D>& F) {
  using Exact = Eigen::Matrix<long double, D, D>;
  const long double scale = F.norm() == 0 ? 1.0L : F.norm();
  const Eigen::JacobiSVD<Exact> reference(F / scale, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const bool inverted = (reference.matrixU() * reference.matrixV().transpose()).determinant() < 0;
  auto sigma = reference.singularValues();
  return scale * (sigma.sum() - (inverted ? 2 * sigma[D - 1] : 0.0L));
}

// worst = max(worst, number), but NaN once a number is.
inline void raise(long double& worst, long double number) {
  if (!(number <= worst)) worst = number;
}

}  // namespace hard_matrices
