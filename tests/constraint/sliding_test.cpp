#include "support/catch.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/sliding.hpp>

using namespace pliant;

namespace {

template <int Dim, class... Constraints>
NodeConstraints<Dim> described(const Constraints&... constraints) {
  NodeConstraints<Dim> result(9);
  (constraints.describe(result), ...);
  return result;
}

}  // namespace

TEST_CASE("Sliding: a plane takes one direction, a line all but one") {
  const Eigen::Vector3d d(1, -2, 2);
  const auto plane = described<3>(Sliding::on_plane({4, 2, 4}, d));
  REQUIRE(plane.restraints().size() == 2);
  REQUIRE(plane.restraints().at(4).size() == 1);
  CHECK((plane.restraints().at(4)[0].direction - d / 3).norm() < 1e-15);
  CHECK_FALSE(plane.fixed(4));
  const auto braced = described<3>(Sliding::on_plane({4, 2, 4}, {1, -2, 2}));
  CHECK(braced.restraints().at(2)[0].direction == plane.restraints().at(2)[0].direction);

  const auto line = described<3>(Sliding::on_line({4}, d));
  REQUIRE(line.restraints().at(4).size() == 2);
  for (const auto& restraint : line.restraints().at(4)) {
    CHECK(std::abs(restraint.direction.dot(d)) < 1e-15);
    CHECK(restraint.direction.norm() == Approx(1));
  }
  const auto flat = described<2>(Sliding::on_line({4}, Eigen::Vector2d(3, 4)));
  REQUIRE(flat.restraints().at(4).size() == 1);
  CHECK(described<2>(Sliding::on_line({4}, {3, 4})).restraints().at(4)[0].direction ==
        flat.restraints().at(4)[0].direction);
  CHECK((flat.restraints().at(4)[0].direction - Eigen::Vector2d(-0.8, 0.6)).norm() < 1e-15);
}

TEST_CASE("Sliding: planes add up to a line and to a point, and the same plane twice is one") {
  const Eigen::Vector3d x(1, 0, 0), oblique(1, 1, 0), y(0, 5, 0), z(0, 0, 1);
  const auto planes = [&](auto... normals) {
    return described<3>(Sliding::on_plane({3}, normals)...).restraints().at(3).size();
  };
  CHECK(planes(x, x) == 1);
  CHECK(planes(x, Eigen::Vector3d(-2, 0, 0)) == 1);
  CHECK(planes(x, oblique) == 2);
  CHECK(planes(x, oblique, y) == 2);
  CHECK(planes(x, oblique, y, z) == 3);
  CHECK(described<3>(Sliding::on_plane({3}, x), Sliding::on_line({3}, x)).fixed(3));
  CHECK(described<3>(Sliding::on_plane({3}, x), Pinned({3})).fixed(3));
  CHECK(described<3>(Pinned({3}), Sliding::on_plane({3}, x)).fixed(3));
}

TEST_CASE("Sliding: refuses a direction without length, of another dimension, and a node that is not there") {
  NodeConstraints<3> nodes(9);
  CHECK_THROWS_WITH(Sliding::on_plane({1}, Eigen::Vector3d(0, 0, 0)).describe(nodes),
                    Catch::Contains("Sliding") && Catch::Contains("direction"));
  CHECK_THROWS_AS(Sliding::on_line({1}, Eigen::Vector3d(0, 0, 0)).describe(nodes), ParameterError);
  CHECK_THROWS_AS(Sliding::on_plane({1}, Eigen::Vector3d(0, NAN, 0)).describe(nodes), ParameterError);
  CHECK_THROWS_AS(Sliding::on_plane({1}, Eigen::Vector2d(0, 1)).describe(nodes), SizeError);
  CHECK_THROWS_AS(Sliding::on_plane({1}, {0, 1}).describe(nodes), SizeError);
  CHECK_THROWS_AS(Sliding::on_plane({9}, Eigen::Vector3d(0, 1, 0)).describe(nodes), IndexError);
}
