// The numbers of a legacy VTK file, and its point and cell data, of which only a region number per cell is
// used.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/input.hpp>

namespace pliant::detail::io {

enum class VtkNumber { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

// The type of an array. Only numbers are used; each other type encodes its length in its own way.
struct VtkType {
  enum class Kind { number, bit, string, variant, unknown };

  Kind kind = Kind::unknown;
  VtkNumber number = VtkNumber::int8;  // of the kind `number`
  std::string_view name{};             // as the file gives it

  bool is_integer() const {
    return kind == Kind::number && number != VtkNumber::float32 && number != VtkNumber::float64;
  }
};

// Arrays of cell data that hold a region number, in the spelling of several programs, in lower case.
inline constexpr auto vtk_region_names = std::to_array<std::string_view>(
    {"region", "regions", "region_id", "regionid", "material", "material_id", "materialid", "cellentityids",
     "attribute", "label", "gmsh:physical", "medit:ref", "tetgen:ref"});

class VtkData {
 public:
  explicit VtkData(Input& input) : in_(input) {}

  bool binary = false;
  std::size_t components = 1;        // of the array that was read last, for the metadata behind it
  std::vector<std::string> remarks;  // on skipped data that may be relevant

  // Reads the name of a type of numbers, after which the values start.
  VtkNumber number_type() {
    const VtkType type = array_type();
    if (type.kind != VtkType::Kind::number) {
      in_.fail("the number type " + in_quotes(type.name) + " is not known");
    }
    start_values();
    return type.number;
  }

  // Binary values start after the end of the line.
  void start_values() {
    if (binary) in_.line();
  }

  // Bytes that a number takes at least.
  std::size_t bytes(VtkNumber type) const {
    constexpr std::array<std::size_t, 10> sizes{1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return binary ? sizes[static_cast<std::size_t>(type)] : 2;
  }

  // Values above the range of int64 become negative, which no caller accepts.
  std::int64_t integer(VtkNumber type, const char* what) {
    if (!binary) return in_.integer(what);
    switch (type) {
      case VtkNumber::int8:
        return in_.number<std::int8_t>(what);
      case VtkNumber::uint8:
        return in_.number<std::uint8_t>(what);
      case VtkNumber::int16:
        return in_.number<std::int16_t>(what);
      case VtkNumber::uint16:
        return in_.number<std::uint16_t>(what);
      case VtkNumber::int32:
        return in_.number<std::int32_t>(what);
      case VtkNumber::uint32:
        return in_.number<std::uint32_t>(what);
      case VtkNumber::int64:
        return in_.number<std::int64_t>(what);
      case VtkNumber::uint64:
        return static_cast<std::int64_t>(in_.number<std::uint64_t>(what));
      case VtkNumber::float32:
      case VtkNumber::float64:
        break;
    }
    return whole(finite(type, what), what);
  }

  double finite(VtkNumber type, const char* what) {
    if (!binary) return rounded(in_.real(what), type, what);
    if (type == VtkNumber::float32) return in_.finite_number<float>(what);
    if (type == VtkNumber::float64) return in_.finite_number<double>(what);
    return static_cast<double>(integer(type, what));
  }

  // Behind METADATA: "COMPONENT_NAMES" and a line for each, "INFORMATION count" and keys of two lines or
  // more, up to an empty line. A component may have no name, and before a key there may be empty lines.
  void skip_metadata() {
    constexpr std::string_view information = "INFORMATION ";
    in_.line();
    int keys = 0;  // that are to come
    while (in_.remaining() > 0) {
      const std::string_view line = in_.line();
      if (starts_with(line, "COMPONENT_NAMES")) {
        for (std::size_t i = 0; i < components && in_.remaining() > 0; ++i) in_.line();
      } else if (starts_with(line, information)) {
        std::from_chars(line.data() + information.size(), line.data() + line.size(), keys);
      } else if (starts_with(line, "NAME ")) {
        --keys;
      } else if (line.find_first_not_of(" \t") == std::string_view::npos) {
        const std::size_t position = in_.position();
        const bool another_key = keys > 0 && equal_ignoring_case(in_.peek_word(), "NAME");
        in_.seek(position);
        if (!another_key) return;
      }
    }
  }

  // "FIELD name count", then per array "name components tuples type" and values; of the whole data set.
  void skip_field() { read_field(false, 0); }

  // The arrays of the cells and the points, to the end of the file. The first one of the cells with a fitting
  // name gives their regions. If the data is faulty, the values before the fault are kept.
  void read_attributes(std::size_t cell_count) {
    try {
      read_sections(cell_count);
    } catch (const MeshError& error) {
      remarks.push_back("the data after the cells is left aside: " + error.reason());
    }
    if (unused_.empty()) return;
    std::string names;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(unused_.size(), most); ++i)
      names += (i > 0 ? ", " : "") + unused_[i];
    if (unused_.size() > most) names += " and " + std::to_string(unused_.size() - most) + " more";
    remarks.push_back("integer arrays of the cells left aside: " + names +
                      (regions.empty() ? "; none has a name that is taken for regions"
                                       : "; the regions are from " + region_name_));
  }

  std::vector<int> regions;  // of each cell; empty if no array gives them

 private:
  static bool starts_with(std::string_view text, std::string_view start) {
    return equal_ignoring_case(text.substr(0, start.size()), start);
  }

  void read_sections(std::size_t cell_count) {
    bool cell_data = false;
    std::size_t count = 0;
    while (!in_.peek_word().empty()) {
      const std::string_view keyword = in_.next_word();
      const auto is = [keyword](std::string_view name) { return equal_ignoring_case(keyword, name); };
      if (is("CELL_DATA") || is("POINT_DATA")) {
        cell_data = is("CELL_DATA");
        count = size("the number of values");
        if (cell_data && count != cell_count) {
          in_.fail("CELL_DATA is for " + std::to_string(count) + " cells, but there are " +
                   std::to_string(cell_count));
        }
      } else if (is("SCALARS")) {
        read_scalars(cell_data, count);
      } else if (is("COLOR_SCALARS")) {
        in_.word("a name");
        skip_values(colours, count, size("a width"));
      } else if (is("LOOKUP_TABLE")) {
        in_.word("a name");
        skip_values(colours, size("the size of a table"), 4);
      } else if (is("TEXTURE_COORDINATES")) {
        in_.word("a name");
        const std::size_t width = size("a width");
        skip_values(array_type(), count, width);
      } else if (const std::size_t width = fixed_width(keyword); width > 0) {
        in_.word("a name");
        skip_values(array_type(), count, width);
      } else if (is("FIELD")) {
        read_field(cell_data, count);
      } else if (is("METADATA")) {
        skip_metadata();
      } else {
        in_.fail("unexpected " + in_quotes(keyword));
      }
    }
  }

  // A number of values, of which the file need not have that many bytes: bits, or none.
  std::size_t size(const char* what) {
    const std::int64_t value = in_.integer(what);
    if (value < 0 || value > std::numeric_limits<int>::max()) {
      in_.fail(std::string(what) + " is " + std::to_string(value));
    }
    return static_cast<std::size_t>(value);
  }

  VtkType array_type() {
    static constexpr auto types = std::to_array<std::pair<std::string_view, VtkNumber>>({
        {"char", VtkNumber::int8},
        {"signed_char", VtkNumber::int8},
        {"unsigned_char", VtkNumber::uint8},
        {"short", VtkNumber::int16},
        {"unsigned_short", VtkNumber::uint16},
        {"int", VtkNumber::int32},
        {"unsigned_int", VtkNumber::uint32},
        {"long", VtkNumber::int64},
        {"unsigned_long", VtkNumber::uint64},
        {"float", VtkNumber::float32},
        {"double", VtkNumber::float64},
        {"vtkidtype", VtkNumber::int32},  // the writer converts these to int
        {"vtktypeint32", VtkNumber::int32},
        {"vtktypeuint32", VtkNumber::uint32},
        {"vtktypeint64", VtkNumber::int64},
        {"vtktypeuint64", VtkNumber::uint64},
    });
    const std::string_view word = in_.word("a type of values");
    const auto* type = std::find_if(types.begin(), types.end(),
                                    [word](const auto& t) { return equal_ignoring_case(word, t.first); });
    if (type != types.end()) return {VtkType::Kind::number, type->second, word};
    static constexpr auto others = std::to_array<std::pair<std::string_view, VtkType::Kind>>({
        {"bit", VtkType::Kind::bit},
        {"string", VtkType::Kind::string},
        {"utf8_string", VtkType::Kind::string},
        {"variant", VtkType::Kind::variant},
    });
    for (const auto& [name, kind] : others) {
      if (equal_ignoring_case(word, name)) return {kind, VtkNumber::int8, word};
    }
    return {VtkType::Kind::unknown, VtkNumber::int8, word};
  }

  static std::size_t fixed_width(std::string_view keyword) {
    static constexpr auto widths = std::to_array<std::pair<std::string_view, std::size_t>>({
        {"VECTORS", 3},
        {"NORMALS", 3},
        {"TENSORS", 9},
        {"TENSORS6", 6},
        {"GLOBAL_IDS", 1},
        {"PEDIGREE_IDS", 1},
        {"EDGE_FLAGS", 1},
    });
    for (const auto& [name, width] : widths) {
      if (equal_ignoring_case(keyword, name)) return width;
    }
    return 0;
  }

  // "SCALARS name type [components]", "LOOKUP_TABLE name", values.
  void read_scalars(bool cell_data, std::size_t count) {
    const std::string_view name = in_.word("a name");
    const VtkType type = array_type();
    std::size_t width = 1;
    if (!in_.at_line_end()) width = size("the number of components");
    if (equal_ignoring_case(in_.peek_word(), "LOOKUP_TABLE")) {
      in_.next_word();
      in_.word("a name");
    }
    read_values(cell_data, name, type, count, width);
  }

  void read_field(bool cell_data, std::size_t count) {
    in_.word("a name");
    const std::size_t arrays = size("the number of arrays");
    for (std::size_t i = 0; i < arrays; ++i) {
      std::string_view name = in_.word("a name");
      if (equal_ignoring_case(name, "METADATA")) {
        skip_metadata();
        name = in_.word("a name");
      }
      if (name == "NULL_ARRAY") continue;
      const std::size_t width = size("the number of components");
      const std::size_t tuples = size("the number of tuples");
      const VtkType type = array_type();
      read_values(cell_data && tuples == count, name, type, tuples, width);
    }
  }

  void read_values(bool of_cells, std::string_view name, const VtkType& type, std::size_t count,
                   std::size_t width) {
    const bool region =
        std::any_of(vtk_region_names.begin(), vtk_region_names.end(),
                    [name](std::string_view known) { return equal_ignoring_case(name, known); });
    if (of_cells && region && regions.empty() && width == 1 && type.kind == VtkType::Kind::number) {
      components = 1;
      start_values();
      std::vector<int> numbers(in_.count(count, bytes(type.number), "values"));
      for (int& number : numbers)
        number = in_.region_number(whole(finite(type.number, "a region number"), "a region number"));
      regions = std::move(numbers);
      region_name_ = in_quotes(name);
      return;
    }
    skip_values(type, count, width);
    // Internal arrays of VTK, such as vtkGhostType, need no remark.
    if (of_cells && width == 1 && type.is_integer() && !starts_with(name, "vtk")) {
      unused_.push_back(in_quotes(name));
    }
  }

  void skip_values(const VtkType& type, std::size_t count, std::size_t width) {
    components = width;
    if (type.kind == VtkType::Kind::unknown) {
      if (binary) in_.fail("the number type " + in_quotes(type.name) + " is not known");
      remarks.push_back("the type " + in_quotes(type.name) +
                        " of an array is not known; it is passed over as one word for each value");
    }
    const bool lines = type.kind == VtkType::Kind::string;  // in a text
    if (binary || lines) in_.line();
    // Both factors are below 2^31.
    const std::uint64_t values = static_cast<std::uint64_t>(count) * width;
    if (binary && type.kind == VtkType::Kind::number) {
      in_.skip(in_.count(values, bytes(type.number), "values") * bytes(type.number), "a value");
    } else if (binary && type.kind == VtkType::Kind::bit) {
      in_.skip(static_cast<std::size_t>((values + 7) / 8), "a value");
    } else {
      for (std::uint64_t i = 0; i < values; ++i) skip_value(type.kind);
    }
  }

  void skip_value(VtkType::Kind kind) {
    if (kind == VtkType::Kind::string) {
      if (in_.remaining() == 0) in_.word("a value");
      if (binary) {
        skip_binary_string();
      } else {
        in_.line();
      }
    } else if (kind == VtkType::Kind::variant) {
      // A number for the type and a word, in binary files too; only a text can be empty.
      constexpr std::int64_t text = 13;
      const std::int64_t type = in_.integer("the type of a value");
      if (type != text || !in_.at_line_end()) in_.word("a value");
    } else {
      in_.word("a value");
    }
  }

  // The first two bits give the number of bytes of the string's length; the other bits are part of that
  // length.
  void skip_binary_string() {
    const std::size_t start = in_.position();
    const unsigned first = in_.number<std::uint8_t>("the length of a string");
    const unsigned bytes_of_length = 8u >> (first >> 6);
    in_.seek(start);
    std::uint64_t length = 0;
    for (unsigned k = 0; k < bytes_of_length; ++k) {
      length = length << 8 | in_.number<std::uint8_t>("the length of a string");
    }
    constexpr std::uint64_t all = ~std::uint64_t{0};
    length &= bytes_of_length == 8 ? all : (std::uint64_t{1} << (8 * bytes_of_length - 2)) - 1;
    in_.skip(in_.count(length, 1, "bytes of a string"), "a string");
  }

  // A text may give more digits than its number type has; the value is rounded to the type, as by VTK.
  double rounded(double value, VtkNumber type, const char* what) const {
    if (type != VtkNumber::float32) return value;
    if (std::abs(value) > std::numeric_limits<float>::max())
      in_.fail(std::string(what) + " overflows a float");
    return static_cast<double>(static_cast<float>(value));
  }

  std::int64_t whole(double value, const char* what) const {
    if (std::floor(value) != value || std::abs(value) > 9e15) {
      in_.fail(std::string(what) + " is not a whole number");
    }
    return static_cast<std::int64_t>(value);
  }

  // Of colours: a byte in a binary file, a number in a text.
  static constexpr VtkType colours{VtkType::Kind::number, VtkNumber::uint8, "unsigned_char"};

  Input& in_;
  std::string region_name_;          // of the array that gives the regions
  std::vector<std::string> unused_;  // integer arrays of the cells
};

}  // namespace pliant::detail::io
