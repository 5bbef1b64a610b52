// What holds for the two-level preconditioner in any dimension and precision.
#pragma once

#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>

#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>

namespace pliant::test {

using namespace eigen_view;

template <int Dim, class Scalar>
using WorkspaceOf = TwoLevel::Workspace<BlockMatrix<Dim, Scalar>>;

// What run(r, z) makes of the columns of the unit matrix, as a dense matrix.
template <int Dim, class Scalar, class Run>
Eigen::MatrixXd matrix_of(std::ptrdiff_t nodes, Run&& run) {
  Eigen::MatrixXd result(Dim * nodes, Dim * nodes);
  NodeVector<Dim, Scalar> r(nodes), z(nodes);
  for (std::ptrdiff_t c = 0; c < Dim * nodes; ++c) {
    r.set_zero();
    r.node(c / Dim)(c % Dim) = 1;
    z.set_zero();
    run(r, z);
    CHECK(padding_is_zero(z));
    result.col(c) = stacked(z);
  }
  return result;
}

// P^-1 as a dense matrix.
template <int Dim, class Scalar>
Eigen::MatrixXd inverse_of(const TwoLevel& preconditioner, WorkspaceOf<Dim, Scalar>& workspace,
                           std::ptrdiff_t nodes) {
  return matrix_of<Dim, Scalar>(nodes, [&](const auto& r, auto& z) {
    const double rz = static_cast<double>(preconditioner.apply(r, r.norm(), z, workspace));
    CHECK(rz == Approx(static_cast<double>(r.dot(z))).epsilon(1e-6));
  });
}

// C, the coarse correction, as a dense matrix.
template <int Dim, class Scalar>
Eigen::MatrixXd coarse_of(const TwoLevel& preconditioner, WorkspaceOf<Dim, Scalar>& workspace,
                          std::ptrdiff_t nodes) {
  return matrix_of<Dim, Scalar>(
      nodes, [&](const auto& r, auto& x) { CHECK(preconditioner.correct(r, x, workspace)); });
}

inline void check_positive_definite(const Eigen::MatrixXd& inverse) {
  CHECK((inverse - inverse.transpose()).norm() <= 1e-5 * inverse.norm());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((inverse + inverse.transpose()) / 2,
                                                             Eigen::EigenvaluesOnly);
  CHECK(eigen.eigenvalues().minCoeff() > 0);
}

template <int Dim, class Scalar>
void is_positive_definite(const ElasticProblem<Dim, Scalar>& problem, detail::linear_solver::FactorKind kind,
                          bool knows_positions) {
  const TwoLevel preconditioner{.nodes_per_aggregate = 12};
  WorkspaceOf<Dim, Scalar> workspace;
  if (knows_positions) workspace.set_positions(problem.positions);
  REQUIRE(preconditioner.prepare(problem.A, workspace));
  CHECK(workspace.kind == kind);
  CHECK(workspace.deflates());
  CHECK(workspace.coarse.aggregates().count() > 2);
  const Eigen::MatrixXd inverse = inverse_of<Dim, Scalar>(preconditioner, workspace, problem.A.rows()),
                        coarse = coarse_of<Dim, Scalar>(preconditioner, workspace, problem.A.rows());
  check_positive_definite(coarse + inverse - inverse * dense(problem.A) * coarse);
}

template <int Dim, class Scalar>
LinearReport solve(const ElasticProblem<Dim, Scalar>& problem, NodeVector<Dim, Scalar>& x, double tolerance,
                   typename Pcg<TwoLevel>::Workspace<BlockMatrix<Dim, Scalar>>& workspace) {
  workspace.set_positions(problem.positions);
  x.set_zero();
  return Pcg<TwoLevel>{.tolerance = tolerance}.solve(problem.A, problem.b, x, workspace);
}

template <int Dim, class Scalar>
void solves(const ElasticProblem<Dim, Scalar>& problem, double tolerance, double accuracy) {
  typename Pcg<TwoLevel>::Workspace<BlockMatrix<Dim, Scalar>> workspace;
  auto x = problem.x;
  const LinearReport report = solve(problem, x, tolerance, workspace);
  INFO(report.message());
  CHECK(report);
  CHECK(padding_is_zero(x));
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> direct(sparse(problem.A));
  const Eigen::VectorXd exact = direct.solve(stacked(problem.b));
  CHECK((stacked(x) - exact).norm() <= accuracy * exact.norm());
}

}  // namespace pliant::test
