#include "support/decompositions.hpp"

template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;
template pliant::test::DenseEigenSolver& pliant::test::DenseEigenSolver::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&, int);
template class Eigen::LLT<Eigen::MatrixXd>;
template pliant::test::DenseCholesky& pliant::test::DenseCholesky::compute(
    const Eigen::EigenBase<Eigen::MatrixXd>&);
