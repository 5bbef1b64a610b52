// The two terms of 20_your_own_energy_term.
#pragma once

#include <vector>

#include <pliant/pliant.hpp>

// A node of some faces, and its share of their area.
struct FaceNode {
  int node;
  double area;              // [m^2]
  Eigen::Vector3d at_rest;  // position [m]
};

// The nodes of the boundary faces of tetrahedra with an outward normal within 45 degrees of a direction.
inline std::vector<FaceNode> nodes_of_faces(const pliant::Mesh<pliant::Tet4>& mesh,
                                            const Eigen::Vector3d& outward) {
  const auto boundary = pliant::boundary_faces(mesh);
  std::vector<double> areas(static_cast<std::size_t>(mesh.node_count()), 0);
  for (std::ptrdiff_t f = 0; f < boundary.face_count(); ++f) {
    const auto corner = [&](int k) -> Eigen::Vector3d { return mesh.nodes.col(boundary.faces(k, f)); };
    const Eigen::Vector3d across = (corner(1) - corner(0)).cross(corner(2) - corner(0)) / 2;
    if (across.dot(outward) < 0.7 * across.norm() * outward.norm()) continue;
    for (int k = 0; k < 3; ++k) areas[static_cast<std::size_t>(boundary.faces(k, f))] += across.norm() / 3;
  }
  std::vector<FaceNode> result;
  for (int node = 0; node < mesh.node_count(); ++node) {
    const double area = areas[static_cast<std::size_t>(node)];
    if (area > 0) result.push_back({node, area, mesh.nodes.col(node)});
  }
  return result;
}

// Step 1: a term with a potential. An elastic foundation (Winkler 1867) pulls each point of a face back to
// its rest position, with k N per m^2 and per m:  E(x) = sum_i k A_i |x_i - X_i|^2 / 2.
struct ElasticFoundation {
  std::vector<FaceNode> nodes;
  double k;  // [N/m^3]

  // The value is a stored energy, so that it is part of `sim.energies().terms`.
  static constexpr pliant::TermAbilities abilities{.stores_energy = true};

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    double energy = 0;
    for (const FaceNode& face : nodes) {
      const double stiffness = k * face.area;
      const Eigen::Vector3d from_rest = at.position(face.node) - face.at_rest;
      energy += stiffness * from_rest.squaredNorm() / 2;
      sum.add_gradient(face.node, stiffness * from_rest);
      sum.add_hessian(face.node, face.node, stiffness * Eigen::Matrix3d::Identity());
    }
    return energy;
  }
};

// Step 2: a force without a potential. Wind exerts the drag c |w - v| (w - v) N per m^2 on a face. A force f
// that is computed at the start of a step and constant within it has the potential -f.u for the displacement
// u of the step.
struct Wind {
  std::vector<FaceNode> nodes;
  Eigen::Vector3d velocity;                 // w [m/s]
  double drag;                              // c [kg/m^3]
  bool blows = false;                       // the term is active if true
  std::vector<Eigen::Vector3d> force = {};  // f [N]

  static constexpr pliant::TermAbilities abilities{.switches = true, .begins_steps = true};

  bool active() const { return blows; }

  template <class State>
  void begin_step(const State& state) {
    force.clear();
    for (const FaceNode& face : nodes) {
      const Eigen::Vector3d relative = velocity - state.velocity(face.node);
      force.push_back(drag * face.area * relative.norm() * relative);
    }
  }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    double value = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      value -= force[i].dot(at.displacement(nodes[i].node));
      sum.add_gradient(nodes[i].node, -force[i]);
    }
    return value;
  }
};
