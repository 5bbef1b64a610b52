// The surfaces of the shapes that rigid bodies are made from, as triangles to be drawn.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/pose.hpp>
#include <pliant/contact/shape/triangle_mesh.hpp>

namespace pliant {

// A closed surface of triangles, counter-clockwise seen from outside. Round shapes are inscribed polyhedra.
struct BodySurface {
  NodeMatrix<double, 3> nodes;   // [m]
  NodeMatrix<int, 3> triangles;  // node numbers, 3 x #triangles
};

namespace detail::rigid {

// A box around the origin of `frame`.
struct DrawnBox {
  SmallVector<double, 3> lengths;  // of its edges [m]
  Pose<3> frame = {};
};
// Around the z axis, with flat ends.
struct DrawnCylinder {
  double length, radius;  // [m]
};
// A cylinder between two half balls, whose centres are `length` apart: a ball for 0.
struct DrawnCapsule {
  double length, radius;  // [m]
};
using DrawnSolid = std::shared_ptr<const BodySurface>;
using DrawnShape = std::variant<DrawnBox, DrawnCylinder, DrawnCapsule, DrawnSolid>;

inline BodySurface surface_of(const DrawnBox& box) {
  BodySurface surface;
  surface.nodes.resize(3, 8);
  for (int k = 0; k < 8; ++k) {
    const SmallVector<double, 3> sign((k & 1) - 0.5, (k >> 1 & 1) - 0.5, (k >> 2) - 0.5);
    surface.nodes.col(k) = box.frame.to_world(box.lengths.cwiseProduct(sign));
  }
  constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  surface.triangles.resize(3, 12);
  Eigen::Index next = 0;
  for (const auto& [a, b, c, d] : faces) {
    surface.triangles.col(next++) << a, b, c;
    surface.triangles.col(next++) << a, c, d;
  }
  return surface;
}

// The surface of revolution about the z axis of a profile of points (radius, z), with rising z between its
// two ends, which are on the axis.
inline BodySurface turned(const std::vector<std::array<double, 2>>& profile) {
  constexpr int around = 24;
  const int rings = static_cast<int>(profile.size()) - 2;
  BodySurface surface;
  surface.nodes.resize(3, rings * around + 2);
  surface.triangles.resize(3, 2 * rings * around);
  const int bottom = rings * around, top = bottom + 1;
  surface.nodes.col(bottom) << 0, 0, profile.front()[1];
  surface.nodes.col(top) << 0, 0, profile.back()[1];
  Eigen::Index next = 0;
  for (int k = 0; k < around; ++k) {
    const double angle = 2 * std::numbers::pi * k / around;
    const int after = (k + 1) % around;
    for (int ring = 0; ring < rings; ++ring) {
      const auto [radius, z] = profile[static_cast<std::size_t>(ring) + 1];
      const int here = ring * around + k, beside = ring * around + after;
      surface.nodes.col(here) << radius * std::cos(angle), radius * std::sin(angle), z;
      if (ring == 0) surface.triangles.col(next++) << bottom, beside, here;
      if (ring == rings - 1) {
        surface.triangles.col(next++) << top, here, beside;
        continue;
      }
      surface.triangles.col(next++) << here, beside, beside + around;
      surface.triangles.col(next++) << here, beside + around, here + around;
    }
  }
  return surface;
}

inline BodySurface surface_of(const DrawnCylinder& cylinder) {
  const double end = cylinder.length / 2, r = cylinder.radius;
  return turned({{0, -end}, {r, -end}, {r, end}, {0, end}});
}

inline BodySurface surface_of(const DrawnCapsule& capsule) {
  constexpr int rings = 6;  // of a half ball, between its pole and its rim
  std::vector<std::array<double, 2>> profile;
  const auto add = [&](int ring, double shift) {
    const double angle = std::numbers::pi / 2 * ring / rings;  // from the plane of the rim
    profile.push_back({capsule.radius * std::cos(angle), capsule.radius * std::sin(angle) + shift});
  };
  for (int ring = -rings; ring <= 0; ++ring) add(ring, -capsule.length / 2);
  for (int ring = capsule.length > 0 ? 0 : 1; ring <= rings; ++ring) add(ring, capsule.length / 2);
  return turned(profile);
}

inline BodySurface surface_of(const DrawnSolid& solid) { return *solid; }

// Corners at the same place are one node.
inline DrawnSolid shape_of(const TriangleMesh& surface) {
  std::map<std::array<double, 3>, int> numbers;
  BodySurface copy;
  copy.triangles.resize(3, surface.triangle_count());
  Eigen::Index next = 0;
  for (const contact::TriangleCorners& corners : surface.corners()) {
    for (const auto& corner : corners) {
      const std::array<double, 3> place{corner[0], corner[1], corner[2]};
      const int number = numbers.try_emplace(place, static_cast<int>(numbers.size())).first->second;
      copy.triangles.data()[next++] = number;
    }
  }
  copy.nodes.resize(3, static_cast<Eigen::Index>(numbers.size()));
  for (const auto& [place, number] : numbers) copy.nodes.col(number) << place[0], place[1], place[2];
  return std::make_shared<const BodySurface>(std::move(copy));
}

// The box of uniform density with these principal moments [kg m^2] and mass [kg].
inline DrawnBox box_of(const SmallVector<double, 3>& moments, double mass, const Pose<3>& frame) {
  DrawnBox box{.lengths = {}, .frame = frame};
  for (int k = 0; k < 3; ++k) {
    const double others = moments[(k + 1) % 3] + moments[(k + 2) % 3];
    // A flat body has no third length; rounding could make it imaginary.
    box.lengths[k] = std::sqrt(6 * std::fmax(others - moments[k], 0) / mass);
  }
  return box;
}

}  // namespace detail::rigid
}  // namespace pliant
