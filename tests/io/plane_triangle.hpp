// A plane element, to test what readers and writers do in two dimensions.
#pragma once

#include <pliant/element/concept.hpp>

struct PlaneTriangle {
  static constexpr int dim = 2;
  static constexpr int nodes = 3;
  static constexpr int quadrature_points = 1;
  static constexpr std::string_view name = "PlaneTriangle";
  static constexpr pliant::CellKind cell_kind = pliant::CellKind::triangle;
  static constexpr std::array<std::array<int, 2>, 3> faces{{{0, 1}, {1, 2}, {2, 0}}};

  static pliant::SmallVector<double, 3> shape(int) {
    return pliant::SmallVector<double, 3>::Constant(1.0 / 3);
  }
  static pliant::SmallMatrix<double, 3, 2> shape_gradient(int) {
    pliant::SmallMatrix<double, 3, 2> gradient;
    gradient << -1, -1, 1, 0, 0, 1;
    return gradient;
  }
  static constexpr double quadrature_weight(int) { return 0.5; }
};

static_assert(pliant::Element<PlaneTriangle>);
