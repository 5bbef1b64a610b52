// Shared code of the readers of the Gmsh versions: the element types and the state of a file being read.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/node_tags.hpp>

namespace pliant::detail::io {

struct GmshElementType {
  int number;  // "elm-type" of the format
  CellKind kind;
  int nodes;
};

// The element types of Gmsh 2 and 4; the corner nodes come first in all of them. The table omits polygons and
// polyhedra, which have no fixed number of nodes, and elements without geometry, which have no use.
inline constexpr auto gmsh_element_types = std::to_array<GmshElementType>({
    {15, CellKind::vertex, 1},
    // complete orders 1 to 10
    {1, CellKind::line, 2},
    {8, CellKind::line, 3},
    {26, CellKind::line, 4},
    {27, CellKind::line, 5},
    {28, CellKind::line, 6},
    {62, CellKind::line, 7},
    {63, CellKind::line, 8},
    {64, CellKind::line, 9},
    {65, CellKind::line, 10},
    {66, CellKind::line, 11},
    {2, CellKind::triangle, 3},
    {9, CellKind::triangle, 6},
    {21, CellKind::triangle, 10},
    {23, CellKind::triangle, 15},
    {25, CellKind::triangle, 21},
    {42, CellKind::triangle, 28},
    {43, CellKind::triangle, 36},
    {44, CellKind::triangle, 45},
    {45, CellKind::triangle, 55},
    {46, CellKind::triangle, 66},
    {3, CellKind::quad, 4},
    {10, CellKind::quad, 9},
    {36, CellKind::quad, 16},
    {37, CellKind::quad, 25},
    {38, CellKind::quad, 36},
    {47, CellKind::quad, 49},
    {48, CellKind::quad, 64},
    {49, CellKind::quad, 81},
    {50, CellKind::quad, 100},
    {51, CellKind::quad, 121},
    {4, CellKind::tet, 4},
    {11, CellKind::tet, 10},
    {29, CellKind::tet, 20},
    {30, CellKind::tet, 35},
    {31, CellKind::tet, 56},
    {71, CellKind::tet, 84},
    {72, CellKind::tet, 120},
    {73, CellKind::tet, 165},
    {74, CellKind::tet, 220},
    {75, CellKind::tet, 286},
    {5, CellKind::hex, 8},
    {12, CellKind::hex, 27},
    {92, CellKind::hex, 64},
    {93, CellKind::hex, 125},
    {94, CellKind::hex, 216},
    {95, CellKind::hex, 343},
    {96, CellKind::hex, 512},
    {97, CellKind::hex, 729},
    {98, CellKind::hex, 1000},
    {6, CellKind::wedge, 6},
    {13, CellKind::wedge, 18},
    {90, CellKind::wedge, 40},
    {91, CellKind::wedge, 75},
    {106, CellKind::wedge, 126},
    {107, CellKind::wedge, 196},
    {108, CellKind::wedge, 288},
    {109, CellKind::wedge, 405},
    {110, CellKind::wedge, 550},
    {7, CellKind::pyramid, 5},
    {14, CellKind::pyramid, 14},
    {118, CellKind::pyramid, 30},
    {119, CellKind::pyramid, 55},
    {120, CellKind::pyramid, 91},
    {121, CellKind::pyramid, 140},
    {122, CellKind::pyramid, 204},
    {123, CellKind::pyramid, 285},
    {124, CellKind::pyramid, 385},
    // without inner nodes
    {20, CellKind::triangle, 9},
    {22, CellKind::triangle, 12},
    {24, CellKind::triangle, 15},
    {16, CellKind::quad, 8},
    {39, CellKind::quad, 12},
    {40, CellKind::quad, 16},
    {41, CellKind::quad, 20},
    {17, CellKind::hex, 20},
    {18, CellKind::wedge, 15},
    {19, CellKind::pyramid, 13},
});

class GmshFile {
 public:
  explicit GmshFile(Input& input) : in(input) { mesh.file = input.file(); }

  Input& in;
  CellMesh mesh;
  bool binary = false;

  // Most programs write one record per line, but any blank may separate two numbers. So a record that does
  // not end with its line is an error only if the section is inconsistent, for which it is then the best
  // explanation.
  void end_of_row(const char* after) {
    if (binary || misfit_ || in.at_line_end()) return;
    const std::size_t position = in.position();
    misfit_ = in.error_at(position, "unexpected " + in_quotes(in.peek_word()) + " after " + after);
  }

  // Runs `read`, which reads a section and its end.
  template <class Read>
  void section(const Read& read) {
    const bool misfit_before = misfit_.has_value();
    try {
      read();
    } catch (const MeshError& error) {
      if (!misfit_) throw;
      // In the same section the misfit is the likely cause, in a later section a possible one.
      const MeshError& first = misfit_before ? error : *misfit_;
      const MeshError& second = misfit_before ? *misfit_ : error;
      throw MeshError(
          first.file(), first.line(),
          first.reason() + " (line " + std::to_string(second.line()) + ": " + second.reason() + ")");
    }
  }

  const GmshElementType& element_type(std::int64_t number) const {
    const auto* type = std::find_if(gmsh_element_types.begin(), gmsh_element_types.end(),
                                    [number](const GmshElementType& t) { return t.number == number; });
    if (type == gmsh_element_types.end()) {
      in.fail("the element type " + std::to_string(number) + " is not known");
    }
    return *type;
  }

  // Called once the tags of all nodes are known.
  void set_node_tags(std::vector<std::int64_t> tags) {
    node_tags_ = NodeTags(std::move(tags));
    if (node_tags_.repeated()) {
      in.fail("the node number " + std::to_string(*node_tags_.repeated()) + " is given twice");
    }
  }

  int node(std::int64_t tag) const {
    const int index = node_tags_.find(tag);
    if (index < 0)
      in.fail("an element refers to node " + std::to_string(tag) + ", which the file does not define");
    return index;
  }

  // The first group is the region of the element.
  void add_element(const GmshElementType& type, std::int64_t number,
                   std::span<const std::int64_t> physical_groups) {
    // A negative group number means that the orientation is reversed, which has been done to the nodes
    // already.
    const auto group = [&](std::size_t k) { return std::abs(in.region_number(physical_groups[k])); };
    collector_.add({type.kind, type.nodes}, element_nodes(type), group(0));
    numbers_.push_back(number);
    const bool in_sets = type.nodes == nodes_per_cell(type.kind) && cell_dimension(type.kind) < 3;
    for (std::size_t k = 1; in_sets && k < physical_groups.size(); ++k) {
      auto& set = mesh.further_groups[static_cast<std::size_t>(cell_dimension(type.kind))][group(k)];
      set.insert(set.end(), element_nodes(type).begin(), element_nodes(type).end());
    }
  }

  // Room for the nodes of the element being read.
  std::span<int> element_nodes(const GmshElementType& type) {
    return std::span(nodes_).first(static_cast<std::size_t>(type.nodes));
  }

  // Element numbers should be unique; nothing here depends on it.
  void remark_repeated_elements() {
    if (std::is_sorted(numbers_.begin(), numbers_.end(), std::less_equal<>())) return;
    std::sort(numbers_.begin(), numbers_.end());
    const auto repeated = std::adjacent_find(numbers_.begin(), numbers_.end());
    if (repeated == numbers_.end()) return;
    const auto range = std::equal_range(repeated, numbers_.end(), *repeated);
    mesh.remarks.push_back("the element number " + std::to_string(*repeated) + " is used " +
                           std::to_string(range.second - range.first) + " times; all elements are kept");
  }

 private:
  std::optional<MeshError> misfit_;  // the first record that does not end with its line
  NodeTags node_tags_;
  CellCollector collector_{mesh};
  std::array<int, 1000> nodes_{};      // the largest element of the table
  std::vector<std::int64_t> numbers_;  // of the elements
};

}  // namespace pliant::detail::io
