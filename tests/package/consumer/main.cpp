// Both units include the whole library: a function that is not inline in a header is then defined twice.
#include <pliant/pliant.hpp>

pliant::Mesh<pliant::Tet4> one_tet();

int main() {
  const pliant::Mesh<pliant::Tet4> mesh = one_tet();
  return mesh.element_count() == 1 && mesh.node_count() == 4 ? 0 : 1;
}
