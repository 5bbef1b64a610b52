#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>

pliant::Mesh<pliant::Tet4> read(const char* file);

int main(int, char** arguments) {
  const pliant::Mesh<pliant::Tet4> mesh = read(arguments[1]);
  return mesh.element_count() == 6 && mesh.node_count() == 8 ? 0 : 1;
}
