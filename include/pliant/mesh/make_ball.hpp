// A ball of tets.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <pliant/algebra/tensor.hpp>
#include <pliant/core/error.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// Parameters of make_ball.
struct BallShape {
  double radius = 1;                      // [m], > 0
  int shells = 4;                         // elements along a radius, >= 1; there are 20 shells^3 tets
  std::array<double, 3> center{0, 0, 0};  // [m]
};

namespace detail::mesh {

// An icosahedron is divided into 20 nearly regular tets that meet in its centre. Each is divided into
// shells^3 tets on a lattice: a lattice point has four integer weights that sum to `shells`, the first for
// the centre, the others for three corners of the icosahedron. The points whose first weight is shells - k
// are then moved to the sphere of radius k / shells.
class BallMesher {
 public:
  using Point = std::array<int, 4>;

  explicit BallMesher(int shells) : shells_(shells) {
    for (const auto& corners : faces()) fill_sector(corners);
  }

  std::vector<SmallVector<double, 3>> nodes;  // of the ball with radius 1
  std::vector<std::array<int, 4>> tets;       // positively oriented

 private:
  // A name of a point that is the same in all its sectors: the corners with nonzero weight, and these
  // weights, ordered.
  using Name = std::array<std::pair<int, int>, 3>;

  // The cyclic permutations of (0, +-1, +-golden ratio).
  static SmallVector<double, 3> corner(int index) {
    const double golden = (1 + std::sqrt(5.0)) / 2;
    const int axis = index / 4;
    SmallVector<double, 3> X = SmallVector<double, 3>::Zero();
    X((axis + 1) % 3) = (index & 1) != 0 ? -1 : 1;
    X((axis + 2) % 3) = (index & 2) != 0 ? -golden : golden;
    return X / std::sqrt(1 + golden * golden);
  }

  // The corners of the 20 faces: all triples of mutual neighbours.
  static std::vector<std::array<int, 3>> faces() {
    const auto neighbours = [](int a, int b) { return corner(a).dot(corner(b)) > 0.4; };
    std::vector<std::array<int, 3>> faces;
    for (int a = 0; a < 12; ++a) {
      for (int b = a + 1; b < 12; ++b) {
        for (int c = b + 1; c < 12; ++c) {
          if (neighbours(a, b) && neighbours(b, c) && neighbours(c, a)) faces.push_back({a, b, c});
        }
      }
    }
    return faces;
  }

  int node(const std::array<int, 3>& corners, const Point& point) {
    Name name;
    SmallVector<double, 3> X = SmallVector<double, 3>::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const int weight = point[i + 1];
      name[i] = weight > 0 ? std::pair(corners[i], weight) : std::pair(-1, 0);
      X += weight * corner(corners[i]);
    }
    std::sort(name.begin(), name.end());
    const auto [position, is_new] = numbers_.try_emplace(name, static_cast<int>(nodes.size()));
    if (is_new) {
      const int shell = shells_ - point[0];
      if (shell > 0) X *= static_cast<double>(shell) / shells_ / X.norm();
      nodes.push_back(X);
    }
    return position->second;
  }

  void add_tet(std::array<int, 4> tet) {
    SmallMatrix<double, 3, 3> edges;
    for (int a = 1; a < 4; ++a)
      edges.col(a - 1) = position(tet[static_cast<std::size_t>(a)]) - position(tet[0]);
    if (determinant(edges) < 0) std::swap(tet[2], tet[3]);
    tets.push_back(tet);
  }

  const SmallVector<double, 3>& position(int node) const { return nodes[static_cast<std::size_t>(node)]; }

  // The planes of the lattice cut the sector into tets of two orientations and octahedra.
  void fill_sector(const std::array<int, 3>& corners) {
    const auto raised = [](Point point, std::size_t i, int by = 1) {
      point[i] += by;
      return point;
    };
    for_each_point(shells_ - 1, [&](const Point& p) {
      std::array<int, 4> tet;
      for (std::size_t i = 0; i < 4; ++i) tet[i] = node(corners, raised(p, i));
      add_tet(tet);
    });
    for_each_point(shells_ - 2, [&](const Point& p) {
      // Entries 2 i and 2 i + 1 are opposite corners of the octahedron.
      constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
          {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}}};
      std::array<int, 6> octahedron;
      for (std::size_t i = 0; i < 6; ++i) {
        octahedron[i] = node(corners, raised(raised(p, pairs[i][0]), pairs[i][1]));
      }
      split_octahedron(octahedron);
    });
    for_each_point(shells_ - 3, [&](const Point& p) {
      const Point top{p[0] + 1, p[1] + 1, p[2] + 1, p[3] + 1};
      std::array<int, 4> tet;
      for (std::size_t i = 0; i < 4; ++i) tet[i] = node(corners, raised(top, i, -1));
      add_tet(tet);
    });
  }

  // Four tets around the shortest diagonal, the first one if several are equal up to rounding.
  void split_octahedron(const std::array<int, 6>& corners) {
    std::size_t best = 0;
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      const double length = (position(corners[2 * i]) - position(corners[2 * i + 1])).norm();
      if (length >= shortest * (1 - 1e-9)) continue;
      shortest = length;
      best = i;
    }
    const std::size_t u = (best + 1) % 3, v = (best + 2) % 3;
    const std::array<int, 4> belt{corners[2 * u], corners[2 * v], corners[2 * u + 1], corners[2 * v + 1]};
    for (std::size_t i = 0; i < 4; ++i) {
      add_tet({corners[2 * best], corners[2 * best + 1], belt[i], belt[(i + 1) % 4]});
    }
  }

  // All points whose weights are >= 0 and sum to `sum`; none if that is negative.
  template <class Visit>
  static void for_each_point(int sum, Visit&& visit) {
    for (int a = sum; a >= 0; --a) {
      for (int b = sum - a; b >= 0; --b) {
        for (int c = sum - a - b; c >= 0; --c) visit(Point{a, b, c, sum - a - b - c});
      }
    }
  }

  int shells_;
  std::map<Name, int> numbers_;
};

}  // namespace detail::mesh

// A ball of well-shaped tets, all positively oriented. The nodes of the boundary lie on the sphere, so that
// the volume tends to 4/3 pi radius^3 with the square of the element size, from below. Throws ParameterError
// for a radius or a number of shells that is not positive.
template <Element E, class Scalar = double>
Mesh<E, Scalar> make_ball(const BallShape& shape = {}) {
  static_assert(E::cell_kind == CellKind::tet, "make_ball<E>: balls are made of Tet4 only");
  detail::core::require_parameter(shape.radius > 0, "BallShape::radius", shape.radius,
                                  "must be positive and finite");
  detail::core::require_parameter(shape.shells >= 1, "BallShape::shells", shape.shells, "must be at least 1");
  detail::core::require_parameter(20.0 * std::pow(shape.shells, 3) <= std::numeric_limits<int>::max(),
                                  "BallShape::shells", shape.shells,
                                  "too many for 32-bit indices (20 shells^3 tets)");
  for (const double x : shape.center)
    detail::core::require_parameter(true, "BallShape::center", x, "must be finite");

  const detail::mesh::BallMesher ball(shape.shells);
  const SmallVector<double, 3> center(shape.center[0], shape.center[1], shape.center[2]);
  Mesh<E, Scalar> mesh;
  mesh.nodes.resize(3, static_cast<Eigen::Index>(ball.nodes.size()));
  mesh.elements.resize(4, static_cast<Eigen::Index>(ball.tets.size()));
  Eigen::Index column = 0;
  for (const auto& X : ball.nodes)
    mesh.nodes.col(column++) = (center + shape.radius * X).template cast<Scalar>();
  column = 0;
  for (const auto& tet : ball.tets) std::copy(tet.begin(), tet.end(), mesh.elements.col(column++).data());
  return mesh;
}

}  // namespace pliant
