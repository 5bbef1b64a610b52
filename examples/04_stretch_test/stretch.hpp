// The stretch test of one energy.
#pragma once

#include "stretch_test.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <pliant/pliant.hpp>

// The cube [-1, 1]^3: the cut by six tetrahedra of equal volume; hexahedra are not cut.
template <class Element>
pliant::Mesh<Element> cube(int cells) {
  return pliant::make_box<Element>({.lengths = {2, 2, 2},
                                    .cells = {cells, cells, cells},
                                    .origin = {-1, -1, -1},
                                    .split = pliant::Split::kuhn});
}

// A cylinder along the x axis, as long as the cube and half as thick, of elements as long as wide.
inline pliant::Mesh<pliant::Tet4> cylinder(int cells) {
  auto mesh = pliant::make_cylinder<pliant::Tet4>(
      {.radius = 0.5, .length = 2, .rings = std::max(1, cells / 4), .layers = cells, .base = {0, 0, -1}});
  const pliant::NodeMatrix<double, 3> along_z = mesh.nodes;
  for (int axis = 0; axis < 3; ++axis) mesh.nodes.row((axis + 1) % 3) = along_z.row(axis);
  return mesh;
}

template <class Element, class EnergyModel>
bool stretch(const pliant::Mesh<Element>& mesh, const EnergyModel& energy, const Settings& settings) {
  using namespace pliant;
  const auto side = [&](double x) {
    return nodes_where(mesh, [x](const auto& X) { return std::abs(X.x() - x) < 1e-9; });
  };

  // Step 1: the paths of the two sides. A path says where the node that rests at X is at time t; statics has
  // no time of its own, and QuasiStatic{.dt = 1} makes it the number of the step.
  const auto pulled_by = [](double sign) {
    return [sign](const Eigen::Vector3d& X, double t) -> Eigen::Vector3d {
      return X + Eigen::Vector3d(sign * 0.1 * t, 0, 0);
    };
  };

  // Step 2: equilibrium to a millionth of the forces that the first guess of a step leaves.
  Simulation sim(Solid(mesh, energy, Density{1000}),
                 QuasiStatic{.newton = {.max_iterations = 300,
                                        .tolerance = 0,
                                        .reduction = 1e-6,
                                        .hessian = HessianStrategy::on_demand}},
                 Pcg<BlockJacobi>{.tolerance = 1e-8}, PrescribedMotion(side(-1), pulled_by(-1)),
                 PrescribedMotion(side(1), pulled_by(1)));
  std::unique_ptr<VtkSeries> series;
  if (!settings.output.empty()) series = std::make_unique<VtkSeries>(settings.output);

  // Step 3: pull, and say what each step took.
  std::printf("%s: %td nodes, %td elements, %s, mu %g, lambda %g\n", settings.shape.c_str(),
              mesh.node_count(), mesh.element_count(), settings.energy.c_str(), settings.mu, settings.lambda);
  std::printf("step  Newton  linear  elastic energy [J]  waist [m]\n");
  const auto start = std::chrono::steady_clock::now();
  for (int step = 1; step <= 25; ++step) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
    double waist = 0;  // width of the middle
    for (std::ptrdiff_t i = 0; i < mesh.node_count(); ++i) {
      if (std::abs(mesh.nodes(0, i)) < 1e-9) waist = std::max(waist, 2 * std::abs(sim.positions()(1, i)));
    }
    std::printf("%4d %7d %7d %19.6g %10.4f\n", step, report.newton_iterations, report.linear_iterations,
                report.energies.elastic, waist);
    if (series) series->write(sim);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%.2f s\n", elapsed.count());

  // Step 4: the middle of the body has stayed where it was.
  const Eigen::Vector3d middle = sim.positions().rowwise().mean();
  std::printf("middle at %.2g m from where it was\n", middle.norm());
  return middle.norm() < 1e-4;
}

template <class EnergyModel>
bool stretch(const EnergyModel& energy, const Settings& settings) {
  if (settings.shape == "hex") return stretch(cube<pliant::Hex8>(settings.cells), energy, settings);
  if (settings.shape == "tet") return stretch(cube<pliant::Tet4>(settings.cells), energy, settings);
  if (settings.shape == "cylinder") return stretch(cylinder(settings.cells), energy, settings);
  throw std::runtime_error("the first argument must be hex, tet or cylinder, not " + settings.shape);
}
