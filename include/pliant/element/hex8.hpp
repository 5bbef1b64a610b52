// The trilinear hexahedron with 2 x 2 x 2 Gauss points.
#pragma once

#include <pliant/element/concept.hpp>
#include <pliant/element/quadrature.hpp>

namespace pliant {

// Reference cell: [-1, 1]^3. N_a = (1 + s_0 xi)(1 + s_1 eta)(1 + s_2 zeta) / 8, where s = +-1 are the
// coordinates of node a. Nodes 0, 1, 2, 3 go counter-clockwise around the bottom, seen from above, and 4, 5,
// 6, 7 lie above them. The rule gives the exact volume of any hexahedron, and the only motions without
// stiffness are the six rigid ones (there are no hourglass modes).
struct Hex8 {
  static constexpr int dim = 3;
  static constexpr int nodes = 8;
  static constexpr int quadrature_points = 8;
  static constexpr std::string_view name = "Hex8";
  static constexpr CellKind cell_kind = CellKind::hex;
  static constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

  static SmallVector<double, 8> shape(int q) { return shape_at(gauss_point<3>(q)); }
  static SmallMatrix<double, 8, 3> shape_gradient(int q) { return shape_gradient_at(gauss_point<3>(q)); }
  static constexpr double quadrature_weight(int) { return 1; }

  // dN/dxi at node a, 8 x 3.
  static SmallMatrix<double, 8, 3> shape_gradient_at_node(int a) { return shape_gradient_at(node(a)); }

  // The position of node a in the reference cell: its coordinates are -1 or 1.
  static SmallVector<double, 3> node(int a) {
    constexpr std::array<std::array<int, 3>, 8> corners{
        {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};
    const auto& s = corners[static_cast<std::size_t>(a)];
    return {static_cast<double>(s[0]), static_cast<double>(s[1]), static_cast<double>(s[2])};
  }

  // N_a at any point of the reference cell.
  static SmallVector<double, 8> shape_at(const SmallVector<double, 3>& xi) {
    SmallVector<double, 8> N;
    for (int a = 0; a < nodes; ++a) N(a) = factors(a, xi).prod() / 8;
    return N;
  }

  // dN_a/dxi at any point of the reference cell, 8 x 3.
  static SmallMatrix<double, 8, 3> shape_gradient_at(const SmallVector<double, 3>& xi) {
    SmallMatrix<double, 8, 3> gradient;
    for (int a = 0; a < nodes; ++a) {
      const SmallVector<double, 3> s = node(a), f = factors(a, xi);
      gradient.row(a) << s(0) * f(1) * f(2) / 8, f(0) * s(1) * f(2) / 8, f(0) * f(1) * s(2) / 8;
    }
    return gradient;
  }

 private:
  // The factors 1 + s_i xi_i of N_a.
  static SmallVector<double, 3> factors(int a, const SmallVector<double, 3>& xi) {
    return SmallVector<double, 3>::Ones() + node(a).cwiseProduct(xi);
  }
};

static_assert(Element<Hex8>);

}  // namespace pliant
