// The content of a mesh file, independent of the element type.
//
// Node order within a cell, in memory, for every file format (that of VTK and of Gmsh):
//   vertex    a
//   line      a b
//   triangle  a b c         counter-clockwise when its area is positive
//   quad      a b c d       around the cell
//   tet       a b c d       volume positive when det[b - a, c - a, d - a] > 0
//   hex       a b c d  e f g h   quad a b c d below, e f g h above it, e above a
//   wedge     a b c  d e f       triangle a b c below, d e f above it, d above a
//   pyramid   a b c d  e         quad a b c d below, e the apex
// A reader keeps the orientation of the file, positive or negative, and the order of its nodes: checking them
// is the task of the diagnosis.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <pliant/algebra/matrix.hpp>
#include <pliant/element/concept.hpp>

namespace pliant {

namespace detail::io {

inline constexpr std::size_t cell_kind_count = 8;

inline constexpr std::array<CellKind, cell_kind_count> all_cell_kinds{
    CellKind::vertex, CellKind::line, CellKind::triangle, CellKind::quad,
    CellKind::tet,    CellKind::hex,  CellKind::wedge,    CellKind::pyramid};

}  // namespace detail::io

// Nodes of the linear cell.
constexpr int nodes_per_cell(CellKind kind) {
  constexpr std::array<int, detail::io::cell_kind_count> nodes{1, 2, 3, 4, 4, 8, 6, 5};
  return nodes[static_cast<std::size_t>(kind)];
}

// Dimension of the cell itself: 0 for a vertex, 3 for a tet.
constexpr int cell_dimension(CellKind kind) {
  constexpr std::array<int, detail::io::cell_kind_count> dimension{0, 1, 2, 2, 3, 3, 3, 3};
  return dimension[static_cast<std::size_t>(kind)];
}

// In a sentence: "tetrahedra", or "tetrahedron" for one.
constexpr std::string_view cell_name(CellKind kind, std::size_t count = 2) {
  constexpr std::array<std::string_view, detail::io::cell_kind_count> one{
      "vertex", "line", "triangle", "quad", "tetrahedron", "hexahedron", "wedge", "pyramid"};
  constexpr std::array<std::string_view, detail::io::cell_kind_count> many{
      "vertices", "lines", "triangles", "quads", "tetrahedra", "hexahedra", "wedges", "pyramids"};
  return count == 1 ? one[static_cast<std::size_t>(kind)] : many[static_cast<std::size_t>(kind)];
}

// Cells of one kind.
struct CellBlock {
  std::vector<int> nodes;    // node indices, cell after cell
  std::vector<int> regions;  // the region number of each cell, 0 if the file gives none

  std::size_t count() const { return regions.size(); }
  std::span<const int> cell(std::size_t index) const {
    const std::size_t width = nodes.size() / regions.size();
    return std::span(nodes).subspan(index * width, width);
  }
};

// Cells that are not linear: higher-order ones, and shapes such as polygons.
struct OtherCells {
  std::string name;              // "10-node tetrahedra", "polygons"
  std::size_t count = 0;         // in the file
  std::optional<CellKind> kind;  // the linear cell on the corners of a higher-order one
  int nodes = 0;                 // per cell, with `kind`
  CellBlock corners;             // those linear cells; empty without `kind`
  int dimension = 0;             // of the cells themselves: 2 for polygons
};

// The content of a file.
struct CellMesh {
  std::string file;             // as it was given
  std::string format;           // "Gmsh 4.1 (binary)"
  NodeMatrix<double, 3> nodes;  // positions [m], 3 x #nodes; z = 0 if the file has none
  std::array<CellBlock, detail::io::cell_kind_count> linear;  // by CellKind
  std::vector<OtherCells> others;                             // in the order of first appearance
  std::array<std::map<int, std::string>, 4> region_names;     // names of region numbers, by cell dimension
  // The nodes of cells of less than 3 dimensions in groups beyond their region, by cell dimension and number
  // of the group; a Gmsh entity can be in several groups.
  std::array<std::map<int, std::vector<int>>, 3> further_groups;
  std::vector<std::string> remarks;  // texts on skipped data and on decisions of the reader

  CellBlock& cells(CellKind kind) { return linear[static_cast<std::size_t>(kind)]; }
  const CellBlock& cells(CellKind kind) const { return linear[static_cast<std::size_t>(kind)]; }
};

namespace detail::io {

// A cell type of some file format.
struct CellType {
  std::optional<CellKind> kind;  // the cell on its corners, which come first; empty for polygons and the like
  int nodes = 0;                 // nodes per cell, 0 if it varies
  std::string_view name{};       // needed only without a kind
  int dimension = 0;             // of the cell itself; needed only without a kind
};

// Appends cells to a CellMesh, linear ones to their block, the rest to `others`.
class CellCollector {
 public:
  explicit CellCollector(CellMesh& mesh) : mesh_(mesh) {}

  // The place of an added cell.
  struct Place {
    std::size_t block;  // for set_region
    std::size_t index;  // in that block
  };

  // `nodes`: the checked node indices of one cell, as many as `type` has.
  Place add(const CellType& type, std::span<const int> nodes, int region) {
    std::size_t block = 0;
    if (type.kind && type.nodes == nodes_per_cell(*type.kind)) {
      block = static_cast<std::size_t>(*type.kind);
    } else {
      const std::size_t other = find_others(type);
      ++mesh_.others[other].count;
      block = cell_kind_count + other;
    }
    CellBlock& cells = block_of(block);
    if (type.kind) {
      const auto corners = nodes.first(static_cast<std::size_t>(nodes_per_cell(*type.kind)));
      cells.nodes.insert(cells.nodes.end(), corners.begin(), corners.end());
      cells.regions.push_back(region);
    }
    return {block, type.kind ? cells.count() - 1 : 0};
  }

  // Changes the region of a cell that has a kind; others have none.
  void set_region(Place place, int region) {
    std::vector<int>& regions = block_of(place.block).regions;
    if (!regions.empty()) regions[place.index] = region;
  }

 private:
  CellBlock& block_of(std::size_t block) {
    return block < cell_kind_count ? mesh_.linear[block] : mesh_.others[block - cell_kind_count].corners;
  }

  std::size_t find_others(const CellType& type) {
    const auto matches = [&type](const OtherCells& others) {
      return type.kind ? others.kind == type.kind && others.nodes == type.nodes : others.name == type.name;
    };
    const auto found = std::find_if(mesh_.others.begin(), mesh_.others.end(), matches);
    if (found != mesh_.others.end()) return static_cast<std::size_t>(found - mesh_.others.begin());
    const std::string name = type.kind
                                 ? std::to_string(type.nodes) + "-node " + std::string(cell_name(*type.kind))
                                 : std::string(type.name);
    const int dimension = type.kind ? cell_dimension(*type.kind) : type.dimension;
    mesh_.others.push_back({name, 0, type.kind, type.nodes, {}, dimension});
    return mesh_.others.size() - 1;
  }

  CellMesh& mesh_;
};

}  // namespace detail::io
}  // namespace pliant
