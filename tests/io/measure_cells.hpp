// Volumes and areas of the cells of a file, from their definition and apart from the library's elements.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Dense>

#include <pliant/io/cell_mesh.hpp>

// A point of a quadrature rule on a reference cell.
struct MeasurePoint {
  Eigen::Vector3d at;
  double weight;
};

// The signed volume of the isoparametric cell: the integral of det J. The rules are exact for hexes and
// wedges; a pyramid is the hex whose upper four nodes coincide.
inline double signed_volume(pliant::CellKind kind, const std::vector<Eigen::Vector3d>& x) {
  using pliant::CellKind;
  if (kind == CellKind::tet) return (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6;
  const double g = 0.5 / std::sqrt(3.0);
  std::vector<MeasurePoint> rule;
  if (kind == CellKind::wedge) {
    for (const double t : {0.5 - g, 0.5 + g}) {
      for (const auto& [r, s] : {std::pair{1 / 6.0, 1 / 6.0}, {2 / 3.0, 1 / 6.0}, {1 / 6.0, 2 / 3.0}}) {
        rule.push_back({{r, s, t}, 1 / 12.0});
      }
    }
  } else {
    for (const double r : {0.5 - g, 0.5 + g}) {
      for (const double s : {0.5 - g, 0.5 + g}) {
        for (const double t : {0.5 - g, 0.5 + g}) rule.push_back({{r, s, t}, 1 / 8.0});
      }
    }
  }
  double volume = 0;
  for (const auto& [at, weight] : rule) {
    const double r = at.x(), s = at.y(), t = at.z();
    Eigen::Matrix3d jacobian;
    if (kind == CellKind::wedge) {
      jacobian.col(0) = (1 - t) * (x[1] - x[0]) + t * (x[4] - x[3]);
      jacobian.col(1) = (1 - t) * (x[2] - x[0]) + t * (x[5] - x[3]);
      jacobian.col(2) = (1 - r - s) * (x[3] - x[0]) + r * (x[4] - x[1]) + s * (x[5] - x[2]);
    } else {
      const bool hex = kind == CellKind::hex;
      const auto upper = [&](std::size_t i) { return hex ? x[4 + i] : x[4]; };
      const auto along = [&](std::size_t i, std::size_t j) {
        return Eigen::Vector3d((1 - t) * (x[j] - x[i]) + t * (upper(j) - upper(i)));
      };
      const auto up = [&](std::size_t i) { return Eigen::Vector3d(upper(i) - x[i]); };
      jacobian.col(0) = (1 - s) * along(0, 1) + s * along(3, 2);
      jacobian.col(1) = (1 - r) * along(0, 3) + r * along(1, 2);
      jacobian.col(2) = (1 - s) * ((1 - r) * up(0) + r * up(1)) + s * ((1 - r) * up(3) + r * up(2));
    }
    volume += weight * jacobian.determinant();
  }
  return volume;
}

// The area of a triangle or quad; of a quad that is not plane, the length of its vector area.
inline double area(const std::vector<Eigen::Vector3d>& x) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (std::size_t k = 2; k < x.size(); ++k) sum += (x[k - 1] - x[0]).cross(x[k] - x[0]) / 2;
  return sum.norm();
}

inline std::vector<Eigen::Vector3d> corners_of(const pliant::CellMesh& mesh, std::span<const int> nodes) {
  std::vector<Eigen::Vector3d> corners;
  for (const int node : nodes) corners.emplace_back(mesh.nodes.col(node));
  return corners;
}

// All cells of a kind, the higher-order ones by their corners.
inline std::vector<const pliant::CellBlock*> blocks_of(const pliant::CellMesh& mesh, pliant::CellKind kind) {
  std::vector<const pliant::CellBlock*> blocks{&mesh.cells(kind)};
  for (const pliant::OtherCells& others : mesh.others) {
    if (others.kind == kind) blocks.push_back(&others.corners);
  }
  return blocks;
}

inline double signed_volume(const pliant::CellMesh& mesh, pliant::CellKind kind) {
  double volume = 0;
  for (const pliant::CellBlock* block : blocks_of(mesh, kind)) {
    for (std::size_t i = 0; i < block->count(); ++i)
      volume += signed_volume(kind, corners_of(mesh, block->cell(i)));
  }
  return volume;
}
