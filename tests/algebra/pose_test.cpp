#include "contact/collider_facts.hpp"

#include <Eigen/Geometry>

#include <pliant/algebra/pose.hpp>

using namespace pliant;
using Point = SmallVector<double, 3>;

TEST_CASE("Pose: there and back, and a rotation keeps lengths") {
  const Pose pose(Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitZ()), Eigen::Vector3d(1, 2, 3));
  CHECK((pose.to_world({1, 0, 0}) - Point(1, 3, 3)).norm() < 1e-15);
  CHECK((pose.to_local({1, 3, 3}) - Point(1, 0, 0)).norm() < 1e-15);
  CHECK((pose.rotated({1, 0, 0}) - Point(0, 1, 0)).norm() < 1e-15);
  const Pose plane(Eigen::Rotation2Dd(M_PI / 2), {0, 5});
  CHECK((plane.to_world({1, 0}) - SmallVector<double, 2>(0, 6)).norm() < 1e-15);
  CHECK((plane.to_local({0, 6}) - SmallVector<double, 2>(1, 0)).norm() < 1e-15);
  CHECK(Pose<3>().to_world({1, 2, 3}) == Point(1, 2, 3));
  const Pose turned(Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -2) / 3)),
                    Eigen::Vector3d(0, 0, 0));
  CHECK((turned.rotated({1, 2, -2}) - Point(1, 2, -2)).norm() < 1e-15);  // its axis
  CHECK(turned.rotated({0, 1, 1}).norm() == Approx(std::sqrt(2)));
}

TEST_CASE("Pose: a translation alone moves and does not turn") {
  const Pose pose(Eigen::Vector3d(0, 1, 0)), braced({0, 1, 0});
  for (const Pose<3>& each : {pose, braced, Pose(0.5 * Eigen::Vector3d(0, 2, 0))}) {
    CHECK(each.to_world({1, 2, 3}) == Point(1, 3, 3));
    CHECK(each.rotated({1, 2, 3}) == Point(1, 2, 3));
  }
  const Pose plane(Eigen::Vector2d(0, 5)), plane_braced({0, 5});
  CHECK(plane.to_world({1, 0}) == SmallVector<double, 2>(1, 5));
  CHECK(plane_braced.to_world({1, 0}) == SmallVector<double, 2>(1, 5));
  CHECK_THROWS_WITH(Pose({0, NAN, 0}), Catch::Contains("Pose: translation"));
}

TEST_CASE("Pose: refuses what is no rotation and what is not finite") {
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d mirror = one;
  mirror(2, 2) = -1;
  const Eigen::Vector3d origin(0, 0, 0);
  CHECK_THROWS_WITH(Pose(mirror, origin), Catch::Contains("Pose: det R = -1"));
  CHECK_THROWS_WITH(Pose(1.001 * one, origin), Catch::Contains("must be a rotation"));
  CHECK_THROWS_AS(Pose(NAN * one, origin), ParameterError);
  CHECK_THROWS_AS(Pose(Eigen::Quaterniond(1, 1, 0, 0), origin), ParameterError);
  CHECK_THROWS_WITH(Pose(one, {0, NAN, 0}), Catch::Contains("Pose: translation"));
  CHECK_NOTHROW(Pose(one + 1e-11 * Eigen::Matrix3d::Ones(), origin));
}

TEST_CASE("Pose: an even motion turns about one axis by even angles, the shorter way") {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -2) / 3;
  const auto turned = [&](double angle) {
    return Pose<3>(Eigen::AngleAxisd(angle, axis), Eigen::Vector3d(angle, 1, 0));
  };
  for (const double angle : {1e-9, 0.3, 3.0, 3.14159, -2.0}) {
    const Pose<3> start = turned(0.4), goal = turned(0.4 + angle);
    for (const double part : {0.0, 0.1, 0.5, 0.9, 1.0}) {
      const Pose<3> there = start.towards(goal, part), expected = turned(0.4 + part * angle);
      CHECK((there.rotation() - expected.rotation()).norm() < 1e-12);
      CHECK((there.translation() - expected.translation()).norm() < 1e-14);
    }
    CHECK(start.towards(goal, 0).rotation() == start.rotation());
    CHECK(start.towards(goal, 1).rotation() == goal.rotation());
    CHECK(start.towards(start, 0.5).rotation().isApprox(start.rotation(), 1e-15));
  }
  const auto far = turned(0).towards(turned(4), 0.5).rotation();  // as by 4 - 2 pi
  CHECK((far - turned(2 - M_PI).rotation()).norm() < 1e-12);
  const Pose<2> plane = Pose<2>().towards(Pose<2>(Eigen::Rotation2Dd(3), {2, 4}), 0.5);
  CHECK((plane.rotation() - Eigen::Rotation2Dd(1.5).toRotationMatrix()).norm() < 1e-15);
  CHECK(plane.translation() == SmallVector<double, 2>(1, 2));
}
