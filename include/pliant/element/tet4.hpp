// The linear tetrahedron with one quadrature point.
#pragma once

#include <pliant/element/concept.hpp>

namespace pliant {

// Reference cell: the corners 0, e_x, e_y, e_z. N_0 = 1 - xi - eta - zeta, N_1 = xi, N_2 = eta, N_3 = zeta.
// Positively oriented if det[X1-X0, X2-X0, X3-X0] > 0; the volume is a sixth of this determinant.
struct Tet4 {
  static constexpr int dim = 3;
  static constexpr int nodes = 4;
  static constexpr int quadrature_points = 1;
  static constexpr std::string_view name = "Tet4";
  static constexpr CellKind cell_kind = CellKind::tet;
  static constexpr std::array<std::array<int, 3>, 4> faces{{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

  static SmallVector<double, 4> shape(int) { return SmallVector<double, 4>::Constant(0.25); }

  static SmallMatrix<double, 4, 3> shape_gradient(int) {
    SmallMatrix<double, 4, 3> gradient;
    gradient << -1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1;
    return gradient;
  }

  static constexpr double quadrature_weight(int) { return 1.0 / 6.0; }
};

static_assert(Element<Tet4>);

}  // namespace pliant
