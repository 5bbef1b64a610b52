// The program of the README, in short, with nodes that are moved along a direction.
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>

#include <pliant/pliant.hpp>

using namespace pliant;

int main(int, char** arguments) try {
  auto mesh = read_mesh<Tet4>(arguments[1]);
  auto lame = Lame::from_young_poisson(1e6, 0.45);
  auto solid = Solid(mesh, StableNeoHookean(lame), Density{1000});
  auto held = Pinned(nodes_where(mesh, [](const auto& X) { return X.y() > 0.9; }));
  const auto path = [](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
    return X + t * Eigen::Vector3d::UnitX();
  };
  auto moved = PrescribedMotion(nodes_where(mesh, [](const auto& X) { return X.y() < 0.1; }), path,
                                Eigen::Vector3d::UnitX());
  auto sim = Simulation(solid, BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-6}, held, moved);
  sim.set_gravity({0, -9.81, 0});
  VtkSeries out("out/cube", sim);
  for (int frame = 0; frame < 3; ++frame) {
    StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    out.write(sim);
  }
  const double shear = (sim.positions() - mesh.nodes).row(0).maxCoeff();
  if (!(std::abs(shear - 0.03) < 1e-9))
    throw std::runtime_error("the cube is sheared by " + std::to_string(shear) + " m");
  // Gravity has moved the free nodes downwards, if only a little.
  const double fall = mesh.nodes.row(1).minCoeff() - sim.positions().row(1).minCoeff();
  if (!(fall > 0 && fall < 0.1)) throw std::runtime_error("the cube fell by " + std::to_string(fall) + " m");
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
