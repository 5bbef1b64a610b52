// The numbers of a legacy VTK file, and its point and cell data, of which only a region number per cell is
// used.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pliant/io/input.hpp>

namespace pliant::detail {

enum class VtkNumber { int8, uint8, int16, uint16, int32, uint32, int64, uint64, float32, float64 };

// Arrays of cell data that hold a region number, in the spelling of several programs, in lower case.
inline constexpr auto vtk_region_names = std::to_array<std::string_view>(
    {"region", "regions", "region_id", "regionid", "material", "material_id", "materialid", "cellentityids",
     "attribute", "label", "gmsh:physical", "medit:ref", "tetgen:ref"});

class VtkData {
 public:
  explicit VtkData(Input& input) : in_(input) {}

  bool binary = false;

  // Reads the name of a type, after which the values start.
  VtkNumber number_type() {
    const VtkNumber type = named_type();
    start_values();
    return type;
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

  // Values above the range of int64 come out negative, which no caller accepts.
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

  // Lines up to an empty one.
  void skip_metadata() {
    in_.line();
    while (in_.remaining() > 0 && in_.line().find_first_not_of(" \t") != std::string_view::npos) {
    }
  }

  // "FIELD name count", then per array "name components tuples type" and values.
  void skip_field() { read_field(false, 0); }

  // The region number of each cell, from the first fitting array of the cell data; empty without one.
  std::vector<int> find_regions(std::size_t cell_count) {
    bool cell_data = false;
    std::size_t count = 0;
    while (regions_.empty() && !in_.peek_word().empty()) {
      const std::string_view keyword = in_.next_word();
      const auto is = [keyword](std::string_view name) { return equal_ignoring_case(keyword, name); };
      if (is("CELL_DATA") || is("POINT_DATA")) {
        cell_data = is("CELL_DATA");
        count = in_.count(in_.integer("the number of values"), 1, "values");
        if (cell_data && count != cell_count) {
          in_.fail("CELL_DATA is for " + std::to_string(count) + " cells, but there are " +
                   std::to_string(cell_count));
        }
      } else if (is("SCALARS")) {
        read_scalars(cell_data, count);
      } else if (is("COLOR_SCALARS")) {
        in_.word("a name");
        const auto width = static_cast<std::size_t>(in_.count(in_.integer("a width"), 1, "values"));
        start_values();
        skip_values(VtkNumber::uint8, count, width);
      } else if (is("LOOKUP_TABLE")) {
        in_.word("a name");
        const std::size_t size = in_.count(in_.integer("the size of a table"), 1, "values");
        start_values();
        skip_values(VtkNumber::uint8, size, 4);
      } else if (is("TEXTURE_COORDINATES")) {
        in_.word("a name");
        const std::size_t width = in_.count(in_.integer("a width"), 1, "values");
        skip_values(number_type(), count, width);
      } else if (const std::size_t width = fixed_width(keyword); width > 0) {
        in_.word("a name");
        skip_values(number_type(), count, width);
      } else if (is("FIELD")) {
        read_field(cell_data, count);
      } else if (is("METADATA")) {
        skip_metadata();
      } else {
        in_.fail("unexpected " + in_quotes(keyword));
      }
    }
    return std::move(regions_);
  }

 private:
  VtkNumber named_type() {
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
    const std::string_view word = in_.word("a type of numbers");
    const auto* type = std::find_if(types.begin(), types.end(),
                                    [word](const auto& t) { return equal_ignoring_case(word, t.first); });
    if (type == types.end()) in_.fail("the number type " + in_quotes(word) + " is not known");
    return type->second;
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
    const VtkNumber type = named_type();
    std::size_t width = 1;
    if (!in_.at_line_end()) width = in_.count(in_.integer("the number of components"), 1, "components");
    if (equal_ignoring_case(in_.peek_word(), "LOOKUP_TABLE")) {
      in_.next_word();
      in_.word("a name");
    }
    start_values();
    read_values(cell_data, name, type, count, width);
  }

  void read_field(bool cell_data, std::size_t count) {
    in_.word("a name");
    const std::size_t arrays = in_.count(in_.integer("the number of arrays"), 4, "arrays");
    for (std::size_t i = 0; i < arrays && regions_.empty(); ++i) {
      std::string_view name = in_.word("a name");
      if (equal_ignoring_case(name, "METADATA")) {
        skip_metadata();
        name = in_.word("a name");
      }
      const std::size_t width = in_.count(in_.integer("the number of components"), 1, "components");
      const std::size_t tuples = in_.count(in_.integer("the number of tuples"), 1, "tuples");
      const VtkNumber type = number_type();
      read_values(cell_data && tuples == count, name, type, tuples, width);
    }
  }

  void read_values(bool cell_data, std::string_view name, VtkNumber type, std::size_t count,
                   std::size_t width) {
    const bool region =
        std::any_of(vtk_region_names.begin(), vtk_region_names.end(),
                    [name](std::string_view known) { return equal_ignoring_case(name, known); });
    if (!cell_data || !region || width != 1) {
      skip_values(type, count, width);
      return;
    }
    count = in_.count(count, bytes(type), "values");
    std::vector<int> regions(count);
    for (int& number : regions)
      number = in_.region_number(whole(finite(type, "a region number"), "a region number"));
    regions_ = std::move(regions);
  }

  void skip_values(VtkNumber type, std::size_t count, std::size_t width) {
    // Both factors are below 2^31.
    const std::size_t values = in_.count(static_cast<std::uint64_t>(count) * width, bytes(type), "values");
    if (binary) {
      in_.skip(values * bytes(type), "a value");
    } else {
      for (std::size_t i = 0; i < values; ++i) in_.word("a value");
    }
  }

  // A text may give more digits than its number type has; what counts is the type, as for VTK.
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

  Input& in_;
  std::vector<int> regions_;
};

}  // namespace pliant::detail
