// Gmsh's mesh files (.msh): formats 2.0 to 2.2, 4.0 and 4.1, in text and in binary of either byte order.
// Physical groups become regions. Format 1 ($NOD) is refused. Reference: Gmsh reference manual, "Gmsh file
// formats".
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <pliant/io/gmsh2.hpp>
#include <pliant/io/gmsh4.hpp>

namespace pliant {
namespace detail::io {

class GmshParser {
 public:
  GmshParser(std::string_view bytes, std::string file) : in_(bytes, std::move(file)), gmsh_(in_) {}

  CellMesh parse() {
    while (!in_.peek_word().empty()) read_section();
    if (version_ == 0) in_.fail("has no $MeshFormat section: not a Gmsh file of format 2 or 4");
    if (!has_nodes_) in_.fail("has no $Nodes section");
    if (!has_elements_) in_.fail("has no $Elements section");
    gmsh_.remark_repeated_elements();
    return std::move(gmsh_.mesh);
  }

 private:
  void read_section() {
    const std::string_view name = in_.next_word();
    if (name == "$NOD" || name == "$ELM") {
      in_.fail("is in Gmsh's format 1, which is not read: save it in format 2.2 or 4.1 (gmsh -format msh41)");
    }
    if (name[0] != '$' || !is_identifier(name.substr(1)) || name.substr(0, 4) == "$End") {
      in_.fail("expected a section such as $Nodes, found " + in_quotes(name));
    }
    in_.line();
    if (is_skipped(name)) {
      skip_section(name);
      return;
    }
    gmsh_.section([&] {
      if (name == "$MeshFormat") {
        read_format();
      } else if (name == "$PhysicalNames") {
        read_physical_names();
      } else if (name == "$Entities") {
        require_before_elements(name);
        gmsh4().read_entities();
      } else if (name == "$PartitionedEntities") {
        require_before_elements(name);
        gmsh4().read_partitioned_entities();
      } else if (name == "$Elements") {
        read_elements();
      } else {
        read_nodes(name == "$ParametricNodes");
      }
      expect_end(name);
    });
  }

  bool is_skipped(std::string_view name) const {
    if (name == "$MeshFormat" || name == "$PhysicalNames") return false;
    if (name == "$Nodes" || name == "$Elements") return false;
    if (name == "$ParametricNodes") return version() != 22;
    if (name == "$Entities" || name == "$PartitionedEntities") return version() == 22;
    return true;
  }

  // These sections define the groups of the elements.
  void require_before_elements(std::string_view name) {
    if (has_elements_) in_.fail("the section " + std::string(name) + " comes after the $Elements section");
  }

  static bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
  }

  // "version 0|1 data-size", and in binary the int 1, which shows the byte order.
  void read_format() {
    if (version_ != 0) in_.fail("a second $MeshFormat section");
    const std::string_view text = in_.word("the version of the format");
    if (text == "2" || text == "2.0" || text == "2.1" || text == "2.2") {
      version_ = 22;
    } else if (text == "4" || text == "4.0") {
      version_ = 40;
    } else if (text == "4.1") {
      version_ = 41;
    } else {
      in_.fail("the Gmsh format " + in_quotes(text) + " is not known: 2.0 to 2.2, 4.0 and 4.1 are");
    }
    const std::int64_t type = in_.integer("the file type");
    if (type != 0 && type != 1)
      in_.fail("the file type is " + std::to_string(type) + ", neither 0 (text) nor 1 (binary)");
    gmsh_.binary = type == 1;
    const std::int64_t data_size = in_.integer("the data size");
    in_.expect_line_end("the data size");
    gmsh_.mesh.format = "Gmsh " + std::string(text) + (gmsh_.binary ? " (binary)" : "");
    if (!gmsh_.binary) return;
    if (data_size != 8)
      in_.fail("numbers of " + std::to_string(data_size) + " bytes are not read, only of 8");
    in_.line();
    const auto one = in_.number<std::int32_t>("the byte-order mark");
    if (one != 1 && one != 0x01000000) in_.fail("the byte-order mark is not the number one");
    in_.set_binary(one != 1);
  }

  // count, then per group 'dimension number "name"'; in 2.0 without the dimension.
  void read_physical_names() {
    const std::size_t count = in_.count(in_.integer("the number of physical names"), 4, "physical names");
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t dimension = in_.integer("the dimension of a physical group");
      const bool has_dimension = in_.peek_word().substr(0, 1) != "\"";
      const std::int64_t number = has_dimension ? in_.integer("the number of a physical group") : dimension;
      if (!has_dimension) dimension = -1;
      if (dimension < -1 || dimension > 3) in_.fail("the dimension of a physical group is not 0, 1, 2 or 3");
      const std::size_t start = in_.position();
      const std::string_view line = in_.line();
      const std::size_t open = line.find('"');
      const std::size_t close = open == std::string_view::npos ? open : end_of_name(line, open + 1);
      if (close == std::string_view::npos) in_.fail("the name of a physical group is not in quotes");
      if (line.find('"', close + 1) != std::string_view::npos) in_.seek(start + close + 1);
      for (int d = 0; d < 4; ++d) {
        if (dimension != -1 && d != dimension) continue;
        gmsh_.mesh.region_names[static_cast<std::size_t>(d)][in_.region_number(number)] =
            std::string(line.substr(open + 1, close - open - 1));
      }
    }
  }

  // The quote that ends the name beginning at `first`: it is followed by nothing, or by the numbers and the
  // opening quote of the next name. Quotes within a name are kept.
  static std::size_t end_of_name(std::string_view line, std::size_t first) {
    for (std::size_t quote = line.find('"', first); quote != std::string_view::npos;
         quote = line.find('"', quote + 1)) {
      const std::string_view behind = line.substr(quote + 1);
      const std::size_t word = behind.find_first_not_of(" \t");
      if (word == std::string_view::npos) return quote;
      const std::size_t next_name = behind.find_first_not_of(" \t+-0123456789");
      if (word > 0 && next_name > word && next_name != std::string_view::npos && behind[next_name] == '"') {
        return quote;
      }
    }
    // Any text after the last quote is ignored.
    const std::size_t last = line.rfind('"');
    return last == std::string_view::npos || last < first ? std::string_view::npos : last;
  }

  void read_nodes(bool parametric) {
    if (has_nodes_) in_.fail("a second $Nodes section");
    has_nodes_ = true;
    if (version() == 22) {
      read_gmsh2_nodes(gmsh_, parametric);
    } else {
      gmsh4().read_nodes();
    }
  }

  void read_elements() {
    if (!has_nodes_) in_.fail("the $Elements section comes before the $Nodes section");
    if (has_elements_) in_.fail("a second $Elements section");
    has_elements_ = true;
    if (version() == 22) {
      read_gmsh2_elements(gmsh_);
    } else {
      gmsh4().read_elements();
    }
  }

  void expect_end(std::string_view name) {
    const std::string end = "$End" + std::string(name.substr(1));
    const std::string_view word = in_.word(end.c_str());
    if (word != end) in_.fail("expected " + end + ", found " + in_quotes(word));
  }

  // Skips comments, data on nodes and elements, ... up to the word that ends the section, which begins a line
  // in text files.
  void skip_section(std::string_view name) {
    const std::string end = "$End" + std::string(name.substr(1));
    // An old misprint of the manual.
    const std::string other_end = name == "$ElementNodeData" ? "$ElementEndNodeData" : end;
    const std::string_view text = in_.rest();
    for (std::size_t offset = text.find('$'); offset != std::string_view::npos;
         offset = text.find('$', offset + 1)) {
      for (const std::string* word : {&end, &other_end}) {
        if (is_word(text, offset, *word) && (gmsh_.binary || begins_line(text, offset))) {
          in_.skip(offset + word->size(), end.c_str());
          return;
        }
      }
    }
    in_.fail("the section " + in_quotes(name) + " has no " + end);
  }

  static bool is_word(std::string_view text, std::size_t offset, std::string_view word) {
    const std::string_view found = text.substr(offset, word.size() + 1);
    return found.substr(0, word.size()) == word &&
           found.find_first_not_of(" \t\r\n\v\f", word.size()) == std::string_view::npos;
  }

  static bool begins_line(std::string_view text, std::size_t offset) {
    const std::size_t before = text.substr(0, offset).find_last_not_of(" \t");
    return before == std::string_view::npos || text[before] == '\n' || text[before] == '\r';
  }

  int version() const {
    if (version_ == 0)
      in_.fail("has no $MeshFormat section before the others: not a Gmsh file of format 2 or 4");
    return version_;
  }

  Gmsh4Reader& gmsh4() {
    if (!gmsh4_) gmsh4_.emplace(gmsh_, version_ == 40);
    return *gmsh4_;
  }

  Input in_;
  GmshFile gmsh_;
  std::optional<Gmsh4Reader> gmsh4_;
  int version_ = 0;  // 22 (for 2.0 to 2.2), 40 or 41
  bool has_nodes_ = false;
  bool has_elements_ = false;
};

// `file` is for messages.
inline CellMesh parse_gmsh(std::string_view bytes, std::string file) {
  return GmshParser(bytes, std::move(file)).parse();
}

}  // namespace detail::io

// Throws MeshError.
inline CellMesh read_gmsh(const std::filesystem::path& path) {
  return detail::io::parse_gmsh(detail::io::file_bytes(path), path.string());
}

}  // namespace pliant
