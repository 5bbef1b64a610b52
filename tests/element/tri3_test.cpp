#include "support/catch.hpp"

#include <array>

#include <Eigen/Dense>

#include <pliant/element/tri3.hpp>

using namespace pliant;

namespace {

Eigen::Matrix<double, 2, 3> corners() {
  Eigen::Matrix<double, 2, 3> X;
  X << 0, 1, 0,  //
      0, 0, 1;
  return X;
}

const Eigen::Vector2d centroid(1.0 / 3, 1.0 / 3);

}  // namespace

TEST_CASE("Tri3: shape functions are a partition of unity and reproduce the quadrature point") {
  CHECK(Tri3::shape(0).sum() == Approx(1).epsilon(1e-15));
  CHECK((corners() * Tri3::shape(0) - centroid).norm() <= 1e-16);
}

TEST_CASE("Tri3: gradients sum to zero and reproduce affine maps") {
  const auto gradient = Tri3::shape_gradient(0);
  CHECK(gradient.colwise().sum().norm() == 0);
  CHECK((corners() * gradient - Eigen::Matrix2d::Identity()).norm() == 0);
  Eigen::Matrix2d A;
  A << 2, -1, 0.25, 3;
  const Eigen::Matrix<double, 2, 3> moved = (A * corners()).colwise() + Eigen::Vector2d(5, -7);
  CHECK((moved * gradient - A).norm() <= 1e-14);
}

TEST_CASE("Tri3: the weight is the area of the cell, and linear functions are integrated exactly") {
  CHECK(Tri3::quadrature_weight(0) == 0.5);
  const Eigen::Vector2d moment = Tri3::quadrature_weight(0) * corners() * Tri3::shape(0);
  CHECK((moment - Eigen::Vector2d::Constant(1.0 / 6)).norm() <= 1e-16);
}

TEST_CASE("Tri3: the edges go around counter-clockwise, with the matter on their left") {
  std::array<std::array<int, 3>, 3> uses{};
  Eigen::Vector2d total = Eigen::Vector2d::Zero();
  for (const auto& edge : Tri3::faces) {
    const Eigen::Vector2d a = corners().col(edge[0]), b = corners().col(edge[1]);
    const Eigen::Vector2d normal(b.y() - a.y(), a.x() - b.x());
    CHECK(normal.dot((a + b) / 2 - centroid) > 0.1);
    total += normal;
    ++uses[static_cast<std::size_t>(edge[0])][static_cast<std::size_t>(edge[1])];
  }
  CHECK(total.norm() == 0);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) CHECK(uses[i][j] == ((i + 1) % 3 == j ? 1 : 0));
  }
}

TEST_CASE("Tri3: counts and names") {
  STATIC_REQUIRE(Tri3::dim == 2);
  STATIC_REQUIRE(Tri3::nodes == 3);
  STATIC_REQUIRE(Tri3::cell_kind == CellKind::triangle);
  CHECK(std::string(Tri3::name) == "Tri3");
}
