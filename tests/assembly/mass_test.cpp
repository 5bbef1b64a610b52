#include "assembly/brute_force.hpp"
#include "assembly/eigen_view.hpp"
#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <pliant/assembly/mass.hpp>
#include <pliant/mesh/make_box.hpp>

using namespace pliant;
using eigen_view::dense;

namespace {

constexpr double density = 7;

// One number per pair of nodes: the first of each block, which must be a multiple of the identity.
template <class Matrix>
Eigen::MatrixXd scalar_mass(const Matrix& M) {
  constexpr int dim = Matrix::dim;
  const Eigen::MatrixXd all = dense(M);
  Eigen::MatrixXd result(M.rows(), M.rows());
  for (std::ptrdiff_t i = 0; i < M.rows(); ++i) {
    for (std::ptrdiff_t j = 0; j < M.rows(); ++j) {
      const Eigen::MatrixXd block = all.block(dim * i, dim * j, dim, dim);
      result(i, j) = block(0, 0);
      CHECK(block == block(0, 0) * Eigen::MatrixXd::Identity(dim, dim));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("Consistent mass: the entries of one tet, one triangle, one box") {
  const Mesh<Tet4> tet = brute_force::first_elements(1);
  const Eigen::MatrixXd M = scalar_mass(consistent_mass(tet, density));
  const double volume = 1.0 / 3 / 2 / 6;  // a sixth of a cell
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(4, 4), unit = Eigen::MatrixXd::Identity(4, 4);
  CHECK((M - density * volume / 20 * (ones + unit)).cwiseAbs().maxCoeff() <= 1e-16);

  Mesh<Tri3> triangle;
  triangle.nodes.resize(2, 3);
  triangle.nodes << 0, 3, 0,  //
      0, 0, 4;
  triangle.elements.resize(3, 1);
  triangle.elements << 1, 2, 0;
  const Eigen::MatrixXd planar = scalar_mass(consistent_mass(triangle, density));
  CHECK((planar - density * 6 / 12 * (ones + unit).topLeftCorner(3, 3)).cwiseAbs().maxCoeff() <= 1e-14);

  const Eigen::MatrixXd box = scalar_mass(consistent_mass(sample::hexahedra(1), density));
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int axes_apart = (i ^ j) % 2 + (i ^ j) / 2 % 2 + (i ^ j) / 4;
      CHECK(box(i, j) == Approx(density / 27 / (1 << axes_apart)).epsilon(1e-14));
    }
  }
}

TEST_CASE(
    "Lumped mass: a quarter of each tet at its corners, altogether rho V; row sums of the consistent one") {
  for (const Mesh<Tet4>& mesh :
       {make_box<Tet4>({.lengths = {2, 3, 0.5}, .cells = {3, 2, 2}}),
        make_box<Tet4>({.lengths = {2, 3, 0.5}, .cells = {2, 2, 2}, .split = Split::kuhn})}) {
    const Eigen::VectorXd lumped = lumped_mass(mesh, density);
    CHECK(lumped.sum() == Approx(density * 3).epsilon(1e-14));
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(mesh.node_count());
    for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
      Eigen::Matrix3d edges;
      for (int a = 0; a < 3; ++a) {
        edges.col(a) = mesh.nodes.col(mesh.elements(a + 1, e)) - mesh.nodes.col(mesh.elements(0, e));
      }
      for (const int i : mesh.elements.col(e)) expected(i) += density * edges.determinant() / 24;
    }
    CHECK((lumped - expected).cwiseAbs().maxCoeff() <= 1e-14);
    const Eigen::MatrixXd M = scalar_mass(consistent_mass(mesh, density));
    CHECK((M.rowwise().sum() - lumped).cwiseAbs().maxCoeff() <= 1e-14);
  }
  const Mesh<Hex8> boxes = sample::hexahedra(2);
  const Eigen::VectorXd lumped = lumped_mass(boxes, density);
  CHECK(lumped(0) == Approx(density / 8));
  CHECK(lumped(13) == Approx(density));  // the middle
  const Eigen::MatrixXd M = scalar_mass(consistent_mass(boxes, density));
  CHECK((M.rowwise().sum() - lumped).cwiseAbs().maxCoeff() <= 1e-13);
}

// Hexahedra that are no bricks: a frustum over the unit square whose top is scaled by t. The lumped masses
// are int rho N_a dV = rho / 4 int N(z) s(z)^2 dz, where s = 1 + (t - 1) z is the side at height z and N = 1
// - z or z.
TEST_CASE("Lumped mass of a frustum of one hexahedron") {
  Mesh<Hex8> mesh = sample::hexahedra(1);
  const double t = 0.3, slope = t - 1;
  for (int i = 4; i < 8; ++i) mesh.nodes.col(i).head<2>() *= t;
  const double upper = 1.0 / 2 + 2 * slope / 3 + slope * slope / 4;  // int z s^2 dz
  const double whole = (1 + t + t * t) / 3;                          // int s^2 dz
  const Eigen::VectorXd mass = lumped_mass(mesh, density);
  for (int i = 0; i < 8; ++i) {
    CHECK(mass(i) == Approx(density / 4 * (i < 4 ? whole - upper : upper)).epsilon(1e-14));
  }
  const Eigen::MatrixXd M = scalar_mass(consistent_mass(mesh, density));
  CHECK((M.rowwise().sum() - mass).cwiseAbs().maxCoeff() <= 1e-14);
}

// For a field that is linear in space v = a + B X, v.M v must be rho int |v|^2 dV, in closed form on a box
// [0, lx] x [0, ly] x [0, lz]: products of the moments of X.
TEST_CASE("Consistent mass: the kinetic energy of linear velocity fields is exact") {
  const Eigen::Vector3d lengths(2, 3, 0.5);
  const Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {2, 3, 0.5}, .cells = {3, 2, 2}});
  const double volume = lengths.prod();
  const Eigen::Vector3d first = lengths / 2;           // mean of X
  Eigen::Matrix3d second = first * first.transpose();  // mean of X X^T
  second.diagonal() = lengths.cwiseAbs2() / 3;
  const auto M = consistent_mass(mesh, density);
  std::mt19937 random(1);
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::MatrixXd numbers = brute_force::perturbed(Eigen::MatrixXd::Zero(3, 4), 1, random);
    const Eigen::Vector3d a = numbers.col(0);
    const Eigen::Matrix3d B = trial == 0 ? Eigen::Matrix3d::Zero() : Eigen::Matrix3d(numbers.rightCols(3));
    const double exact =
        density * volume * (a.squaredNorm() + 2 * a.dot(B * first) + (B.transpose() * B * second).trace());
    NodeVector<3, double> v(mesh.node_count()), Mv(mesh.node_count());
    for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) v.node(i) = a + B * mesh.nodes.col(i);
    CHECK(M.multiply(v, Mv) == Approx(exact).epsilon(1e-13));
  }
}

TEST_CASE("Mass in single precision is that of double, rounded") {
  const Mesh<Tet4> mesh = brute_force::ball(3);
  const Mesh<Tet4, float> single = brute_force::with_scalar<float>(mesh);
  const Eigen::VectorXd lumped = lumped_mass(mesh, density);
  CHECK((lumped_mass(single, density) - lumped).norm() <= 1e-6 * lumped.norm());
  CHECK((dense(consistent_mass(single, density)) - dense(consistent_mass(mesh, density))).norm() <=
        1e-6 * lumped.norm());
}
