// An element that lacks its faces is no Element, and a mesh of it says which requirement is missing.
// must say: faces, outward
#include <pliant/mesh/mesh.hpp>

struct Wedge6 {
  static constexpr int dim = 3;
  static constexpr int nodes = 6;
  static constexpr int quadrature_points = 1;
  static constexpr std::string_view name = "Wedge6";
  static constexpr pliant::CellKind cell_kind = pliant::CellKind::wedge;
#ifndef SHOULD_FAIL
  static constexpr std::array<std::array<int, 3>, 1> faces{{{0, 2, 1}}};
#endif
  static pliant::SmallVector<double, 6> shape(int);
  static pliant::SmallMatrix<double, 6, 3> shape_gradient(int);
  static constexpr double quadrature_weight(int) { return 0.5; }
};

pliant::Mesh<Wedge6> mesh;
