// Static equilibrium by Newton's method with a direct solver: what the tests of elements compare with closed
// forms and published results.
#pragma once

#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <vector>

#include <Eigen/SparseCholesky>

#include <pliant/energy/projection.hpp>

namespace static_equilibrium {

// The positions (dim x #nodes, user's numbering) where the elastic forces balance `loads` [N] and the `held`
// nodes are where they are in `x`, from where the iterations start. Ends where no free node has a residual
// above `tolerance` [N].
template <class System>
Eigen::MatrixXd solve(System& system, Eigen::MatrixXd x, const std::vector<int>& held,
                      const Eigen::MatrixXd& loads, double tolerance) {
  constexpr int dim = System::dim;
  std::vector<int> unknown(static_cast<std::size_t>(dim * x.cols()), 0);
  for (const int node : held) {
    for (int axis = 0; axis < dim; ++axis) unknown[static_cast<std::size_t>(dim * node + axis)] = -1;
  }
  int count = 0;
  for (int& number : unknown) number = number < 0 ? -1 : count++;

  auto internal = system.make_vector(), g = system.make_vector();
  auto A = system.make_matrix();
  pliant::NodeMatrix<double, dim> gradient(dim, x.cols());
  for (int iteration = 0; iteration < 50; ++iteration) {
    system.to_internal(x, internal);
    system.tangent(internal, pliant::Projection::none, 1, g, A);
    system.to_user(g, gradient);
    Eigen::VectorXd residual(count);
    for (std::ptrdiff_t k = 0; k < x.size(); ++k) {
      const int row = unknown[static_cast<std::size_t>(k)];
      if (row >= 0) residual(row) = loads.data()[k] - gradient.data()[k];
    }
    if (residual.cwiseAbs().maxCoeff() <= tolerance) return x;

    const Eigen::SparseMatrix<double> all = eigen_view::sparse(A, system.numbering().to_user);
    std::vector<Eigen::Triplet<double>> triplets;
    for (int column = 0; column < all.outerSize(); ++column) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(all, column); entry; ++entry) {
        const int i = unknown[static_cast<std::size_t>(entry.row())],
                  j = unknown[static_cast<std::size_t>(entry.col())];
        if (i >= 0 && j >= 0) triplets.emplace_back(i, j, entry.value());
      }
    }
    Eigen::SparseMatrix<double> K(count, count);
    K.setFromTriplets(triplets.begin(), triplets.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(K);
    REQUIRE(factors.info() == Eigen::Success);
    const Eigen::VectorXd step = factors.solve(residual);
    for (std::ptrdiff_t k = 0; k < x.size(); ++k) {
      const int row = unknown[static_cast<std::size_t>(k)];
      if (row >= 0) x.data()[k] += step(row);
    }
  }
  FAIL("Newton's method does not converge");
  return x;
}

}  // namespace static_equilibrium
