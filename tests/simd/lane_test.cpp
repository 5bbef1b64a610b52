// Lanes on the vector registers of the machine, at widths of one register, several, and parts of one.
#include "lane_checks.hpp"
#include "support/catch.hpp"

#include <type_traits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/simd/lane.hpp>

using namespace pliant;
using namespace pliant::simd;

TEMPLATE_TEST_CASE("a lane computes what its numbers would", "[core]", (Lane<double, 1>), (Lane<double, 2>),
                   (Lane<double, 4>), (Lane<double, 8>), (Lane<double, 16>), (Lane<float, 8>),
                   (Lane<float, 16>), (Lane<float, 32>)) {
  lane_checks::check_vocabulary<TestType>();
}

TEST_CASE("a scalar is a lane of width one", "[core]") {
  STATIC_REQUIRE(width_of<double> == 1);
  STATIC_REQUIRE(width_of<Lane<float, 8>> == 8);
  STATIC_REQUIRE(std::is_same_v<scalar_of<Lane<float, 8>>, float>);
  STATIC_REQUIRE(!is_lane<double>);
  STATIC_REQUIRE(is_lane<Lane<double, 1>>);

  const double numbers[] = {2, 3};
  const int offsets[] = {1};
  double x = load<double>(numbers);
  CHECK(x == 2);
  CHECK(gather<double>(numbers, offsets) == 3);
  CHECK(select(x < 3.0, x, 7.0) == 2);
  CHECK(multiply_add(x, 5.0, 1.0) == 11);
  CHECK((all(x == 2) && any(x == 2) && !any(x == 3)));
  CHECK((sum(x) == 2 && lane(x, 0) == 2));
  CHECK(power_of_two_below(-5.5) == 4);
  set_lane(x, 0, 9.0);
  CHECK(x == 9);
  double stored = 0;
  store(&stored, x);
  CHECK(stored == 9);
  CHECK(constant<float>(0.1) == 0.1f);
  CHECK(lane(constant<Lane<float, 4>>(0.1), 3) == 0.1f);
}

TEST_CASE("Eigen computes with matrices of lanes", "[core]") {
  using L = Lane<double, 8>;
  SmallMatrix<L, 3, 3> A;
  SmallVector<L, 3> b;
  for (int k = 0; k < 9; ++k) A(k) = lane_checks::lane_of<L>([&](int i) { return (k * k + 3 * i) % 7 - 3; });
  for (int k = 0; k < 3; ++k) b[k] = lane_checks::lane_of<L>([&](int i) { return k - i; });
  const SmallVector<L, 3> c = A.transpose() * b + L(2) * b;
  const L trace = (A * A.transpose()).trace();
  for (int i = 0; i < 8; ++i) {
    Eigen::Matrix3d A_i;
    Eigen::Vector3d b_i;
    for (int k = 0; k < 9; ++k) A_i(k) = lane(A(k), i);
    for (int k = 0; k < 3; ++k) b_i[k] = lane(b[k], i);
    const Eigen::Vector3d c_i = A_i.transpose() * b_i + 2.0 * b_i;  // small integers: exact
    for (int k = 0; k < 3; ++k) CHECK(lane(c[k], i) == c_i[k]);
    CHECK(lane(trace, i) == (A_i * A_i.transpose()).trace());
  }
}
