// Medit's mesh files: text (.mesh) and binary (.meshb, versions 1 to 4, either byte order). Reference numbers
// become regions. Reference: P. J. Frey, "MEDIT: an interactive mesh visualization software", 2001; L.
// Marechal's libMeshb for the binary form and its keyword codes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>

namespace pliant {
namespace detail::io {

struct MeditSection {
  std::string_view keyword;  // in text
  int code;                  // in binary
  CellKind kind;
  int nodes;  // per cell; corners come first
};

inline constexpr auto medit_sections = std::to_array<MeditSection>({
    {"Edges", 5, CellKind::line, 2},
    {"Triangles", 6, CellKind::triangle, 3},
    {"Quadrilaterals", 7, CellKind::quad, 4},
    {"Tetrahedra", 8, CellKind::tet, 4},
    {"Prisms", 9, CellKind::wedge, 6},
    {"Hexahedra", 10, CellKind::hex, 8},
    {"Hexaedra", 10, CellKind::hex, 8},  // other names of the two
    {"Pentahedra", 9, CellKind::wedge, 6},
    {"Pyramids", 49, CellKind::pyramid, 5},
    {"TrianglesP2", 24, CellKind::triangle, 6},
    {"EdgesP2", 25, CellKind::line, 3},
    {"QuadrilateralsQ2", 27, CellKind::quad, 9},
    {"TetrahedraP2", 30, CellKind::tet, 10},
    {"HexahedraQ2", 33, CellKind::hex, 27},
    {"PrismsP2", 86, CellKind::wedge, 18},
    {"PyramidsP2", 87, CellKind::pyramid, 14},
    {"QuadrilateralsQ3", 88, CellKind::quad, 16},
    {"QuadrilateralsQ4", 89, CellKind::quad, 25},
    {"TrianglesP3", 90, CellKind::triangle, 10},
    {"TrianglesP4", 91, CellKind::triangle, 15},
    {"EdgesP3", 92, CellKind::line, 4},
    {"EdgesP4", 93, CellKind::line, 5},
    {"TetrahedraP3", 96, CellKind::tet, 20},
    {"TetrahedraP4", 97, CellKind::tet, 35},
    {"HexahedraQ3", 98, CellKind::hex, 64},
    {"HexahedraQ4", 99, CellKind::hex, 125},
    {"PyramidsP3", 100, CellKind::pyramid, 30},
    {"PyramidsP4", 101, CellKind::pyramid, 55},
    {"PrismsP3", 102, CellKind::wedge, 40},
    {"PrismsP4", 103, CellKind::wedge, 75},
});

inline const MeditSection* medit_section(auto&& matches) {
  const auto* section = std::find_if(medit_sections.begin(), medit_sections.end(), matches);
  return section == medit_sections.end() ? nullptr : section;
}

class MeditParser {
 public:
  MeditParser(std::string_view bytes, std::string file)
      : in_(bytes, std::move(file), TextSyntax{.comment = '#'}) {
    mesh_.file = in_.file();
  }

  CellMesh parse() {
    if (has_binary_start()) {
      read_binary();
    } else {
      read_text();
    }
    if (!has_vertices_) in_.fail("has no Vertices section");
    for (const auto& [position, section] : postponed_) {
      in_.seek(position);
      read_cells(*section);
    }
    return std::move(mesh_);
  }

 private:
  static constexpr int code_dimension = 3;
  static constexpr int code_vertices = 4;
  static constexpr int code_end = 54;
  static constexpr int code_limit = 1000;  // far above the codes in use; larger ones are not keywords

  // The int 1, in either byte order.
  bool has_binary_start() const {
    const std::string_view start = in_.rest().substr(0, 4);
    return start == std::string_view("\1\0\0\0", 4) || start == std::string_view("\0\0\0\1", 4);
  }

  // Text: a keyword, most often a count, and rows of numbers
  // -------------------------------------------------------

  void read_text() {
    const std::string_view first = in_.next_word();
    if (first != "MeshVersionFormatted") {
      in_.fail("is not a Medit file: begins with " + in_quotes(first) + ", not with MeshVersionFormatted");
    }
    read_version();
    mesh_.format = "Medit";
    std::string skipped;
    while (true) {
      const std::string_view keyword = in_.next_word();
      if (keyword.empty() || keyword == "End") break;
      if (!is_keyword(keyword)) in_.fail("expected a keyword, found " + in_quotes(keyword));
      const MeditSection* section =
          medit_section([keyword](const MeditSection& s) { return s.keyword == keyword; });
      if (keyword == "MeshVersionFormatted") {
        read_version();
      } else if (keyword == "Dimension") {
        set_dimension(in_.integer("the dimension"));
      } else if (keyword == "Vertices") {
        read_vertices();
      } else if (section == nullptr) {
        skipped += (skipped.empty() ? "" : ", ") + std::string(keyword);
        skip_content();
      } else if (has_vertices_) {
        read_cells(*section);
      } else {
        postponed_.emplace_back(in_.position(), section);
        skip_content();
      }
    }
    if (!skipped.empty()) mesh_.remarks.push_back("sections left aside: " + skipped);
  }

  void read_version() {
    const std::int64_t version = in_.integer("the version of the format");
    if (version < 1 || version > 4) {
      in_.fail("MeshVersionFormatted " + std::to_string(version) + " is not known: 1 to 4 are");
    }
  }

  static bool is_keyword(std::string_view word) {
    const char c = word.front();
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  // The content of a section that is not used: numbers, and names of files in quotes.
  void skip_content() {
    while (true) {
      const std::string_view word = in_.peek_word();
      if (word.empty() || (is_keyword(word) && !Input::is_not_finite_word(word))) return;
      if (word.front() == '"') {
        skip_quoted();
      } else {
        in_.next_word();
      }
    }
  }

  // Up to the second quote, blanks and keywords included, or to the end of the line.
  void skip_quoted() {
    const std::size_t start = in_.position();
    const std::size_t quote = in_.line().find('"', 1);
    if (quote != std::string_view::npos) in_.seek(start + quote + 1);
  }

  // Binary: int 1, version, then per section "code, position of the next section, content"
  // -------------------------

  void read_binary() {
    const bool swap = in_.number<std::int32_t>("the byte-order mark") != 1;
    in_.set_binary(swap);
    binary_ = true;
    version_ = in_.number<std::int32_t>("the version of the format");
    if (version_ < 1 || version_ > 4)
      in_.fail("the version " + std::to_string(version_) + " is not known: 1 to 4 are");
    mesh_.format = "Medit (binary, version " + std::to_string(version_) + ")";
    while (in_.remaining() > 0) {
      const auto code = in_.number<std::int32_t>("a keyword code");
      if (code == code_end) return;
      if (code < 1 || code >= code_limit)
        in_.fail("the keyword code " + std::to_string(code) + " is not known");
      const std::uint64_t next = version_ < 3 ? in_.number<std::uint32_t>("the position of the next keyword")
                                              : in_.number<std::uint64_t>("the position of the next keyword");
      // Only forwards, so that no file reads for ever. The last section may name none.
      const bool last = next == 0;
      if (!last && (next < in_.position() || next > in_.size()))
        in_.fail("the position of the next keyword is outside the file");
      const MeditSection* section = medit_section([code](const MeditSection& s) { return s.code == code; });
      if (code == code_dimension) {
        set_dimension(in_.number<std::int32_t>("the dimension"));
      } else if (code == code_vertices) {
        read_vertices();
      } else if (section != nullptr && has_vertices_) {
        read_cells(*section);
      } else if (section != nullptr) {
        postponed_.emplace_back(in_.position(), section);
      }
      if (last) return;
      if (in_.position() > next) in_.fail("a section is longer than the position of the next keyword allows");
      in_.seek(static_cast<std::size_t>(next));
    }
  }

  // Both
  // -----------------------------------------------------------------------------------------------------------

  std::int64_t integer(const char* what) {
    if (!binary_) return in_.integer(what);
    return version_ < 4 ? in_.number<std::int32_t>(what) : in_.number<std::int64_t>(what);
  }

  double real(const char* what) {
    if (!binary_) return in_.real(what);
    return version_ == 1 ? in_.finite_number<float>(what) : in_.finite_number<double>(what);
  }

  // Bytes that an integer, or a real, takes at least.
  std::size_t integer_bytes() const { return binary_ ? (version_ < 4 ? 4 : 8) : 2; }
  std::size_t real_bytes() const { return binary_ ? (version_ == 1 ? 4 : 8) : 2; }

  void set_dimension(std::int64_t dimension) {
    if (dimension != 2 && dimension != 3)
      in_.fail("the dimension is " + std::to_string(dimension) + ", neither 2 nor 3");
    if (has_vertices_) in_.fail("the dimension is given after the vertices");
    dimension_ = static_cast<int>(dimension);
  }

  // Per vertex "x y z reference", in two dimensions "x y reference".
  void read_vertices() {
    if (dimension_ == 0) in_.fail("the vertices come before the dimension");
    if (has_vertices_) in_.fail("a second Vertices section");
    has_vertices_ = true;
    const std::size_t bytes_each = static_cast<std::size_t>(dimension_) * real_bytes() + integer_bytes();
    const std::size_t count = in_.count(integer("the number of vertices"), bytes_each, "vertices");
    mesh_.nodes.setZero(3, static_cast<Eigen::Index>(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (!binary_) in_.expect_item(i, count, "vertices");
      const auto column = static_cast<Eigen::Index>(i);
      for (int axis = 0; axis < dimension_; ++axis) mesh_.nodes(axis, column) = real("a coordinate");
      // Not used; TetGen writes an attribute, which need not be whole.
      if (binary_) {
        integer("the reference number of a vertex");
      } else {
        in_.real("the reference number of a vertex");
      }
    }
  }

  // Per cell "nodes... reference", nodes numbered from 1.
  void read_cells(const MeditSection& section) {
    const std::size_t bytes_each = (static_cast<std::size_t>(section.nodes) + 1) * integer_bytes();
    const std::size_t count = in_.count(integer("the number of cells"), bytes_each, section.keyword.data());
    const auto node_count = static_cast<std::size_t>(mesh_.nodes.cols());
    std::vector<int> nodes(static_cast<std::size_t>(section.nodes));
    for (std::size_t i = 0; i < count; ++i) {
      if (!binary_) in_.expect_item(i, count, section.keyword.data());
      for (int& node : nodes) node = in_.node_index(integer("a node of a cell"), 1, node_count);
      const int region = in_.region_number(integer("the reference number of a cell"));
      collector_.add({section.kind, section.nodes}, nodes, region);
    }
  }

  Input in_;
  CellMesh mesh_;
  CellCollector collector_{mesh_};
  bool binary_ = false;
  std::int32_t version_ = 0;  // of the binary format
  int dimension_ = 0;
  bool has_vertices_ = false;
  // Sections of cells that came before the vertices: where they start.
  std::vector<std::pair<std::size_t, const MeditSection*>> postponed_;
};

// `file` is for messages.
inline CellMesh parse_medit(std::string_view bytes, std::string file) {
  return MeditParser(bytes, std::move(file)).parse();
}

}  // namespace detail::io

// Throws MeshError.
inline CellMesh read_medit(const std::filesystem::path& path) {
  return detail::io::parse_medit(detail::io::file_bytes(path), path.string());
}

}  // namespace pliant
