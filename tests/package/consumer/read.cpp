#ifdef INCLUDES_EVERYTHING
#include <pliant/pliant.hpp>
#else
#include <pliant/element/tet4.hpp>
#include <pliant/io/read_mesh.hpp>
#endif

pliant::Mesh<pliant::Tet4> read(const char* file) { return pliant::read_mesh<pliant::Tet4>(file); }
