#include "support/catch.hpp"

#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include <Eigen/Geometry>

#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/make_cylinder.hpp>
#include <pliant/mesh/measure.hpp>

using namespace pliant;

TEST_CASE("make_cylinder: a sound mesh of well-shaped tets between two discs") {
  for (const auto& [rings, layers] : {std::pair{1, 1}, {1, 4}, {2, 3}, {4, 8}}) {
    const CylinderShape shape{
        .radius = 0.5, .length = 0.5 * layers / rings, .rings = rings, .layers = layers, .base = {1, 2, -3}};
    const auto mesh = make_cylinder<Tet4>(shape);
    REQUIRE(mesh.element_count() == 18 * rings * rings * layers);
    CHECK(mesh.node_count() == (1 + 3 * rings * (rings + 1)) * (layers + 1));
    const Diagnosis diagnosis = diagnose(mesh);
    CHECK(diagnosis.findings().empty());
    CHECK(diagnosis.worst_quality > 0.65);
    CHECK(element_qualities(mesh).mean() > 0.75);

    // Conforming and without holes: the boundary is two discs and the mantle, and encloses the volume of the
    // elements.
    CHECK(boundary_faces(mesh).face_count() == 2 * 6 * rings * rings + 2 * 6 * rings * layers);
    const double sides = 6 * rings;
    const double polygon = sides / 2 * std::sin(2 * std::numbers::pi / sides) * 0.25;
    CHECK(total_volume(mesh) == Approx(polygon * shape.length).epsilon(1e-12));
    CHECK(bounding_box(mesh).lower.z() == -3);
    CHECK(bounding_box(mesh).upper.z() == -3 + shape.length);
    CHECK(bounding_box(mesh).upper.x() == Approx(1.5).epsilon(1e-14));
  }
}

TEST_CASE("make_cylinder: the volume tends to that of the cylinder with the square of the element size") {
  const double exact = std::numbers::pi * 0.25 * 2;
  const double coarse = exact - total_volume(make_cylinder<Tet4>({.length = 2, .rings = 4, .layers = 8}));
  const double fine = exact - total_volume(make_cylinder<Tet4>({.length = 2, .rings = 8, .layers = 16}));
  CHECK(fine > 0);
  CHECK(coarse / fine == Approx(4).epsilon(0.01));
}

TEST_CASE("make_cylinder prefers no direction and no sense of rotation") {
  const auto mesh = make_cylinder<Tet4>({.length = 2, .rings = 3, .layers = 6});
  std::set<std::pair<int, int>> edges;
  for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < a; ++b) edges.insert(std::minmax({mesh.elements(a, e), mesh.elements(b, e)}));
    }
  }
  Eigen::Matrix3d directions = Eigen::Matrix3d::Zero();
  double twist = 0;  // how much more the edges climb one way around the axis than the other
  for (const auto& [a, b] : edges) {
    const Eigen::Vector3d middle = (mesh.nodes.col(a) + mesh.nodes.col(b)) / 2;
    const Eigen::Vector3d along = mesh.nodes.col(a) - mesh.nodes.col(b);
    directions += along * along.transpose();
    twist += (middle.x() * along.y() - middle.y() * along.x()) * along.z();
  }
  CHECK(std::abs(directions(0, 1)) < 1e-12);
  CHECK(std::abs(directions(1, 2)) < 1e-12);
  CHECK(std::abs(directions(2, 0)) < 1e-12);
  CHECK(directions(0, 0) == Approx(directions(1, 1)));
  CHECK(std::abs(twist) < 1e-12);
}

TEST_CASE("make_cylinder is its own mirror image along the axis for an even number of layers") {
  for (const int layers : {2, 3, 4}) {
    const auto mesh = make_cylinder<Tet4>({.rings = 3, .layers = layers});
    const int disc_nodes = static_cast<int>(mesh.node_count()) / (layers + 1);
    std::set<std::set<int>> elements;
    std::set<std::set<int>> mirrored;
    for (Eigen::Index e = 0; e < mesh.element_count(); ++e) {
      std::set<int> element;
      std::set<int> image;
      for (const int node : mesh.elements.col(e)) {
        element.insert(node);
        image.insert(node + disc_nodes * (layers - 2 * (node / disc_nodes)));
      }
      elements.insert(element);
      mirrored.insert(image);
    }
    CHECK((mirrored == elements) == (layers % 2 == 0));
  }
}

TEST_CASE("make_cylinder names the parameter it cannot use") {
  CHECK_THROWS_WITH(make_cylinder<Tet4>({.length = -1}),
                    "CylinderShape::length = -1: must be positive and finite");
  CHECK_THROWS_AS(make_cylinder<Tet4>({.radius = INFINITY}), ParameterError);
  CHECK_THROWS_AS(make_cylinder<Tet4>({.rings = 0}), ParameterError);
  CHECK_THROWS_AS(make_cylinder<Tet4>({.layers = -2}), ParameterError);
  CHECK_THROWS_AS(make_cylinder<Tet4>({.rings = 20000, .layers = 20000}), ParameterError);
  CHECK_THROWS_AS(make_cylinder<Tet4>({.base = {NAN, 0, 0}}), ParameterError);
}
