// What the tests of the readers share.
#pragma once

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

#include <pliant/core/error.hpp>
#include <pliant/io/cell_mesh.hpp>

// The text with the first `old` in it replaced.
inline std::string replaced(std::string text, std::string_view old, std::string_view by) {
  const std::size_t position = text.find(old);
  REQUIRE(position != std::string::npos);
  return text.replace(position, old.size(), by);
}

// The same lines, ended in another way.
inline std::string with_line_ends(std::string_view text, std::string_view end) {
  std::string result;
  for (const char c : text) result += c == '\n' ? std::string(end) : std::string(1, c);
  return result;
}

// `read` must throw a MeshError of that line, whose reason contains the words.
template <class Read>
void check_refused(const Read& read, std::size_t line, std::string_view words) {
  try {
    read();
    FAIL("was not refused: " << words);
  } catch (const pliant::MeshError& error) {
    INFO(error.what());
    CHECK(error.line() == line);
    CHECK(error.reason().find(words) != std::string::npos);
    CHECK_FALSE(error.file().empty());
  }
}

// Numbers as they stand in a binary file of the given byte order.
class Binary {
 public:
  explicit Binary(std::endian order = std::endian::little) : swap_(order != std::endian::native) {}

  template <class T>
  Binary& add(std::initializer_list<T> values) {
    for (const T value : values) {
      std::string raw(reinterpret_cast<const char*>(&value), sizeof(T));
      if (swap_) std::reverse(raw.begin(), raw.end());
      bytes += raw;
    }
    return *this;
  }

  Binary& text(std::string_view words) {
    bytes += words;
    return *this;
  }

  std::string bytes;

 private:
  bool swap_;
};

// The tetrahedron of the origin and the unit points, as the only cell, in one region.
inline void check_unit_tet(const pliant::CellMesh& mesh, int region = 0) {
  REQUIRE(mesh.nodes.cols() == 4);
  Eigen::Matrix<double, 3, 4> expected;
  expected << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  CHECK(mesh.nodes == expected);
  CHECK(mesh.cells(pliant::CellKind::tet).nodes == std::vector{0, 1, 2, 3});
  CHECK(mesh.cells(pliant::CellKind::tet).regions == std::vector{region});
}
