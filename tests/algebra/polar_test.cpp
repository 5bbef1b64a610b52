// The polar decomposition against its definition, the optimality of its rotation, and closed forms.
#include "hard_matrices.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <pliant/algebra/polar.hpp>

using namespace pliant;
using namespace pliant::simd;
using namespace hard_matrices;

namespace {

// Errors in units of rounding (of |F| where they have its unit).
template <class T, int D>
void check_hard_matrices() {
  using Limits = std::numeric_limits<scalar_of<T>>;
  using Exact = Eigen::Matrix<long double, D, D>;
  long double rebuilt = 0, orthogonal = 0, asymmetric = 0, distance = 0;
  const auto matrices = mixed<scalar_of<T>, D>(300, false);
  for (std::size_t first = 0; first < matrices.size(); first += static_cast<std::size_t>(width_of<T>)) {
    const auto packed = pack<T, D>(matrices, first);
    const auto result = polar(packed);
    for (int i = 0; i < width_of<T>; ++i) {
      const Exact F = exact(packed, i), R = exact(result.R, i), S = exact(result.S, i);
      const long double unit = Limits::epsilon() * std::max<long double>(F.norm(), Limits::min());
      raise(rebuilt, (R * S - F).norm() / unit);
      raise(orthogonal, distance_from_rotation<D>(R) / Limits::epsilon());
      raise(asymmetric, (S - S.transpose()).norm());
      raise(distance, std::abs((R.transpose() * F).trace() - largest_trace<D>(F)) / unit);
    }
  }
  INFO("dimension " << D);
  CHECK(rebuilt <= 12);
  CHECK(orthogonal <= 12);
  CHECK(asymmetric == 0);
  CHECK(distance <= 12);
}

}  // namespace

TEMPLATE_TEST_CASE("polar gives the nearest rotation and a symmetric stretch", "[core]", float, double,
                   (Lane<double, 4>), (Lane<double, 8>), (Lane<float, 8>), (Lane<float, 16>)) {
  check_hard_matrices<TestType, 2>();
  check_hard_matrices<TestType, 3>();
}

TEST_CASE("polar of a rotated stretch gives both back", "[core]") {
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Matrix<3> R = random.rotation<3>();
    const Matrix<3> S =
        random.with_values<3>({random.uniform(0.2, 3), random.uniform(0.2, 3), random.uniform(0.2, 3)}, true);
    const auto result = polar(SmallMatrix<double, 3, 3>(R * S));
    CHECK((result.R - R).norm() <= 1e-13);
    CHECK((result.S - S).norm() <= 1e-13);
  }
}

TEST_CASE("polar of a plane rotation by an angle", "[core]") {
  for (double angle = -3.1; angle < 3.1; angle += 0.1) {
    SmallMatrix<double, 2, 2> R, S;
    R << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    S << 2, 0.5, 0.5, -1;  // inverted: trace > 0 makes R the nearest rotation all the same
    const auto result = polar(SmallMatrix<double, 2, 2>(R * S));
    CHECK((result.R - R).norm() <= 1e-14);
    CHECK((result.S - S).norm() <= 1e-14);
  }
}

TEST_CASE("polar of zero is the identity and zero", "[core]") {
  const auto plane = polar(SmallMatrix<double, 2, 2>(SmallMatrix<double, 2, 2>::Zero()));
  CHECK(plane.R == SmallMatrix<double, 2, 2>::Identity());
  CHECK(plane.S.norm() == 0);
  const auto space = polar(SmallMatrix<double, 3, 3>(SmallMatrix<double, 3, 3>::Zero()));
  CHECK(space.R.determinant() == 1);
  CHECK(space.S.norm() == 0);
}
