// Meshes, disturbances and sums over nodes that the physics tests share.
#pragma once

#include "integrator/scene.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/element/tet4.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

namespace pliant::test {

// Numbers in [-1, 1] that look random and are the same everywhere, dim x nodes.
inline Points noise(std::ptrdiff_t nodes, unsigned seed) {
  Points result(3, nodes);
  unsigned state = 2654435761u * (seed + 1);
  for (std::ptrdiff_t k = 0; k < result.size(); ++k) {
    state = state * 1664525u + 1013904223u;
    result.data()[k] = 2.0 * (state >> 8) / 16777215.0 - 1;
  }
  return result;
}

// A box of cubic cells of edge `edge` whose nodes are displaced a little, so that no two elements are alike.
inline Mesh<Tet4> jittered_box(std::array<int, 3> cells, double edge = 0.1) {
  BoxShape shape{.cells = cells};
  for (std::size_t axis = 0; axis < 3; ++axis) shape.lengths[axis] = edge * cells[axis];
  Mesh<Tet4> mesh = make_box<Tet4>(shape);
  mesh.nodes += 0.12 * edge * noise(mesh.node_count(), 1);
  return mesh;
}

inline void append(const Mesh<Tet4>& mesh, Mesh<Tet4>& all) {
  const auto nodes = all.node_count(), elements = all.element_count();
  all.nodes.conservativeResize(3, nodes + mesh.node_count());
  all.elements.conservativeResize(4, elements + mesh.element_count());
  all.nodes.rightCols(mesh.node_count()) = mesh.nodes;
  all.elements.rightCols(mesh.element_count()) = mesh.elements.array() + static_cast<int>(nodes);
}

// All of place(mesh, 0), place(mesh, 1), ... in one mesh.
template <class Place>
Mesh<Tet4> copies_of(const Mesh<Tet4>& mesh, int count, Place&& place) {
  Mesh<Tet4> all;
  all.nodes.resize(3, 0);
  all.elements.resize(4, 0);
  for (int k = 0; k < count; ++k) append(place(mesh, k), all);
  return all;
}

// Beside each other.
inline Mesh<Tet4> row_of_copies(const Mesh<Tet4>& mesh, int count, const Eigen::Vector3d& distance) {
  return copies_of(mesh, count, [&](Mesh<Tet4> copy, int k) {
    copy.nodes.colwise() += k * distance;
    return copy;
  });
}

// Two cells thick.
inline Mesh<Tet4> slender_bar(int cells, double length = 0.3) {
  return make_box<Tet4>({.lengths = {length, 0.1, 0.1}, .cells = {cells, 2, 2}});
}

// The nodes at x = 0.
inline std::vector<int> lower_end(const Mesh<Tet4>& mesh) {
  return nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; });
}

inline Eigen::Matrix3d rotation(double angle, const Eigen::Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

// Node masses of linear tetrahedra [kg]: a quarter of each element's.
inline Eigen::VectorXd node_masses(const Mesh<Tet4>& mesh, double density) {
  Eigen::VectorXd mass = Eigen::VectorXd::Zero(mesh.node_count());
  for (std::ptrdiff_t e = 0; e < mesh.element_count(); ++e) {
    const Eigen::Vector3d origin = mesh.nodes.col(mesh.elements(0, e));
    Eigen::Matrix3d edges;
    for (int a = 1; a < 4; ++a) edges.col(a - 1) = mesh.nodes.col(mesh.elements(a, e)) - origin;
    for (int a = 0; a < 4; ++a) mass(mesh.elements(a, e)) += density * edges.determinant() / 24;
  }
  return mass;
}

inline Eigen::Vector3d momentum(const Eigen::VectorXd& mass, const Points& v) { return v * mass; }

inline Eigen::Vector3d angular_momentum(const Eigen::VectorXd& mass, const Points& x, const Points& v) {
  Eigen::Vector3d total = Eigen::Vector3d::Zero();
  for (std::ptrdiff_t i = 0; i < x.cols(); ++i) {
    total += mass(i) * Eigen::Vector3d(x.col(i)).cross(Eigen::Vector3d(v.col(i)));
  }
  return total;
}

// |v|_M^2 / 2 [J].
inline double kinetic_energy(const Eigen::VectorXd& mass, const Points& v) {
  return 0.5 * v.colwise().squaredNorm().transpose().dot(mass);
}

// Spins with `omega` about the centre of mass and drifts with `drift`.
inline Points rigid_velocity(const Eigen::VectorXd& mass, const Points& x, const Eigen::Vector3d& omega,
                             const Eigen::Vector3d& drift) {
  const Eigen::Vector3d centre = x * mass / mass.sum();
  Points v(3, x.cols());
  for (std::ptrdiff_t i = 0; i < x.cols(); ++i)
    v.col(i) = drift + omega.cross(Eigen::Vector3d(x.col(i) - centre));
  return v;
}

// Newton iterations to a tight tolerance.
inline Newton tight(double tolerance = 1e-11) { return {.max_iterations = 60, .tolerance = tolerance}; }

}  // namespace pliant::test
