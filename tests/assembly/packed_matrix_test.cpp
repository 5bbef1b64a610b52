#include "assembly/eigen_view.hpp"
#include "assembly/products.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <limits>

#include <pliant/assembly/packed_matrix.hpp>

using namespace pliant;
using namespace eigen_view;

TEMPLATE_TEST_CASE_SIG("PackedMatrix: products equal Eigen's, for any number of threads the same bits", "",
                       ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 2),
                       (float, 3)) {
  std::mt19937 random(1);
  detail::assembly::PackedMatrix<Dim, Scalar> packed;  // one object for patterns of many sizes
  for (const int nodes : {1, 3, 4, 5, 7, 1000, 5000, 20000, 2}) {
    INFO(nodes << " nodes");
    const auto pattern = random_pattern(nodes, random);
    const auto x = random_vector<Dim, Scalar>(nodes, random);
    for (int round = 0; round < 2; ++round) {  // new values on the same pattern
      const auto A = random_symmetric<Dim, Scalar>(pattern, random);
      check_products(sparse(A), x, [&](auto&& use) {
        packed.assign(A);
        use(packed);
        detail::assembly::PackedMatrix<Dim, Scalar> other;
        other.assign(A);
        use(other);
      });
    }
  }
}

TEST_CASE("PackedMatrix: columns of the identity give the columns of the matrix") {
  std::mt19937 random(2);
  const auto pattern = random_pattern(41, random);
  const auto A = random_symmetric<3, double>(pattern, random);
  const Eigen::MatrixXd full = dense(A);
  detail::assembly::PackedMatrix<3, double> packed;
  packed.assign(A);
  for (int k = 0; k < full.cols(); ++k) {
    NodeVector<3, double> y(41);
    packed.multiply(node_vector<3, double>(Eigen::VectorXd::Unit(full.cols(), k)), y);
    CHECK(stacked(y) == full.col(k));
  }
}

TEMPLATE_TEST_CASE_SIG("PackedMatrix: a number that is not finite reaches its row and column, nothing else",
                       "", ((class Scalar, int Dim), Scalar, Dim), (double, 2), (double, 3), (float, 3)) {
  std::mt19937 random(3);
  const int nodes = 3001;
  const auto pattern = random_pattern(nodes, random);
  const auto x = random_vector<Dim, Scalar>(nodes, random);
  detail::assembly::PackedMatrix<Dim, Scalar> packed;
  for (const std::ptrdiff_t slot : {std::ptrdiff_t{0}, pattern->blocks() / 2, pattern->blocks() - 1}) {
    auto A = random_symmetric<Dim, Scalar>(pattern, random);
    NodeVector<Dim, Scalar> clean(nodes), y(nodes);
    packed.assign(A);
    packed.multiply(x, clean);
    A.block(slot)(0, 0) = std::numeric_limits<Scalar>::quiet_NaN();
    packed.assign(A);
    CHECK(!std::isfinite(packed.multiply(x, y)));
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
