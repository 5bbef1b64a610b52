// Sheets in plane stress.
#include "assembly/patch_test.hpp"

#include <pliant/energy/plane_stress.hpp>
#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;

// A sheet pulled along x by the stress sigma: u = sigma / E (x, -nu y).
TEST_CASE("a sheet in plane stress under uniaxial tension") {
  const double E = 2e5, nu = 0.35, stress = 40, thickness = 0.003;
  const auto mesh = make_rectangle<Tri3>({.lengths = {0.4, 0.2}, .cells = {5, 4}});
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(E, nu)));
  ElasticSystem system{Solid(mesh, energy, Density{1000}, Thickness{thickness})};
  Eigen::Matrix2d F = Eigen::Matrix2d::Identity();
  F(0, 0) += stress / E;
  F(1, 1) -= nu * stress / E;
  const Eigen::MatrixXd exact = F * mesh.nodes;

  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(2, mesh.node_count());
  for (int j = 0; j <= 4; ++j) {
    const double width = 0.2 / 4 * (j == 0 || j == 4 ? 0.5 : 1);
    loads(0, 6 * j + 5) = stress * thickness * width;
  }
  // The left side is held where the solution puts it.
  std::vector<int> held;
  Eigen::MatrixXd x = mesh.nodes;
  for (int j = 0; j <= 4; ++j) {
    held.push_back(6 * j);
    x.col(6 * j) = exact.col(6 * j);
  }
  x = static_equilibrium::solve(system, x, held, loads, 1e-12);
  CHECK((x - exact).cwiseAbs().maxCoeff() <= 1e-14);
}

TEST_CASE("Tri3 in plane stress: the patch test") {
  std::mt19937 random(5);
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(7, 0.35)));
  const auto mesh = patch_test::distorted(make_rectangle<Tri3>({.cells = {4, 3}}), 0.08, random);
  Eigen::Matrix2d F;
  F << 1.2, 0.3, -0.1, 0.9;
  patch_test::passes(Solid(mesh, energy, Density{1000}, Thickness{0.5}), 0.5, energy, F, 1e-12);
}
