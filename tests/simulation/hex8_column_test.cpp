// A hanging column of hexahedra against its closed form.
#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

// With nu = 0 a column under its own weight is a bar: at the height z of a column of length L that hangs from
// its top, u = -(rho g / 2 E)(L^2 - z^2). Linear elements are exact at the nodes of a regular mesh.
TEST_CASE("Hex8: a column hangs at rest under its own weight as the bar of the textbooks") {
  const double E = 1e5, rho = 1000, g = 9.81, L = 0.8;
  const auto mesh = make_box<Hex8>({.lengths = {0.2, 0.3, L}, .cells = {2, 1, 5}});
  const auto top = nodes_where(mesh, [L](const auto& X) { return X.z() > L - 1e-9; });
  auto sim = Simulation(Solid(mesh, LinearElastic(Lame::from_young_poisson(E, 0)), Density{rho}),
                        BackwardEuler{.dt = 1, .newton = {.tolerance = 1e-12}},
                        Pcg<BlockJacobi>{.tolerance = 1e-13}, Pinned(top));
  sim.set_gravity({0, 0, -g});
  for (int n = 0; n < 30; ++n) REQUIRE(sim.step());
  CHECK(sim.velocities().cwiseAbs().maxCoeff() <= 1e-10);
  for (Eigen::Index i = 0; i < mesh.node_count(); ++i) {
    const double z = mesh.nodes(2, i);
    const Eigen::Vector3d u(0, 0, -rho * g / (2 * E) * (L * L - z * z));
    CHECK((sim.positions().col(i) - mesh.nodes.col(i) - u).norm() <= 1e-10);
  }
}
