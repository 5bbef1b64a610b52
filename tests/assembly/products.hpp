// Products of matrices against Eigen's.
#pragma once

#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <cmath>
#include <limits>

namespace eigen_view {

// Checks that the products of a matrix with x are those of `full`, the same matrix, to rounding, and have the
// same bits on any number of threads. `with(use)` makes the matrix, for the present number of threads, and
// calls use(matrix); in several ways, if there are.
template <int Dim, class Scalar, class With>
void check_products(const Eigen::SparseMatrix<double>& full, const NodeVector<Dim, Scalar>& x, With&& with) {
  constexpr double tolerance = 16 * std::numeric_limits<Scalar>::epsilon();
  const Eigen::VectorXd input = stacked(x), size = full.cwiseAbs() * input.cwiseAbs();
  NodeVector<Dim, Scalar> y(x.nodes());
  Scalar product = 0;
  const WithThreads one(1);
  with([&](const auto& matrix) {
    for (std::ptrdiff_t i = 0; i < y.nodes(); ++i) y.node(i).setConstant(Scalar(7));  // is overwritten
    product = matrix.multiply(x, y);
    const Eigen::VectorXd difference = stacked(y) - full * input;
    CHECK((difference.array().abs() / size.array().max(1e-300)).maxCoeff() <= tolerance);
    CHECK(padding_is_zero(y));
    CHECK(std::abs(static_cast<double>(product) - input.dot(full * input)) <=
          tolerance * input.cwiseAbs().dot(size));
  });
  for (const int threads : thread_counts) {
    pliant::set_thread_count(threads);
    with([&](const auto& matrix) {
      NodeVector<Dim, Scalar> again(x.nodes());
      CHECK(same_bits(matrix.multiply(x, again), product));
      CHECK(same_bits(again, y));
    });
  }
}

}  // namespace eigen_view
