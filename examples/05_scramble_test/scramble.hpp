// The scramble test of one energy.
#pragma once

#include "scramble_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/SparseCholesky>

#include <pliant/pliant.hpp>

inline pliant::Lame published_material() { return pliant::Lame::from_mu_lambda(1, 9); }

// Step 1: a random state, far beyond those of normal simulations.
inline pliant::NodeMatrix<double, 3> scrambled(const pliant::NodeMatrix<double, 3>& rest,
                                               const std::vector<int>& held, unsigned seed) {
  std::mt19937 random(seed);
  const double half_edge = std::cbrt(2.0);  // of a cube of twice the volume of [-1, 1]^3
  std::uniform_real_distribution<double> anywhere(-half_edge, half_edge);
  pliant::NodeMatrix<double, 3> x = rest;
  for (auto& coordinate : x.reshaped()) coordinate = anywhere(random);
  for (const int node : held) x.col(node) = rest.col(node);
  return x;
}

// Elements that are inverted at some point: det dx/dxi < 0 at a quadrature point.
template <class Element>
int inverted_elements(const pliant::Mesh<Element>& mesh, const pliant::NodeMatrix<double, 3>& x) {
  int inverted = 0;
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    double least = HUGE_VAL;
    for (int q = 0; q < Element::quadrature_points; ++q) {
      Eigen::Matrix3d jacobian = Eigen::Matrix3d::Zero();
      for (int a = 0; a < Element::nodes; ++a) {
        jacobian += x.col(mesh.elements(a, e)) * Element::shape_gradient(q).row(a);
      }
      least = std::min(least, jacobian.determinant());
    }
    inverted += least < 0 ? 1 : 0;
  }
  return inverted;
}

// The unprojected stiffness of the free nodes. Its factors L D L^T have as many negative entries in D as it
// has negative eigenvalues (Sylvester's law of inertia), and inverse iteration with them finds the eigenvalue
// of least size.
template <class SolidType>
void classify(const SolidType& solid, const std::vector<int>& held, const pliant::NodeMatrix<double, 3>& x,
              Outcome& outcome) {
  pliant::ElasticSystem<SolidType> system(solid);
  auto position = system.make_vector(), gradient = system.make_vector();
  auto K = system.make_matrix();
  system.to_internal(x, position);
  system.tangent(position, pliant::Projection::none, 1, gradient, K);

  const pliant::Numbering& numbering = system.numbering();
  std::vector<int> unknown(static_cast<std::size_t>(system.node_count()), 0);  // the node's first, or -1
  for (const int node : held) {
    unknown[static_cast<std::size_t>(numbering.to_internal[static_cast<std::size_t>(node)])] = -1;
  }
  int unknowns = 0;
  for (int& first : unknown) {
    if (first < 0) continue;
    first = unknowns;
    unknowns += 3;
  }
  std::vector<Eigen::Triplet<double>> upper;
  const pliant::BlockPattern& pattern = K.pattern();
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    for (int slot = pattern.row_begin[i]; slot < pattern.row_begin[i + 1]; ++slot) {
      const int row = unknown[i];
      const int column = unknown[static_cast<std::size_t>(pattern.columns[static_cast<std::size_t>(slot)])];
      if (row < 0 || column < 0) continue;
      for (int r = 0; r < 3; ++r) {
        for (int c = row == column ? r : 0; c < 3; ++c) {
          upper.emplace_back(row + r, column + c, K.block(slot)(r, c));
        }
      }
    }
  }
  Eigen::SparseMatrix<double> free_stiffness(unknowns, unknowns);
  free_stiffness.setFromTriplets(upper.begin(), upper.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper> factors(free_stiffness);
  if (factors.info() != Eigen::Success) throw std::runtime_error("the stiffness has a zero pivot");
  outcome.negative_eigenvalues = static_cast<int>((factors.vectorD().array() < 0).count());

  std::mt19937 random(1);
  std::normal_distribution<double> any;
  Eigen::VectorXd mode = Eigen::VectorXd::NullaryExpr(unknowns, [&] { return any(random); }).normalized();
  for (int iteration = 0; iteration < 50; ++iteration) mode = factors.solve(mode).normalized();
  outcome.eigenvalue = mode.dot(free_stiffness.selfadjointView<Eigen::Upper>() * mode);
}

// Step 2: the equilibrium. Newton's method may take hundreds of iterations; by the line search the energy
// falls in each.
template <class Element, class EnergyModel>
Outcome scramble(const EnergyModel& energy, const Settings& settings, unsigned seed) {
  using namespace pliant;
  const auto mesh = make_box<Element>({.lengths = {2, 2, 2},
                                       .cells = {settings.cells, settings.cells, settings.cells},
                                       .origin = {-1, -1, -1},
                                       .split = Split::kuhn});
  const auto held = nodes_where(mesh, [](const auto& X) {
    return X.cwiseAbs().minCoeff() > 1 - 1e-9 && X.x() * X.y() * X.z() > 0;  // every other corner
  });
  Simulation sim(Solid(mesh, energy, Density{1000}),
                 QuasiStatic{.max_halvings = 0,
                             .allow_inverted_elements = true,
                             .newton = {.max_iterations = 5000,
                                        .tolerance = 1e-10,
                                        .projection = settings.projection,
                                        .hessian = settings.hessian}},
                 Pcg<BlockJacobi>{.tolerance = 1e-4}, Pinned(held));
  sim.set_positions(scrambled(mesh.nodes, held, seed));
  Outcome outcome;
  outcome.first_energy = sim.energies().elastic;
  const StepReport report = sim.step();
  if (!report) throw std::runtime_error("seed " + std::to_string(seed) + ": " + report.message());

  // Step 3: is it the rest shape? If not: is it a minimum, and are elements inverted?
  outcome.newton_iterations = report.newton_iterations;
  outcome.energy = report.energies.elastic;
  outcome.distance = (sim.positions() - mesh.nodes).cwiseAbs().maxCoeff();
  outcome.inverted_elements = inverted_elements(mesh, sim.positions());
  outcome.at_rest = outcome.distance < 1e-3;
  if (!outcome.at_rest) classify(sim.solid(), held, sim.positions(), outcome);
  return outcome;
}

template <class EnergyModel>
Outcome scramble(const EnergyModel& energy, const Settings& settings, unsigned seed) {
  return settings.element == "hex" ? scramble<pliant::Hex8>(energy, settings, seed)
                                   : scramble<pliant::Tet4>(energy, settings, seed);
}
