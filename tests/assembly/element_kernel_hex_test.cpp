// The kernel on an element with several quadrature points.
#include "assembly/system_facts.hpp"
#include "mesh/sample_elements.hpp"

#include <pliant/assembly/element_kernel.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>

using namespace pliant;
using namespace system_facts;

namespace {

const Lame material = Lame::from_young_poisson(3, 0.4);

}  // namespace

TEST_CASE("Element kernel: distorted hexahedra") {
  std::mt19937 random(2);
  Mesh<sample::Hexahedron> mesh = sample::hexahedra(2);
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
