// VTK's legacy files (.vtk), versions 1 to 5.1, text and binary: unstructured grids, poly data and structured
// grids. Reference: "VTK File Formats", kitware.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/vtk_data.hpp>

namespace pliant {
namespace detail::io {

struct VtkCellType {
  int number;
  CellType type;  // nodes = 0: any number of them, at least the corners
};

inline constexpr auto vtk_cell_types = std::to_array<VtkCellType>({
    {0, {std::nullopt, 0, "empty cells"}},
    {1, {CellKind::vertex, 1}},
    {2, {std::nullopt, 0, "poly-vertices"}},
    {3, {CellKind::line, 2}},
    {4, {std::nullopt, 0, "polylines", 1}},
    {5, {CellKind::triangle, 3}},
    {6, {std::nullopt, 0, "triangle strips", 2}},
    {7, {std::nullopt, 0, "polygons", 2}},
    {8, {CellKind::quad, 4}},  // pixel, renumbered
    {9, {CellKind::quad, 4}},
    {10, {CellKind::tet, 4}},
    {11, {CellKind::hex, 8}},  // voxel, renumbered
    {12, {CellKind::hex, 8}},
    {13, {CellKind::wedge, 6}},
    {14, {CellKind::pyramid, 5}},
    {15, {std::nullopt, 10, "pentagonal prisms", 3}},
    {16, {std::nullopt, 12, "hexagonal prisms", 3}},
    {21, {CellKind::line, 3}},
    {22, {CellKind::triangle, 6}},
    {23, {CellKind::quad, 8}},
    {24, {CellKind::tet, 10}},
    {25, {CellKind::hex, 20}},
    {26, {CellKind::wedge, 15}},
    {27, {CellKind::pyramid, 13}},
    {28, {CellKind::quad, 9}},
    {29, {CellKind::hex, 27}},
    {30, {CellKind::quad, 6}},
    {31, {CellKind::wedge, 12}},
    {32, {CellKind::wedge, 18}},
    {33, {CellKind::hex, 24}},
    {34, {CellKind::triangle, 7}},
    {35, {CellKind::line, 4}},
    {36, {std::nullopt, 0, "quadratic polygons", 2}},
    {37, {CellKind::pyramid, 19}},
    {41, {std::nullopt, 0, "convex point sets", 3}},
    {42, {std::nullopt, 0, "polyhedra", 3}},
    // Lagrange cells of any order, then Bezier cells
    {68, {CellKind::line, 0}},
    {69, {CellKind::triangle, 0}},
    {70, {CellKind::quad, 0}},
    {71, {CellKind::tet, 0}},
    {72, {CellKind::hex, 0}},
    {73, {CellKind::wedge, 0}},
    {74, {CellKind::pyramid, 0}},
    {75, {CellKind::line, 0}},
    {76, {CellKind::triangle, 0}},
    {77, {CellKind::quad, 0}},
    {78, {CellKind::tet, 0}},
    {79, {CellKind::hex, 0}},
    {80, {CellKind::wedge, 0}},
    {81, {CellKind::pyramid, 0}},
});

class VtkParser {
 public:
  VtkParser(std::string_view bytes, std::string file) : in_(bytes, std::move(file)), data_(in_) {
    mesh_.file = in_.file();
  }

  CellMesh parse() {
    read_header();
    while (!in_.peek_word().empty()) {
      const std::string_view keyword = in_.next_word();
      if (equal_ignoring_case(keyword, "CELL_DATA") || equal_ignoring_case(keyword, "POINT_DATA")) {
        in_.seek(in_.position() - keyword.size());
        break;
      }
      read_geometry(keyword);
    }
    if (!has_points_) in_.fail("has no POINTS");
    if (dataset_ == Dataset::structured_grid) make_structured_cells();
    if (dataset_ == Dataset::unstructured_grid && !has_cells_) in_.fail("has no CELLS");
    if (has_cells_ && !has_types_) in_.fail("has no CELL_TYPES");
    read_regions();
    return std::move(mesh_);
  }

 private:
  enum class Dataset { unstructured_grid, poly_data, structured_grid };

  // A number that is no node. In a list of cells of any type that is an error only where the cell turns out
  // to be no polyhedron, whose list holds the sizes of its faces too.
  struct NoNode {
    std::size_t index;     // in Connectivity::nodes
    std::size_t position;  // in the file, for messages
    std::int64_t number;
  };

  // Cells of any shape, one after another.
  struct Connectivity {
    std::vector<std::size_t> ends;  // of the nodes of each cell
    std::vector<int> nodes;
    std::vector<NoNode> no_nodes;  // ascending; -1 among the nodes where the number does not fit
    std::span<const int> cell(std::size_t i) const {
      const std::size_t start = i == 0 ? 0 : ends[i - 1];
      return std::span(nodes).subspan(start, ends[i] - start);
    }
  };

  // "# vtk DataFile Version x.y", a title, ASCII or BINARY, DATASET and its type.
  void read_header() {
    constexpr std::string_view start = "# vtk DataFile Version";
    const std::string_view first = in_.line();
    if (!equal_ignoring_case(first.substr(0, start.size()), start)) {
      in_.seek(0);
      if (in_.rest().substr(0, 4096).find("<VTKFile") != std::string_view::npos) {
        in_.fail("is an XML file of VTK, as .vtu files are, and not a legacy one: only the latter are read");
      }
      in_.fail("is not a legacy VTK file: does not begin with " + in_quotes(start));
    }
    const std::string version(first.substr(std::min(first.size(), start.size() + 1)));
    major_ = version.empty() ? '0' : version[0];
    if (major_ < '1' || major_ > '5')
      in_.fail("the version " + in_quotes(version) + " is not known: 1 to 5.1 are");
    in_.line();
    const std::string_view encoding = in_.word("ASCII or BINARY");
    const bool binary = equal_ignoring_case(encoding, "BINARY");
    if (!binary && !equal_ignoring_case(encoding, "ASCII")) {
      in_.fail("expected ASCII or BINARY, found " + in_quotes(encoding));
    }
    if (const auto word = in_.word("DATASET"); !equal_ignoring_case(word, "DATASET")) {
      in_.fail("expected DATASET, found " + in_quotes(word));
    }
    const std::string_view type = in_.word("the type of the data set");
    if (equal_ignoring_case(type, "UNSTRUCTURED_GRID")) {
      dataset_ = Dataset::unstructured_grid;
    } else if (equal_ignoring_case(type, "POLYDATA")) {
      dataset_ = Dataset::poly_data;
    } else if (equal_ignoring_case(type, "STRUCTURED_GRID")) {
      dataset_ = Dataset::structured_grid;
    } else {
      in_.fail("the data set " + in_quotes(type) +
               " is not read: UNSTRUCTURED_GRID, POLYDATA and STRUCTURED_GRID are");
    }
    mesh_.format =
        "VTK legacy " + version.substr(0, version.find_first_of(" \t\r")) + (binary ? " (binary)" : "");
    data_.binary = binary;
    if (binary) in_.set_binary(std::endian::native == std::endian::little);
  }

  void read_geometry(std::string_view keyword) {
    const auto is = [keyword](std::string_view name) { return equal_ignoring_case(keyword, name); };
    const bool grid = dataset_ == Dataset::unstructured_grid;
    const bool poly = dataset_ == Dataset::poly_data;
    if (is("POINTS")) {
      read_points();
    } else if (is("METADATA")) {
      data_.skip_metadata();
    } else if (is("FIELD")) {
      data_.skip_field();
    } else if (grid && is("CELLS")) {
      if (has_cells_) in_.fail("a second CELLS");
      has_cells_ = true;
      read_connectivity(connectivity_, true);
    } else if (grid && is("CELL_TYPES")) {
      read_cell_types();
    } else if (dataset_ == Dataset::structured_grid && is("DIMENSIONS")) {
      for (std::size_t& n : dimensions_) n = in_.count(in_.integer("a dimension of the grid"), 1, "points");
    } else if (dataset_ == Dataset::structured_grid && is("EXTENT")) {
      read_extent();
    } else if (dataset_ == Dataset::structured_grid && is("BLANKING")) {
      read_blanking();
    } else if (poly && is("VERTICES")) {
      read_poly({CellKind::vertex, 1}, {}, {std::nullopt, 0, "poly-vertices"});
    } else if (poly && is("LINES")) {
      read_poly({CellKind::line, 2}, {}, {std::nullopt, 0, "polylines", 1});
    } else if (poly && is("POLYGONS")) {
      read_poly({CellKind::triangle, 3}, {CellKind::quad, 4}, {std::nullopt, 0, "polygons", 2});
    } else if (poly && is("TRIANGLE_STRIPS")) {
      read_poly({}, {}, {std::nullopt, 0, "triangle strips", 2});
    } else {
      in_.fail("unexpected " + in_quotes(keyword));
    }
  }

  // The first and the last index of each direction, in place of DIMENSIONS.
  void read_extent() {
    for (std::size_t& n : dimensions_) {
      const auto first = in_.region_number(in_.integer("an index of the grid"));
      const auto last = in_.region_number(in_.integer("an index of the grid"));
      n = in_.count(std::int64_t{last} - first + 1, 1, "points");
    }
  }

  // "BLANKING count type" and a number per point, 0 where it is hidden, and with it the cells around it.
  void read_blanking() {
    const std::int64_t declared = in_.integer("the number of points");
    const VtkNumber type = data_.number_type();
    const std::size_t count = in_.count(declared, data_.bytes(type), "points");
    for (std::size_t i = 0; i < count; ++i) {
      if (data_.integer(type, "whether a point is visible") == 0) {
        in_.fail("the grid hides points (BLANKING): such grids are not read");
      }
    }
  }

  // "POINTS count type", then three numbers per point.
  void read_points() {
    if (has_points_) in_.fail("a second POINTS");
    has_points_ = true;
    const std::int64_t declared = in_.integer("the number of points");
    const VtkNumber type = data_.number_type();
    const std::size_t count = in_.count(declared, 3 * data_.bytes(type), "points");
    mesh_.nodes.resize(3, static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (!data_.binary) in_.expect_item(i, count, "points");
      const auto column = static_cast<Eigen::Index>(i);
      for (int axis = 0; axis < 3; ++axis) mesh_.nodes(axis, column) = data_.finite(type, "a coordinate");
    }
    data_.components = 3;
  }

  // Up to version 4: "CELLS count size", then size ints: per cell the number of its nodes and the nodes.
  // Version 5: "CELLS count+1 size", "OFFSETS type" and count+1 integers, "CONNECTIVITY type" and size
  // integers.
  // `any_type`: among the cells may be polyhedra.
  void read_connectivity(Connectivity& cells, bool any_type) {
    if (!has_points_) in_.fail("the cells come before the POINTS");
    const std::int64_t first = in_.integer("the number of cells");
    const std::int64_t second = in_.integer("the size of the cell list");
    if (major_ == '5') {
      // VTK writes no arrays where there are no offsets.
      if (first != 0) read_offsets(cells, first, second);
    } else {
      data_.start_values();
      read_counted_cells(cells, first, second);
    }
    data_.components = 1;
    if (!any_type && !cells.no_nodes.empty()) refuse(cells.no_nodes.front());
  }

  [[noreturn]] void refuse(const NoNode& no_node) {
    in_.seek(no_node.position);
    if (!data_.binary) in_.peek_word();  // past the blanks: the message names its line
    in_.node_index(no_node.number, 0, static_cast<std::size_t>(mesh_.nodes.cols()));
    in_.fail("a cell refers to a node that does not exist");
  }

  void read_counted_cells(Connectivity& cells, std::int64_t declared, std::int64_t declared_size) {
    constexpr VtkNumber type = VtkNumber::int32;
    const std::size_t size = in_.count(declared_size, data_.bytes(type), "numbers of the cell list");
    const std::size_t count = in_.count(declared, data_.bytes(type), "cells");
    std::size_t read = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!data_.binary) in_.expect_item(i, count, "cells");
      const std::size_t nodes = in_.count(data_.integer(type, "the number of nodes of a cell"),
                                          data_.bytes(type), "nodes of a cell");
      read += 1 + nodes;
      if (read > size)
        in_.fail("the cells are longer than the size of the cell list, " + std::to_string(size));
      for (std::size_t k = 0; k < nodes; ++k) read_node(cells, type);
      cells.ends.push_back(cells.nodes.size());
    }
    if (read != size) {
      in_.fail("the cells have " + std::to_string(read) + " numbers, but " + std::to_string(size) +
               " are declared");
    }
  }

  void read_offsets(Connectivity& cells, std::int64_t declared, std::int64_t declared_size) {
    VtkNumber type = array_type("OFFSETS");
    const std::size_t count = in_.count(declared, data_.bytes(type), "offsets");
    std::vector<std::int64_t> offsets(count);
    for (std::size_t i = 0; i < count; ++i) {
      offsets[i] = data_.integer(type, "an offset");
      if (offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || offsets[i] > declared_size ||
          (i == 0 && offsets[i] != 0)) {
        in_.fail("the offset " + std::to_string(offsets[i]) + " is out of order or beyond the connectivity");
      }
    }
    type = array_type("CONNECTIVITY");
    const std::size_t size = in_.count(declared_size, data_.bytes(type), "nodes of cells");
    if ((offsets.empty() ? 0 : offsets.back()) != declared_size)
      in_.fail("the last offset is not the size of the connectivity");
    for (std::size_t k = 0; k < size; ++k) read_node(cells, type);
    for (std::size_t i = 1; i < count; ++i) cells.ends.push_back(static_cast<std::size_t>(offsets[i]));
  }

  VtkNumber array_type(const char* keyword) {
    if (const auto word = in_.word(keyword); !equal_ignoring_case(word, keyword)) {
      in_.fail("expected " + std::string(keyword) + ", found " + in_quotes(word));
    }
    return data_.number_type();
  }

  void read_node(Connectivity& cells, VtkNumber type) {
    const std::size_t start = in_.position();
    const std::int64_t node = data_.integer(type, "a node of a cell");
    const bool is_int = node >= 0 && node <= std::numeric_limits<int>::max();
    if (!is_int || node >= mesh_.nodes.cols()) cells.no_nodes.push_back({cells.nodes.size(), start, node});
    cells.nodes.push_back(is_int ? static_cast<int>(node) : -1);
  }

  // "CELL_TYPES count", then a number per cell.
  void read_cell_types() {
    if (has_types_) in_.fail("a second CELL_TYPES");
    has_types_ = true;
    const std::int64_t declared = in_.integer("the number of cell types");
    if (declared != static_cast<std::int64_t>(connectivity_.ends.size())) {
      in_.fail(std::to_string(declared) + " cell types are declared for " +
               std::to_string(connectivity_.ends.size()) + " cells");
    }
    data_.start_values();
    auto no_node = connectivity_.no_nodes.begin();
    for (std::size_t i = 0; i < connectivity_.ends.size(); ++i) {
      if (!data_.binary) in_.expect_item(i, connectivity_.ends.size(), "cell types");
      const std::int64_t number = data_.integer(VtkNumber::int32, "a cell type");
      const auto* entry = std::find_if(vtk_cell_types.begin(), vtk_cell_types.end(),
                                       [number](const VtkCellType& t) { return t.number == number; });
      if (entry == vtk_cell_types.end())
        in_.fail("the cell type " + std::to_string(number) + " is not known");
      constexpr std::int64_t polyhedron = 42;
      if (number == polyhedron) check_faces(connectivity_.cell(i), i);
      while (no_node != connectivity_.no_nodes.end() && no_node->index < connectivity_.ends[i]) {
        if (number != polyhedron) refuse(*no_node);
        ++no_node;
      }
      add_cell(number, entry->type, connectivity_.cell(i), i);
    }
  }

  // The list of a polyhedron: the number of its faces, and for each face the number of its nodes and them.
  void check_faces(std::span<const int> list, std::size_t index) {
    const std::string cell = "cell " + std::to_string(index) + ", a polyhedron";
    std::size_t position = 1;
    for (int face = 0; !list.empty() && face < list[0]; ++face) {
      const int size = position < list.size() ? list[position] : -1;
      if (size < 0 || static_cast<std::size_t>(size) >= list.size() - position) {
        in_.fail(cell + " of " + std::to_string(list[0]) + " faces, has a list of " +
                 std::to_string(list.size()) + " numbers, which ends in face " + std::to_string(face));
      }
      for (const int node : list.subspan(position + 1, static_cast<std::size_t>(size))) {
        if (node < 0 || node >= mesh_.nodes.cols()) {
          in_.fail(cell + ", refers to node " + std::to_string(node) + ", but the nodes are 0 to " +
                   std::to_string(mesh_.nodes.cols() - 1));
        }
      }
      position += 1 + static_cast<std::size_t>(size);
    }
    if (position != list.size()) {
      in_.fail(cell + ", has faces of " + std::to_string(position) + " numbers, but a list of " +
               std::to_string(list.size()));
    }
  }

  void add_cell(std::int64_t number, CellType type, std::span<const int> nodes, std::size_t index) {
    const std::size_t corners = type.kind ? static_cast<std::size_t>(nodes_per_cell(*type.kind)) : 0;
    const bool fits =
        type.nodes == 0 ? nodes.size() >= corners : nodes.size() == static_cast<std::size_t>(type.nodes);
    if (!fits) {
      in_.fail("cell " + std::to_string(index) + " is of type " + std::to_string(number) + ", " +
               describe(type) + ", but has " + std::to_string(nodes.size()) + " nodes");
    }
    constexpr std::int64_t pixel = 8;
    constexpr std::int64_t voxel = 11;
    if (number == pixel) {
      add({CellKind::quad, 4}, std::array{nodes[0], nodes[1], nodes[3], nodes[2]});
    } else if (number == voxel) {
      add({CellKind::hex, 8},
          std::array{nodes[0], nodes[1], nodes[3], nodes[2], nodes[4], nodes[5], nodes[7], nodes[6]});
    } else {
      if (type.kind) type.nodes = static_cast<int>(nodes.size());
      add(type, nodes);
    }
  }

  static std::string describe(const CellType& type) {
    if (!type.kind) return std::string(type.name);
    return "a " + std::string(cell_name(*type.kind, 1)) +
           (type.nodes == 0 ? "" : " of " + std::to_string(type.nodes) + " nodes");
  }

  void add(const CellType& type, std::span<const int> nodes) {
    places_.push_back(collector_.add(type, nodes, 0));
  }

  // A list of poly data: cells of the size of `small` or `large`, if there is such a kind, and `others`.
  void read_poly(const CellType& small, const CellType& large, const CellType& others) {
    Connectivity cells;
    read_connectivity(cells, false);
    for (std::size_t i = 0; i < cells.ends.size(); ++i) {
      const std::span<const int> nodes = cells.cell(i);
      const auto is = [&](const CellType& t) {
        return t.kind && nodes.size() == static_cast<std::size_t>(t.nodes);
      };
      add(is(small) ? small : is(large) ? large : others, nodes);
    }
  }

  // The cells between the points of a grid: hexes, or quads or lines where it is one point thick.
  void make_structured_cells() {
    const auto [nx, ny, nz] = dimensions_;
    const auto points = static_cast<std::uint64_t>(mesh_.nodes.cols());
    // Each dimension is below 2^31, so that the first product does not overflow.
    if (nx == 0 || ny == 0 || nz == 0 || nx * ny > points || nx * ny * nz != points) {
      in_.fail("the DIMENSIONS of the grid do not match its " + std::to_string(points) + " points");
    }
    std::vector<std::size_t> steps;   // distance of neighbours in the directions that have any
    std::vector<std::size_t> counts;  // cells in those directions
    const std::array<std::size_t, 3> step{1, nx, nx * ny};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (dimensions_[axis] == 1) continue;
      steps.push_back(step[axis]);
      counts.push_back(dimensions_[axis] - 1);
    }
    steps.resize(3, 0);
    const std::size_t directions = counts.size();
    counts.resize(3, 1);
    constexpr std::array kinds{CellKind::vertex, CellKind::line, CellKind::quad, CellKind::hex};
    const CellKind kind = kinds[directions];
    for (std::size_t k = 0; k < counts[2]; ++k) {
      for (std::size_t j = 0; j < counts[1]; ++j) {
        for (std::size_t i = 0; i < counts[0]; ++i) {
          const std::size_t a = i * steps[0] + j * steps[1] + k * steps[2];
          const std::size_t top = a + steps[2];
          const std::size_t dx = steps[0];
          const std::size_t dy = steps[1];
          const std::array<std::size_t, 8> corners{a,   a + dx,   a + dx + dy,   a + dy,
                                                   top, top + dx, top + dx + dy, top + dy};
          std::array<int, 8> nodes{};
          for (std::size_t c = 0; c < 8; ++c) nodes[c] = static_cast<int>(corners[c]);
          add({kind, nodes_per_cell(kind)},
              std::span(nodes).first(static_cast<std::size_t>(nodes_per_cell(kind))));
        }
      }
    }
  }

  // From the cell data, whose faults are remarked and not fatal: the geometry is complete.
  void read_regions() {
    data_.read_attributes(places_.size());
    for (std::size_t i = 0; i < data_.regions.size(); ++i)
      collector_.set_region(places_[i], data_.regions[i]);
    mesh_.remarks = std::move(data_.remarks);
  }

  Input in_;
  VtkData data_;
  CellMesh mesh_;
  CellCollector collector_{mesh_};
  char major_ = '0';  // of the version
  Dataset dataset_ = Dataset::unstructured_grid;
  bool has_points_ = false;
  bool has_cells_ = false;
  bool has_types_ = false;
  std::array<std::size_t, 3> dimensions_{};  // of a structured grid, in points
  Connectivity connectivity_;
  std::vector<CellCollector::Place> places_;  // of the cells, in the order of the file
};

// `file` is for messages.
inline CellMesh parse_vtk_legacy(std::string_view bytes, std::string file) {
  return VtkParser(bytes, std::move(file)).parse();
}

}  // namespace detail::io

// Throws MeshError.
inline CellMesh read_vtk_legacy(const std::filesystem::path& path) {
  return detail::io::parse_vtk_legacy(detail::io::file_bytes(path), path.string());
}

}  // namespace pliant
