// Soft bodies with mechanisms to test with.
#pragma once

#include "rigid/mechanisms.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant::test {

// The nodes of a mesh in the plane y = `height`.
template <class Mesh>
std::vector<int> nodes_at(const Mesh& mesh, double height) {
  return nodes_where(mesh, [=](const auto& X) { return std::abs(X.y() - height) < 1e-9; });
}

// Three nodes of a face of the surface in this plane.
template <class Mesh>
std::array<int, 3> face_at(const Mesh& mesh, double height) {
  const auto faces = boundary_faces(mesh).faces;
  for (int f = 0; f < faces.cols(); ++f) {
    bool there = true;
    for (const int node : faces.col(f)) there = there && std::abs(mesh.nodes(1, node) - height) < 1e-9;
    if (there) return {faces(0, f), faces(1, f), faces(2, f)};
  }
  return {-1, -1, -1};
}

// Momentum, and angular momentum about the origin, of the nodes of the solid alone.
template <class Sim>
Vector3 soft_momentum(const Sim& sim) {
  const auto& system = sim.system();
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < system.soft_node_count(); ++i) {
    sum += system.mass().node(i)(0) * sim.velocities().col(system.user_number(i));
  }
  return sum;
}
template <class Sim>
Vector3 soft_angular_momentum(const Sim& sim) {
  const auto& system = sim.system();
  Vector3 sum = Vector3::Zero();
  for (int i = 0; i < system.soft_node_count(); ++i) {
    const int k = system.user_number(i);
    sum += system.mass().node(i)(0) *
           detail::algebra::cross<double>(Vector3(sim.positions().col(k)), Vector3(sim.velocities().col(k)));
  }
  return sum;
}

// The balance of forces at nodes of a solid on which neither joints nor constraints act, in a step of
// backward Euler without loads, by a System of the solid alone.
template <class Solid>
class FreeNodes {
 public:
  template <class IsFree>
  FreeNodes(const Solid& solid, const IsFree& is_free)
      : system_(system_of(solid)), x_(system_.make_vector()), gradient_(system_.make_vector()) {
    for (int i = 0; i < solid.node_count(); ++i) free_.push_back(is_free(solid.nodes().col(i)));
  }

  struct Balance {
    double unbalanced, elastic;  // norms of forces [N]
    double momentum;             // norm of those of the nodes before the step [kg m/s]
  };
  template <class Sim>
  Balance balance(const Sim& sim, const Eigen::MatrixXd& velocities_before, double dt) {
    system_.to_internal(sim.positions().leftCols(std::ssize(free_)), x_);
    system_.gradient(x_, gradient_);
    Balance squares{};
    for (int i = 0; i < std::ssize(free_); ++i) {
      const int node = system_.user_number(i);
      const double mass = system_.mass().node(i)(0);
      const Vector3 change = sim.velocities().col(node) - velocities_before.col(node);
      squares.elastic += gradient_.node(i).squaredNorm();
      squares.momentum += mass * mass * velocities_before.col(node).squaredNorm();
      if (free_[static_cast<std::size_t>(node)])
        squares.unbalanced += (mass / dt * change + gradient_.node(i)).squaredNorm();
    }
    return {std::sqrt(squares.unbalanced), std::sqrt(squares.elastic), std::sqrt(squares.momentum)};
  }

 private:
  ElasticSystem<Solid> system_;
  typename ElasticSystem<Solid>::Vector x_, gradient_;
  std::vector<bool> free_;
};

}  // namespace pliant::test
