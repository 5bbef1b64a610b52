// The SVD against the definition of one and against Eigen's in extended precision, on hard matrices in every
// lane.
#include "hard_matrices.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/SVD>

#include <pliant/algebra/svd.hpp>

using namespace pliant;
using namespace pliant::simd;
using namespace hard_matrices;

namespace {

// Largest errors over a set of matrices, in units of rounding.
struct Errors {
  long double rebuilt = 0;     // |U diag(sigma) V^T - F| / |F|
  long double orthogonal = 0;  // |U^T U - I|, |V^T V - I|
  long double sigma = 0;       // |sigma - reference| / |F|
  int out_of_order = 0;        // not sigma[0] >= ... >= |sigma[D - 1]|
  int wrong_sign = 0;          // sign of sigma[D - 1] not that of det F, where that is above rounding
};

// |.| with its unit of measure: |F|, and the smallest subnormal number where F is near it.
template <class T, int D>
void measure(const Eigen::Matrix<long double, D, D>& F, const Svd<T, D>& result, int lane, Errors& errors) {
  using Limits = std::numeric_limits<scalar_of<T>>;
  using Exact = Eigen::Matrix<long double, D, D>;
  const Exact U = exact(result.U, lane), V = exact(result.V, lane);
  const Eigen::Matrix<long double, D, 1> sigma = exact(result.sigma, lane);
  const long double unit = Limits::epsilon() * std::max<long double>(F.norm(), Limits::min());

  raise(errors.rebuilt, (U * sigma.asDiagonal() * V.transpose() - F).norm() / unit);
  raise(errors.orthogonal, distance_from_rotation<D>(U) / Limits::epsilon());
  raise(errors.orthogonal, distance_from_rotation<D>(V) / Limits::epsilon());
  bool descending = sigma[D - 2] >= std::abs(sigma[D - 1]);
  for (int i = 0; i + 2 < D; ++i) descending = descending && sigma[i] >= sigma[i + 1];
  errors.out_of_order += descending ? 0 : 1;

  const long double scale = F.norm() == 0 ? 1.0L : F.norm();
  const Eigen::JacobiSVD<Exact> reference(F / scale, Eigen::ComputeFullU | Eigen::ComputeFullV);
  for (int i = 0; i < D; ++i)
    raise(errors.sigma, std::abs(std::abs(sigma[i]) - reference.singularValues()[i] * scale) / unit);
  const bool inverted = (reference.matrixU() * reference.matrixV().transpose()).determinant() < 0;
  if (reference.singularValues()[D - 1] * scale > 20 * unit)
    errors.wrong_sign += inverted == (sigma[D - 1] < 0) ? 0 : 1;
}

template <class T, int D>
Errors errors_of_svd(const std::vector<Matrix<D>>& matrices) {
  Errors errors;
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto F = pack<T, D>(matrices, first);
    const auto result = svd(F);
    for (int i = 0; i < width_of<T>; ++i) measure<T, D>(exact(F, i), result, i, errors);
  }
  return errors;
}

template <class T, int D>
void check_hard_matrices() {
  const auto errors = errors_of_svd<T, D>(mixed<scalar_of<T>, D>(400, false));
  INFO("dimension " << D);
  CHECK(errors.rebuilt <= 9);
  CHECK(errors.orthogonal <= 9);
  CHECK(errors.sigma <= 5);
  CHECK(errors.out_of_order == 0);
  CHECK(errors.wrong_sign == 0);
}

// Lane i of F's svd is the same, bit for bit, whatever the other lanes hold.
template <class T, int D>
void check_independence() {
  const auto matrices = mixed<scalar_of<T>, D>(4, false);
  int differing = 0;
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto mixed_lanes = svd(pack<T, D>(matrices, first));
    for (int i = 0; i < width_of<T>; ++i) {
      const auto alone =
          svd(pack<T, D>({matrices[(first + static_cast<std::size_t>(i)) % matrices.size()]}, 0));
      differing += exact(mixed_lanes.U, i) == exact(alone.U, i) ? 0 : 1;
      differing += exact(mixed_lanes.V, i) == exact(alone.V, i) ? 0 : 1;
      differing += exact(mixed_lanes.sigma, i) == exact(alone.sigma, i) ? 0 : 1;
    }
  }
  CHECK(differing == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("svd meets its definition on hard matrices", "[core]", float, double, (Lane<double, 4>),
                   (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  check_hard_matrices<TestType, 2>();
  check_hard_matrices<TestType, 3>();
}

TEMPLATE_TEST_CASE("the lanes of an svd do not touch each other", "[core]", (Lane<double, 4>),
                   (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  check_independence<TestType, 2>();
  check_independence<TestType, 3>();
}

TEST_CASE("svd of exactly representable cases is exact", "[core]") {
  SmallMatrix<double, 3, 3> F = SmallMatrix<double, 3, 3>::Zero();
  auto result = svd(F);
  CHECK((result.sigma.array() == 0).all());
  CHECK(result.U.determinant() == 1);
  CHECK(result.V.determinant() == 1);

  F.diagonal() << 0.5, -0.1, 7;
  result = svd(F);
  CHECK(result.sigma[0] == 7);
  CHECK(result.sigma[1] == 0.5);
  CHECK(result.sigma[2] == -0.1);

  SmallMatrix<double, 2, 2> G;
  G << 0, 3, 2, 0;  // a reflection that stretches
  const auto plane = svd(G);
  CHECK(plane.sigma[0] == 3);
  CHECK(plane.sigma[1] == -2);
}

TEST_CASE("a power of two passes through svd without rounding", "[core]") {
  for (const auto& F : mixed<double, 3>(2, false)) {
    if (!(F.cwiseAbs().maxCoeff() < 1e200 && F.cwiseAbs().maxCoeff() > 1e-30)) continue;
    const SmallMatrix<double, 3, 3> A = F, scaled = F * 0x1p300;
    const SmallMatrix<double, 3, 3> shrunk = scaled * 0x1p-300;
    if (shrunk != A) continue;
    const auto result = svd(A), scaled_result = svd(scaled);
    CHECK(scaled_result.U == result.U);
    CHECK(scaled_result.V == result.V);
    CHECK(scaled_result.sigma == SmallVector<double, 3>(result.sigma * 0x1p300));
  }
}

TEMPLATE_TEST_CASE("svd is finite at the ends of the range", "[core]", float, double) {
  using Limits = std::numeric_limits<TestType>;
  for (TestType entry : {Limits::denorm_min(), Limits::min(), Limits::max() / 4, Limits::epsilon()}) {
    for (int pattern = 0; pattern < 512; ++pattern) {
      SmallMatrix<TestType, 3, 3> F;
      for (int i = 0; i < 9; ++i) F(i) = (pattern >> i & 1) != 0 ? entry : -entry;
      Errors errors;
      measure<TestType, 3>(exact(F, 0), svd(F), 0, errors);
      CHECK(errors.rebuilt <= 9);
      CHECK(errors.orthogonal <= 9);
    }
  }
}

TEST_CASE("svd of a matrix that holds NaN is not silently finite", "[core]") {
  SmallMatrix<double, 3, 3> F = SmallMatrix<double, 3, 3>::Identity();
  F(1, 2) = std::numeric_limits<double>::quiet_NaN();
  const auto result = svd(F);
  CHECK(!(result.U.allFinite() && result.sigma.allFinite() && result.V.allFinite()));
}
