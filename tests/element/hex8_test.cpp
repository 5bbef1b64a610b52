#include "support/catch.hpp"

#include <array>
#include <cmath>

#include <Eigen/Dense>

#include <pliant/element/hex8.hpp>

using namespace pliant;

namespace {

Eigen::Matrix<double, 3, 8> corners() {
  Eigen::Matrix<double, 3, 8> X;
  X << -1, 1, 1, -1, -1, 1, 1, -1,  //
      -1, -1, 1, 1, -1, -1, 1, 1,   //
      -1, -1, -1, -1, 1, 1, 1, 1;
  return X;
}

// A function of the space that the element spans: all products of 1, xi, eta, zeta.
double trilinear(const Eigen::Vector3d& xi) {
  return 3 - 2 * xi.x() + xi.y() + 0.5 * xi.z() - xi.x() * xi.y() + 4 * xi.y() * xi.z() -
         0.25 * xi.z() * xi.x() + 1.5 * xi.prod();
}

Eigen::Vector3d trilinear_gradient(const Eigen::Vector3d& xi) {
  return {-2 - xi.y() - 0.25 * xi.z() + 1.5 * xi.y() * xi.z(),
          1 - xi.x() + 4 * xi.z() + 1.5 * xi.z() * xi.x(),
          0.5 + 4 * xi.y() - 0.25 * xi.x() + 1.5 * xi.x() * xi.y()};
}

Eigen::Matrix<double, 8, 1> nodal_values() {
  Eigen::Matrix<double, 8, 1> values;
  for (int a = 0; a < 8; ++a) values(a) = trilinear(corners().col(a));
  return values;
}

}  // namespace

TEST_CASE("Hex8: each shape function is 1 at its node and 0 at the others, and they sum to one") {
  for (int a = 0; a < 8; ++a) {
    CHECK(Hex8::node(a) == corners().col(a));
    CHECK((Hex8::shape_at(corners().col(a)) - Eigen::Matrix<double, 8, 1>::Unit(a)).norm() == 0);
  }
  for (int q = 0; q < 8; ++q) {
    CHECK(Hex8::shape(q).sum() == Approx(1).epsilon(1e-15));
    CHECK(Hex8::shape_gradient(q).colwise().sum().norm() <= 1e-16);
  }
}

TEST_CASE("Hex8: shape functions and gradients reproduce trilinear functions") {
  for (const Eigen::Vector3d& xi :
       {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(0.3, -0.7, 0.9), Eigen::Vector3d(-1, 0.2, 1)}) {
    CHECK(nodal_values().dot(Hex8::shape_at(xi)) == Approx(trilinear(xi)).epsilon(1e-14));
    CHECK((Hex8::shape_gradient_at(xi).transpose() * nodal_values() - trilinear_gradient(xi)).norm() <=
          1e-14);
  }
  for (int a = 0; a < 8; ++a) {
    CHECK(
        (Hex8::shape_gradient_at_node(a).transpose() * nodal_values() - trilinear_gradient(corners().col(a)))
            .norm() <= 1e-14);
  }
}

TEST_CASE("Hex8: the quadrature points are the eight Gauss points, exact to degree 3 along each axis") {
  std::array<bool, 8> seen{};
  for (int q = 0; q < 8; ++q) {
    const Eigen::Vector3d xi = corners() * Hex8::shape(q);
    CHECK((xi.cwiseAbs() - Eigen::Vector3d::Constant(1 / std::sqrt(3.0))).norm() <= 1e-15);
    seen[static_cast<std::size_t>((xi.x() > 0) + 2 * (xi.y() > 0) + 4 * (xi.z() > 0))] = true;
    CHECK(nodal_values().dot(Hex8::shape(q)) == Approx(trilinear(xi)).epsilon(1e-14));
    CHECK((Hex8::shape_gradient(q).transpose() * nodal_values() - trilinear_gradient(xi)).norm() <= 1e-14);
  }
  for (const bool found : seen) CHECK(found);

  const auto exact = [](int power) { return power % 2 == 0 ? 2.0 / (power + 1) : 0.0; };
  for (int i = 0; i <= 3; ++i) {
    for (int j = 0; j <= 3; ++j) {
      for (int k = 0; k <= 3; ++k) {
        double integral = 0;
        for (int q = 0; q < 8; ++q) {
          const Eigen::Vector3d xi = corners() * Hex8::shape(q);
          integral +=
              Hex8::quadrature_weight(q) * std::pow(xi.x(), i) * std::pow(xi.y(), j) * std::pow(xi.z(), k);
        }
        CHECK(std::abs(integral - exact(i) * exact(j) * exact(k)) <= 1e-14);
      }
    }
  }
}

TEST_CASE("Hex8: every face goes counter-clockwise seen from outside, and the faces close the cell") {
  const auto X = corners();
  std::array<std::array<int, 8>, 8> uses{};
  Eigen::Vector3d total = Eigen::Vector3d::Zero();
  for (const auto& face : Hex8::faces) {
    const Eigen::Vector3d a = X.col(face[0]), b = X.col(face[1]), c = X.col(face[2]), d = X.col(face[3]);
    const Eigen::Vector3d normal = (c - a).cross(d - b) / 2;
    CHECK(normal.norm() == 4);                 // the area of a side: no bow tie
    CHECK(normal == 4 * (a + b + c + d) / 4);  // outward, along the axis through its centre
    total += normal;
    for (std::size_t k = 0; k < 4; ++k) {
      ++uses[static_cast<std::size_t>(face[k])][static_cast<std::size_t>(face[(k + 1) % 4])];
    }
  }
  CHECK(total.norm() == 0);
  // each edge of the cube belongs to two faces, once in each direction
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      const bool edge = (X.col(a) - X.col(b)).norm() == 2;
      CHECK(uses[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] == (edge ? 1 : 0));
    }
  }
}

TEST_CASE("Hex8: counts and names") {
  STATIC_REQUIRE(Hex8::dim == 3);
  STATIC_REQUIRE(Hex8::nodes == 8);
  STATIC_REQUIRE(Hex8::cell_kind == CellKind::hex);
  CHECK(std::string(Hex8::name) == "Hex8");
}
