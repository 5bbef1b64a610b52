// What holds for the factor of an earlier matrix as a preconditioner, in any dimension and precision.
#pragma once

#include "linear_solver/elastic_problem.hpp"
#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <algorithm>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SparseCholesky>

#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>

namespace pliant::test {

using namespace eigen_view;

template <int Dim, class Scalar>
using Workspace = typename Pcg<Prefactored>::template Workspace<BlockMatrix<Dim, Scalar>>;

template <int Dim, class Scalar>
void copy_values(const BlockMatrix<Dim, Scalar>& from, BlockMatrix<Dim, Scalar>& to) {
  std::copy(from.values(), from.values() + from.pattern().blocks() * Dim * Dim, to.values());
}

// The same body in several states on one pattern, which a factor belongs to.
template <int Dim, class Scalar>
void adopt_pattern(const ElasticProblem<Dim, Scalar>& of, ElasticProblem<Dim, Scalar>& problem) {
  auto A = of.A;
  copy_values(problem.A, A);
  problem.A = A;
}

// P^-1 as a dense matrix.
template <int Dim, class Scalar, class W>
Eigen::MatrixXd inverse_of(W& workspace, std::ptrdiff_t nodes) {
  Eigen::MatrixXd result(Dim * nodes, Dim * nodes);
  NodeVector<Dim, Scalar> r(nodes), z(nodes);
  for (std::ptrdiff_t c = 0; c < Dim * nodes; ++c) {
    r.set_zero();
    r.node(c / Dim)(c % Dim) = 1;
    const double rz = static_cast<double>(Prefactored{}.apply(r, r.norm(), z, workspace.preconditioner));
    CHECK(rz == Approx(static_cast<double>(r.dot(z))).epsilon(1e-6));
    CHECK(padding_is_zero(z));
    result.col(c) = stacked(z);
  }
  return result;
}

template <int Dim, class Scalar>
LinearReport solve(const ElasticProblem<Dim, Scalar>& problem, NodeVector<Dim, Scalar>& x, double tolerance,
                   Workspace<Dim, Scalar>& workspace, int refactor_above = 8) {
  workspace.set_positions(problem.positions);
  x.set_zero();
  return Pcg<Prefactored>{.tolerance = tolerance, .preconditioner = {.refactor_above = refactor_above}}.solve(
      problem.A, problem.b, x, workspace);
}

template <int Dim, class Scalar>
Eigen::VectorXd exact_solution(const ElasticProblem<Dim, Scalar>& problem) {
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> direct(sparse(problem.A));
  return direct.solve(stacked(problem.b));
}

template <int Dim>
Eigen::Matrix<double, Dim, Dim> large_turn() {
  if constexpr (Dim == 2) return Eigen::Rotation2Dd(2.5).toRotationMatrix();
  else return Eigen::AngleAxisd(2.5, Eigen::Vector3d(1, 2, -2) / 3).toRotationMatrix();
}

// The body turned about the origin, and forces with it.
template <int Dim, class Scalar>
void turn(ElasticProblem<Dim, Scalar>& problem, const Eigen::Matrix<double, Dim, Dim>& by) {
  const Eigen::Matrix<Scalar, Dim, Dim> R = by.template cast<Scalar>();
  for (std::ptrdiff_t k = 0; k < problem.A.pattern().blocks(); ++k) {
    problem.A.block(k) = (R * problem.A.block(k) * R.transpose()).eval();
  }
  for (std::ptrdiff_t i = 0; i < problem.A.rows(); ++i) {
    problem.positions.node(i) = (R * problem.positions.node(i)).eval();
    problem.b.node(i) = (R * problem.b.node(i)).eval();
  }
}

template <int Dim, class Scalar>
void is_exact(const ElasticProblem<Dim, Scalar>& problem) {
  Workspace<Dim, Scalar> workspace;
  auto x = problem.x;
  const LinearReport report = solve(problem, x, 1e-6, workspace);
  CHECK(report);
  CHECK(report.iterations <= 2);
  CHECK(padding_is_zero(x));
  const Eigen::MatrixXd inverse = inverse_of<Dim, Scalar>(workspace, problem.A.rows());
  const Eigen::MatrixXd product = inverse * dense(problem.A);
  CHECK((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).norm() <=
        1e-3 * std::sqrt(static_cast<double>(product.rows())));
}

// Iterations for the turned body with the factor of the body as it was.
template <int Dim, class Scalar>
int iterations_after_turn(ElasticProblem<Dim, Scalar> problem, bool knows_positions) {
  Workspace<Dim, Scalar> workspace;
  auto x = problem.x;
  REQUIRE(solve(problem, x, 1e-6, workspace));
  turn<Dim, Scalar>(problem, large_turn<Dim>());
  if (!knows_positions) problem.positions.resize(0);
  const LinearReport report = solve(problem, x, 1e-6, workspace);
  CHECK(report);
  CHECK(workspace.preconditioner.factorisations == 1);
  return report.iterations;
}

template <int Dim, class Scalar>
void turns_with_the_body(const ElasticProblem<Dim, Scalar>& problem) {
  const int turned = iterations_after_turn(problem, true), straight = iterations_after_turn(problem, false);
  INFO(turned << " iterations, " << straight << " without positions");
  CHECK(turned <= 2);
  CHECK(straight > 5 * turned);
}

// With the factor of one state, for another one.
template <int Dim, class Scalar>
void is_positive_definite(const ElasticProblem<Dim, Scalar>& rest, ElasticProblem<Dim, Scalar> moved) {
  adopt_pattern(rest, moved);
  Workspace<Dim, Scalar> workspace;
  auto x = rest.x;
  REQUIRE(solve(rest, x, 1e-6, workspace));
  workspace.set_positions(moved.positions);
  REQUIRE(Prefactored{}.prepare(moved.A, workspace.preconditioner));
  REQUIRE(workspace.preconditioner.warped);
  const Eigen::MatrixXd inverse = inverse_of<Dim, Scalar>(workspace, rest.A.rows());
  CHECK((inverse - inverse.transpose()).norm() <= 1e-5 * inverse.norm());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((inverse + inverse.transpose()) / 2,
                                                             Eigen::EigenvaluesOnly);
  CHECK(eigen.eigenvalues().minCoeff() > 0);
}

}  // namespace pliant::test
