// Writes a triangle surface as a Wavefront file (.obj), which every renderer and modeller reads.
#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <pliant/core/error.hpp>
#include <pliant/io/write_file.hpp>

namespace pliant {

// `nodes`: positions [m], 3 x n; `triangles`: node indices from 0, 3 x m. Nodes that no triangle uses are not
// written. Folders are created. Throws WriteError, and IndexError for an index outside the nodes.
template <class Nodes, class Triangles>
void write_obj(const std::filesystem::path& path, const Eigen::MatrixBase<Nodes>& nodes,
               const Eigen::MatrixBase<Triangles>& triangles) {
  detail::require_size("rows of the nodes", nodes.rows(), 3);
  detail::require_size("rows of the triangles", triangles.rows(), 3);
  constexpr std::size_t unused = 0;
  std::vector<std::size_t> number(static_cast<std::size_t>(nodes.cols()), unused);  // in the file, from 1
  std::string vertices;
  std::string faces;
  std::size_t count = 0;
  char text[32];
  for (Eigen::Index j = 0; j < triangles.cols(); ++j) {
    faces += 'f';
    for (int corner = 0; corner < 3; ++corner) {
      const auto node = static_cast<std::ptrdiff_t>(triangles(corner, j));
      if (node < 0 || node >= nodes.cols()) throw IndexError("triangle node", node, nodes.cols());
      std::size_t& vertex = number[static_cast<std::size_t>(node)];
      if (vertex == unused) {
        vertex = ++count;
        vertices += 'v';
        for (int axis = 0; axis < 3; ++axis) {
          vertices += ' ';
          vertices.append(text, std::to_chars(text, text + sizeof text, nodes(axis, node)).ptr);
        }
        vertices += '\n';
      }
      faces += ' ';
      faces += std::to_string(vertex);
    }
    faces += '\n';
  }
  detail::write_file(path, vertices + faces);
}

}  // namespace pliant
