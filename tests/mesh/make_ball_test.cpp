#include "support/catch.hpp"

#include <cmath>
#include <numbers>
#include <set>

#include <pliant/mesh/boundary.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/make_ball.hpp>
#include <pliant/mesh/measure.hpp>

using namespace pliant;

TEST_CASE("make_ball: a sound mesh of well-shaped tets, bounded by the sphere") {
  for (const int shells : {1, 2, 3, 5, 8}) {
    const auto mesh = make_ball<Tet4>({.radius = 2, .shells = shells, .center = {1, -2, 3}});
    REQUIRE(mesh.element_count() == 20 * shells * shells * shells);
    const Diagnosis diagnosis = diagnose(mesh, {.duplicate_tolerance = 1e-3 / shells});
    CHECK(diagnosis.message() == diagnose(mesh).message());
    CHECK(diagnosis.findings().empty());
    CHECK(diagnosis.worst_quality > 0.75);
    CHECK(element_qualities(mesh).mean() > 0.9);

    const auto boundary = boundary_faces(mesh);
    CHECK(boundary.face_count() == 20 * shells * shells);
    const Eigen::Vector3d center(1, -2, 3);
    std::set<int> surface(boundary.faces.reshaped().begin(), boundary.faces.reshaped().end());
    CHECK(surface.size() == static_cast<std::size_t>(10 * shells * shells + 2));
    for (const int node : surface) CHECK((mesh.nodes.col(node) - center).norm() == Approx(2).epsilon(1e-14));
    CHECK((mesh.nodes.colwise() - center).colwise().norm().maxCoeff() == Approx(2).epsilon(1e-14));
    CHECK((mesh.nodes * Eigen::VectorXd::Ones(mesh.node_count()) / static_cast<double>(mesh.node_count()) -
           center)
              .norm() < 1e-13);
  }
}

TEST_CASE("make_ball: the volume tends to that of the ball with the square of the element size") {
  const double exact = 4.0 / 3 * std::numbers::pi;
  const double coarse = exact - total_volume(make_ball<Tet4>({.shells = 4}));
  const double fine = exact - total_volume(make_ball<Tet4>({.shells = 8}));
  CHECK(fine > 0);
  CHECK(coarse / fine == Approx(4).epsilon(0.03));
  CHECK(fine < 0.02 * exact);
}

TEST_CASE("make_ball names the parameter it cannot use") {
  CHECK_THROWS_WITH(make_ball<Tet4>({.radius = 0}), "BallShape::radius = 0: must be positive and finite");
  CHECK_THROWS_AS(make_ball<Tet4>({.radius = NAN}), ParameterError);
  CHECK_THROWS_AS(make_ball<Tet4>({.shells = 0}), ParameterError);
  CHECK_THROWS_AS(make_ball<Tet4>({.shells = 1000}), ParameterError);
  CHECK_THROWS_AS(make_ball<Tet4>({.center = {0, 0, INFINITY}}), ParameterError);
  CHECK((make_ball<Tet4, float>({.shells = 2}).elements == make_ball<Tet4>({.shells = 2}).elements));
}
