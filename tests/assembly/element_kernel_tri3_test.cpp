// The kernel in two dimensions.
#include "assembly/patch_test.hpp"
#include "assembly/system_facts.hpp"
#include "mesh/sample_meshes.hpp"

#include <Eigen/Geometry>

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

Mesh<Tri3> distorted_square() {
  std::mt19937 random(2);
  return patch_test::distorted(make_rectangle<Tri3>({.cells = {4, 3}}), 0.08, random);
}

}  // namespace

TEST_CASE("Element kernel: triangles, double and float") {
  equals_brute_force_on(sample::triangles(), StableNeoHookean(material), 1e-12);
  equals_brute_force_on(brute_force::with_scalar<float>(sample::triangles()), StableNeoHookean(material),
                        2e-5);
}

TEST_CASE("Tri3: the patch test, large deformation") {
  Eigen::Matrix2d F;
  F << 1.2, 0.3, -0.1, 0.9;
  const StableNeoHookean energy(material);
  patch_test::passes(Solid(distorted_square(), energy, Density{1000}), 1, energy, F, 1e-12);
}

TEST_CASE("Tri3: a rigid motion costs no energy and meets no force") {
  const Mesh<Tri3> mesh = distorted_square();
  ElasticSystem system{Solid(mesh, StableNeoHookean(material), Density{1000})};
  const Eigen::MatrixXd x =
      (Eigen::Rotation2Dd(2.5).toRotationMatrix() * mesh.nodes).colwise() + Eigen::Vector2d(4, -5);
  const brute_force::Body body = evaluate(system, x, Projection::none);
  CHECK(std::abs(body.energy) <= 1e-14);
  CHECK(largest(body.gradient) <= 1e-14);
}
