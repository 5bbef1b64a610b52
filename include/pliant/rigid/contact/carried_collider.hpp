// A collider that a rigid body carries, and the points of it that meet other colliders.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <pliant/contact/shape/any_collider.hpp>
#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/capsule.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/contact/shape/surface.hpp>
#include <pliant/contact/shape/triangle_mesh.hpp>

namespace pliant::detail::rigid {

// A point, or the centre of a ball, in the frame of a body [m].
struct ContactPoint {
  SmallVector<double, 3> at;
  double radius = 0;
};

// The points of a shape that other colliders keep outside: the corners of a box, the centres of a sphere and
// of the round ends of a capsule, the nodes of a triangle mesh. Other shapes have none.
template <class Shape>
std::vector<ContactPoint> contact_points(const Shape&) {
  return {};
}
inline std::vector<ContactPoint> contact_points(const Sphere<3>& sphere) {
  return {{sphere.centre(), sphere.radius()}};
}
inline std::vector<ContactPoint> contact_points(const Capsule<3>& capsule) {
  return {{capsule.from(), capsule.radius()}, {capsule.to(), capsule.radius()}};
}
inline std::vector<ContactPoint> contact_points(const Box<3>& box) {
  std::vector<ContactPoint> corners;
  for (int corner = 0; corner < 8; ++corner) {
    SmallVector<double, 3> at;
    for (int k = 0; k < 3; ++k) at[k] = (corner >> k) % 2 == 0 ? box.lower()[k] : box.upper()[k];
    corners.push_back({at});
  }
  return corners;
}
inline std::vector<ContactPoint> contact_points(const TriangleMesh& mesh) {
  std::vector<std::array<double, 3>> nodes;
  for (const auto& triangle : mesh.corners()) {
    for (const auto& corner : triangle) nodes.push_back({corner[0], corner[1], corner[2]});
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::vector<ContactPoint> points;
  for (const auto& node : nodes) points.push_back({{node[0], node[1], node[2]}});
  return points;
}

// Throws ParameterError for drag, which is no row.
inline void require_no_drag(const Surface& surface) {
  core::require_parameter(surface.viscosity == 0, "Surface::viscosity", surface.viscosity,
                          "must be zero where there are rigid bodies (kg/s)");
}

struct CarriedCollider {
  int body;
  contact::AnyCollider<3> shape;  // in the frame of the body
  Surface surface;
  std::vector<ContactPoint> points;
};

}  // namespace pliant::detail::rigid
