#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <limits>

#include <pliant/linear_solver/preconditioner/preconditioner.hpp>

using namespace pliant;
using namespace eigen_view;

namespace {

// The part of A that a preconditioner inverts.
Eigen::MatrixXd kept(NoPreconditioner, const Eigen::MatrixXd& A, int) {
  return Eigen::MatrixXd::Identity(A.rows(), A.cols());
}
Eigen::MatrixXd kept(Jacobi, const Eigen::MatrixXd& A, int) { return A.diagonal().asDiagonal(); }
Eigen::MatrixXd kept(BlockJacobi, const Eigen::MatrixXd& A, int dim) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(A.rows(), A.cols());
  for (std::ptrdiff_t i = 0; i < A.rows(); i += dim) result.block(i, i, dim, dim) = A.block(i, i, dim, dim);
  return result;
}

template <class P, int Dim, class Scalar>
void inverts(double scale) {
  std::mt19937 random(1);
  const auto pattern = random_pattern(60, random);
  auto A = random_symmetric<Dim, Scalar>(pattern, random, 1.01);
  for (std::ptrdiff_t k = 0; k < pattern->blocks(); ++k) A.block(k) *= static_cast<Scalar>(scale);
  const auto r = random_vector<Dim, Scalar>(60, random);
  NodeVector<Dim, Scalar> z(60);
  typename P::template Workspace<BlockMatrix<Dim, Scalar>> workspace;
  REQUIRE(P{}.prepare(A, workspace));
  for (int i = 0; i < 60; ++i) z.set_row(i, P{}.at(i, r.row(i), workspace));
  const Eigen::VectorXd expected = kept(P{}, dense(A), Dim).llt().solve(stacked(r));
  const double tolerance = 16 * std::numeric_limits<Scalar>::epsilon();
  CHECK((stacked(z) - expected).norm() <= tolerance * expected.norm());
  CHECK(static_cast<double>(r.dot(z)) == Approx(stacked(r).dot(expected)).epsilon(tolerance));
  CHECK(r.dot(z) > 0);
  CHECK(padding_is_zero(z));
}

}  // namespace

TEMPLATE_TEST_CASE("Preconditioners: the inverse of the part of A they keep, in any unit", "",
                   NoPreconditioner, Jacobi, BlockJacobi) {
  for (const double scale : {1.0, 1e-100, 1e100}) {
    inverts<TestType, 3, double>(scale);
    inverts<TestType, 2, double>(scale);
  }
  for (const double scale : {1.0, 1e-18, 1e15}) {
    inverts<TestType, 3, float>(scale);
    inverts<TestType, 2, float>(scale);
  }
}

TEST_CASE("Preconditioners: a diagonal that is not positive, a block that is not positive definite") {
  std::mt19937 random(2);
  const auto pattern = random_pattern(30, random);
  const auto good = random_symmetric<3, double>(pattern, random, 1.1);
  Jacobi::Workspace<BlockMatrix<3, double>> diagonal;
  BlockJacobi::Workspace<BlockMatrix<3, double>> blocks;
  REQUIRE(Jacobi{}.prepare(good, diagonal));
  REQUIRE(BlockJacobi{}.prepare(good, blocks));
  for (const Eigen::Vector3d& values : {Eigen::Vector3d(-1, 2, 3), Eigen::Vector3d(-1, -2, 3),
                                        Eigen::Vector3d(-1, -2, -3), Eigen::Vector3d(0, 1, 1)}) {
    for (int turn = 0; turn < 3; ++turn) {
      auto A = good;
      A.diagonal(29).setZero();
      for (int axis = 0; axis < 3; ++axis) A.diagonal(29)(axis, axis) = values((axis + turn) % 3);
      CHECK(!Jacobi{}.prepare(A, diagonal));
      CHECK(!BlockJacobi{}.prepare(A, blocks));
    }
  }
  // Positive on the diagonal, indefinite all the same.
  auto A = good;
  A.diagonal(0) << 1, 2, 0, 2, 1, 0, 0, 0, 1;
  CHECK(Jacobi{}.prepare(A, diagonal));
  CHECK(!BlockJacobi{}.prepare(A, blocks));
  A.diagonal(0) << 1, 0, 0, 0, 1, 2, 0, 2, 1;
  CHECK(!BlockJacobi{}.prepare(A, blocks));
}
