#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

#include <pliant/algebra/node_vector.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

constexpr std::ptrdiff_t sizes[] = {1, 2, 3, 7, 8, 1000, 40000};

template <class Scalar>
constexpr double rounding = std::numeric_limits<Scalar>::epsilon();

}  // namespace

TEMPLATE_TEST_CASE_SIG("NodeVector: arithmetic equals Eigen's", "", ((class Scalar, int Dim), Scalar, Dim),
                       (double, 2), (double, 3), (float, 2), (float, 3)) {
  std::mt19937 random(1);
  for (const std::ptrdiff_t nodes : sizes) {
    INFO(nodes << " nodes");
    const auto a = random_vector<Dim, Scalar>(nodes, random), b = random_vector<Dim, Scalar>(nodes, random);
    const Eigen::VectorXd x = stacked(a), y = stacked(b);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);

    NodeVector<Dim, Scalar> c(nodes);
    c.set_sum(a, Scalar(0.75), b);
    CHECK((stacked(c) - (x + 0.75 * y)).cwiseAbs().maxCoeff() <= 2 * rounding<Scalar>);
    CHECK(padding_is_zero(c));
    c.add(Scalar(-2), a);
    CHECK((stacked(c) - (0.75 * y - x)).cwiseAbs().maxCoeff() <= 4 * rounding<Scalar>);
    CHECK(padding_is_zero(c));

    long double dot = 0, size = 0;
    for (std::ptrdiff_t k = 0; k < x.size(); ++k) {
      dot += static_cast<long double>(x(k)) * y(k);
      size += std::abs(x(k) * y(k));
    }
    CHECK(std::abs(static_cast<double>(a.dot(b) - dot)) <= 4 * rounding<Scalar> * static_cast<double>(size));
    CHECK(std::abs(static_cast<double>(a.norm()) / x.norm() - 1) <= 8 * rounding<Scalar>);
    CHECK(static_cast<double>(a.largest()) == x.cwiseAbs().maxCoeff());
    CHECK(a.finite());

    c.set_zero();
    CHECK(stacked(c).isZero(0));
    CHECK(c.largest() == 0);
  }
}

TEST_CASE("NodeVector: a vector takes part in its own sums") {
  std::mt19937 random(2);
  auto a = random_vector<3, double>(100, random);
  const Eigen::VectorXd x = stacked(a);
  a.set_sum(a, -2.0, a);
  CHECK(stacked(a) == -x);
  a.add(3.0, a);
  CHECK((stacked(a) + 4 * x).isZero(1e-15));
}

TEST_CASE("NodeVector: sums have the same bits for any number of threads") {
  std::mt19937 random(3);
  const auto a = random_vector<3, double>(40000, random), b = random_vector<3, double>(40000, random);
  const auto c = random_vector<2, float>(40000, random), d = random_vector<2, float>(40000, random);
  const WithThreads one(1);
  const double dot = a.dot(b);
  const float float_dot = c.dot(d);
  for (const int threads : thread_counts) {
    const WithThreads with(threads);
    CHECK(same_bits(a.dot(b), dot));
    CHECK(same_bits(c.dot(d), float_dot));
  }
}

TEMPLATE_TEST_CASE("NodeVector: one bad number anywhere is noticed", "", float, double) {
  constexpr auto infinity = std::numeric_limits<TestType>::infinity();
  constexpr auto nan = std::numeric_limits<TestType>::quiet_NaN();
  for (const std::ptrdiff_t at : {0, 1, 517, 5999}) {
    for (const TestType bad : {infinity, -infinity, nan}) {
      NodeVector<3, TestType> x(6000);
      for (std::ptrdiff_t i = 0; i < x.nodes(); ++i) x.node(i).setOnes();
      x.node(at)(2) = bad;
      CHECK(!x.finite());
      CHECK(!std::isfinite(x.norm()));
      CHECK(!std::isfinite(x.largest()));
      CHECK(std::isnan(x.largest()) == std::isnan(bad));
    }
  }
}

TEST_CASE("NodeVector: finite numbers whose squares overflow are finite") {
  NodeVector<3, double> x(5);
  x.node(3).setConstant(1e300);
  CHECK(x.finite());
  CHECK(x.largest() == 1e300);
}

TEST_CASE("NodeVector: resizing clears, none is empty") {
  NodeVector<3, double> x;
  CHECK(x.nodes() == 0);
  CHECK(x.norm() == 0);
  CHECK(x.finite());
  x.resize(4);
  x.node(2).setOnes();
  x.resize(3);
  CHECK(x.nodes() == 3);
  CHECK(stacked(x).isZero(0));
  CHECK(padding_is_zero(x));
}

TEMPLATE_TEST_CASE("NodeVector: the norm of numbers whose squares overflow", "", float, double) {
  constexpr double size = std::is_same_v<TestType, float> ? 1e30 : 1e200;
  NodeVector<3, TestType> v(5);
  v.node(1) = SmallVector<TestType, 3>(TestType(3 * size), 0, 0);
  v.node(4) = SmallVector<TestType, 3>(0, TestType(-4 * size), 0);
  CHECK(std::abs(static_cast<double>(v.norm()) / (5 * size) - 1) < 4 * rounding<TestType>);
  v.node(0)(2) = std::numeric_limits<TestType>::infinity();
  CHECK(std::isinf(v.norm()));
  v.node(0)(2) = std::numeric_limits<TestType>::quiet_NaN();
  CHECK(std::isnan(v.norm()));
}
