// Linear systems that the tests of several solvers share.
#pragma once

#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <limits>
#include <memory>
#include <random>
#include <utility>

namespace pliant::test {

template <int Dim, class Scalar>
double true_residual(const BlockMatrix<Dim, Scalar>& A, const NodeVector<Dim, Scalar>& b,
                     const NodeVector<Dim, Scalar>& x) {
  return (eigen_view::stacked(b) - eigen_view::sparse(A) * eigen_view::stacked(x)).norm();
}

template <int Dim, class Scalar>
struct Problem {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix<Dim, Scalar> A;
  NodeVector<Dim, Scalar> b;
};

// Positive definite; the nearer `dominance` is to one, the worse conditioned.
template <int Dim, class Scalar>
Problem<Dim, Scalar> definite_problem(int nodes, unsigned seed, double dominance = 1.01) {
  std::mt19937 random(seed);
  auto pattern = eigen_view::random_pattern(nodes, random);
  auto A = eigen_view::random_symmetric<Dim, Scalar>(pattern, random, dominance);
  auto b = eigen_view::random_vector<Dim, Scalar>(nodes, random);
  return {pattern, std::move(A), std::move(b)};
}

// Calls run(A, b) for a problem of 100 nodes in space one number of whose matrix or right-hand side, at one
// place after the other, is not finite.
template <class Run>
void for_each_not_finite(const Problem<3, double>& good, Run&& run) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    INFO(bad);
    auto b = good.b;
    b.node(57)(2) = bad;
    run(good.A, b);
    for (const std::ptrdiff_t slot :
         {std::ptrdiff_t{0}, std::ptrdiff_t{1}, good.pattern->blocks() / 2, good.pattern->blocks() - 1}) {
      for (int entry = 0; entry < 9; entry += 2) {
        INFO("entry " << entry << " of block " << slot);
        auto A = good.A;
        A.block(slot)(entry % 3, entry / 3) = A.block(slot)(entry / 3, entry % 3) = bad;
        run(A, good.b);
      }
    }
  }
}

}  // namespace pliant::test
