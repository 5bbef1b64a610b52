// Bodies of CentralDifferences that meet colliders.
#pragma once

#include "simulation/run_steps.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/LU>

#include <pliant/contact/shape/half_space.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant::test {

using Eigen::Matrix3Xd;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double g = 9.81, density = 1000;
inline const Vector3d up(0, 1, 0);

inline Mesh<Tet4> block() { return make_box<Tet4>({.lengths = {0.3, 0.2, 0.2}, .cells = {3, 2, 2}}); }

inline auto soft(const Mesh<Tet4>& mesh, double damping = 0, double E = 2e5) {
  return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(E, 0.3)), Density{density},
               Rayleigh{.alpha = damping});
}

// A quarter of the mass of each tetrahedron at each of its nodes [kg].
inline VectorXd masses(const Mesh<Tet4>& mesh) {
  VectorXd m = VectorXd::Zero(mesh.node_count());
  for (Eigen::Index e = 0; e < mesh.elements.cols(); ++e) {
    Eigen::Matrix3d edges;
    for (int k = 0; k < 3; ++k) {
      edges.col(k) = mesh.nodes.col(mesh.elements(k + 1, e)) - mesh.nodes.col(mesh.elements(0, e));
    }
    for (int k = 0; k < 4; ++k) m[mesh.elements(k, e)] += density * edges.determinant() / 24;
  }
  return m;
}

// Steps, each of which changes the momentum by what the loads and the reported forces of the colliders tell;
// these are those of constraint_forces(), and none pulls.
template <class Simulation>
void check_momentum(Simulation& sim, const VectorXd& m, double dt, int steps, double rounding,
                    const Vector3d& gravity, double damping = 0) {
  double largest = 0, worst = 0;
  for (int n = 0; n < steps; ++n) {
    const Matrix3Xd before = sim.velocities().template cast<double>();
    run_steps(sim, 1);
    const Matrix3Xd after = sim.velocities().template cast<double>();
    Matrix3Xd forces = Matrix3Xd::Zero(3, m.size());
    for (const auto& contact : sim.contacts()) {
      forces.col(contact.node) += Vector3d(contact.force);
      if (contact.force.dot(contact.normal) < -1e-9 * contact.force.norm()) FAIL_CHECK("a collider pulls");
    }
    const double size = forces.cwiseAbs().sum() + m.sum() * (after.cwiseAbs().maxCoeff() / dt + g);
    CHECK((forces - sim.constraint_forces().template cast<double>()).norm() <= rounding * size);
    const Vector3d all = forces.rowwise().sum() + m.sum() * gravity - damping / 2 * (before + after) * m;
    worst = std::max(worst, ((after - before) * m / dt - all).norm() / size);
    largest = std::max(largest, forces.norm());
  }
  CHECK(worst <= rounding);
  CHECK(largest > 0);
}

}  // namespace pliant::test
