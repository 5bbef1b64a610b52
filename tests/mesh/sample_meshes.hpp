// Small meshes of hexahedra and triangles.
#pragma once

#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/make_rectangle.hpp>

namespace sample {

// n^3 unit cubes.
inline pliant::Mesh<pliant::Hex8> hexahedra(int n) {
  const double length = n;
  return pliant::make_box<pliant::Hex8>({.lengths = {length, length, length}, .cells = {n, n, n}});
}

// The unit square with its centre, as four triangles.
inline pliant::Mesh<pliant::Tri3> triangles() {
  pliant::Mesh<pliant::Tri3> mesh;
  mesh.nodes.resize(2, 5);
  mesh.nodes << 0, 1, 1, 0, 0.5,  //
      0, 0, 1, 1, 0.5;
  mesh.elements.resize(3, 4);
  mesh.elements << 0, 1, 2, 3,  //
      1, 2, 3, 0,               //
      4, 4, 4, 4;
  return mesh;
}

}  // namespace sample
