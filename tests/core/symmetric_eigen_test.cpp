// Symmetric eigensystems against their definition and against Eigen's in extended precision.
#include "hard_matrices.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>

#include <pliant/core/symmetric_eigen.hpp>

using namespace pliant;
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

// The largest off-diagonal entry, relative to the largest entry, that a number of sweeps leaves.
template <class T, int sweeps>
double left_after() {
  double worst = 0;
  for (const auto& hard : mixed<T, 3>(3000, true)) {
    const double largest = hard.cwiseAbs().maxCoeff();
    if (!(largest > std::numeric_limits<T>::min())) continue;
    SmallMatrix<T, 3, 3> A = (hard / largest).template cast<T>(), V;
    detail::diagonalise<T, sweeps>(A, V);
    for (const T entry : {A(0, 1), A(0, 2), A(1, 2)})
      worst = std::max(worst, static_cast<double>(std::abs(entry)));
  }
  return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("symmetric_eigen meets its definition on hard matrices", "[core]", float, double,
                   (Lane<double, 4>), (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  check_hard_matrices<TestType, 2>();
  check_hard_matrices<TestType, 3>();
}

TEST_CASE("the number of Jacobi sweeps is enough, and none too many", "[core]") {
  CHECK(left_after<double, detail::jacobi_sweeps<double>>() <= 1e-16);
  CHECK(left_after<double, detail::jacobi_sweeps<double> - 1>() > 1e-13);
  CHECK(left_after<float, detail::jacobi_sweeps<float>>() <= 6e-8);
  CHECK(left_after<float, detail::jacobi_sweeps<float> - 1>() > 1e-6);
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
