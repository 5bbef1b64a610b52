// Linear elasticity on triangles in plane strain, and the thickness of a plane body.
#include "assembly/patch_test.hpp"
#include "assembly/same_on_any_threads.hpp"
#include "mesh/sample_meshes.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(7, 0.35);

}  // namespace

// K = t A B^T D B with the strain-displacement matrix B of engineering strains (xx, yy, xy).
TEST_CASE("Tri3: the stiffness of a triangle in plane strain, with its thickness") {
  Mesh<Tri3> mesh;
  mesh.nodes.resize(2, 3);
  mesh.nodes << 0.1, 2.3, 0.7,  //
      -0.4, 0.5, 1.9;
  mesh.elements = Eigen::Vector3i(0, 1, 2);
  const Eigen::Vector2d u = mesh.nodes.col(1) - mesh.nodes.col(0), v = mesh.nodes.col(2) - mesh.nodes.col(0);
  const double twice_area = u.x() * v.y() - u.y() * v.x(), thickness = 0.02;
  Eigen::Matrix<double, 3, 6> B = Eigen::Matrix<double, 3, 6>::Zero();
  for (int a = 0; a < 3; ++a) {
    const Eigen::Vector2d edge = mesh.nodes.col((a + 2) % 3) - mesh.nodes.col((a + 1) % 3);
    const Eigen::Vector2d gradient = Eigen::Vector2d(-edge.y(), edge.x()) / twice_area;
    B(0, 2 * a) = B(2, 2 * a + 1) = gradient.x();
    B(1, 2 * a + 1) = B(2, 2 * a) = gradient.y();
  }
  const double E = 7, nu = 0.35;
  Eigen::Matrix3d D;
  D << 1 - nu, nu, 0, nu, 1 - nu, 0, 0, 0, 0.5 - nu;
  D *= E / ((1 + nu) * (1 - 2 * nu));
  const Eigen::MatrixXd expected = thickness * twice_area / 2 * B.transpose() * D * B;
  ElasticSystem system{Solid(mesh, LinearElastic(material), Density{1000}, Thickness{thickness})};
  const Eigen::MatrixXd K = evaluate(system, mesh.nodes, Projection::none).stiffness;
  CHECK(largest(K - expected) <= 1e-14 * largest(expected));
}

TEST_CASE("Thickness multiplies energy, forces, stiffness and mass; without it a plane body is 1 m thick") {
  const auto mesh = make_rectangle<Tri3>({.lengths = {2, 3}, .cells = {2, 2}});
  std::mt19937 random(1);
  const Eigen::MatrixXd x = brute_force::perturbed(mesh.nodes, 0.1, random);
  ElasticSystem one{Solid(mesh, LinearElastic(material), Density{1000})};
  ElasticSystem thin{Solid(mesh, LinearElastic(material), Density{1000}, Thickness{0.25})};
  const brute_force::Body truth = brute_force::assemble(mesh, LinearElastic(material), x, Projection::none);
  brute_force::Body body = evaluate(one, x, Projection::none);
  agree(body, truth, 1e-13);
  body = evaluate(thin, x, Projection::none);
  body.energy *= 4;
  body.gradient *= 4;
  body.stiffness *= 4;
  agree(body, truth, 1e-13);
  CHECK(eigen_view::stacked(one.mass()).sum() == Approx(2 * 1000 * 2 * 3));
  CHECK(eigen_view::stacked(thin.mass()).sum() == Approx(2 * 1000 * 2 * 3 * 0.25));
}

TEST_CASE("Tri3: the patch test, small strain") {
  std::mt19937 random(5);
  const LinearElastic energy(material);
  const auto mesh = patch_test::distorted(make_rectangle<Tri3>({.cells = {4, 3}}), 0.08, random);
  Eigen::Matrix2d F;
  F << 1.2, 0.3, -0.1, 0.9;
  patch_test::passes(Solid(mesh, energy, Density{1000}), 1, energy, F, 1e-12);
  patch_test::passes(Solid(mesh, energy, Density{1000}, Thickness{0.5}), 0.5, energy, F, 1e-12);
}

TEST_CASE("Tri3: the same bits on any number of threads") {
  const auto mesh = make_rectangle<Tri3>({.cells = {43, 42}});
  same_on_any_threads(Solid(mesh, LinearElastic(material), Density{1000}, Thickness{0.1}));
}
