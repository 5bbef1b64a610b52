// A hexahedron and a triangle that only these tests use, so that what is written for any element is tested on
// more than tets, and a few meshes of them.
#pragma once

#include <cmath>

#include <pliant/element/concept.hpp>
#include <pliant/mesh/mesh.hpp>

namespace sample {

using pliant::CellKind;
using pliant::SmallMatrix;
using pliant::SmallVector;

// Trilinear on [0, 1]^3 with 2 x 2 x 2 Gauss points; node order of VTK.
struct Hexahedron {
  static constexpr int dim = 3;
  static constexpr int nodes = 8;
  static constexpr int quadrature_points = 8;
  static constexpr std::string_view name = "sample hexahedron";
  static constexpr CellKind cell_kind = CellKind::hex;
  static constexpr std::array<std::array<int, 4>, 6> faces{
      {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
  static constexpr std::array<std::array<int, 3>, 8> corners{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

  // The value (order 0) or slope (order 1) along one axis of the function that is 1 at `corner`.
  static double factor(int q, int axis, int corner, int order) {
    const double x = 0.5 + ((q >> axis & 1) != 0 ? 0.5 : -0.5) / std::sqrt(3.0);
    if (order == 1) return corner != 0 ? 1 : -1;
    return corner != 0 ? x : 1 - x;
  }
  static SmallVector<double, 8> shape(int q) {
    SmallVector<double, 8> N;
    for (int a = 0; a < 8; ++a) {
      const auto& c = corners[static_cast<std::size_t>(a)];
      N(a) = factor(q, 0, c[0], 0) * factor(q, 1, c[1], 0) * factor(q, 2, c[2], 0);
    }
    return N;
  }
  static SmallMatrix<double, 8, 3> shape_gradient(int q) {
    SmallMatrix<double, 8, 3> gradient;
    for (int a = 0; a < 8; ++a) {
      const auto& c = corners[static_cast<std::size_t>(a)];
      for (int j = 0; j < 3; ++j) {
        gradient(a, j) = factor(q, 0, c[0], j == 0) * factor(q, 1, c[1], j == 1) * factor(q, 2, c[2], j == 2);
      }
    }
    return gradient;
  }
  static double quadrature_weight(int) { return 0.125; }
};

// The linear triangle.
struct Triangle {
  static constexpr int dim = 2;
  static constexpr int nodes = 3;
  static constexpr int quadrature_points = 1;
  static constexpr std::string_view name = "sample triangle";
  static constexpr CellKind cell_kind = CellKind::triangle;
  static constexpr std::array<std::array<int, 2>, 3> faces{{{0, 1}, {1, 2}, {2, 0}}};

  static SmallVector<double, 3> shape(int) { return SmallVector<double, 3>::Constant(1.0 / 3); }
  static SmallMatrix<double, 3, 2> shape_gradient(int) {
    SmallMatrix<double, 3, 2> gradient;
    gradient << -1, -1, 1, 0, 0, 1;
    return gradient;
  }
  static double quadrature_weight(int) { return 0.5; }
};

static_assert(pliant::Element<Hexahedron>);
static_assert(pliant::Element<Triangle>);

// n^3 unit cubes.
inline pliant::Mesh<Hexahedron> hexahedra(int n) {
  const auto node = [n](int i, int j, int k) { return i + (n + 1) * (j + (n + 1) * k); };
  pliant::Mesh<Hexahedron> mesh;
  mesh.nodes.resize(3, (n + 1) * (n + 1) * (n + 1));
  mesh.elements.resize(8, n * n * n);
  Eigen::Index element = 0;
  for (int k = 0; k <= n; ++k) {
    for (int j = 0; j <= n; ++j) {
      for (int i = 0; i <= n; ++i) {
        mesh.nodes.col(node(i, j, k)) << i, j, k;
        if (i == n || j == n || k == n) continue;
        for (int a = 0; a < 8; ++a) {
          const auto& c = Hexahedron::corners[static_cast<std::size_t>(a)];
          mesh.elements(a, element) = node(i + c[0], j + c[1], k + c[2]);
        }
        ++element;
      }
    }
  }
  return mesh;
}

// The unit square with its centre, as four triangles.
inline pliant::Mesh<Triangle> triangles() {
  pliant::Mesh<Triangle> mesh;
  mesh.nodes.resize(2, 5);
  mesh.nodes << 0, 1, 1, 0, 0.5,  //
      0, 0, 1, 1, 0.5;
  mesh.elements.resize(3, 4);
  mesh.elements << 0, 1, 2, 3,  //
      1, 2, 3, 0,               //
      4, 4, 4, 4;
  return mesh;
}

}  // namespace sample
