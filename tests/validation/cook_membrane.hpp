// Cook's membrane: a tapered panel, clamped on its left side, with a vertical force spread over its right
// side.
//
//                   .-' (48,60)
//               .-'    |
//    (0,44) .-'        | <- F
//        #|          .-' (48,44)
//        #|       .-'
//        #|    .-'
//        #| .-'
//        (0,0)
#pragma once

#include "assembly/static_equilibrium.hpp"

#include <pliant/assembly/system.hpp>
#include <pliant/mesh/make_rectangle.hpp>

namespace cook_membrane {

// n x n cells: the bilinear image of the unit square, diagonals from its lowest to its highest corner.
inline pliant::Mesh<pliant::Tri3> mesh(int n) {
  auto result = pliant::make_rectangle<pliant::Tri3>({.cells = {n, n}, .split = pliant::Split::kuhn});
  for (Eigen::Index i = 0; i < result.node_count(); ++i) {
    const double s = result.nodes(0, i), t = result.nodes(1, i);
    result.nodes.col(i) << 48 * s, 44 * s + t * (44 * (1 - s) + 16 * s);
  }
  return result;
}

// Displacement of the middle of the right side, (48, 52), under the force F [N], applied in `steps` parts.
template <class Body>
Eigen::Vector2d displacement(const Body& body, int n, double F, int steps, double tolerance) {
  const auto& mesh = body.mesh();
  pliant::ElasticSystem system{body};
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(2, mesh.node_count());
  std::vector<int> held;
  for (int j = 0; j <= n; ++j) {
    held.push_back(j * (n + 1));
    loads(1, j * (n + 1) + n) = F / n * (j == 0 || j == n ? 0.5 : 1);
  }
  Eigen::MatrixXd x = mesh.nodes;
  for (int step = 1; step <= steps; ++step) {
    x = static_equilibrium::solve(system, x, held, loads * step / steps, tolerance);
  }
  const int middle = n / 2 * (n + 1) + n;
  return x.col(middle) - mesh.nodes.col(middle);
}

}  // namespace cook_membrane
