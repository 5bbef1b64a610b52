// What every direct solver does: `Solver` is its model.
#pragma once

#include "linear_solver/problem.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include <Eigen/Eigenvalues>

#include <pliant/linear_solver/concept.hpp>

namespace pliant::test::direct_solver {

using namespace eigen_view;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

template <class Solver, int Dim, class Scalar>
LinearReport solve(const Solver& solver, const BlockMatrix<Dim, Scalar>& A, const NodeVector<Dim, Scalar>& b,
                   NodeVector<Dim, Scalar>& x, double goal = 0) {
  typename Solver::template Workspace<BlockMatrix<Dim, Scalar>> workspace;
  return solver.solve(A, b, x, workspace, goal);
}

// The pattern of a graph with rows of neighbours that stand `reach` apart at most.
inline std::shared_ptr<const BlockPattern> band(int nodes, int reach) {
  Adjacency graph;
  graph.begin.push_back(0);
  for (int i = 0; i < nodes; ++i) {
    for (int j = std::max(0, i - reach); j <= std::min(nodes - 1, i + reach); ++j) {
      if (j != i) graph.list.push_back(j);
    }
    graph.begin.push_back(static_cast<int>(graph.list.size()));
  }
  return std::make_shared<const BlockPattern>(BlockPattern::from_graph(graph));
}

template <class Solver, int Dim, class Scalar>
void equals_dense(double tolerance, double accuracy) {
  for (const int nodes : {1, 2, 7, 150, 400}) {
    INFO(nodes << " nodes");
    const auto problem = definite_problem<Dim, Scalar>(nodes, 1);
    NodeVector<Dim, Scalar> x(nodes);
    const LinearReport report = solve(Solver{.tolerance = tolerance}, problem.A, problem.b, x);
    CHECK(report.stop == LinearStop::converged);
    CHECK(report.iterations == 1);
    CHECK(report.residual <= report.goal);
    CHECK(report.goal == Approx(tolerance * stacked(problem.b).norm()).epsilon(1e-5));
    CHECK(report.first_residual == Approx(stacked(problem.b).norm()).epsilon(1e-5));
    CHECK(padding_is_zero(x));
    const Eigen::VectorXd exact = dense(problem.A).llt().solve(stacked(problem.b));
    CHECK((stacked(x) - exact).norm() <= accuracy * exact.norm());
  }
}

// To rounding; in floats half a unit in the last place.
template <class Solver>
void solves_as_dense_factorisations_do() {
  equals_dense<Solver, 3, double>(1e-12, 1e-14);
  equals_dense<Solver, 2, double>(1e-12, 1e-14);
  equals_dense<Solver, 3, float>(1e-5, 1e-7);
  equals_dense<Solver, 2, float>(1e-5, 1e-7);
}

// A matrix is indefinite exactly where an eigenvalue is negative.
template <class Solver>
void finds_negative_eigenvalues() {
  std::mt19937 random(11);
  for (const int nodes : {1, 2, 5, 20, 60}) {
    INFO(nodes << " nodes");
    const auto pattern = random_pattern(nodes, random);
    const auto base = random_symmetric<3, double>(pattern, random);
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense(base)).eigenvalues();
    const double least = eigenvalues(0), size = eigenvalues.cwiseAbs().maxCoeff();
    const auto b = random_vector<3, double>(nodes, random);
    for (const double distance : {1e-10, 1e-6, 1e-2, 1.0}) {
      for (const bool definite : {true, false}) {
        auto A = base;
        for (int i = 0; i < nodes; ++i) {
          A.diagonal(i).diagonal().array() -= least + (definite ? -distance : distance) * size;
        }
        NodeVector<3, double> x(nodes);
        const auto report = solve(Solver{}, A, b, x);
        CHECK(report.stop == (definite ? LinearStop::converged : LinearStop::indefinite));
        CHECK(x.finite());
        if (!definite) {
          CHECK(stacked(x).isZero(0));
          CHECK(report.message().find("not positive definite") != std::string::npos);
        }
      }
    }
  }
}

// A matrix that is singular but for rounding is not positive definite.
template <class Solver>
void refuses_singular_matrices() {
  // A chain of springs that is free to move along each axis.
  for (const int nodes : {2, 50, 400}) {
    const auto pattern = band(nodes, 1);
    BlockMatrix<3, double> A(pattern);
    for (int i = 0; i < nodes; ++i) {
      A.diagonal(i).diagonal().setConstant((i > 0 ? 0.3 : 0) + (i + 1 < nodes ? 0.3 : 0));
      if (i + 1 < nodes) A.block(pattern->slot(i, i + 1)).diagonal().setConstant(-0.3);
    }
    std::mt19937 random(12);
    const auto b = random_vector<3, double>(nodes, random);
    NodeVector<3, double> x(nodes);
    CHECK(solve(Solver{}, A, b, x).stop == LinearStop::indefinite);
    A.diagonal(nodes / 2).diagonal().array() += 1e-9;
    CHECK(solve(Solver{}, A, b, x).stop == LinearStop::converged);
  }
}

template <class Solver>
void reports_what_is_not_finite() {
  for_each_not_finite(definite_problem<3, double>(100, 13), [](const auto& A, const auto& b) {
    NodeVector<3, double> x(100);
    CHECK(solve(Solver{}, A, b, x).stop == LinearStop::not_finite);
  });
}

// Parameters out of range are named.
template <class Solver>
void names_parameters(const std::string& model) {
  const auto name = [](const Solver& solver) -> std::string {
    try {
      solver.check();
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  CHECK(name({}) == "");
  CHECK(name({.tolerance = 0}) == "");
  for (const double tolerance : {-1e-9, 1.0, infinity, nan_value}) {
    CHECK(name({.tolerance = tolerance}) == model + "::tolerance");
  }
  for (const double absolute : {-1.0, infinity, nan_value}) {
    CHECK(name({.absolute_tolerance = absolute}) == model + "::absolute_tolerance");
  }
}

}  // namespace pliant::test::direct_solver
