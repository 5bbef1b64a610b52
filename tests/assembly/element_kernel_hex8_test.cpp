// The kernel on an element with several quadrature points.
#include "assembly/patch_test.hpp"
#include "assembly/system_facts.hpp"
#include "mesh/sample_meshes.hpp"

#include <Eigen/Geometry>

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

Mesh<Hex8> distorted_cube() {
  std::mt19937 random(2);
  return patch_test::distorted(make_box<Hex8>({.cells = {3, 3, 3}}), 0.1, random);
}

}  // namespace

TEST_CASE("Element kernel: distorted hexahedra") {
  std::mt19937 random(2);
  Mesh<Hex8> mesh = sample::hexahedra(2);
  mesh.nodes = brute_force::perturbed(mesh.nodes, 0.1, random);
  equals_brute_force_on(mesh, StableNeoHookean(material), 1e-12);
  equals_brute_force_on(sample::hexahedra(1), StableNeoHookean(material), 1e-12);
}

TEST_CASE("Element kernel: a hexahedron alone has six motions without stiffness") {
  ElasticSystem system{Solid(sample::hexahedra(1), StableNeoHookean(material), Density{1000})};
  const Eigen::MatrixXd K = evaluate(system, sample::hexahedra(1).nodes, Projection::none).stiffness;
  const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(K).eigenvalues();
  CHECK(largest(values.head<6>()) <= 1e-14);
  CHECK(values(6) > 0.01);
}

TEST_CASE("Hex8: the patch test, large deformation") {
  Eigen::Matrix3d F;
  F << 1.2, 0.3, -0.1, 0.05, 0.9, 0.2, 0.1, -0.15, 1.1;
  const StableNeoHookean energy(material);
  patch_test::passes(Solid(distorted_cube(), energy, Density{1000}), 1, energy, F, 1e-12);
}

TEST_CASE("Hex8: a rigid motion costs no energy and meets no force") {
  const Mesh<Hex8> mesh = distorted_cube();
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(2.5, Eigen::Vector3d(1, -2, 3).normalized()).toRotationMatrix();
  ElasticSystem system{Solid(mesh, StableNeoHookean(material), Density{1000})};
  const Eigen::MatrixXd x = (turn * mesh.nodes).colwise() + Eigen::Vector3d(4, -5, 6);
  const brute_force::Body body = evaluate(system, x, Projection::none);
  CHECK(std::abs(body.energy) <= 1e-14);
  CHECK(largest(body.gradient) <= 1e-14);
}
