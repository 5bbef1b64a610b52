// Writes a surface as a Wavefront file (.obj), which every renderer and modeller reads.
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

// `nodes`: positions [m], 3 x #nodes, or 2 x #nodes, which get z = 0; `faces`: node indices from 0, one
// column per face: 3 x #faces for triangles, 4 x #faces for quads, 2 x #faces for edges. Examples: the
// boundary of any mesh, write_obj(path, positions, boundary_faces(mesh).faces); a mesh of triangles,
// write_obj(path, positions, mesh.elements). Nodes without a face are omitted. Folders are created, symbolic
// links are followed. Throws WriteError, SizeError for other numbers of rows, and IndexError for an index
// outside the nodes.
template <class Nodes, class Faces>
void write_obj(const std::filesystem::path& path, const Eigen::MatrixBase<Nodes>& nodes,
               const Eigen::MatrixBase<Faces>& faces) {
  if (nodes.rows() != 2) detail::core::require_size("rows of the nodes", nodes.rows(), 3);
  if (faces.rows() != 2 && faces.rows() != 4)
    detail::core::require_size("rows of the faces", faces.rows(), 3);
  constexpr std::size_t unused = 0;
  std::vector<std::size_t> number(static_cast<std::size_t>(nodes.cols()), unused);  // in the file, from 1
  std::string vertices;
  std::string lines;
  std::size_t count = 0;
  char text[32];
  for (Eigen::Index j = 0; j < faces.cols(); ++j) {
    lines += faces.rows() == 2 ? 'l' : 'f';
    for (Eigen::Index corner = 0; corner < faces.rows(); ++corner) {
      const auto node = static_cast<std::ptrdiff_t>(faces(corner, j));
      if (node < 0 || node >= nodes.cols()) throw IndexError("face node", node, nodes.cols());
      std::size_t& vertex = number[static_cast<std::size_t>(node)];
      if (vertex == unused) {
        vertex = ++count;
        vertices += 'v';
        for (Eigen::Index axis = 0; axis < nodes.rows(); ++axis) {
          vertices += ' ';
          vertices.append(text, std::to_chars(text, text + sizeof text, nodes(axis, node)).ptr);
        }
        vertices += nodes.rows() == 2 ? " 0\n" : "\n";
      }
      lines += ' ';
      lines += std::to_string(vertex);
    }
    lines += '\n';
  }
  detail::io::write_file(path, vertices + lines);
}

}  // namespace pliant
