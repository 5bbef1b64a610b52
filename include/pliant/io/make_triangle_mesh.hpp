// Colliders from the surface of a body's mesh or from the triangles of a mesh file.
#pragma once

#include <cstddef>
#include <filesystem>

#include <pliant/contact/shape/triangle_mesh.hpp>
#include <pliant/core/error.hpp>
#include <pliant/io/cell_mesh.hpp>
#include <pliant/io/read_mesh.hpp>
#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// The boundary of a mesh in space, at rest; a quadrilateral becomes two triangles, on its diagonal from the
// first of its nodes. The triangles are numbered as the faces of boundary_faces(mesh). Throws the errors of
// boundary_faces and TriangleMesh: a flipped element, for example, causes a triangle that faces inwards.
template <Element E, class Scalar>
TriangleMesh make_triangle_mesh(const Mesh<E, Scalar>& mesh) {
  static_assert(E::dim == 3, "pliant: make_triangle_mesh needs a mesh in space");
  constexpr int per_face = face_nodes<E> - 2;
  const auto boundary = boundary_faces(mesh);
  TriangleMesh::Triangles triangles(3, per_face * boundary.face_count());
  for (Eigen::Index face = 0; face < boundary.face_count(); ++face) {
    for (int i = 0; i < per_face; ++i) {
      const Eigen::Index column = per_face * face + i;
      triangles(0, column) = boundary.faces(0, face);
      triangles(1, column) = boundary.faces(i + 1, face);
      triangles(2, column) = boundary.faces(i + 2, face);
    }
  }
  return TriangleMesh(mesh.nodes, triangles);
}

namespace detail::io {

inline TriangleMesh::Triangles triangles_of(const CellMesh& cells) {
  const CellBlock& block = cells.cells(CellKind::triangle);
  if (block.count() == 0) throw MeshError(cells.file, 0, "there are no triangles in the file");
  TriangleMesh::Triangles triangles(3, static_cast<Eigen::Index>(block.count()));
  for (Eigen::Index i = 0; i < triangles.size(); ++i) {
    triangles.data()[i] = block.nodes[static_cast<std::size_t>(i)];
  }
  return triangles;
}

// The errors of `make`, with the file.
template <class Make>
TriangleMesh with_file(const CellMesh& cells, Make&& make) {
  try {
    return make();
  } catch (const MeshError& error) {
    throw MeshError(cells.file, 0, error.reason());
  }
}

}  // namespace detail::io

// The triangles of a file of any format that read_cells reads, as a solid or as a two-sided sheet. Other
// cells are skipped. Throws MeshError with the file and the reason.
inline TriangleMesh read_triangle_mesh(const std::filesystem::path& path) {
  const CellMesh cells = read_cells(path);
  return detail::io::with_file(cells,
                               [&] { return TriangleMesh(cells.nodes, detail::io::triangles_of(cells)); });
}

inline TriangleMesh read_two_sided_triangle_mesh(const std::filesystem::path& path) {
  const CellMesh cells = read_cells(path);
  return detail::io::with_file(
      cells, [&] { return TriangleMesh::two_sided(cells.nodes, detail::io::triangles_of(cells)); });
}

}  // namespace pliant
