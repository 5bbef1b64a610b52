#include <pliant/pliant.hpp>

pliant::Mesh<pliant::Tet4> read(const char* file) { return pliant::read_mesh<pliant::Tet4>(file); }
