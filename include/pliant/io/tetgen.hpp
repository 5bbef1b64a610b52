// TetGen's files: nodes in .node, cells in .ele beside it, and, if present, triangles in .face and lines in
// .edge. Numbered from 0 or from 1. The first attribute of a cell, or the marker of a face or edge, becomes
// its region. The two-dimensional files of Triangle have the same form and are read too. Reference: H. Si,
// TetGen manual, "File formats".
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>

namespace pliant {
namespace detail::io {

// The bytes of one file, and its name for messages.
struct NamedBytes {
  std::string_view bytes;
  std::string file;
};

class TetgenParser {
 public:
  TetgenParser() { mesh_.format = "TetGen"; }

  // "count dimension attributes markers", then per node "number x y z attributes... marker".
  void read_nodes(const NamedBytes& source) {
    Input in(source.bytes, source.file, syntax);
    mesh_.file = source.file;
    const auto [declared, dimension, attributes, markers] = header(in, "the number of nodes", {0, 3, 0, 0});
    if (dimension != 2 && dimension != 3) {
      in.fail("the dimension is " + std::to_string(dimension) + ", neither 2 nor 3");
    }
    if (markers != 0 && markers != 1)
      in.fail("the marker flag is " + std::to_string(markers) + ", neither 0 nor 1");
    const std::size_t extra = in.count(attributes, 2, "attributes");
    dimension_ = static_cast<int>(dimension);
    // Without the last columns, because a row that lacks them has its own message.
    const std::size_t bytes_each = 2 * (1 + static_cast<std::size_t>(dimension));
    const std::size_t count = in.count(declared, bytes_each, "nodes");
    mesh_.nodes.setZero(3, static_cast<Eigen::Index>(count));
    for (Eigen::Index i = 0; i < mesh_.nodes.cols(); ++i) {
      in.expect_item(static_cast<std::size_t>(i), count, "nodes");
      const std::int64_t number = in.integer("a node number");
      if (i == 0) base_ = number;
      if (base_ != 0 && base_ != 1)
        in.fail("the first node has the number " + std::to_string(base_) + ", neither 0 nor 1");
      if (number != base_ + i) {
        in.fail("the node number " + std::to_string(number) + " is out of order: expected " +
                std::to_string(base_ + i));
      }
      for (int axis = 0; axis < dimension_; ++axis) mesh_.nodes(axis, i) = in.real("a coordinate");
      for (std::size_t k = 0; k < extra; ++k) {
        require_column(in, "node", number, k, extra, "attributes");
        in.real("an attribute of a node");
      }
      if (markers == 1) {
        require_column(in, "node", number, 0, 1, "boundary marker");
        in.real("the boundary marker of a node");
      }
      in.expect_line_end("the last column of a node");
    }
    expect_end(in, "nodes");
  }

  // "count nodes-per-cell attributes", then per cell "number nodes... attributes...".
  void read_cells(const NamedBytes& source) {
    Input in(source.bytes, source.file, syntax);
    const CellKind kind = dimension_ == 3 ? CellKind::tet : CellKind::triangle;
    const auto [declared, width, attributes, unused] =
        header(in, "the number of cells", {0, nodes_per_cell(kind), 0, 0});
    const int second_order = dimension_ == 3 ? 10 : 6;
    if (width != nodes_per_cell(kind) && width != second_order) {
      in.fail("cells of " + std::to_string(width) + " nodes are not known: " +
              std::to_string(nodes_per_cell(kind)) + " or " + std::to_string(second_order) + " are");
    }
    const CellType type{kind, static_cast<int>(width)};
    const std::size_t extra = in.count(attributes, 2, "attributes");
    second_order_ = width == second_order;
    const std::size_t count = in.count(declared, 2 * (1 + static_cast<std::size_t>(width)), "cells");
    const auto read_row = [&](std::size_t row) {
      in.expect_item(row, count, "cells");
      const std::int64_t cell = read_nodes_of_cell(in, type);
      int region = 0;
      for (std::size_t k = 0; k < extra; ++k) {
        require_column(in, "cell", cell, k, extra, "attributes");
        const double attribute = in.real("an attribute of a cell");
        if (k == 0) region = region_of(attribute);
      }
      in.expect_line_end("the last column of a cell");
      return region;
    };
    read_rows(in, type, count, read_row);
    expect_end(in, "cells");
    if (fractional_region_) {
      mesh_.remarks.push_back(
          "some attributes of cells are not whole numbers; the region of those cells is 0");
    }
  }

  // "count markers", then per face or edge "number nodes... marker"; TetGen can add columns. Beside cells of
  // second order the faces and edges are so too: the nodes in the middle of their edges follow the corners.
  void read_facets(const NamedBytes& source, CellKind kind) {
    Input in(source.bytes, source.file, syntax);
    const auto [declared, markers, unused, unused_too] = header(in, "the number of facets", {0, 0, 0, 0});
    const bool marked = markers != 0;
    CellType type{kind, nodes_per_cell(kind)};
    const int second_order = kind == CellKind::triangle ? 6 : 3;
    if (second_order_ && columns_of_row(in) >= 1 + second_order + (marked ? 1 : 0)) type.nodes = second_order;
    const std::size_t count = in.count(declared, 2 * (1 + static_cast<std::size_t>(type.nodes)), "facets");
    const auto read_row = [&](std::size_t row) {
      in.expect_item(row, count, "facets");
      read_nodes_of_cell(in, type);
      const int region =
          marked && !in.at_line_end() ? in.region_number(in.integer("the marker of a facet")) : 0;
      in.line();
      return region;
    };
    read_rows(in, type, count, read_row);
    expect_end(in, "facets");
  }

  CellMesh result() { return std::move(mesh_); }

 private:
  static constexpr TextSyntax syntax{.comment = '#'};

  // The numbers of the first line; missing ones keep their `defaults`.
  static std::array<std::int64_t, 4> header(Input& in, const char* count,
                                            std::array<std::int64_t, 4> defaults) {
    defaults[0] = in.integer(count);
    for (std::size_t i = 1; i < 4 && !in.at_line_end(); ++i)
      defaults[i] = in.integer("a number of the header");
    in.expect_line_end("the header");
    return defaults;
  }

  // Throws because the row of an item ends before column k of `count`.
  static void require_column(Input& in, const char* item, std::int64_t number, std::size_t k,
                             std::size_t count, const char* columns) {
    if (!in.at_line_end()) return;
    in.fail(std::string(item) + " " + std::to_string(number) + " has " +
            (count == 1 ? "no" : std::to_string(k) + " of its " + std::to_string(count)) + " " + columns +
            ", which the header declares");
  }

  // The number of words in the next row.
  static int columns_of_row(Input& in) {
    const std::size_t start = in.position();
    int columns = 0;
    for (bool more = !in.next_word().empty(); more; more = !in.at_line_end() && !in.next_word().empty()) {
      ++columns;
    }
    in.seek(start);
    return columns;
  }

  // Returns the number of the cell.
  std::int64_t read_nodes_of_cell(Input& in, const CellType& type) {
    const std::int64_t cell = in.integer("the number of a cell");
    for (int k = 0; k < type.nodes; ++k) {
      const std::int64_t number = in.integer("a node of a cell");
      // A zero among nodes numbered from 1 is not yet an error: see read_rows.
      const bool postponed = looking_for_zero_ && number == 0;
      found_zero_ = found_zero_ || postponed;
      nodes_[static_cast<std::size_t>(k)] =
          postponed ? 0 : in.node_index(number, cell_base_, static_cast<std::size_t>(mesh_.nodes.cols()));
    }
    return cell;
  }

  // Some programs number the nodes from 1 in .node and from 0 in .ele. The zero shows it, and then every
  // index is taken from 0, and must fit. The opposite mixture cannot be distinguished from a wrong index.
  template <class ReadRow>
  void read_rows(Input& in, const CellType& type, std::size_t count, const ReadRow& read_row) {
    if (!base_decided_) {
      base_decided_ = true;
      cell_base_ = base_;
      looking_for_zero_ = base_ == 1;
      const std::size_t start = in.position();
      for (std::size_t i = 0; i < count && looking_for_zero_ && !found_zero_; ++i) read_row(i);
      looking_for_zero_ = false;
      in.seek(start);
      if (found_zero_) {
        cell_base_ = 0;
        mesh_.remarks.push_back("the nodes are numbered from 1, but the cells refer to them from 0");
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const int region = read_row(i);
      collector_.add(type, std::span(nodes_).first(static_cast<std::size_t>(type.nodes)), region);
    }
  }

  int region_of(double attribute) {
    const bool whole =
        std::floor(attribute) == attribute && std::abs(attribute) <= std::numeric_limits<int>::max();
    fractional_region_ = fractional_region_ || !whole;
    return whole ? static_cast<int>(attribute) : 0;
  }

  static void expect_end(Input& in, const char* items) {
    const std::string_view word = in.peek_word();
    if (!word.empty())
      in.fail("more follows after the declared number of " + std::string(items) + ": " + in_quotes(word));
  }

  CellMesh mesh_;
  CellCollector collector_{mesh_};
  int dimension_ = 3;
  std::int64_t base_ = 0;       // number of the first node in .node
  std::int64_t cell_base_ = 0;  // number of the first node in references of cells
  bool base_decided_ = false;
  bool looking_for_zero_ = false;
  bool found_zero_ = false;
  bool fractional_region_ = false;
  bool second_order_ = false;    // the cells
  std::array<int, 10> nodes_{};  // of the cell being read
};

inline CellMesh parse_tetgen(const NamedBytes& nodes, const NamedBytes& cells,
                             const std::optional<NamedBytes>& faces = {},
                             const std::optional<NamedBytes>& edges = {}) {
  TetgenParser parser;
  parser.read_nodes(nodes);
  parser.read_cells(cells);
  if (faces) parser.read_facets(*faces, CellKind::triangle);
  if (edges) parser.read_facets(*edges, CellKind::line);
  return parser.result();
}

}  // namespace detail::io

// `path`: the .node or the .ele file; the others are looked for beside it. Throws MeshError.
inline CellMesh read_tetgen(const std::filesystem::path& path) {
  const auto sibling = [&path](const char* extension) {
    return std::filesystem::path(path).replace_extension(extension);
  };
  const auto optional_bytes = [](const std::filesystem::path& file) -> std::optional<std::string> {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return std::nullopt;
    return detail::io::file_bytes(file);
  };
  const auto named = [](const std::optional<std::string>& bytes, const std::filesystem::path& file) {
    return bytes ? std::optional(detail::io::NamedBytes{*bytes, file.string()}) : std::nullopt;
  };
  const std::string nodes = detail::io::file_bytes(sibling(".node"));
  const std::string cells = detail::io::file_bytes(sibling(".ele"));
  const std::optional<std::string> faces = optional_bytes(sibling(".face"));
  const std::optional<std::string> edges = optional_bytes(sibling(".edge"));
  return detail::io::parse_tetgen({nodes, sibling(".node").string()}, {cells, sibling(".ele").string()},
                                  named(faces, sibling(".face")), named(edges, sibling(".edge")));
}

}  // namespace pliant
