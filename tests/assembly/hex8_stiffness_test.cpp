// Linear elasticity on hexahedra against closed forms.
#include "assembly/patch_test.hpp"
#include "assembly/same_on_any_threads.hpp"
#include "mesh/sample_meshes.hpp"

#include <array>

#include <pliant/energy/linear_elastic.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

// K of a brick of edges `l`: K_(ai)(bj) = int lambda a_i b_j + mu a_j b_i + delta_ij mu a.b dV, where a and b
// are the gradients of two shape functions. They are products of linear functions on [0, l], so each integral
// is a product of int f g = l/3 or l/6, int f' g = +-1/2, int f' g' = +-1/l.
Eigen::MatrixXd brick_stiffness(const Eigen::Vector3d& l, double mu, double lambda) {
  const std::array<std::array<int, 3>, 8> corners{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  Eigen::MatrixXd K(24, 24);
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < 8; ++b) {
      Eigen::Matrix3d products;  // int a_i b_j dV
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          products(i, j) = 1;
          for (int axis = 0; axis < 3; ++axis) {
            const int s = corners[a][static_cast<std::size_t>(axis)] == 1 ? 1 : -1;
            const int t = corners[b][static_cast<std::size_t>(axis)] == 1 ? 1 : -1;
            if (axis == i && axis == j) products(i, j) *= s * t / l(axis);
            else if (axis == i) products(i, j) *= s / 2.0;
            else if (axis == j) products(i, j) *= t / 2.0;
            else products(i, j) *= s == t ? l(axis) / 3 : l(axis) / 6;
          }
        }
      }
      const Eigen::Matrix3d block =
          lambda * products + mu * products.transpose() + mu * products.trace() * Eigen::Matrix3d::Identity();
      K.block<3, 3>(3 * static_cast<int>(a), 3 * static_cast<int>(b)) = block;
    }
  }
  return K;
}

// The assembled stiffness of one hexahedron, in its own node order.
Eigen::MatrixXd element_stiffness(const Mesh<Hex8>& mesh, const Lame& lame) {
  ElasticSystem system{Solid(mesh, LinearElastic(lame), Density{1000})};
  const Eigen::MatrixXd all = evaluate(system, mesh.nodes, Projection::none).stiffness;
  Eigen::MatrixXd K(24, 24);
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      K.block<3, 3>(3 * a, 3 * b) = all.block<3, 3>(3 * mesh.elements(a, 0), 3 * mesh.elements(b, 0));
    }
  }
  return K;
}

}  // namespace

TEST_CASE("Hex8: the stiffness of the unit cube of steel, K00 = (lambda + 4 mu)/9, K01 = (lambda + mu)/12") {
  const Lame steel = Lame::from_young_poisson(210e9, 0.3);
  const Eigen::MatrixXd K = element_stiffness(sample::hexahedra(1), steel);
  CHECK(K(0, 0) == Approx((steel.lambda() + 4 * steel.mu()) / 9).epsilon(1e-13));
  CHECK(K(0, 1) == Approx((steel.lambda() + steel.mu()) / 12).epsilon(1e-13));
  CHECK(K(0, 0) == Approx(49358974358.97436).epsilon(1e-12));
  CHECK(K(0, 1) == Approx(16826923076.92308).epsilon(1e-12));
}

TEST_CASE("Hex8: all entries of the stiffness of a brick") {
  const Lame lame = Lame::from_young_poisson(7, 0.35);
  const Eigen::MatrixXd K = element_stiffness(make_box<Hex8>({.lengths = {2, 0.5, 3}}), lame);
  const Eigen::MatrixXd expected = brick_stiffness({2, 0.5, 3}, lame.mu(), lame.lambda());
  CHECK(largest(K - expected) <= 1e-14 * largest(expected));
}

TEST_CASE("Hex8: the patch test, small strain") {
  std::mt19937 random(5);
  const LinearElastic energy(Lame::from_young_poisson(3, 0.3));
  const auto mesh = patch_test::distorted(make_box<Hex8>({.cells = {3, 3, 3}}), 0.1, random);
  Eigen::Matrix3d F;
  F << 1.2, 0.3, -0.1, 0.05, 0.9, 0.2, 0.1, -0.15, 1.1;
  patch_test::passes(Solid(mesh, energy, Density{1000}), 1, energy, F, 1e-12);
}

TEST_CASE("Hex8: translations, and rotations to first order, meet no force in linear elasticity") {
  std::mt19937 random(6);
  const auto mesh = patch_test::distorted(make_box<Hex8>({.cells = {2, 2, 2}}), 0.1, random);
  ElasticSystem system{Solid(mesh, LinearElastic(Lame::from_young_poisson(3, 0.3)), Density{1000})};
  Eigen::Matrix3d W;
  W << 0, 0.3, -0.2, -0.3, 0, 0.5, 0.2, -0.5, 0;
  const Eigen::MatrixXd x = mesh.nodes + W * mesh.nodes;
  const brute_force::Body body = evaluate(system, x.colwise() + Eigen::Vector3d(4, -5, 6), Projection::none);
  CHECK(std::abs(body.energy) <= 1e-14);
  CHECK(largest(body.gradient) <= 1e-14);
}

TEST_CASE("Hex8: the same bits on any number of threads") {
  const auto mesh = make_box<Hex8>({.cells = {16, 15, 15}});
  same_on_any_threads(Solid(mesh, LinearElastic(Lame::from_young_poisson(3, 0.3)), Density{1000}));
}
