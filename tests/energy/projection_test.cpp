#include "energy/facts.hpp"

#include <pliant/energy/projection.hpp>

using namespace pliant;
using namespace pliant::simd;

namespace {

// Q diag(values) Q^T with a random orthogonal Q.
template <int Size>
struct Known {
  Eigen::Matrix<double, Size, Size> Q = facts::random_matrix<Size, Size>().householderQr().householderQ();

  SmallMatrix<double, Size, Size> with(const Eigen::VectorXd& values) const {
    return Q * values.asDiagonal() * Q.transpose();
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG("project_numerically: known eigenvalues", "", ((int Size), Size), 4, 9) {
  for (int trial = 0; trial < 20; ++trial) {
    const Known<Size> known;
    Eigen::VectorXd values = facts::random_matrix<Size, 1>() * std::pow(10.0, facts::uniform(-8, 8));
    if (trial % 3 == 0) values.head(Size / 2).setConstant(values(0));  // repeated
    if (trial % 4 == 0) values.tail(Size / 3).setZero();               // rank-deficient
    if (trial % 5 == 0) values(Size - 1) = -values(0);                 // opposite
    const auto H = known.with(values);
    const double tolerance = 1e-14 * values.cwiseAbs().maxCoeff();
    using P = Projection;
    CHECK(facts::difference(project_numerically<double, Size>(H, P::none), H) == 0);
    CHECK(facts::difference(project_numerically<double, Size>(H, P::clamp), known.with(values.cwiseMax(0))) <=
          tolerance);
    CHECK(facts::difference(project_numerically<double, Size>(H, P::absolute),
                            known.with(values.cwiseAbs())) <= tolerance);
  }
}

TEST_CASE("project_numerically: each lane by itself") {
  using T = Lane<float, 8>;
  SmallMatrix<T, 4, 4> H;
  SmallMatrix<double, 4, 4> expected[8];
  for (int l = 0; l < 8; ++l) {
    const Known<4> known;
    const Eigen::VectorXd values = facts::random_matrix<4, 1>();
    const auto one = known.with(values);
    for (int k = 0; k < 16; ++k) set_lane(H(k), l, static_cast<float>(one(k)));
    expected[l] = known.with(values.cwiseMax(0));
  }
  const SmallMatrix<T, 4, 4> result = project_numerically<T, 4>(H, Projection::clamp);
  for (int l = 0; l < 8; ++l) CHECK(facts::difference(facts::lane_of(result, l), expected[l]) <= 2e-6);
}

TEST_CASE("project_numerically: zero, diagonal, huge and tiny matrices") {
  using Matrix = SmallMatrix<float, 4, 4>;
  CHECK(project_numerically<float, 4>(Matrix::Zero(), Projection::clamp) == Matrix(Matrix::Zero()));
  for (const float size : {1e-30f, 1e30f}) {
    Matrix H = Matrix::Zero();
    H(0, 1) = H(1, 0) = size;  // eigenvalues +-size, 0, 0
    const Matrix projected_H = project_numerically<float, 4>(H, Projection::clamp);
    Matrix expected = Matrix::Zero();
    expected.topLeftCorner<2, 2>().setConstant(size / 2);
    CHECK((projected_H - expected).cwiseAbs().maxCoeff() <= 1e-6f * size);
  }
}

TEST_CASE("projected: an eigenvalue") {
  CHECK(projected<Projection::none>(-2.0) == -2.0);
  CHECK(projected<Projection::clamp>(-2.0) == 0.0);
  CHECK(projected<Projection::clamp>(2.0) == 2.0);
  CHECK(projected<Projection::absolute>(-2.0) == 2.0);
  const Lane<double, 4> lanes = projected<Projection::absolute>(Lane<double, 4>(-3.0));
  CHECK(lane(lanes, 2) == 3.0);
}
