// A box divided into elements on a regular lattice of cells.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include <pliant/core/error.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/mesh/split.hpp>

namespace pliant {

// Parameters of make_box.
struct BoxShape {
  std::array<double, 3> lengths{1, 1, 1};  // edge lengths [m], > 0
  std::array<int, 3> cells{1, 1, 1};       // number of lattice cells along each axis, >= 1
  std::array<double, 3> origin{0, 0, 0};   // the corner with the lowest coordinates [m]
  Split split = Split::alternating;        // division of a cell into tets; not used for hexahedra
};

namespace detail::mesh {

// Corner c of a lattice cell has the offsets (c & 1, c >> 1 & 1, c >> 2 & 1).
inline constexpr std::array<std::array<std::array<int, 4>, 5>, 2> alternating_tets{{
    {{{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 6, 5, 0}, {7, 5, 6, 3}}},  // cells with i + j + k even
    {{{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}}},  // odd: the mirror image
}};

// The cell itself, in the node order of Hex8.
inline constexpr std::array<int, 8> hexahedron_of_cell{0, 1, 3, 2, 4, 5, 7, 6};

// The six monotone paths from corner 0 to corner 7; for odd permutations of the axes two nodes are exchanged.
inline constexpr std::array<std::array<int, 4>, 6> kuhn_tets{
    {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 5, 1, 7}, {0, 6, 4, 7}}};

// Throws ParameterError if a shape cannot be meshed, or if its nodes or elements exceed the range of int.
inline void require_box(const BoxShape& shape, int elements_per_cell) {
  constexpr std::array<const char*, 3> length_names{"BoxShape::lengths[0]", "BoxShape::lengths[1]",
                                                    "BoxShape::lengths[2]"};
  constexpr std::array<const char*, 3> cell_names{"BoxShape::cells[0]", "BoxShape::cells[1]",
                                                  "BoxShape::cells[2]"};
  constexpr std::array<const char*, 3> origin_names{"BoxShape::origin[0]", "BoxShape::origin[1]",
                                                    "BoxShape::origin[2]"};
  double element_bound = elements_per_cell;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    core::require_parameter(shape.lengths[axis] > 0, length_names[axis], shape.lengths[axis],
                            "must be positive and finite");
    core::require_parameter(shape.cells[axis] >= 1, cell_names[axis], shape.cells[axis],
                            "must be at least 1");
    core::require_parameter(true, origin_names[axis], shape.origin[axis], "must be finite");
    element_bound *= shape.cells[axis] + 1.0;
  }
  core::require_parameter(element_bound <= std::numeric_limits<int>::max(),
                          "BoxShape::cells (elements of the box)", element_bound,
                          "too many for 32-bit indices");
}

}  // namespace detail::mesh

// A box of tets or hexahedra, all positively oriented. Node (i, j, k) of the lattice is column i + (cells[0]
// + 1) * (j + (cells[1] + 1) * k), so x runs fastest; elements are in the order of their cells. Throws
// ParameterError for a length or a number of cells that is not positive.
template <Element E, class Scalar = double>
Mesh<E, Scalar> make_box(const BoxShape& shape = {}) {
  static_assert(E::cell_kind == CellKind::tet || E::cell_kind == CellKind::hex,
                "make_box<E>: boxes are made of Tet4 or Hex8");
  constexpr bool hexahedra = E::cell_kind == CellKind::hex;
  const bool kuhn = shape.split == Split::kuhn;
  const int elements_per_cell = hexahedra ? 1 : kuhn ? 6 : 5;
  detail::mesh::require_box(shape, elements_per_cell);
  const auto [cells_x, cells_y, cells_z] = shape.cells;
  const auto node = [nodes_x = cells_x + 1, nodes_y = cells_y + 1](int i, int j, int k) {
    return i + nodes_x * (j + nodes_y * k);
  };

  Mesh<E, Scalar> mesh;
  mesh.nodes.resize(3, node(0, 0, cells_z + 1));
  for (int k = 0; k <= cells_z; ++k) {
    for (int j = 0; j <= cells_y; ++j) {
      for (int i = 0; i <= cells_x; ++i) {
        const std::array<int, 3> lattice{i, j, k};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double fraction = static_cast<double>(lattice[axis]) / shape.cells[axis];
          mesh.nodes(static_cast<int>(axis), node(i, j, k)) =
              static_cast<Scalar>(shape.origin[axis] + shape.lengths[axis] * fraction);
        }
      }
    }
  }

  mesh.elements.resize(E::nodes, elements_per_cell * cells_x * cells_y * cells_z);
  Eigen::Index element = 0;
  for (int k = 0; k < cells_z; ++k) {
    for (int j = 0; j < cells_y; ++j) {
      for (int i = 0; i < cells_x; ++i) {
        const auto append = [&mesh, &element, &node, i, j, k](const auto& corners) {
          int local = 0;
          for (const int c : corners)
            mesh.elements(local++, element) = node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
          ++element;
        };
        if constexpr (hexahedra) {
          append(detail::mesh::hexahedron_of_cell);
        } else if (kuhn) {
          for (const auto& corners : detail::mesh::kuhn_tets) append(corners);
        } else {
          for (const auto& corners :
               detail::mesh::alternating_tets[static_cast<std::size_t>((i + j + k) % 2)])
            append(corners);
        }
      }
    }
  }
  return mesh;
}

}  // namespace pliant
