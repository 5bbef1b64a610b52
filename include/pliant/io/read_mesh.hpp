// Reads a mesh file of any known format: as all its cells (CellMesh), or as the mesh of one element.
//
//   auto mesh = read_mesh<Tet4>("hand.msh");              // double
//   ReadReport report;
//   auto mesh = read_mesh<Tet4, float>("hand.msh", report);
//   std::puts(report.message().c_str()); // the cells taken and skipped
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/gmsh.hpp>
#include <pliant/io/medit.hpp>
#include <pliant/io/tetgen.hpp>
#include <pliant/io/vega.hpp>
#include <pliant/io/vtk_legacy.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// The cells that a reader took from a file, and those that it skipped.
struct ReadReport {
  struct LeftAside {
    std::string name;   // "triangles", "10-node tetrahedra"
    std::size_t count;  // how many the file holds
  };

  std::string file;
  std::string format;   // "Gmsh 4.1 (binary)"
  std::string element;  // "Tet4"
  std::string cells;    // the cells that became elements: "tetrahedra"
  std::size_t node_count = 0;
  std::size_t element_count = 0;
  std::vector<LeftAside> left_aside;  // cells that the element cannot use
  std::vector<std::string> remarks;   // on other skipped data and on decisions of the reader

  // One line per statement.
  std::string message() const {
    std::string text = file + " (" + format + "): " + std::to_string(node_count) + " nodes, " +
                       std::to_string(element_count) + " " + cells + " taken as " + element;
    for (std::size_t i = 0; i < left_aside.size(); ++i) {
      text +=
          (i == 0 ? "\nleft aside: " : ", ") + std::to_string(left_aside[i].count) + " " + left_aside[i].name;
    }
    for (const std::string& remark : remarks) text += "\nremark: " + remark;
    return text;
  }
};

namespace detail::io {

enum class MeshFormat { gmsh, medit, tetgen, vega, vtk_legacy };

inline bool contains_ignoring_case(std::string_view text, std::string_view word) {
  const auto found = std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
    return equal_ignoring_case(std::string_view(&a, 1), std::string_view(&b, 1));
  });
  return found != text.end();
}

// By the content if it is unambiguous, otherwise by the extension.
inline MeshFormat mesh_format(std::string_view bytes, const std::filesystem::path& path) {
  const std::string_view head = bytes.substr(0, 4096);
  if (head.find("$MeshFormat") != std::string_view::npos || head.find("$NOD") != std::string_view::npos) {
    return MeshFormat::gmsh;
  }
  // Including the XML files of VTK, which its reader refuses with a message.
  if (contains_ignoring_case(head.substr(0, 64), "# vtk DataFile") ||
      head.find("<VTKFile") != std::string_view::npos) {
    return MeshFormat::vtk_legacy;
  }
  if (head.find("MeshVersionFormatted") != std::string_view::npos) return MeshFormat::medit;
  if (contains_ignoring_case(head, "*VERTICES")) return MeshFormat::vega;
  const std::string extension = path.extension().string();
  const auto is = [&extension](std::string_view known) { return equal_ignoring_case(extension, known); };
  if (is(".msh")) return MeshFormat::gmsh;
  if (is(".mesh") || is(".meshb")) return MeshFormat::medit;
  if (is(".node") || is(".ele")) return MeshFormat::tetgen;
  if (is(".veg")) return MeshFormat::vega;
  if (is(".vtk")) return MeshFormat::vtk_legacy;
  throw MeshError(
      path.string(), 0,
      "the format is not known: Gmsh (.msh), Medit (.mesh, .meshb), TetGen (.node, .ele), Vega (.veg) and "
      "legacy VTK (.vtk) are read");
}

// "3 triangles, 2 lines": the cells of a file, other than those of `taken`.
inline std::vector<ReadReport::LeftAside> cells_besides(const CellMesh& cells, CellKind taken) {
  std::vector<ReadReport::LeftAside> besides;
  for (const CellKind kind : all_cell_kinds) {
    const std::size_t count = cells.cells(kind).count();
    if (kind != taken && count > 0) besides.push_back({std::string(cell_name(kind, count)), count});
  }
  for (const OtherCells& others : cells.others) {
    const bool one = others.kind && others.count == 1;
    besides.push_back({one ? std::to_string(others.nodes) + "-node " + std::string(cell_name(*others.kind, 1))
                           : others.name,
                       others.count});
  }
  return besides;
}

// Why a file without cells of `needed` cannot be used.
inline std::string reason_for_refusal(const CellMesh& cells, CellKind needed, std::string_view element) {
  std::string found;
  for (const auto& [name, count] : cells_besides(cells, needed)) {
    found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  const std::string need = std::string(element) + " needs " + std::string(cell_name(needed));
  if (found.empty()) return "the file holds no cells; " + need;
  std::string reason = "found " + found + "; " + need;
  int dimension = 0;
  bool higher_order = false;
  for (const CellKind kind : all_cell_kinds) {
    if (cells.cells(kind).count() > 0) dimension = std::max(dimension, cell_dimension(kind));
  }
  for (const OtherCells& others : cells.others) {
    dimension = std::max(dimension, others.dimension);
    higher_order = higher_order || others.kind == needed;
  }
  if (higher_order) {
    reason +=
        " of " + std::to_string(nodes_per_cell(needed)) +
        " nodes: save the mesh with first-order elements (in Gmsh: gmsh -order 1, or Mesh.ElementOrder = 1)";
  } else if (dimension == 2 && cell_dimension(needed) == 3) {
    reason += ": this is a surface mesh, and a volume mesh is needed (fill it with Gmsh, TetGen or fTetWild)";
  }
  return reason;
}

// Throws if a file has other cells of the dimension of `taken`: without them the body would have holes.
inline void require_no_holes(const CellMesh& cells, CellKind taken, std::string_view element) {
  const int dimension = cell_dimension(taken);
  CellMesh lost;
  for (const CellKind kind : all_cell_kinds) {
    if (kind != taken && cell_dimension(kind) == dimension) lost.cells(kind) = cells.cells(kind);
  }
  for (const OtherCells& others : cells.others) {
    if (others.dimension == dimension) lost.others.push_back(others);
  }
  std::string found;
  for (const auto& [name, count] : cells_besides(lost, taken)) {
    found += (found.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  if (!found.empty()) {
    throw MeshError(cells.file, 0,
                    "beside " + std::string(cell_name(taken)) + " the file holds " + found + ", which " +
                        std::string(element) +
                        " cannot use: the body would have holes. Convert the mesh, or pass a ReadReport to "
                        "read_mesh to take it without them");
  }
}

// The first rows of the positions; for a plane element z must be the same at all nodes, up to rounding.
template <class Scalar, int Dim>
NodeMatrix<Scalar, Dim> positions_of(const CellMesh& cells) {
  if (Dim == 2 && cells.nodes.cols() > 0) {
    Eigen::Index lowest = 0, highest = 0;
    const double bottom = cells.nodes.row(2).minCoeff(&lowest), top = cells.nodes.row(2).maxCoeff(&highest);
    constexpr double rounding = 1e-12;
    if (top - bottom > rounding * cells.nodes.cwiseAbs().maxCoeff()) {
      std::ostringstream reason;
      reason.precision(17);
      reason << "a plane mesh is needed, with the same z at all nodes; node " << lowest
             << " lies at z = " << bottom << ", node " << highest << " at z = " << top;
      throw MeshError(cells.file, 0, reason.str());
    }
  }
  NodeMatrix<Scalar, Dim> positions = cells.nodes.template topRows<Dim>().template cast<Scalar>();
  for (Eigen::Index i = 0; i < positions.size(); ++i) {
    if (!core::is_finite(static_cast<double>(positions.data()[i]))) {
      throw MeshError(cells.file, 0,
                      "a coordinate of node " + std::to_string(i / Dim) + " overflows the scalar type");
    }
  }
  return positions;
}

// The nodes of the groups of cells of less than `dimension`, ascending, by the group's name: that of the file
// or "surface 7", "line 7", "point 7". Region 0 is no group. Groups of one name make one set, also across
// dimensions.
inline std::map<std::string, std::vector<int>> node_sets_of(const CellMesh& cells, int dimension) {
  constexpr std::array<std::string_view, 3> nouns{"point", "line", "surface"};
  std::map<std::string, std::vector<int>> sets;
  const auto add = [&](std::size_t d, int group, std::span<const int> nodes) {
    if (group == 0) return;
    const auto name = cells.region_names[d].find(group);
    auto& set =
        sets[name != cells.region_names[d].end() ? name->second
                                                 : std::string(nouns[d]) + " " + std::to_string(group)];
    set.insert(set.end(), nodes.begin(), nodes.end());
  };
  for (const CellKind kind : all_cell_kinds) {
    if (cell_dimension(kind) >= dimension) continue;
    const CellBlock& block = cells.cells(kind);
    for (std::size_t i = 0; i < block.count(); ++i) {
      add(static_cast<std::size_t>(cell_dimension(kind)), block.regions[i], block.cell(i));
    }
  }
  for (std::size_t d = 0; d < cells.further_groups.size() && static_cast<int>(d) < dimension; ++d) {
    for (const auto& [group, nodes] : cells.further_groups[d]) add(d, group, nodes);
  }
  for (auto& [name, nodes] : sets) {
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }
  return sets;
}

}  // namespace detail::io

// All cells of a file. The format is determined by the content, otherwise by the extension. Throws MeshError
// with the file, the line in a text, and the reason.
inline CellMesh read_cells(const std::filesystem::path& path) {
  const std::string bytes = detail::io::file_bytes(path);
  const std::string file = path.string();
  switch (detail::io::mesh_format(bytes, path)) {
    case detail::io::MeshFormat::gmsh:
      return detail::io::parse_gmsh(bytes, file);
    case detail::io::MeshFormat::medit:
      return detail::io::parse_medit(bytes, file);
    case detail::io::MeshFormat::tetgen:
      return read_tetgen(path);
    case detail::io::MeshFormat::vega:
      return detail::io::parse_vega(bytes, file, detail::io::includes_beside(path));
    case detail::io::MeshFormat::vtk_legacy:
      break;
  }
  return detail::io::parse_vtk_legacy(bytes, file);
}

// The mesh of the cells of `ElementType`. Keeps all nodes and their order, including nodes without an
// element. Throws MeshError if there are no such cells; the reason lists the cells found.
template <Element ElementType,  // Tet4, ...
          class Scalar = double>
Mesh<ElementType, Scalar> take_elements(const CellMesh& cells, ReadReport& report) {
  constexpr CellKind kind = ElementType::cell_kind;
  const CellBlock& block = cells.cells(kind);
  if (block.count() == 0) {
    throw MeshError(cells.file, 0, detail::io::reason_for_refusal(cells, kind, ElementType::name));
  }
  Mesh<ElementType, Scalar> mesh;
  mesh.nodes = detail::io::positions_of<Scalar, ElementType::dim>(cells);
  const auto count = static_cast<Eigen::Index>(block.count());
  mesh.elements = Eigen::Map<const ElementMatrix<ElementType>>(block.nodes.data(), ElementType::nodes, count);
  mesh.regions = block.regions;
  mesh.region_names = cells.region_names[static_cast<std::size_t>(cell_dimension(kind))];
  mesh.node_sets = detail::io::node_sets_of(cells, cell_dimension(kind));
  report = {.file = cells.file,
            .format = cells.format,
            .element = std::string(ElementType::name),
            .cells = std::string(cell_name(kind, block.count())),
            .node_count = static_cast<std::size_t>(cells.nodes.cols()),
            .element_count = block.count(),
            .left_aside = detail::io::cells_besides(cells, kind),
            .remarks = cells.remarks};
  return mesh;
}

template <Element ElementType, class Scalar = double>
Mesh<ElementType, Scalar> read_mesh(const std::filesystem::path& path, ReadReport& report) {
  return take_elements<ElementType, Scalar>(read_cells(path), report);
}

// Other cells of the dimension of the element are an error here: without a report the user would not learn
// that a part of the body was skipped.
template <Element ElementType, class Scalar = double>
Mesh<ElementType, Scalar> read_mesh(const std::filesystem::path& path) {
  const CellMesh cells = read_cells(path);
  ReadReport report;
  auto mesh = take_elements<ElementType, Scalar>(cells, report);
  detail::io::require_no_holes(cells, ElementType::cell_kind, ElementType::name);
  return mesh;
}

}  // namespace pliant
