// The linear triangle with one quadrature point, for plane problems.
#pragma once

#include <pliant/element/concept.hpp>

namespace pliant {

// Reference cell: the corners 0, e_x, e_y. N_0 = 1 - xi - eta, N_1 = xi, N_2 = eta. Positively oriented if
// its corners are counter-clockwise; its area is half of det[X1-X0, X2-X0]. Plane strain, unless the energy
// is a PlaneStress; the thickness of the body is a property of the Solid.
struct Tri3 {
  static constexpr int dim = 2;
  static constexpr int nodes = 3;
  static constexpr int quadrature_points = 1;
  static constexpr std::string_view name = "Tri3";
  static constexpr CellKind cell_kind = CellKind::triangle;
  static constexpr std::array<std::array<int, 2>, 3> faces{{{0, 1}, {1, 2}, {2, 0}}};

  static SmallVector<double, 3> shape(int) { return SmallVector<double, 3>::Constant(1.0 / 3); }

  static SmallMatrix<double, 3, 2> shape_gradient(int) {
    SmallMatrix<double, 3, 2> gradient;
    gradient << -1, -1, 1, 0, 0, 1;
    return gradient;
  }

  static constexpr double quadrature_weight(int) { return 0.5; }
};

static_assert(Element<Tri3>);

}  // namespace pliant
