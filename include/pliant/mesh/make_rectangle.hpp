// A rectangle divided into triangles on a regular lattice of cells.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include <pliant/core/error.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/mesh/split.hpp>

namespace pliant {

// Parameters of make_rectangle.
struct RectangleShape {
  std::array<double, 2> lengths{1, 1};  // edge lengths [m], > 0
  std::array<int, 2> cells{1, 1};       // number of lattice cells along each axis, >= 1
  std::array<double, 2> origin{0, 0};   // the corner with the lowest coordinates [m]
  Split split = Split::alternating;     // division of a cell into two triangles
};

namespace detail::mesh {

// Corner c of a lattice cell has the offsets (c & 1, c >> 1). The diagonal is 0-3 or 1-2.
inline constexpr std::array<std::array<std::array<int, 3>, 2>, 2> triangles_of_cell{{
    {{{0, 1, 3}, {0, 3, 2}}},  // every cell of the Kuhn split; with alternating diagonals, i + j even
    {{{0, 1, 2}, {1, 3, 2}}},  // i + j odd
}};

// Throws ParameterError if a shape cannot be meshed, or if its nodes or elements exceed the range of int.
inline void require_rectangle(const RectangleShape& shape) {
  constexpr std::array<const char*, 2> length_names{"RectangleShape::lengths[0]",
                                                    "RectangleShape::lengths[1]"};
  constexpr std::array<const char*, 2> cell_names{"RectangleShape::cells[0]", "RectangleShape::cells[1]"};
  constexpr std::array<const char*, 2> origin_names{"RectangleShape::origin[0]", "RectangleShape::origin[1]"};
  double element_bound = 2;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    core::require_parameter(shape.lengths[axis] > 0, length_names[axis], shape.lengths[axis],
                            "must be positive and finite");
    core::require_parameter(shape.cells[axis] >= 1, cell_names[axis], shape.cells[axis],
                            "must be at least 1");
    core::require_parameter(true, origin_names[axis], shape.origin[axis], "must be finite");
    element_bound *= shape.cells[axis] + 1.0;
  }
  core::require_parameter(element_bound <= std::numeric_limits<int>::max(),
                          "RectangleShape::cells (elements of the rectangle)", element_bound,
                          "too many for 32-bit indices");
}

}  // namespace detail::mesh

// A rectangle of triangles, two per cell, all counter-clockwise. Node (i, j) of the lattice is column
// i + (cells[0] + 1) * j, so x runs fastest; elements are in the order of their cells. Throws ParameterError
// for a length or a number of cells that is not positive.
template <Element E, class Scalar = double>
Mesh<E, Scalar> make_rectangle(const RectangleShape& shape = {}) {
  static_assert(E::cell_kind == CellKind::triangle, "make_rectangle<E>: rectangles are made of Tri3 only");
  detail::mesh::require_rectangle(shape);
  const auto [cells_x, cells_y] = shape.cells;
  const auto node = [nodes_x = cells_x + 1](int i, int j) { return i + nodes_x * j; };

  Mesh<E, Scalar> mesh;
  mesh.nodes.resize(2, node(0, cells_y + 1));
  for (int j = 0; j <= cells_y; ++j) {
    for (int i = 0; i <= cells_x; ++i) {
      const double x = shape.origin[0] + shape.lengths[0] * (static_cast<double>(i) / cells_x);
      const double y = shape.origin[1] + shape.lengths[1] * (static_cast<double>(j) / cells_y);
      mesh.nodes.col(node(i, j)) << static_cast<Scalar>(x), static_cast<Scalar>(y);
    }
  }

  mesh.elements.resize(3, 2 * cells_x * cells_y);
  Eigen::Index element = 0;
  for (int j = 0; j < cells_y; ++j) {
    for (int i = 0; i < cells_x; ++i) {
      const bool odd = shape.split == Split::alternating && (i + j) % 2 == 1;
      for (const auto& corners : detail::mesh::triangles_of_cell[odd]) {
        int local = 0;
        for (const int c : corners) mesh.elements(local++, element) = node(i + (c & 1), j + (c >> 1));
        ++element;
      }
    }
  }
  return mesh;
}

}  // namespace pliant
