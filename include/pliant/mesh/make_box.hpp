// A box cut into elements on a regular lattice of cells.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include <pliant/core/error.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// How a cell of the lattice is cut into tetrahedra.
//   alternating  five tets; the pattern of a cell is the mirror image of its neighbours', so all face
//   diagonals join
//                nodes with i + j + k even. The mesh is its own mirror image along every axis that has an
//                even number of cells: a beam loaded along y does not drift along z.
//   kuhn         six tets around the cell's diagonal (0,0,0)-(1,1,1), the same in every cell. All tets of a
//   cubic
//                cell are congruent, but the mesh has a preferred direction. Found in many published runs.
enum class Split { alternating, kuhn };

// Parameters of make_box.
struct BoxShape {
  std::array<double, 3> lengths{1, 1, 1};  // edge lengths [m], > 0
  std::array<int, 3> cells{1, 1, 1};       // number of lattice cells along each axis, >= 1
  std::array<double, 3> origin{0, 0, 0};   // the corner with the lowest coordinates [m]
  Split split = Split::alternating;        // cut of a cell into tets
};

namespace detail {

// Corner c of a lattice cell has the offsets (c & 1, c >> 1 & 1, c >> 2 & 1).
inline constexpr std::array<std::array<std::array<int, 4>, 5>, 2> alternating_tets{{
    {{{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 6, 5, 0}, {7, 5, 6, 3}}},  // cells with i + j + k even
    {{{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}}},  // odd: the mirror image
}};

// The six monotone paths from corner 0 to corner 7; odd permutations of the axes have two nodes exchanged.
inline constexpr std::array<std::array<int, 4>, 6> kuhn_tets{
    {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 3, 2, 7}, {0, 5, 1, 7}, {0, 6, 4, 7}}};

// Throws ParameterError where a shape cannot be meshed or has more nodes or elements than an int counts.
inline void require_box(const BoxShape& shape) {
  constexpr std::array<const char*, 3> length_names{"BoxShape::lengths[0]", "BoxShape::lengths[1]",
                                                    "BoxShape::lengths[2]"};
  constexpr std::array<const char*, 3> cell_names{"BoxShape::cells[0]", "BoxShape::cells[1]",
                                                  "BoxShape::cells[2]"};
  constexpr std::array<const char*, 3> origin_names{"BoxShape::origin[0]", "BoxShape::origin[1]",
                                                    "BoxShape::origin[2]"};
  double element_bound = 6;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require_parameter(shape.lengths[axis] > 0, length_names[axis], shape.lengths[axis],
                      "must be positive and finite");
    require_parameter(shape.cells[axis] >= 1, cell_names[axis], shape.cells[axis], "must be at least 1");
    require_parameter(true, origin_names[axis], shape.origin[axis], "must be finite");
    element_bound *= shape.cells[axis] + 1.0;
  }
  require_parameter(element_bound <= std::numeric_limits<int>::max(), "BoxShape::cells (6 tets per cell)",
                    element_bound, "too many for 32-bit indices");
}

}  // namespace detail

// A box of tets, all positively oriented. Node (i, j, k) of the lattice is column
// i + (cells[0] + 1) * (j + (cells[1] + 1) * k), so x runs fastest; elements follow their cells in the same
// order. Throws ParameterError for a length or a number of cells that is not positive.
template <Element E, class Scalar = double>
Mesh<E, Scalar> make_box(const BoxShape& shape = {}) {
  static_assert(E::cell_kind == CellKind::tet, "make_box<E>: there is a cut of the box into Tet4 only");
  detail::require_box(shape);
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

  const bool kuhn = shape.split == Split::kuhn;
  mesh.elements.resize(4, (kuhn ? 6 : 5) * cells_x * cells_y * cells_z);
  Eigen::Index element = 0;
  for (int k = 0; k < cells_z; ++k) {
    for (int j = 0; j < cells_y; ++j) {
      for (int i = 0; i < cells_x; ++i) {
        const auto append = [&mesh, &element, &node, i, j, k](const std::array<int, 4>& corners) {
          int local = 0;
          for (const int c : corners)
            mesh.elements(local++, element) = node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
          ++element;
        };
        if (kuhn) {
          for (const auto& corners : detail::kuhn_tets) append(corners);
        } else {
          for (const auto& corners : detail::alternating_tets[static_cast<std::size_t>((i + j + k) % 2)])
            append(corners);
        }
      }
    }
  }
  return mesh;
}

}  // namespace pliant
