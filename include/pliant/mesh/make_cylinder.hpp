// A cylinder of tets.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// Parameters of make_cylinder. The axis points along z; for another axis rotate the nodes: mesh.nodes = R *
// mesh.nodes.
struct CylinderShape {
  double radius = 0.5;                  // [m], > 0
  double length = 1;                    // along the axis [m], > 0
  int rings = 3;                        // elements along a radius, >= 1
  int layers = 6;                       // elements along the axis, >= 1; there are 18 rings^2 layers tets
  std::array<double, 3> base{0, 0, 0};  // the centre of the lower end [m]
};

namespace detail::mesh {

// A disc of radius 1 as six sectors of triangles around the centre. Ring k has 6 k nodes, at equal angles.
struct Disc {
  // Nodes are named by sector, ring k = 0 ... rings and step j = 0 ... k along the ring; step k of a sector
  // is step 0 of the next.
  static int node(int sector, int ring, int step) {
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + (sector * ring + step) % (6 * ring);
  }

  // The nodes are those of a triangular lattice bent to circles. The lattice coordinates give each node one
  // of three colours such that the corners of every triangle differ.
  static int colour(int sector, int ring, int step) {
    return (sector % 2 == 0 ? ring + step : 2 * ring - step) % 3;
  }

  explicit Disc(int rings) {
    const auto count = static_cast<std::size_t>(1 + 3 * rings * (rings + 1));
    positions.resize(count, {0, 0});
    colours.resize(count, 0);
    for (int ring = 1; ring <= rings; ++ring) {
      for (int sector = 0; sector < 6; ++sector) {
        for (int step = 0; step < ring; ++step) {
          const auto n = static_cast<std::size_t>(node(sector, ring, step));
          const double angle = std::numbers::pi / 3 * (sector + static_cast<double>(step) / ring);
          const double radius = static_cast<double>(ring) / rings;
          positions[n] = {radius * std::cos(angle), radius * std::sin(angle)};
          colours[n] = colour(sector, ring, step);
        }
      }
    }
    for (int ring = 0; ring < rings; ++ring) {
      for (int sector = 0; sector < 6; ++sector) {
        for (int step = 0; step <= ring; ++step) {
          triangles.push_back(
              {node(sector, ring, step), node(sector, ring + 1, step), node(sector, ring + 1, step + 1)});
          if (step == ring) continue;
          triangles.push_back(
              {node(sector, ring, step), node(sector, ring + 1, step + 1), node(sector, ring, step + 1)});
        }
      }
    }
  }

  std::vector<std::array<double, 2>> positions;  // x, y
  std::vector<int> colours;                      // 0, 1 or 2
  std::vector<std::array<int, 3>> triangles;     // counter-clockwise
};

}  // namespace detail::mesh

// A cylinder of well-shaped tets, all positively oriented: a disc of triangles is extruded to layers of
// wedges, and each wedge is divided into three tets. The diagonal of a wedge's side rises from the lower
// colour of the disc's nodes to the higher one; in every other layer it falls. The colours are their own
// mirror image, so that there is no preferred sense of rotation, and with an even number of layers the whole
// mesh is its own mirror image along the axis. The nodes of the mantle lie on the cylinder, so that the
// volume tends to pi radius^2 length with the square of the element size, from below. Nodes are numbered
// layer by layer. Throws ParameterError for a radius, a length or a number of elements that is not positive.
template <Element E, class Scalar = double>
Mesh<E, Scalar> make_cylinder(const CylinderShape& shape = {}) {
  static_assert(E::cell_kind == CellKind::tet, "make_cylinder<E>: cylinders are made of Tet4 only");
  detail::core::require_parameter(shape.radius > 0, "CylinderShape::radius", shape.radius,
                                  "must be positive and finite");
  detail::core::require_parameter(shape.length > 0, "CylinderShape::length", shape.length,
                                  "must be positive and finite");
  detail::core::require_parameter(shape.rings >= 1, "CylinderShape::rings", shape.rings,
                                  "must be at least 1");
  detail::core::require_parameter(shape.layers >= 1, "CylinderShape::layers", shape.layers,
                                  "must be at least 1");
  const double tet_count = 18.0 * shape.rings * shape.rings * shape.layers;
  detail::core::require_parameter(tet_count <= std::numeric_limits<int>::max(),
                                  "CylinderShape (18 rings^2 layers tets)", tet_count,
                                  "too many for 32-bit indices");
  for (const double x : shape.base)
    detail::core::require_parameter(true, "CylinderShape::base", x, "must be finite");

  const detail::mesh::Disc disc(shape.rings);
  const int disc_nodes = static_cast<int>(disc.positions.size());
  Mesh<E, Scalar> mesh;
  mesh.nodes.resize(3, static_cast<Eigen::Index>(disc_nodes) * (shape.layers + 1));
  Eigen::Index node = 0;
  for (int layer = 0; layer <= shape.layers; ++layer) {
    const double z = shape.base[2] + shape.length * (static_cast<double>(layer) / shape.layers);
    for (const auto& [x, y] : disc.positions) {
      mesh.nodes.col(node++) << static_cast<Scalar>(shape.base[0] + shape.radius * x),
          static_cast<Scalar>(shape.base[1] + shape.radius * y), static_cast<Scalar>(z);
    }
  }

  mesh.elements.resize(4, static_cast<Eigen::Index>(tet_count));
  Eigen::Index element = 0;
  for (int layer = 0; layer < shape.layers; ++layer) {
    // Seen from the end at which the diagonals start: in odd layers the upper one, from which the triangles
    // have the opposite orientation.
    const bool falls = layer % 2 == 1;
    const int start = disc_nodes * (falls ? layer + 1 : layer);
    const int end = disc_nodes * (falls ? layer : layer + 1);
    for (const auto& triangle : disc.triangles) {
      // In the order of the colours; for the opposite sense of rotation two corners are exchanged.
      std::array<int, 3> corner;
      for (const int n : triangle)
        corner[static_cast<std::size_t>(disc.colours[static_cast<std::size_t>(n)])] = n;
      const auto first = static_cast<std::size_t>(disc.colours[static_cast<std::size_t>(triangle[0])]);
      const bool clockwise = corner[(first + 1) % 3] != triangle[1];
      for (std::size_t i = 0; i < 3; ++i) {
        // Corners 0 ... i at the start and i ... 2 at the end. The middle one of the three tets has the
        // opposite orientation of the triangle.
        std::array<int, 4> tet;
        std::size_t a = 0;
        for (std::size_t c = 0; c <= i; ++c) tet[a++] = start + corner[c];
        for (std::size_t c = i; c < 3; ++c) tet[a++] = end + corner[c];
        if ((clockwise != falls) != (i == 1)) std::swap(tet[2], tet[3]);
        for (int local = 0; local < 4; ++local)
          mesh.elements(local, element) = tet[static_cast<std::size_t>(local)];
        ++element;
      }
    }
  }
  return mesh;
}

}  // namespace pliant
