// Symmetric eigensystems against their definition and against Eigen's in extended precision.
#include "hard_matrices.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <pliant/algebra/symmetric_eigen.hpp>

using namespace pliant;
using namespace pliant::simd;
using namespace hard_matrices;

namespace {

template <class T, int D>
void check_hard_matrices() {
  using Limits = std::numeric_limits<scalar_of<T>>;
  using Exact = Eigen::Matrix<long double, D, D>;
  long double rebuilt = 0, orthogonal = 0, value = 0;
  int out_of_order = 0;
  const auto matrices = mixed<scalar_of<T>, D>(400, true);
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto packed = pack<T, D>(matrices, first);
    const auto result = symmetric_eigen(packed);
    for (int i = 0; i < width_of<T>; ++i) {
      const Exact A = exact(packed, i).template selfadjointView<Eigen::Upper>();
      const Exact vectors = exact(result.vectors, i);
      const Eigen::Matrix<long double, D, 1> values = exact(result.values, i);
      const long double unit = Limits::epsilon() * std::max<long double>(A.norm(), Limits::min());
      raise(rebuilt, (vectors * values.asDiagonal() * vectors.transpose() - A).norm() / unit);
      raise(orthogonal, distance_from_rotation<D>(vectors) / Limits::epsilon());
      for (int k = 0; k + 1 < D; ++k) out_of_order += values[k] >= values[k + 1] ? 0 : 1;
      const long double scale = A.norm() == 0 ? 1.0L : A.norm();
      const Eigen::SelfAdjointEigenSolver<Exact> reference(A / scale, Eigen::EigenvaluesOnly);
      for (int k = 0; k < D; ++k)  // the reference ascends
        raise(value, std::abs(values[k] - reference.eigenvalues()[D - 1 - k] * scale) / unit);
    }
  }
  INFO("dimension " << D);
  CHECK(rebuilt <= 9);
  CHECK(orthogonal <= 9);
  CHECK(value <= 5);
  CHECK(out_of_order == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("symmetric_eigen meets its definition on hard matrices", "[core]", float, double,
                   (Lane<double, 4>), (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  check_hard_matrices<TestType, 2>();
  check_hard_matrices<TestType, 3>();
}

TEMPLATE_TEST_CASE("the root that eigenvalues are found by is exact to rounding", "[core]", float, double) {
  double worst = 0;
  for (int k = 0; k <= 100000; ++k) {
    const auto r = static_cast<TestType>(k / 100000.0);
    const double truth = 2 * std::cos(std::acos(static_cast<double>(r)) / 3);
    worst = std::max(worst, std::abs(static_cast<double>(detail::algebra::largest_root(r)) - truth));
  }
  CHECK(worst <= 4 * static_cast<double>(std::numeric_limits<TestType>::epsilon()));
}

// Two eigenvalues that differ by any part of the third, down to nothing, on either side of it.
TEST_CASE("symmetric_eigen of nearly equal eigenvalues", "[core]") {
  std::mt19937 random(2);
  std::normal_distribution<double> number;
  long double worst = 0;
  for (int k = 0; k < 20000; ++k) {
    Eigen::Matrix3d X;
    for (double& entry : X.reshaped()) entry = number(random);
    const Eigen::Matrix3d Q = X.householderQr().householderQ();
    const double gap = std::pow(10.0, -k % 20), third = k % 2 == 0 ? 3 : -3;
    Eigen::Matrix3d A = Q * Eigen::Vector3d(1, 1 + gap, k % 7 == 0 ? 1 : third).asDiagonal() * Q.transpose();
    A = (0.5 * (A + A.transpose())).eval();
    const auto result = symmetric_eigen(SmallMatrix<double, 3, 3>(A));
    using Exact = Eigen::Matrix<long double, 3, 3>;
    const Exact V = result.vectors.cast<long double>();
    const Exact rebuilt = V * result.values.cast<long double>().asDiagonal() * V.transpose();
    worst = std::max(worst, (rebuilt - A.cast<long double>()).norm() / A.norm());
  }
  CHECK(worst <= 9 * std::numeric_limits<double>::epsilon());
}

// Where all eigenvalues agree to a few units in the last place, the mean of the diagonal is no better known
// than what it is taken from.
TEMPLATE_TEST_CASE("symmetric_eigen of multiples of the identity, a few units in the last place away",
                   "[core]", float, double) {
  using T = TestType;
  constexpr T epsilon = std::numeric_limits<T>::epsilon();
  using Exact = Eigen::Matrix<long double, 3, 3>;
  std::mt19937 random(3);
  std::uniform_int_distribution<int> units(-3, 3);
  std::uniform_real_distribution<T> number(1, 4);
  long double rebuilt = 0, orthogonal = 0;
  for (int k = 0; k < 200000; ++k) {
    const T size = number(random);
    SmallMatrix<T, 3, 3> A;
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i <= j; ++i) {
        A(i, j) = A(j, i) = (i == j ? size : T(0)) + static_cast<T>(units(random)) * epsilon;
      }
    }
    const auto result = symmetric_eigen(A);
    const Exact V = result.vectors.template cast<long double>();
    const Exact B = V * result.values.template cast<long double>().asDiagonal() * V.transpose();
    raise(rebuilt, (B - A.template cast<long double>()).norm() / (A.norm() * epsilon));
    raise(orthogonal, distance_from_rotation<3>(V) / epsilon);
  }
  CHECK(rebuilt <= 9);
  CHECK(orthogonal <= 9);
}

TEMPLATE_TEST_CASE("the lanes of a symmetric_eigen do not touch each other", "[core]", (Lane<double, 4>),
                   (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  const auto matrices = mixed<scalar_of<TestType>, 3>(4, true);
  int differing = 0;
  for (std::size_t first = 0; first < matrices.size(); ++first) {
    const auto mixed_lanes = symmetric_eigen(pack<TestType, 3>(matrices, first));
    const auto alone = symmetric_eigen(pack<TestType, 3>({matrices[first]}, 0));
    differing += exact(mixed_lanes.values, 0) == exact(alone.values, 1) ? 0 : 1;
    differing += exact(mixed_lanes.vectors, 0) == exact(alone.vectors, 1) ? 0 : 1;
  }
  CHECK(differing == 0);
}

TEST_CASE("symmetric_eigen of a diagonal matrix is exact, and reads the upper triangle only", "[core]") {
  SmallMatrix<double, 3, 3> A = SmallMatrix<double, 3, 3>::Zero();
  A.diagonal() << -0.3, 5, 0.1;
  A(2, 0) = 1e30;
  const auto result = symmetric_eigen(A);
  CHECK(result.values == SmallVector<double, 3>(5, 0.1, -0.3));
  CHECK(result.vectors.cwiseAbs().sum() == 3);

  SmallMatrix<double, 2, 2> B;
  B << 0.1, 0, 1e30, 0.3;
  CHECK(symmetric_eigen(B).values == SmallVector<double, 2>(0.3, 0.1));
}

TEST_CASE("symmetric_eigen of matrices with known eigenvalues", "[core]") {
  SmallMatrix<double, 2, 2> A;
  A << 2, 1, 1, 2;
  CHECK((symmetric_eigen(A).values - SmallVector<double, 2>(3, 1)).norm() <= 1e-15);
  SmallMatrix<double, 3, 3> B;
  B << 2, -1, 0, -1, 2, -1, 0, -1, 2;  // the second difference: 2 - 2 cos(k pi / 4)
  const double root = std::sqrt(2.0);
  CHECK((symmetric_eigen(B).values - SmallVector<double, 3>(2 + root, 2, 2 - root)).norm() <= 2e-15);
  const auto ones = symmetric_eigen(SmallMatrix<double, 3, 3>(SmallMatrix<double, 3, 3>::Ones()));
  CHECK((ones.values - SmallVector<double, 3>(3, 0, 0)).norm() <= 2e-15);
}
