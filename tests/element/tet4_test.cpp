#include "support/catch.hpp"

#include <array>

#include <Eigen/Dense>

#include <pliant/element/tet4.hpp>

using namespace pliant;

namespace {

// The corners of the reference cell, 3 x 4.
Eigen::Matrix<double, 3, 4> corners() {
  Eigen::Matrix<double, 3, 4> X;
  X << 0, 1, 0, 0,  //
      0, 0, 1, 0,   //
      0, 0, 0, 1;
  return X;
}

// The centroid, which is where the one quadrature point lies.
const Eigen::Vector3d centroid(0.25, 0.25, 0.25);

}  // namespace

TEST_CASE("Tet4: shape functions are a partition of unity and reproduce the quadrature point") {
  CHECK(Tet4::shape(0).sum() == Approx(1).epsilon(1e-15));
  CHECK((corners() * Tet4::shape(0) - centroid).norm() <= 1e-16);
}

TEST_CASE("Tet4: gradients sum to zero and reproduce linear functions") {
  const auto gradient = Tet4::shape_gradient(0);
  CHECK(gradient.colwise().sum().norm() == 0);
  // sum_a X_a (dN_a/dxi)^T = dX/dxi = I, and every affine map is reproduced
  CHECK((corners() * gradient - Eigen::Matrix3d::Identity()).norm() == 0);
  Eigen::Matrix3d A;
  A << 2, -1, 0.5, 0.25, 3, 1, -0.5, 0, 1.5;
  const Eigen::Matrix<double, 3, 4> moved = (A * corners()).colwise() + Eigen::Vector3d(5, -7, 11);
  CHECK((moved * gradient - A).norm() <= 1e-14);
}

TEST_CASE("Tet4: the quadrature weights sum to the volume, and linear functions are integrated exactly") {
  double volume = 0;
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (int q = 0; q < Tet4::quadrature_points; ++q) {
    volume += Tet4::quadrature_weight(q);
    moment += Tet4::quadrature_weight(q) * corners() * Tet4::shape(q);
  }
  CHECK(volume == Approx(1.0 / 6).epsilon(1e-15));
  CHECK((moment - Eigen::Vector3d::Constant(1.0 / 24)).norm() <= 1e-16);
}

TEST_CASE(
    "Tet4: every face has its corners counter-clockwise seen from outside, and the faces close the cell") {
  const auto X = corners();
  Eigen::Vector3d total = Eigen::Vector3d::Zero();
  for (const auto& face : Tet4::faces) {
    const Eigen::Vector3d a = X.col(face[0]), b = X.col(face[1]), c = X.col(face[2]);
    const Eigen::Vector3d normal = (b - a).cross(c - a);
    CHECK(normal.dot((a + b + c) / 3 - centroid) > 0.1);
    total += normal;
  }
  CHECK(total.norm() == 0);
  // each edge belongs to two faces, once in each direction
  std::array<std::array<int, 4>, 4> uses{};
  for (const auto& face : Tet4::faces) {
    for (std::size_t k = 0; k < 3; ++k) {
      ++uses[static_cast<std::size_t>(face[k])][static_cast<std::size_t>(face[(k + 1) % 3])];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) CHECK(uses[i][j] == (i == j ? 0 : 1));
  }
}

TEST_CASE("Tet4: counts and names") {
  STATIC_REQUIRE(Tet4::dim == 3);
  STATIC_REQUIRE(Tet4::nodes == 4);
  STATIC_REQUIRE(Tet4::cell_kind == CellKind::tet);
  CHECK(std::string(Tet4::name) == "Tet4");
}
