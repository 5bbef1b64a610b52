#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/measure.hpp>

using namespace pliant;

namespace {

Mesh<Tet4> one_tet(const Eigen::Matrix<double, 3, 4>& nodes) {
  Mesh<Tet4> mesh;
  mesh.nodes = nodes;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  return mesh;
}

}  // namespace

TEST_CASE("volumes are signed, and right at any place and size") {
  Eigen::Matrix<double, 3, 4> nodes;
  nodes << 0, 2, 0, 0,  //
      0, 0, 3, 0,       //
      0, 0, 0, 5;
  auto mesh = one_tet(nodes);
  CHECK(element_volume(mesh, 0) == Approx(5).epsilon(1e-14));
  std::swap(mesh.elements(2, 0), mesh.elements(3, 0));
  CHECK(element_volume(mesh, 0) == Approx(-5).epsilon(1e-14));
  CHECK(element_volume(one_tet(nodes * 1e-60), 0) == Approx(5e-180).epsilon(1e-14));
  CHECK(element_volume(one_tet(nodes.colwise() + Eigen::Vector3d(1000, 2000, -3000)), 0) == Approx(5));
  CHECK(element_volume(one_tet(Eigen::Matrix<double, 3, 4>::Constant(4)), 0) == 0);

  const auto box = make_box<Tet4, float>({.lengths = {0.3, 0.7, 1.1}, .cells = {3, 4, 5}});
  CHECK(element_volumes(box).size() == 300);
  CHECK(total_volume(box) == Approx(0.3 * 0.7 * 1.1).epsilon(1e-6));
}

TEST_CASE("volumes of distorted hexahedra and of triangles") {
  // An affine image of the unit cube has the volume det A.
  auto mesh = sample::hexahedra(1);
  Eigen::Matrix3d A;
  A << 2, 1, 0, 0, 1, 0.5, 0.25, 0, 1;
  mesh.nodes = A * mesh.nodes;
  CHECK(total_volume(mesh) == Approx(2 + 1 * 0.5 * 0.25));

  // A frustum of height 1 over a unit square whose top is scaled by t: integral of (1 + (t - 1) z)^2.
  mesh = sample::hexahedra(1);
  const double t = 0.3;
  mesh.nodes.block(0, 4, 2, 4) *= t;
  CHECK(total_volume(mesh) == Approx((1 + t + t * t) / 3));

  CHECK(total_volume(sample::triangles()) == Approx(1));
}

TEST_CASE("quality: the formula of Liu and Joe for tets, 1 for regular shapes, negative when flipped") {
  Eigen::Matrix<double, 3, 4> regular;
  regular << 1, 1, -1, -1,  //
      1, -1, 1, -1,         //
      1, -1, -1, 1;
  const double sign = element_volume(one_tet(regular), 0) > 0 ? 1 : -1;
  CHECK(element_quality(one_tet(regular), 0) == Approx(sign));
  CHECK(element_quality(one_tet(-regular), 0) == Approx(-sign));
  CHECK(element_quality(one_tet(regular * -1e-200), 0) == Approx(-sign));
  CHECK(element_quality(one_tet(regular * 0), 0) == 0);

  Eigen::Matrix<double, 3, 4> nodes;
  nodes << 0.1, 1.3, 0.2, 0.4,  //
      -0.2, 0.3, 1.1, 0.5,      //
      0.3, 0.1, -0.4, 0.9;
  const auto mesh = one_tet(nodes);
  const double volume = element_volume(mesh, 0);
  double edges = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < a; ++b) edges += (nodes.col(a) - nodes.col(b)).squaredNorm();
  }
  CHECK(element_quality(mesh, 0) == Approx(12 * std::pow(3 * volume, 2.0 / 3) / edges).epsilon(1e-13));
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  CHECK(element_quality(one_tet(turn * nodes), 0) == Approx(element_quality(mesh, 0)).epsilon(1e-12));

  CHECK(element_qualities(sample::hexahedra(2)).isApproxToConstant(1, 1e-13));
  // A right isosceles triangle: 4 sqrt(3) area / sum of squared edges = 4 sqrt(3) (1/4) / 2.
  CHECK(element_quality(sample::triangles(), 3) == Approx(std::sqrt(3) / 2));
  // A cube stretched by s along one axis: 3 s^(2/3) / (2 + s^2).
  auto hexahedron = sample::hexahedra(1);
  hexahedron.nodes.row(1) *= 4;
  CHECK(element_quality(hexahedron, 0) == Approx(3 * std::pow(4, 2.0 / 3) / 18));
}

TEST_CASE("bounding box: of finite coordinates only, inverted for no nodes") {
  auto mesh = make_box<Tet4>({.lengths = {1, 2, 3}, .cells = {2, 1, 1}, .origin = {-1, 5, 0}});
  CHECK(bounding_box(mesh).lower == Eigen::Vector3d(-1, 5, 0));
  CHECK(bounding_box(mesh).upper == Eigen::Vector3d(0, 7, 3));
  CHECK(bounding_box(mesh).lengths() == Eigen::Vector3d(1, 2, 3));
  CHECK(bounding_box(mesh).center() == Eigen::Vector3d(-0.5, 6, 1.5));
  mesh.nodes(0, 1) = std::numeric_limits<double>::quiet_NaN();
  mesh.nodes(1, 1) = -std::numeric_limits<double>::infinity();
  CHECK(bounding_box(mesh).lower == Eigen::Vector3d(-1, 5, 0));
  CHECK(bounding_box(Mesh<Tet4>{}).lower.x() > bounding_box(Mesh<Tet4>{}).upper.x());
}
