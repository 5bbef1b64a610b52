#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>

#include <pliant/assembly/block_matrix.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

// The largest difference of two vectors, relative to what rounding leaves of sums of such terms.
double difference(const Eigen::SparseMatrix<double>& A, const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const Eigen::VectorXd size = A.cwiseAbs() * x.cwiseAbs();
  return ((y - A * x).array().abs() / size.array().max(1e-300)).maxCoeff();
}

template <class Scalar>
constexpr double rounding = std::numeric_limits<Scalar>::epsilon();

}  // namespace

TEST_CASE("BlockPattern: rows begin with the diagonal and ascend; slots are found") {
  std::mt19937 random(1);
  for (const int nodes : {1, 2, 7, 300}) {
    const auto pattern = random_pattern(nodes, random);
    REQUIRE(pattern->rows() == nodes);
    for (int i = 0; i < nodes; ++i) {
      const int first = pattern->row_begin[static_cast<std::size_t>(i)];
      const int last = pattern->row_begin[static_cast<std::size_t>(i) + 1];
      REQUIRE(first < last);
      CHECK(pattern->columns[static_cast<std::size_t>(first)] == i);
      for (int k = first; k < last; ++k) {
        const int j = pattern->columns[static_cast<std::size_t>(k)];
        if (k > first) CHECK(j > pattern->columns[static_cast<std::size_t>(k) - 1]);
        CHECK(pattern->slot(i, j) == k);
      }
    }
    CHECK(pattern->row_begin.back() == pattern->blocks());
  }
}

TEST_CASE("BlockPattern: domains cover the rows, reach as far as their columns, and share no halo") {
  std::mt19937 random(2);
  for (const int nodes : {1, 7, 1000, 5000, 20000}) {
    INFO(nodes << " nodes");
    const auto pattern = random_pattern(nodes, random);
    const auto& domains = pattern->domains;
    REQUIRE(!domains.empty());
    CHECK(domains.size() <= 16);
    if (nodes >= 5000) CHECK(domains.size() >= 4);
    int next = 0;
    std::ptrdiff_t halo = 0;
    for (const auto& domain : domains) {
      CHECK(domain.begin == next);
      CHECK(domain.halo_begin == halo);
      int reach = domain.end;
      for (int i = domain.begin; i < domain.end; ++i) {
        reach = std::max(
            reach,
            1 + pattern
                    ->columns[static_cast<std::size_t>(pattern->row_begin[static_cast<std::size_t>(i) + 1]) -
                              1]);
      }
      CHECK(domain.reach == reach);
      next = domain.end;
      halo += domain.reach - domain.end;
    }
    CHECK(next == nodes);
    CHECK(pattern->halo_size == halo);
  }
}

TEMPLATE_TEST_CASE_SIG("BlockMatrix: products equal Eigen's, for any number of threads the same bits", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 2),
                       (float, 3)) {
  std::mt19937 random(3);
  for (const int nodes : {1, 7, 1000, 5000, 20000}) {
    INFO(nodes << " nodes");
    const auto pattern = random_pattern(nodes, random);
    const auto A = random_symmetric<Dim, Scalar>(pattern, random);
    const auto x = random_vector<Dim, Scalar>(nodes, random);
    const Eigen::SparseMatrix<double> full = sparse(A);
    const Eigen::VectorXd input = stacked(x);

    const WithThreads one(1);
    NodeVector<Dim, Scalar> y(nodes);
    for (std::ptrdiff_t i = 0; i < nodes; ++i) y.node(i).setConstant(Scalar(7));  // is overwritten
    const Scalar product = A.multiply(x, y);
    CHECK(difference(full, input, stacked(y)) <= 16 * rounding<Scalar>);
    CHECK(padding_is_zero(y));
    const double size = input.cwiseAbs().dot(full.cwiseAbs() * input.cwiseAbs());
    CHECK(std::abs(static_cast<double>(product) - input.dot(full * input)) <= 16 * rounding<Scalar> * size);

    for (const int threads : thread_counts) {
      const WithThreads with(threads);
      NodeVector<Dim, Scalar> again(nodes);
      CHECK(same_bits(A.multiply(x, again), product));
      CHECK(same_bits(again, y));
    }
  }
}

TEST_CASE("BlockMatrix: columns of the identity give the columns of the matrix") {
  std::mt19937 random(4);
  const auto pattern = random_pattern(40, random);
  const auto A = random_symmetric<3, double>(pattern, random);
  const Eigen::MatrixXd full = dense(A);
  for (int k = 0; k < full.cols(); ++k) {
    NodeVector<3, double> y(40);
    A.multiply(node_vector<3, double>(Eigen::VectorXd::Unit(full.cols(), k)), y);
    CHECK(stacked(y) == full.col(k));
  }
}

TEMPLATE_TEST_CASE_SIG("BlockMatrix: a number that is not finite reaches its row and column, nothing else",
                       "", ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(5);
  const int nodes = 3000;
  const auto pattern = random_pattern(nodes, random);
  const auto x = random_vector<Dim, Scalar>(nodes, random);
  for (const Scalar bad :
       {std::numeric_limits<Scalar>::quiet_NaN(), std::numeric_limits<Scalar>::infinity()}) {
    for (const std::ptrdiff_t slot : {std::ptrdiff_t{0}, pattern->blocks() / 2, pattern->blocks() - 1}) {
      auto A = random_symmetric<Dim, Scalar>(pattern, random);
      NodeVector<Dim, Scalar> clean(nodes), y(nodes);
      A.multiply(x, clean);
      A.block(slot)(0, 0) = bad;
      const Scalar product = A.multiply(x, y);
      CHECK(!std::isfinite(product));
      CHECK(padding_is_zero(y));
      const auto row = static_cast<std::ptrdiff_t>(
          std::upper_bound(pattern->row_begin.begin(), pattern->row_begin.end(), static_cast<int>(slot)) -
          pattern->row_begin.begin() - 1);
      const int column = pattern->columns[static_cast<std::size_t>(slot)];
      for (std::ptrdiff_t i = 0; i < nodes; ++i) {
        for (int r = 0; r < Dim; ++r) {
          const bool touched = r == 0 && (i == row || i == column);
          if (touched) CHECK(!std::isfinite(y.node(i)(r)));
          else if (!same_bits(y.node(i)(r), clean.node(i)(r))) FAIL("entry " << r << " of node " << i);
        }
      }
    }
  }
}

TEST_CASE("BlockMatrix: a vector with a bad number still leaves the padding zero") {
  std::mt19937 random(6);
  const auto pattern = random_pattern(2500, random);
  const auto A = random_symmetric<3, double>(pattern, random);
  auto x = random_vector<3, double>(2500, random);
  x.node(1234)(1) = std::numeric_limits<double>::quiet_NaN();
  NodeVector<3, double> y(2500);
  CHECK(std::isnan(A.multiply(x, y)));
  CHECK(padding_is_zero(y));
}

TEMPLATE_TEST_CASE_SIG("BlockMatrix: the product of the magnitudes", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(12);
  for (const int nodes : {1, 7, 300}) {
    const auto A = random_symmetric<Dim, Scalar>(random_pattern(nodes, random), random);
    const auto x = random_vector<Dim, Scalar>(nodes, random);
    NodeVector<Dim, Scalar> y(nodes);
    A.multiply_magnitudes(x, y);
    const Eigen::VectorXd expected = sparse(A).cwiseAbs() * stacked(x).cwiseAbs();
    CHECK((stacked(y) - expected).norm() <= 16 * rounding<Scalar> * expected.norm());
    CHECK(padding_is_zero(y));
  }
}

TEST_CASE("BlockMatrix: sums") {
  std::mt19937 random(7);
  const auto pattern = random_pattern(3000, random);
  auto A = random_symmetric<3, double>(pattern, random);
  const auto B = random_symmetric<3, double>(pattern, random);
  const Eigen::SparseMatrix<double> first = sparse(A), second = sparse(B);
  A.blend(0.25, B);
  CHECK((sparse(A) - 0.75 * first - 0.25 * second).norm() < 1e-14 * first.norm());
  A.blend(1, B);
  CHECK((sparse(A) - second).norm() < 1e-15 * second.norm());
  A.set_zero();
  CHECK(sparse(A).norm() == 0);
}

TEST_CASE("BlockMatrix: a copy multiplies like the original") {
  std::mt19937 random(8);
  const auto pattern = random_pattern(2500, random);
  const auto A = random_symmetric<3, double>(pattern, random);
  const auto x = random_vector<3, double>(2500, random);
  const BlockMatrix<3, double> B = A;
  NodeVector<3, double> y(2500), z(2500);
  A.multiply(x, y);
  B.multiply(x, z);
  CHECK(same_bits(y, z));
}
