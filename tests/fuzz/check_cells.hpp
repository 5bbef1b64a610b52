// What every reader promises, whatever the bytes: a MeshError, or cells that hang together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/input.hpp>

namespace fuzz {

inline void require(bool promise) {
  if (!promise) std::abort();
}

inline void check_block(const pliant::CellBlock& block, pliant::CellKind kind, std::ptrdiff_t nodes) {
  require(block.nodes.size() == block.count() * static_cast<std::size_t>(pliant::nodes_per_cell(kind)));
  for (const int node : block.nodes) require(node >= 0 && node < nodes);
}

inline void check_cells(const pliant::CellMesh& mesh) {
  for (std::ptrdiff_t i = 0; i < mesh.nodes.size(); ++i)
    require(pliant::detail::core::is_finite(mesh.nodes.data()[i]));
  for (const pliant::CellKind kind : pliant::detail::io::all_cell_kinds) {
    check_block(mesh.cells(kind), kind, mesh.nodes.cols());
  }
  for (const pliant::OtherCells& others : mesh.others) {
    require(others.count > 0 && others.corners.count() == (others.kind ? others.count : 0));
    if (others.kind) check_block(others.corners, *others.kind, mesh.nodes.cols());
  }
}

// Runs a parser on the bytes.
template <class Parse>
int run(const Parse& parse) {
  try {
    check_cells(parse());
  } catch (const pliant::MeshError& error) {
    require(!error.reason().empty() && !error.file().empty());
  }
  return 0;
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzz
