// Plane bodies of triangles in motion, in plane strain.
#include "io/reading.hpp"
#include "io/vtu_file.hpp"
#include "simulation/settled_body.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/io/vtk_series.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

const StableNeoHookean energy(Lame::from_young_poisson(1e5, 0.4));
constexpr double density = 1000, thickness = 0.02;

Mesh<Tri3> beam() { return make_rectangle<Tri3>({.lengths = {0.4, 0.1}, .cells = {8, 2}}); }

// A third of each triangle at its corners.
Eigen::VectorXd masses(const Mesh<Tri3>& mesh) {
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(mesh.node_count());
  for (const int node : mesh.elements.reshaped()) mass(node) += density * thickness * 0.05 * 0.05 / 2 / 3;
  return mass;
}

auto simulation(std::vector<int> held, double dt) {
  return Simulation(Solid(beam(), energy, Density{density}, Thickness{thickness}),
                    BackwardEuler{.dt = dt, .newton = {.max_iterations = 60, .tolerance = 1e-11}},
                    Pcg<BlockJacobi>{.tolerance = 1e-12}, Pinned(std::move(held)));
}

}  // namespace

TEST_CASE(
    "Tri3: a free body falls as it must, v = n g dt, x = X + n (n + 1) g dt^2 / 2, and keeps its shape") {
  const double dt = 0.01;
  auto sim = simulation({}, dt);
  const Eigen::Vector2d g(1, -9.81);
  sim.set_gravity(g);
  for (int n = 0; n < 20; ++n) REQUIRE(sim.step());
  const Eigen::MatrixXd x = beam().nodes.colwise() + 20 * 21 / 2 * dt * dt * g;
  CHECK((sim.positions() - x).cwiseAbs().maxCoeff() <= 1e-11);
  CHECK((sim.velocities().colwise() - 20 * dt * g).cwiseAbs().maxCoeff() <= 1e-9);
  const double mass = density * thickness * 0.4 * 0.1;
  CHECK(sim.energies().kinetic == Approx(mass * (20 * dt * g).squaredNorm() / 2).epsilon(1e-9));
}

TEST_CASE("Tri3: a beam held at one end sinks, comes to rest, and there the forces balance") {
  const auto held = nodes_where(beam(), [](const auto& X) { return X.x() == 0; });
  REQUIRE(held.size() == 3);
  auto sim = simulation(held, 0.2);
  sim.set_gravity({0, -9.81});
  for (int n = 0; n < 60; ++n) REQUIRE(sim.step());
  for (const int i : held) CHECK(sim.positions().col(i) == beam().nodes.col(i));
  CHECK(sim.velocities().cwiseAbs().maxCoeff() <= 1e-6);
  CHECK(sim.positions().row(1).minCoeff() < -0.02);
  CHECK(settled_body::unbalanced(beam(), energy, thickness, masses(beam()), Eigen::Vector2d(0, -9.81), held,
                                 sim.positions()) <= 1e-6);

  // And goes to ParaView in the plane z = 0.
  const TemporaryFolder folder;
  VtkSeries out(folder.path / "beam");
  out.write(sim);
  const auto points = VtuFile(folder.path / "beam_0000.vtu").values<double>("Points", "Float64", 3);
  REQUIRE(points.size() == static_cast<std::size_t>(3 * beam().node_count()));
  for (std::size_t k = 0; k < points.size(); ++k) {
    CHECK(points[k] ==
          (k % 3 == 2 ? 0 : sim.positions()(static_cast<int>(k % 3), static_cast<Eigen::Index>(k / 3))));
  }
}
