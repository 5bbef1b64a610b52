#include "support/catch.hpp"

#include <cmath>
#include <set>

#include <pliant/mesh/make_rectangle.hpp>

using namespace pliant;

namespace {

template <class Scalar>
double area(const Mesh<Tri3, Scalar>& mesh, Eigen::Index element) {
  const auto X = [&](int a) {
    return mesh.nodes.col(mesh.elements(a, element)).template cast<double>().eval();
  };
  const Eigen::Vector2d u = X(1) - X(0), v = X(2) - X(0);
  return (u.x() * v.y() - u.y() * v.x()) / 2;
}

// The set of elements, each the set of its nodes, when every node goes to its mirror image along an axis.
std::set<std::set<int>> mirrored_elements(const Mesh<Tri3>& mesh, const RectangleShape& shape, int axis) {
  const int width = shape.cells[0] + 1;
  std::set<std::set<int>> elements;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    std::set<int> element;
    for (const int node : mesh.elements.col(e)) {
      const int i = node % width, j = node / width;
      element.insert((axis == 0 ? shape.cells[0] - i : i) + width * (axis == 1 ? shape.cells[1] - j : j));
    }
    elements.insert(element);
  }
  return elements;
}

}  // namespace

TEST_CASE("make_rectangle fills the rectangle with counter-clockwise triangles, two per cell, conforming") {
  for (const Split split : {Split::alternating, Split::kuhn}) {
    for (const std::array<int, 2> cells : {std::array<int, 2>{1, 1}, {3, 2}, {4, 7}}) {
      const auto mesh =
          make_rectangle<Tri3>({.lengths = {2, 0.5}, .cells = cells, .origin = {-1, 7}, .split = split});
      const int count = cells[0] * cells[1];
      CHECK(mesh.node_count() == (cells[0] + 1) * (cells[1] + 1));
      REQUIRE(mesh.element_count() == 2 * count);
      CHECK(mesh.nodes.rowwise().minCoeff() == Eigen::Vector2d(-1, 7));
      CHECK(mesh.nodes.rowwise().maxCoeff() == Eigen::Vector2d(1, 7.5));
      for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
        CHECK(area(mesh, e) * 2 * count == Approx(1).epsilon(1e-12));
      }
      std::multiset<std::set<int>> edges;
      for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
        for (const auto& edge : Tri3::faces)
          edges.insert({mesh.elements(edge[0], e), mesh.elements(edge[1], e)});
      }
      int boundary = 0;
      for (const auto& edge : edges) {
        CHECK(edges.count(edge) <= 2);
        if (edges.count(edge) == 1) ++boundary;
      }
      CHECK(boundary == 2 * (cells[0] + cells[1]));
    }
  }
}

TEST_CASE("alternating diagonals join nodes with i + j even, and mirror themselves along even axes") {
  const RectangleShape shape{.cells = {4, 3}};
  const auto mesh = make_rectangle<Tri3>(shape);
  int diagonals = 0;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (const auto& edge : Tri3::faces) {
      const int a = mesh.elements(edge[0], e), b = mesh.elements(edge[1], e);
      if (a % 5 == b % 5 || a / 5 == b / 5) continue;
      ++diagonals;
      CHECK((a % 5 + a / 5) % 2 == 0);
      CHECK((b % 5 + b / 5) % 2 == 0);
    }
  }
  CHECK(diagonals == 2 * 12);
  CHECK(mirrored_elements(mesh, shape, 0) == mirrored_elements(mesh, shape, -1));
  CHECK(mirrored_elements(mesh, shape, 1) != mirrored_elements(mesh, shape, -1));  // three cells
}

TEST_CASE("the Kuhn split cuts every cell from its lowest to its highest corner") {
  const auto mesh = make_rectangle<Tri3>({.cells = {3, 2}, .split = Split::kuhn});
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    CHECK(mesh.elements.col(e).maxCoeff() - mesh.elements.col(e).minCoeff() == 4 + 1);
  }
  CHECK(mesh.elements.col(0) == Eigen::Vector3i(0, 1, 5));
}

TEST_CASE("make_rectangle in float, and what it refuses") {
  const RectangleShape shape{.lengths = {0.3, 0.7}, .cells = {3, 2}};
  CHECK(make_rectangle<Tri3, float>(shape).elements == make_rectangle<Tri3>(shape).elements);
  CHECK(make_rectangle<Tri3, float>(shape).nodes == make_rectangle<Tri3>(shape).nodes.cast<float>());
  CHECK_THROWS_WITH(make_rectangle<Tri3>({.lengths = {1, 0}}),
                    "RectangleShape::lengths[1] = 0: must be positive and finite");
  CHECK_THROWS_AS(make_rectangle<Tri3>({.lengths = {INFINITY, 1}}), ParameterError);
  CHECK_THROWS_WITH(make_rectangle<Tri3>({.cells = {0, 1}}),
                    "RectangleShape::cells[0] = 0: must be at least 1");
  CHECK_THROWS_AS(make_rectangle<Tri3>({.cells = {1, -3}}), ParameterError);
  CHECK_THROWS_AS(make_rectangle<Tri3>({.cells = {100000, 100000}}), ParameterError);
  CHECK_THROWS_AS(make_rectangle<Tri3>({.origin = {NAN, 0}}), ParameterError);
}
