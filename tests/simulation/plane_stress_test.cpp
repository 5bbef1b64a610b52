// A sheet in plane stress, pulled until it rests.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/plane_stress.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

// Tension sigma along x on both ends; one node in the middle is held: u = sigma / E (x, -nu y) about it.
TEST_CASE("PlaneStress: a pulled sheet comes to rest in uniaxial tension") {
  const double E = 1e5, nu = 0.3, stress = 500, thickness = 0.004, width = 0.2;
  const int cells_x = 6, cells_y = 4;
  const auto mesh = make_rectangle<Tri3>(
      {.lengths = {0.3, width}, .cells = {cells_x, cells_y}, .origin = {-0.15, -width / 2}});
  const int middle = cells_y / 2 * (cells_x + 1) + cells_x / 2;
  REQUIRE(mesh.nodes.col(middle).norm() <= 1e-16);
  const PlaneStress energy(LinearElastic(Lame::from_young_poisson(E, nu)));
  auto sim = Simulation(
      Solid(mesh, energy, Density{1000}, Thickness{thickness}, Rayleigh{.alpha = 0.1, .beta = 0.001}),
      BackwardEuler{.dt = 1, .newton = {.tolerance = 1e-12}}, Pcg<BlockJacobi>{.tolerance = 1e-13},
      Pinned(std::vector{middle}));
  Eigen::MatrixXd forces = Eigen::MatrixXd::Zero(2, mesh.node_count());
  for (int j = 0; j <= cells_y; ++j) {
    const double force = stress * thickness * width / cells_y * (j == 0 || j == cells_y ? 0.5 : 1);
    forces(0, j * (cells_x + 1)) = -force;
    forces(0, j * (cells_x + 1) + cells_x) = force;
  }
  sim.set_external_forces(forces);
  for (int n = 0; n < 30; ++n) REQUIRE(sim.step());
  Eigen::Matrix2d F = Eigen::Matrix2d::Identity();
  F(0, 0) += stress / E;
  F(1, 1) -= nu * stress / E;
  CHECK((sim.positions() - F * mesh.nodes).cwiseAbs().maxCoeff() <= 1e-11);
  // Half the work of the forces is stored: sigma^2 / 2 E per volume.
  CHECK(sim.energies().elastic == Approx(stress * stress / (2 * E) * 0.3 * width * thickness).epsilon(1e-8));
}
