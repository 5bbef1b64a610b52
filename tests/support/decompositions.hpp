// The dense eigensolver and factorisation of Eigen that many tests compare with, compiled once: each costs
// the compiler seconds. Part of the precompiled header; a test includes what it uses from Eigen as ever.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace pliant::test {
using DenseEigenSolver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
using DenseCholesky = Eigen::LLT<Eigen::MatrixXd>;
}  // namespace pliant::test

extern template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
extern template pliant::test::DenseEigenSolver& pliant::test::DenseEigenSolver::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
extern template class Eigen::LLT<Eigen::MatrixXd>;
extern template pliant::test::DenseCholesky& pliant::test::DenseCholesky::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
