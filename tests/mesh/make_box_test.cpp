#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <Eigen/LU>

#include <pliant/mesh/make_box.hpp>

using namespace pliant;

namespace {

template <class Scalar>
double volume(const Mesh<Tet4, Scalar>& mesh, Eigen::Index element) {
  Eigen::Matrix3d edges;
  for (int a = 1; a < 4; ++a) {
    edges.col(a - 1) = (mesh.nodes.col(mesh.elements(a, element)) - mesh.nodes.col(mesh.elements(0, element)))
                           .template cast<double>();
  }
  return edges.determinant() / 6;
}

// A quarter of the volume of its elements at each node.
Eigen::VectorXd lumped_volumes(const Mesh<Tet4>& mesh) {
  Eigen::VectorXd lumped = Eigen::VectorXd::Zero(mesh.node_count());
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) lumped(mesh.elements(a, e)) += volume(mesh, e) / 4;
  }
  return lumped;
}

// The mean of d d^T over the directions d of all edges; a multiple of I when no direction is preferred.
Eigen::Matrix3d direction_tensor(const Mesh<Tet4>& mesh) {
  std::set<std::pair<int, int>> edges;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) edges.insert(std::minmax({mesh.elements(a, e), mesh.elements(b, e)}));
    }
  }
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();
  for (const auto& edge : edges) {
    const Eigen::Vector3d direction = (mesh.nodes.col(edge.first) - mesh.nodes.col(edge.second)).normalized();
    tensor += direction * direction.transpose();
  }
  return tensor / static_cast<double>(edges.size());
}

// The set of elements, each the sorted set of its nodes, when every node goes to its mirror image along an
// axis.
std::set<std::set<int>> mirrored_elements(const Mesh<Tet4>& mesh, const BoxShape& shape, int axis) {
  const std::array<int, 3> strides{1, shape.cells[0] + 1, (shape.cells[0] + 1) * (shape.cells[1] + 1)};
  std::set<std::set<int>> elements;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    std::set<int> element;
    for (int node : mesh.elements.col(e)) {
      if (axis >= 0) {
        const auto a = static_cast<std::size_t>(axis);
        const int coordinate = node / strides[a] % (shape.cells[a] + 1);
        node += (shape.cells[a] - 2 * coordinate) * strides[a];
      }
      element.insert(node);
    }
    elements.insert(element);
  }
  return elements;
}

}  // namespace

TEST_CASE("make_box fills the box with positive tets, for both splits and odd and even cell counts") {
  for (const Split split : {Split::alternating, Split::kuhn}) {
    for (const std::array<int, 3> cells : {std::array<int, 3>{1, 1, 1}, {3, 2, 5}, {4, 4, 2}}) {
      const BoxShape shape{.lengths = {2, 0.5, 3}, .cells = cells, .origin = {-1, 7, 0.25}, .split = split};
      const auto mesh = make_box<Tet4>(shape);
      const int cell_count = cells[0] * cells[1] * cells[2];
      CHECK(mesh.node_count() == (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1));
      REQUIRE(mesh.element_count() == (split == Split::kuhn ? 6 : 5) * cell_count);
      CHECK(mesh.nodes.rowwise().minCoeff() == Eigen::Vector3d(-1, 7, 0.25));
      CHECK(mesh.nodes.rowwise().maxCoeff() == Eigen::Vector3d(1, 7.5, 3.25));
      double total = 0;
      double least = 1;
      for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
        total += volume(mesh, e);
        least = std::min(least, volume(mesh, e) * cell_count / 3);
      }
      CHECK(total == Approx(3).epsilon(1e-13));
      CHECK(least == Approx(1.0 / 6).epsilon(1e-12));
    }
  }
}

TEST_CASE("make_box is conforming: each inner face has two elements, and the others tile the six sides") {
  for (const Split split : {Split::alternating, Split::kuhn}) {
    const auto mesh = make_box<Tet4>({.lengths = {3, 2, 3}, .cells = {3, 2, 3}, .split = split});
    std::multiset<std::set<int>> faces;
    for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
      for (const auto& face : Tet4::faces) {
        faces.insert({mesh.elements(face[0], e), mesh.elements(face[1], e), mesh.elements(face[2], e)});
      }
    }
    int boundary = 0;
    for (const auto& face : faces) {
      CHECK(faces.count(face) <= 2);
      if (faces.count(face) == 1) ++boundary;
    }
    CHECK(boundary == 2 * 2 * (3 * 2 + 2 * 3 + 3 * 3));
  }
}

TEST_CASE(
    "the alternating box is its own mirror image along axes of even cell counts; the Kuhn box along none") {
  const BoxShape shape{.lengths = {4, 2, 1}, .cells = {4, 2, 3}};
  const auto mesh = make_box<Tet4>(shape);
  const auto elements = mirrored_elements(mesh, shape, -1);
  CHECK(elements.size() == static_cast<std::size_t>(mesh.element_count()));
  CHECK(mirrored_elements(mesh, shape, 0) == elements);
  CHECK(mirrored_elements(mesh, shape, 1) == elements);
  CHECK(mirrored_elements(mesh, shape, 2) != elements);  // three cells

  BoxShape kuhn = shape;
  kuhn.split = Split::kuhn;
  const auto kuhn_mesh = make_box<Tet4>(kuhn);
  for (int axis = 0; axis < 3; ++axis) {
    CHECK(mirrored_elements(kuhn_mesh, kuhn, axis) != mirrored_elements(kuhn_mesh, kuhn, -1));
  }
}

TEST_CASE(
    "the alternating box has its mass centre in the middle and no preferred direction; the Kuhn box has "
    "one") {
  const BoxShape shape{.lengths = {4, 1, 1}, .cells = {16, 4, 4}};
  const auto mesh = make_box<Tet4>(shape);
  const Eigen::VectorXd lumped = lumped_volumes(mesh);
  const Eigen::Vector3d centre(2, 0.5, 0.5);
  CHECK((mesh.nodes * lumped / lumped.sum() - centre).norm() < 1e-13);
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  for (Eigen::Index node = 0; node < mesh.node_count(); ++node) {
    const Eigen::Vector3d arm = mesh.nodes.col(node) - centre;
    inertia += lumped(node) * arm * arm.transpose();
  }
  CHECK(std::abs(inertia(0, 1)) < 1e-13);
  CHECK(std::abs(inertia(1, 2)) < 1e-13);
  CHECK(std::abs(inertia(2, 0)) < 1e-13);

  const Eigen::Matrix3d directions = direction_tensor(mesh);
  CHECK((directions - Eigen::Matrix3d(directions.diagonal().asDiagonal())).norm() < 1e-13);
  // Even a beam one cell thick prefers none (up to its ends, if it has an even number of cells).
  const Eigen::Matrix3d thin = direction_tensor(make_box<Tet4>({.lengths = {5, 1, 1}, .cells = {5, 1, 1}}));
  CHECK((thin - Eigen::Matrix3d(thin.diagonal().asDiagonal())).norm() < 1e-13);
  const Eigen::Matrix3d cube = direction_tensor(make_box<Tet4>({.cells = {4, 4, 4}}));
  CHECK((cube - Eigen::Matrix3d::Identity() / 3).norm() < 1e-13);

  const Eigen::Matrix3d kuhn = direction_tensor(make_box<Tet4>({.cells = {4, 4, 4}, .split = Split::kuhn}));
  CHECK(kuhn(0, 1) > 0.1);
}

TEST_CASE("make_box of hexahedra: one congruent brick per cell, in the order of the cells, conforming") {
  const BoxShape shape{.lengths = {2, 0.5, 3}, .cells = {3, 2, 5}, .origin = {-1, 7, 0.25}};
  const auto mesh = make_box<Hex8>(shape);
  REQUIRE(mesh.element_count() == 3 * 2 * 5);
  CHECK(mesh.nodes == make_box<Tet4>(shape).nodes);
  const Eigen::Vector3d brick(2.0 / 3, 0.25, 0.6);
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    const Eigen::Vector3d first =
        Eigen::Vector3d(-1, 7, 0.25) +
        Eigen::Vector3d(double(e % 3), double(e / 3 % 2), double(e / 6)).cwiseProduct(brick);
    for (int a = 0; a < 8; ++a) {
      const Eigen::Vector3d corner = (Hex8::node(a) + Eigen::Vector3d::Ones()) / 2;
      CHECK((mesh.nodes.col(mesh.elements(a, e)) - first - corner.cwiseProduct(brick)).norm() <= 1e-14);
    }
  }
  std::multiset<std::set<int>> faces;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (const auto& face : Hex8::faces) {
      std::set<int> nodes;
      for (const int a : face) nodes.insert(mesh.elements(a, e));
      faces.insert(nodes);
    }
  }
  CHECK(std::count_if(faces.begin(), faces.end(), [&](const auto& face) { return faces.count(face) == 1; }) ==
        2 * (3 * 2 + 2 * 5 + 5 * 3));
  CHECK(std::none_of(faces.begin(), faces.end(), [&](const auto& face) { return faces.count(face) > 2; }));

  CHECK(make_box<Hex8>({.split = Split::kuhn}).element_count() == 1);
  CHECK(make_box<Hex8, float>(shape).elements == mesh.elements);
  CHECK_THROWS_AS(make_box<Hex8>({.cells = {2000, 2000, 2000}}), ParameterError);
  CHECK_THROWS_AS(make_box<Hex8>({.lengths = {1, 0, 1}}), ParameterError);
}

TEST_CASE("make_box in float: the same topology, rounded positions") {
  const BoxShape shape{.lengths = {0.3, 0.7, 1.1}, .cells = {3, 2, 2}};
  const auto single = make_box<Tet4, float>(shape);
  const auto mesh = make_box<Tet4>(shape);
  CHECK(single.elements == mesh.elements);
  CHECK(single.nodes == mesh.nodes.cast<float>());
}

TEST_CASE("make_box names the parameter it cannot use") {
  CHECK_THROWS_WITH(make_box<Tet4>({.lengths = {1, 0, 1}}),
                    "BoxShape::lengths[1] = 0: must be positive and finite");
  CHECK_THROWS_AS(make_box<Tet4>({.lengths = {1, -2, 1}}), ParameterError);
  CHECK_THROWS_AS(make_box<Tet4>({.lengths = {INFINITY, 1, 1}}), ParameterError);
  CHECK_THROWS_AS(make_box<Tet4>({.lengths = {1, 1, NAN}}), ParameterError);
  CHECK_THROWS_WITH(make_box<Tet4>({.cells = {1, 1, 0}}), "BoxShape::cells[2] = 0: must be at least 1");
  CHECK_THROWS_AS(make_box<Tet4>({.cells = {-3, 1, 1}}), ParameterError);
  CHECK_THROWS_AS(make_box<Tet4>({.cells = {2000, 2000, 2000}}), ParameterError);
  CHECK_THROWS_AS(make_box<Tet4>({.origin = {0, NAN, 0}}), ParameterError);
}
