// The patch test (Irons): a mesh of distorted elements carries a homogeneous deformation exactly.
#pragma once

#include "assembly/static_equilibrium.hpp"
#include "assembly/system_facts.hpp"

#include <algorithm>

#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/selection.hpp>

namespace patch_test {

// The mesh with its inner nodes moved at random by up to `size`.
template <class E>
pliant::Mesh<E> distorted(pliant::Mesh<E> mesh, double size, std::mt19937& random) {
  const std::vector<int> boundary = pliant::boundary_nodes(mesh);
  const Eigen::MatrixXd moved = brute_force::perturbed(mesh.nodes, size, random);
  for (int i = 0; i < static_cast<int>(mesh.node_count()); ++i) {
    if (!std::binary_search(boundary.begin(), boundary.end(), i)) mesh.nodes.col(i) = moved.col(i);
  }
  return mesh;
}

// `mesh` fills the volume `volume` [m^3] and is distorted inside. Under x = F X + c
//   the energy is V psi(F),
//   no inner node feels a force,
//   the forces g_i on the boundary, moved back, are the stress: sum_i g_i X_i^T = V P,
// and a body whose boundary is held like that finds the homogeneous deformation by itself.
template <class Energy, class Body, class Matrix>
void passes(const Body& body, double volume, const Energy& energy, const Matrix& F, double tolerance) {
  constexpr int dim = Body::dim;
  const auto& mesh = body.mesh();
  pliant::ElasticSystem system{body};
  const Eigen::MatrixXd X = mesh.nodes;
  const Eigen::MatrixXd x = (F * X).colwise() + Eigen::VectorXd::LinSpaced(dim, 0.5, 2).eval();
  const Matrix P = energy.pk1(F);
  const brute_force::Body state = system_facts::evaluate(system, x, pliant::Projection::none);
  const Eigen::Map<const Eigen::MatrixXd> g(state.gradient.data(), dim, mesh.node_count());

  CHECK(state.energy == Approx(volume * energy.psi(F)).epsilon(tolerance));
  CHECK((g * X.transpose() - volume * P).norm() <= tolerance * P.norm() * volume);
  const std::vector<int> held = pliant::boundary_nodes(mesh);
  std::mt19937 random(3);
  const Eigen::MatrixXd disturbed = brute_force::perturbed(x, 0.01, random);
  Eigen::MatrixXd start = disturbed;
  for (const int i : held) start.col(i) = x.col(i);
  double largest_force = 0;
  for (int i = 0; i < static_cast<int>(mesh.node_count()); ++i) {
    if (std::binary_search(held.begin(), held.end(), i)) continue;
    largest_force = std::max(largest_force, g.col(i).norm());
  }
  REQUIRE(held.size() < static_cast<std::size_t>(mesh.node_count()));
  CHECK(largest_force <= tolerance * P.norm() * volume);

  const Eigen::MatrixXd solved = static_equilibrium::solve(
      system, start, held, Eigen::MatrixXd::Zero(dim, mesh.node_count()), 1e-13 * P.norm() * volume);
  CHECK((solved - x).cwiseAbs().maxCoeff() <= 1e-12);
}

}  // namespace patch_test
