// The vibration of a cantilever of hexahedra: L = 1 m, section 0.1 m x 0.1 m, E = 1e6 Pa, nu = 0,
// 1000 kg/m^3. Stiffness and masses are the library's.
#pragma once

#include "assembly/eigen_view.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <pliant/assembly/system.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

namespace vibration {

using std::numbers::pi;
using Sparse = Eigen::SparseMatrix<double>;

inline constexpr double length = 1, side = 0.1, E = 1e6, density = 1000, area = side * side,
                        inertia = area * area / 12;

inline pliant::Solid<pliant::Hex8, pliant::LinearElastic> beam(int along, int across) {
  return pliant::Solid(
      pliant::make_box<pliant::Hex8>({.lengths = {length, side, side}, .cells = {along, across, across}}),
      pliant::LinearElastic(pliant::Lame::from_young_poisson(E, 0)), pliant::Density{density});
}

template <class Mesh>
std::vector<int> held(const Mesh& mesh) {
  return pliant::nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; });
}

// Stiffness and masses over the unknowns of the nodes that are not held, in the order of the mesh.
struct Problem {
  Sparse K, consistent, lumped;
  std::vector<int> nodes;  // free ones

  template <class Body>
  explicit Problem(const Body& body) {
    const auto& mesh = body.mesh();
    pliant::ElasticSystem system{body};
    auto x = system.make_vector(), g = system.make_vector();
    auto A = system.make_matrix();
    system.to_internal(mesh.nodes, x);
    (void)system.tangent(x, pliant::Projection::none, 1, g, A);
    pliant::NodeMatrix<double, 3> mass(3, mesh.node_count());
    system.to_user(system.mass(), mass);
    std::vector<int> place(static_cast<std::size_t>(mesh.node_count()), 0);
    for (const int node : held(mesh)) place[static_cast<std::size_t>(node)] = -1;
    for (int node = 0; node < mesh.node_count(); ++node) {
      int& entry = place[static_cast<std::size_t>(node)];
      if (entry < 0) continue;
      entry = static_cast<int>(nodes.size());
      nodes.push_back(node);
    }
    const auto without_held = [&](const Sparse& all) {
      std::vector<Eigen::Triplet<double>> entries;
      for (int column = 0; column < all.outerSize(); ++column) {
        for (Sparse::InnerIterator entry(all, column); entry; ++entry) {
          const auto row = static_cast<int>(entry.row());
          const int i = place[static_cast<std::size_t>(row / 3)],
                    j = place[static_cast<std::size_t>(column / 3)];
          if (i >= 0 && j >= 0) entries.emplace_back(3 * i + row % 3, 3 * j + column % 3, entry.value());
        }
      }
      Sparse result(3 * static_cast<int>(nodes.size()), 3 * static_cast<int>(nodes.size()));
      result.setFromTriplets(entries.begin(), entries.end());
      return result;
    };
    K = without_held(eigen_view::sparse(A, system.numbering().to_user));
    consistent = without_held(eigen_view::sparse(pliant::consistent_mass(mesh, density)));
    Sparse diagonal(3 * mesh.node_count(), 3 * mesh.node_count());
    for (int k = 0; k < diagonal.rows(); ++k) diagonal.insert(k, k) = mass.data()[k];
    lumped = without_held(diagonal);
  }

  // The values of a nodal field, 3 x #nodes, at the unknowns.
  Eigen::VectorXd unknowns(const Eigen::MatrixXd& field) const {
    Eigen::VectorXd result(3 * static_cast<Eigen::Index>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      result.segment<3>(3 * static_cast<Eigen::Index>(i)) = field.col(nodes[i]);
    }
    return result;
  }
};

struct Mode {
  double omega = 0;       // [rad/s]
  Eigen::VectorXd shape;  // over the unknowns, of unit mass
};

// K u = omega^2 M u by a dense solver: the mode that resembles `shape` most.
inline Mode mode_like(const Eigen::VectorXd& shape, const Sparse& K, const Sparse& M) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(K),
                                                                        Eigen::MatrixXd(M)};
  REQUIRE(eigen.info() == Eigen::Success);
  const Eigen::VectorXd likeness = (eigen.eigenvectors().transpose() * (M * shape)).cwiseAbs();
  Eigen::Index best = 0;
  likeness.maxCoeff(&best);
  return {std::sqrt(eigen.eigenvalues()(best)), eigen.eigenvectors().col(best)};
}

}  // namespace vibration
