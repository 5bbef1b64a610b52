#include "energy/facts.hpp"

#include <pliant/energy/deformation_gradient.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;

static_assert(std::is_same_v<DeformationGradient<Eigen::Matrix3f>, SmallMatrix<float, 3, 3>>);
static_assert(
    std::is_same_v<DeformationGradient<Eigen::Transpose<Eigen::Matrix2d>>, SmallMatrix<double, 2, 2>>);

// Every member of an energy takes every kind of expression and gives what the plain matrix gives.
TEMPLATE_TEST_CASE("Energies take any Eigen expression", "", LinearElastic, StableNeoHookean) {
  const TestType energy(Lame::from_young_poisson(3, 0.4));
  const Eigen::Matrix3d A = facts::random_matrix<3, 3>(), B = facts::random_matrix<3, 3>();
  const auto check = [&energy](const auto& expression, const auto& plain) {
    constexpr Projection clamp = Projection::clamp;
    CHECK(energy.psi(expression) == Approx(energy.psi(plain)).epsilon(1e-14));
    CHECK(facts::difference(energy.pk1(expression), energy.pk1(plain)) <= 1e-14);
    CHECK(facts::difference(energy.hessian(expression), energy.hessian(plain)) <= 1e-14);
    CHECK(facts::difference(energy.hessian(expression, clamp), energy.hessian(plain, clamp)) <= 1e-13);
    const auto tangent = energy.template tangent<clamp>(expression);
    const auto node = tangent.at_node({1, 2, 3});
    const auto expected = energy.template tangent<clamp>(plain);
    CHECK(facts::difference(tangent.block(node, node), expected.block(node, node)) <= 1e-12);
  };
  check(A * B, Eigen::Matrix3d(A * B));
  check(A + 0.5 * B.transpose(), Eigen::Matrix3d(A + 0.5 * B.transpose()));

  Eigen::Matrix4d transform = Eigen::Matrix4d::Identity();
  transform.topLeftCorner<3, 3>() = A;
  check(transform.topLeftCorner<3, 3>(), A);
  Eigen::MatrixXd wide(3, 9);
  wide.middleCols<3>(3) = A;
  check(wide.block<3, 3>(0, 3), A);

  const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> by_rows = A;
  check(by_rows, A);
  check(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(by_rows.data()), A);
  check(Eigen::Matrix3d::Identity(), Eigen::Matrix3d(Eigen::Matrix3d::Identity()));
}

TEST_CASE("Energies keep the precision and the dimension they are given") {
  const StableNeoHookean energy(Lame::from_young_poisson(3, 0.4));
  const Eigen::Matrix3f F = facts::random_matrix<3, 3>().cast<float>();
  static_assert(std::is_same_v<decltype(energy.psi(F)), float>);
  static_assert(std::is_same_v<decltype(energy.pk1(F)), SmallMatrix<float, 3, 3>>);
  static_assert(std::is_same_v<decltype(energy.hessian(F.topLeftCorner<2, 2>())), SmallMatrix<float, 4, 4>>);
  CHECK(energy.psi(F) == Approx(energy.psi(F.cast<double>())).epsilon(1e-5));
}
