// Both units include the whole library: a function that is not inline in some header is then defined twice.
#include <pliant/pliant.hpp>

pliant::Mesh<pliant::Tet4> read(const char* file);

int main(int, char** arguments) {
  const pliant::Mesh<pliant::Tet4> mesh = read(arguments[1]);
  return mesh.element_count() == 6 && mesh.node_count() == 8 ? 0 : 1;
}
