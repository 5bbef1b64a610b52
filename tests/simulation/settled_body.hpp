// Whether a body that hangs in its pins has come to rest where the forces balance, by brute force.
#pragma once

#include "assembly/brute_force.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <vector>

namespace settled_body {

// The greatest unbalanced force on a free node at the positions x (dim x #nodes), relative to the weight of
// the body. `mass` is that of each node [kg].
template <class E, class Energy>
double unbalanced(const pliant::Mesh<E>& mesh, const Energy& energy, double thickness,
                  const Eigen::VectorXd& mass, const Eigen::VectorXd& gravity, const std::vector<int>& held,
                  const Eigen::MatrixXd& x) {
  const auto body = brute_force::assemble(mesh, energy, x, pliant::Projection::none);
  double largest = 0;
  for (int i = 0; i < static_cast<int>(mesh.node_count()); ++i) {
    if (std::binary_search(held.begin(), held.end(), i)) continue;
    const Eigen::VectorXd force = mass(i) * gravity - thickness * body.gradient.segment(E::dim * i, E::dim);
    largest = std::max(largest, force.norm());
  }
  return largest / (mass.sum() * gravity.norm());
}

}  // namespace settled_body
