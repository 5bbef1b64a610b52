// Linear systems that the tests of several solvers share.
#pragma once

#include "assembly/eigen_view.hpp"

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

}  // namespace pliant::test
