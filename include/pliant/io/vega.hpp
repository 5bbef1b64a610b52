// The volumetric mesh files of Vega (.veg): vertices, elements (TET, CUBIC), element sets, and regions that
// give a material to a set. The regions of the file, numbered from 1 in their order and named after their
// set, become regions here; the materials themselves are not used. *INCLUDE takes files of the same folder or
// below. Reference: Sin, Schroeder, Barbic, "Vega: Non-Linear FEM Deformable Object Simulator", 2013, and its
// manual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>

namespace pliant {
namespace detail::io {

// The bytes of an included file, by the name that the including file gives.
using IncludeResolver = std::function<std::optional<std::string>(const std::filesystem::path&)>;

// A text with its included files inserted.
class VegaText {
 public:
  VegaText(std::string_view bytes, const std::string& file, const IncludeResolver& resolve)
      : resolve_(resolve), folder_(std::filesystem::path(file).parent_path()) {
    included_.insert(std::filesystem::path(file).filename());
    append(bytes, file);
  }

  const std::string& bytes() const { return text_; }
  const std::vector<Origin>& origins() const { return origins_; }

 private:
  void append(std::string_view bytes, const std::string& file) {
    const Input source(bytes, file);  // for messages
    std::size_t piece = 0;
    std::size_t line_base = 0;
    for (std::size_t start = 0; start < bytes.size();) {
      const std::size_t end = std::min(bytes.find_first_of("\r\n", start), bytes.size());
      const std::string_view line = trimmed(bytes.substr(start, end - start));
      if (equal_ignoring_case(line.substr(0, keyword.size()), keyword)) {
        append_piece(bytes.substr(piece, start - piece), file, line_base);
        include(std::filesystem::path(std::string(trimmed(line.substr(keyword.size())))), source, start);
        line_base += source.line_ends(piece, end);
        piece = end;
      }
      start = end + 1;
    }
    append_piece(bytes.substr(piece), file, line_base);
  }

  void append_piece(std::string_view bytes, const std::string& file, std::size_t line_base) {
    origins_.push_back({text_.size(), file, line_base});
    text_ += bytes;
  }

  void include(const std::filesystem::path& name, const Input& source, std::size_t position) {
    const std::filesystem::path path = name.lexically_normal();
    if (path.empty() || path.is_absolute() || *path.begin() == "..") {
      source.fail("the included file " + in_quotes(name.string()) + " does not lie in the folder of the mesh",
                  position);
    }
    // This ends circular includes (also of the mesh file itself) and includes that multiply.
    if (!included_.insert(path).second) {
      source.fail("the file " + in_quotes(name.string()) + " is included more than once", position);
    }
    const std::optional<std::string> bytes = resolve_(path);
    if (!bytes) source.fail("the included file " + in_quotes(name.string()) + " cannot be read", position);
    append(*bytes, (folder_ / path).string());
  }

  static std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }

  static constexpr std::string_view keyword = "*INCLUDE";

  const IncludeResolver& resolve_;
  std::filesystem::path folder_;  // of the mesh file
  std::string text_;
  std::vector<Origin> origins_;
  std::set<std::filesystem::path> included_;
};

class VegaParser {
 public:
  VegaParser(std::string_view bytes, std::vector<Origin> origins)
      : in_(bytes, std::move(origins), TextSyntax{.comment = '#', .separator = ','}) {
    mesh_.file = in_.file();
    mesh_.format = "Vega";
  }

  CellMesh parse() {
    while (!in_.peek_word().empty()) read_section();
    if (!has_vertices_) in_.fail("has no *VERTICES section: not a Vega mesh");
    if (!has_elements_) in_.fail("has no *ELEMENTS section");
    number_regions();
    if (!materials_.empty())
      mesh_.remarks.push_back("materials left aside: " + std::to_string(materials_.size()));
    return std::move(mesh_);
  }

 private:
  struct Region {
    std::string set;
    std::string material;
    std::size_t position;  // in the file, for messages
  };

  void read_section() {
    const std::string_view keyword = in_.next_word();
    const auto is = [keyword](std::string_view name) { return equal_ignoring_case(keyword, name); };
    if (is("*VERTICES")) {
      read_vertices();
    } else if (is("*ELEMENTS")) {
      read_elements();
    } else if (is("*MATERIAL")) {
      materials_.insert(std::string(in_.word("the name of a material")));
      skip_section();
    } else if (is("*SET")) {
      read_set();
    } else if (is("*REGION")) {
      const std::string set(in_.word("the set of a region"));
      const std::size_t position = in_.position();
      regions_.push_back({set, std::string(in_.word("the material of a region")), position});
    } else if (keyword[0] == '*') {
      mesh_.remarks.push_back("section left aside: " + std::string(keyword.substr(0, 40)));
      skip_section();
    } else {
      in_.fail("expected a section such as *VERTICES, found " + in_quotes(keyword));
    }
  }

  void skip_section() {
    while (in_section()) in_.next_word();
  }

  bool in_section() {
    const std::string_view word = in_.peek_word();
    return !word.empty() && word[0] != '*';
  }

  // "count 3 0 0", then per vertex "number x y z".
  void read_vertices() {
    if (has_vertices_) in_.fail("a second *VERTICES section");
    has_vertices_ = true;
    const std::int64_t declared = in_.integer("the number of vertices");
    if (in_.integer("the dimension") != 3) in_.fail("the dimension of the vertices is not 3");
    in_.line();
    const std::size_t count = in_.count(declared, 8, "vertices");
    mesh_.nodes.resize(3, static_cast<Eigen::Index>(count));
    for (Eigen::Index i = 0; i < mesh_.nodes.cols(); ++i) {
      in_.expect_item(static_cast<std::size_t>(i), count, "vertices");
      expect_number("vertex", i, vertex_base_);
      for (int axis = 0; axis < 3; ++axis) mesh_.nodes(axis, i) = in_.real("a coordinate");
      in_.expect_line_end("the coordinates of a vertex");
    }
  }

  // The type, "count nodes-per-element 0", then per element "number nodes...".
  void read_elements() {
    if (!has_vertices_) in_.fail("the *ELEMENTS section comes before the *VERTICES section");
    if (has_elements_) in_.fail("a second *ELEMENTS section");
    has_elements_ = true;
    const std::string_view type = in_.word("the type of the elements");
    if (equal_ignoring_case(type, "TET")) {
      kind_ = CellKind::tet;
    } else if (equal_ignoring_case(type, "CUBIC")) {
      kind_ = CellKind::hex;
    } else {
      in_.fail("the element type " + in_quotes(type) + " is not known: TET and CUBIC are");
    }
    const std::int64_t declared = in_.integer("the number of elements");
    const int width = nodes_per_cell(kind_);
    if (const std::int64_t given = in_.integer("the number of nodes per element"); given != width) {
      in_.fail(std::to_string(given) + " nodes per element are declared: " + std::string(type) + " has " +
               std::to_string(width));
    }
    in_.line();
    const std::size_t count = in_.count(declared, 2 * (1 + static_cast<std::size_t>(width)), "elements");
    CellBlock& cells = mesh_.cells(kind_);
    cells.nodes.reserve(count * static_cast<std::size_t>(width));
    cells.regions.assign(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
      in_.expect_item(i, count, "elements");
      expect_number("element", static_cast<std::int64_t>(i), element_base_);
      for (int k = 0; k < width; ++k) {
        cells.nodes.push_back(in_.node_index(in_.integer("a node of an element"), vertex_base_,
                                             static_cast<std::size_t>(mesh_.nodes.cols())));
      }
      in_.expect_line_end("the nodes of an element");
    }
  }

  // Vertices, and elements, are numbered from 0 or from 1, as the first of them shows.
  void expect_number(const std::string& item, std::int64_t index, std::int64_t& base) {
    const std::int64_t number = in_.integer("the number of a vertex or element");
    if (index == 0) base = number;
    if (base != 0 && base != 1)
      in_.fail("the first " + item + " has the number " + std::to_string(base) + ", neither 0 nor 1");
    if (number != base + index) {
      in_.fail("the " + item + " number " + std::to_string(number) + " is out of order: expected " +
               std::to_string(base + index));
    }
  }

  // A name, then element numbers up to the next section.
  void read_set() {
    if (!has_elements_) in_.fail("a *SET section comes before the *ELEMENTS section");
    const std::string name(in_.word("the name of a set"));
    std::vector<std::size_t>& elements = sets_[name];
    const std::size_t count = mesh_.cells(kind_).count();
    while (in_section()) {
      const std::int64_t number = in_.integer("an element of a set");
      const std::uint64_t index =
          static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(element_base_);
      if (number < element_base_ || index >= count) {
        in_.fail("the set " + in_quotes(name) + " refers to element " + std::to_string(number) +
                 ", which does not exist");
      }
      elements.push_back(static_cast<std::size_t>(index));
    }
  }

  // If regions overlap, the later one applies; so the last is processed first, and each set is visited once.
  void number_regions() {
    std::vector<int>& cell_regions = mesh_.cells(kind_).regions;
    std::set<std::string> visited;
    for (std::size_t i = regions_.size(); i-- > 0;) {
      const Region& region = regions_[i];
      const int number = static_cast<int>(i) + 1;
      const bool all = region.set == "allElements";
      const auto set = sets_.find(region.set);
      if (!all && set == sets_.end())
        in_.fail("the set " + in_quotes(region.set) + " is not defined", region.position);
      if (!materials_.contains(region.material)) {
        in_.fail("the material " + in_quotes(region.material) + " is not defined", region.position);
      }
      mesh_.region_names[3][number] = region.set;
      if (!visited.insert(region.set).second) continue;
      const auto give = [&](std::size_t element) {
        if (cell_regions[element] == 0) cell_regions[element] = number;
      };
      if (all) {
        for (std::size_t element = 0; element < cell_regions.size(); ++element) give(element);
      } else {
        for (const std::size_t element : set->second) give(element);
      }
    }
  }

  Input in_;
  CellMesh mesh_;
  bool has_vertices_ = false;
  bool has_elements_ = false;
  CellKind kind_ = CellKind::tet;
  std::int64_t vertex_base_ = 1;
  std::int64_t element_base_ = 1;
  std::map<std::string, std::vector<std::size_t>> sets_;
  std::set<std::string> materials_;
  std::vector<Region> regions_;
};

// `file` is for messages.
inline CellMesh parse_vega(std::string_view bytes, const std::string& file, const IncludeResolver& resolve) {
  const VegaText text(bytes, file, resolve);
  return VegaParser(text.bytes(), text.origins()).parse();
}

// Takes included files relative to the folder of `path`.
inline IncludeResolver includes_beside(const std::filesystem::path& path) {
  return [folder = path.parent_path()](const std::filesystem::path& name) -> std::optional<std::string> {
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / name, error)) return std::nullopt;
    return file_bytes(folder / name);
  };
}

}  // namespace detail::io

// Throws MeshError.
inline CellMesh read_vega(const std::filesystem::path& path) {
  return detail::io::parse_vega(detail::io::file_bytes(path), path.string(),
                                detail::io::includes_beside(path));
}

}  // namespace pliant
