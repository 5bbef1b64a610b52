#include <pliant/pliant.hpp>

pliant::Mesh<pliant::Tet4> one_tet() {
  pliant::Mesh<pliant::Tet4> mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  return mesh;
}
