#include "mesh/sample_meshes.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>

using namespace pliant;

namespace {

// The volume inside the boundary by the divergence theorem: faces are fans of triangles (exact for plane
// faces).
template <Element E>
double enclosed_volume(const Mesh<E>& mesh, const BoundaryFaces<E>& boundary) {
  double volume = 0;
  for (Eigen::Index f = 0; f < boundary.face_count(); ++f) {
    const auto corner = [&](int a) { return mesh.nodes.col(boundary.faces(a, f)); };
    if constexpr (E::dim == 2) {
      volume += (corner(0).x() * corner(1).y() - corner(0).y() * corner(1).x()) / 2;
    } else {
      for (int a = 2; a < face_nodes<E>; ++a) {
        Eigen::Matrix3d triangle;
        triangle << corner(0), corner(a - 1), corner(a);
        volume += triangle.determinant() / 6;
      }
    }
  }
  return volume;
}

}  // namespace

TEST_CASE(
    "the boundary of a box of tets: two triangles per cell face, outward, in the order of the elements") {
  for (const Split split : {Split::alternating, Split::kuhn}) {
    const auto mesh =
        make_box<Tet4>({.lengths = {1, 2, 3}, .cells = {2, 3, 4}, .origin = {5, -2, 7}, .split = split});
    const auto boundary = boundary_faces(mesh);
    CHECK(boundary.face_count() == 2 * 2 * (2 * 3 + 3 * 4 + 4 * 2));
    CHECK(boundary.non_manifold.empty());
    CHECK(enclosed_volume(mesh, boundary) == Approx(6).epsilon(1e-12));

    const Eigen::Vector3d centre(5.5, -1, 8.5);
    for (Eigen::Index f = 0; f < boundary.face_count(); ++f) {
      const Eigen::Vector3d a = mesh.nodes.col(boundary.faces(0, f));
      const Eigen::Vector3d b = mesh.nodes.col(boundary.faces(1, f));
      const Eigen::Vector3d c = mesh.nodes.col(boundary.faces(2, f));
      const Eigen::Vector3d normal = (b - a).cross(c - a);
      CHECK(normal.dot(a - centre) > 0);                             // outward
      CHECK(normal.cwiseAbs().maxCoeff() == Approx(normal.norm()));  // along an axis: on a side of the box
    }

    REQUIRE(boundary.elements.size() == static_cast<std::size_t>(boundary.face_count()));
    REQUIRE(boundary.local_faces.size() == boundary.elements.size());
    for (std::size_t f = 0; f < boundary.elements.size(); ++f) {
      const auto nodes =
          detail::mesh::nodes_of_face<Tet4>(mesh.elements, boundary.elements[f], boundary.local_faces[f]);
      CHECK(std::equal(nodes.begin(), nodes.end(), boundary.faces.col(static_cast<Eigen::Index>(f)).data()));
      if (f > 0) {
        CHECK(std::pair(boundary.elements[f - 1], boundary.local_faces[f - 1]) <
              std::pair(boundary.elements[f], boundary.local_faces[f]));
      }
    }
  }
}

TEST_CASE(
    "the boundary of hexahedra is made of quads, that of triangles of edges with the matter on their left") {
  const auto hexahedra = sample::hexahedra(3);
  const auto quads = boundary_faces(hexahedra);
  CHECK(quads.face_count() == 6 * 9);
  CHECK(enclosed_volume(hexahedra, quads) == Approx(27));

  const auto triangles = sample::triangles();
  const auto edges = boundary_faces(triangles);
  REQUIRE(edges.face_count() == 4);
  CHECK(enclosed_volume(triangles, edges) == Approx(1));
  CHECK(edges.faces.col(2) == Eigen::Vector2i(2, 3));
  CHECK(edges.elements == std::vector<int>{0, 1, 2, 3});
  CHECK(edges.local_faces == std::vector<int>{0, 0, 0, 0});
}

namespace {

// How often each directed edge of the boundary faces occurs; on a closed surface each edge is used once in
// each direction.
template <Element E>
bool closed(const BoundaryFaces<E>& boundary) {
  std::map<std::pair<int, int>, int> uses;
  for (Eigen::Index f = 0; f < boundary.face_count(); ++f) {
    for (int a = 0; a < face_nodes<E>; ++a) {
      ++uses[{boundary.faces(a, f), boundary.faces((a + 1) % face_nodes<E>, f)}];
    }
  }
  return std::all_of(uses.begin(), uses.end(), [&uses](const auto& use) {
    const auto reverse = uses.find({use.first.second, use.first.first});
    return use.second == 1 && reverse != uses.end() && reverse->second == 1;
  });
}

}  // namespace

TEST_CASE("the boundary of hexahedra is closed, and each quad looks away from its element") {
  const auto mesh = make_box<Hex8>({.lengths = {1, 2, 3}, .cells = {2, 3, 4}, .origin = {5, -2, 7}});
  const auto boundary = boundary_faces(mesh);
  CHECK(boundary.face_count() == 2 * (2 * 3 + 3 * 4 + 4 * 2));
  CHECK(boundary.non_manifold.empty());
  CHECK(closed(boundary));
  CHECK(enclosed_volume(mesh, boundary) == Approx(6).epsilon(1e-12));
  for (Eigen::Index f = 0; f < boundary.face_count(); ++f) {
    const auto corner = [&](int a) { return Eigen::Vector3d(mesh.nodes.col(boundary.faces(a, f))); };
    const Eigen::Vector3d normal = (corner(2) - corner(0)).cross(corner(3) - corner(1));
    Eigen::Vector3d centre = Eigen::Vector3d::Zero();
    const int element = boundary.elements[static_cast<std::size_t>(f)];
    for (const int node : mesh.elements.col(element)) centre += mesh.nodes.col(node) / 8;
    CHECK(normal.dot(corner(0) - centre) > 0);
    CHECK(normal.cwiseAbs().maxCoeff() == Approx(normal.norm()));
  }
  auto opened = mesh;
  opened.elements = mesh.elements.rightCols(mesh.element_count() - 1).eval();
  CHECK(closed(boundary_faces(opened)));
  CHECK(enclosed_volume(opened, boundary_faces(opened)) == Approx(6 - 6 / 24.0).epsilon(1e-12));
}

TEST_CASE("the boundary of a rectangle is one closed line, counter-clockwise") {
  const auto mesh = make_rectangle<Tri3>({.lengths = {3, 2}, .cells = {5, 4}, .origin = {-9, 4}});
  const auto boundary = boundary_faces(mesh);
  REQUIRE(boundary.face_count() == 2 * (5 + 4));
  CHECK(enclosed_volume(mesh, boundary) == Approx(6).epsilon(1e-12));
  std::map<int, int> next;
  for (Eigen::Index f = 0; f < boundary.face_count(); ++f) next[boundary.faces(0, f)] = boundary.faces(1, f);
  int node = 0, length = 0;
  do {
    node = next.at(node);
    ++length;
  } while (node != 0 && length < 100);
  CHECK(length == 18);
}

TEST_CASE("a face of three elements is reported with its elements and is no part of the boundary") {
  Mesh<Tet4> mesh;
  mesh.nodes.resize(3, 6);
  mesh.nodes << 0, 1, 0, 0, 0, 1,  //
      0, 0, 1, 0, 0, 1,            //
      0, 0, 0, 1, -1, 2;
  mesh.elements.resize(4, 3);
  mesh.elements << 0, 0, 2,  //
      1, 2, 0,               //
      2, 1, 1,               //
      3, 4, 5;
  const auto boundary = boundary_faces(mesh);
  REQUIRE(boundary.non_manifold.size() == 1);
  CHECK(boundary.non_manifold[0].nodes == std::vector<int>{0, 1, 2});
  CHECK(boundary.non_manifold[0].elements == std::vector<int>{0, 1, 2});
  CHECK(boundary.face_count() == 9);
}

TEST_CASE("boundary_nodes: all but the inner nodes of the box, and no node without an element") {
  auto mesh = make_box<Tet4>({.cells = {2, 2, 2}});
  std::vector<int> expected(27);
  for (int i = 0; i < 27; ++i) expected[static_cast<std::size_t>(i)] = i;
  expected.erase(expected.begin() + 13);
  CHECK(boundary_nodes(mesh) == expected);
  mesh.nodes.conservativeResize(3, 28);
  mesh.nodes.col(27).setConstant(9);
  CHECK(boundary_nodes(mesh) == expected);
  CHECK(boundary_nodes(sample::triangles()) == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("boundary_faces: a node number outside the mesh is an error, an empty mesh has no faces") {
  auto mesh = make_box<Tet4>();
  mesh.elements(3, 2) = 8;
  CHECK_THROWS_WITH(boundary_faces(mesh), "element 2: node 8: outside [0, 8)");
  mesh.elements(3, 2) = -2147483647;
  CHECK_THROWS_AS(boundary_faces(mesh), IndexError);
  CHECK(boundary_faces(Mesh<Tet4>{}).face_count() == 0);
}
