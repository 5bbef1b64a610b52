#include "contact/collider_facts.hpp"

#include <Eigen/Geometry>

#include <pliant/contact/pose.hpp>

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
