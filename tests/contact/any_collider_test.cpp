#include "contact/collider_facts.hpp"
#include "contact/surfaces.hpp"

#include <Eigen/Geometry>

#include <pliant/algebra/pose.hpp>
#include <pliant/contact/shape/any_collider.hpp>
#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/capsule.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/contact/shape/sphere.hpp>

using namespace pliant;

namespace {

// Each model as it is and turned by a pose: what a body in the world meets is the same, turned as well.
template <int Dim, class C>
void check_same(const C& model, const C& turned, const Pose<Dim>& pose) {
  const detail::contact::AnyCollider<Dim> any = model;
  const detail::contact::AnyCollider<Dim> copy = any;
  CHECK_NOTHROW(any.check());
  CHECK(any.bounds().lower == model.bounds().lower);
  CHECK(any.bounds().upper == model.bounds().upper);
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const auto x = test::random_vector<Dim>(random, 2), y = test::random_vector<Dim>(random, 2);
    const auto near = model.nearest(x, 1);
    const auto near_by_any = copy.nearest(x, 1);
    const auto near_turned = turned.nearest(pose.to_world(x), 1);
    REQUIRE(near_by_any.has_value() == near.has_value());
    REQUIRE(near_turned.has_value() == near.has_value());
    if (near) {
      CHECK(near_by_any->point == near->point);
      CHECK(near_by_any->normal == near->normal);
      CHECK(near_by_any->distance == near->distance);
      CHECK((near_turned->point - pose.to_world(near->point)).norm() < 1e-12);
      CHECK((near_turned->normal - pose.rotated(near->normal)).norm() < 1e-12);
      CHECK(std::abs(near_turned->distance - near->distance) < 1e-13);
    }
    const auto hit = model.first_hit(x, y);
    const auto hit_by_any = copy.first_hit(x, y);
    const auto hit_turned = turned.first_hit(pose.to_world(x), pose.to_world(y));
    REQUIRE(hit_by_any.has_value() == hit.has_value());
    REQUIRE(hit_turned.has_value() == hit.has_value());
    if (hit) {
      CHECK(hit_by_any->point == hit->point);
      CHECK(hit_by_any->fraction == hit->fraction);
      CHECK((hit_turned->point - pose.to_world(hit->point)).norm() < 1e-12);
      CHECK((hit_turned->normal - pose.rotated(hit->normal)).norm() < 1e-12);
      CHECK(std::abs(hit_turned->fraction - hit->fraction) < 1e-12);
    }
  }
}

}  // namespace

TEST_CASE("AnyCollider: answers as the model it holds, and a rotated model gives rotated answers") {
  std::mt19937_64 random(1);
  const Pose<3> pose(test::random_rotation(random), Eigen::Vector3d(0.3, -1, 2));
  const Pose<2> plane(Eigen::Rotation2Dd(0.7), {0.3, -1});
  const SmallVector<double, 3> a(0.1, 0.2, -0.3), b(0.5, -0.4, 0.6);
  const SmallVector<double, 2> c(0.1, 0.2), d(0.5, -0.4);
  check_same<3>(HalfSpace(a, b), HalfSpace(pose.to_world(a), pose.rotated(b)), pose);
  check_same<2>(HalfSpace(c, d), HalfSpace(plane.to_world(c), plane.rotated(d)), plane);
  check_same<3>(Sphere(a, 0.7), Sphere(pose.to_world(a), 0.7), pose);
  check_same<2>(Sphere(c, 0.7), Sphere(plane.to_world(c), 0.7), plane);
  check_same<3>(Capsule(a, b, 0.3), Capsule(pose.to_world(a), pose.to_world(b), 0.3), pose);
  check_same<2>(Capsule(c, d, 0.3), Capsule(plane.to_world(c), plane.to_world(d), 0.3), plane);
  const auto torus = test::torus(12, 8, 1, 0.4);
  check_same<3>(torus.collider(), test::rotated(torus, pose.rotation(), pose.translation()).collider(), pose);
}

TEST_CASE("AnyCollider: a turned box is the box of the turned question, a mesh of it agrees") {
  std::mt19937_64 random(1);
  const Pose<3> pose(test::random_rotation(random), Eigen::Vector3d(0.3, -1, 2));
  const Box box{{0, 0, 0}, {0.5, 1, 2}};
  const TriangleMesh mesh =
      test::rotated(test::block({0.5, 1, 2}), pose.rotation(), pose.translation()).collider();
  for (int i = 0; i < 1000; ++i) {
    const SmallVector<double, 3> x = pose.to_world(test::random_vector<3>(random, 2.5)),
                                 y = pose.to_world(test::random_vector<3>(random, 2.5));
    const auto near = box.nearest(pose.to_local(x), 9), near_mesh = mesh.nearest(x, 9);
    CHECK(std::abs(near->distance - near_mesh->distance) < 1e-13);
    CHECK((pose.rotated(near->normal) - near_mesh->normal).norm() < 1e-10);
    const auto hit = box.first_hit(pose.to_local(x), pose.to_local(y)), hit_mesh = mesh.first_hit(x, y);
    REQUIRE(hit.has_value() == hit_mesh.has_value());
    if (hit) CHECK((pose.to_world(hit->point) - hit_mesh->point).norm() < 1e-13);
  }
}

TEST_CASE("AnyCollider: models of all kinds in one list, of types the arguments tell") {
  const std::vector<detail::contact::AnyCollider<3>> space{
      HalfSpace{{0, 0, 0}, {0, 1, 0}}, Sphere{{0, 1, 0}, 0.2}, Box{{0, 0, 0}, {1, 1, 1}},
      Capsule{{0, 0, 0}, {0, 1, 0}, 0.1}, test::ball(1).collider()};
  const std::vector<detail::contact::AnyCollider<2>> plane{HalfSpace{{0, 0}, {0, 1}}, Sphere{{0, 1}, 0.2},
                                                           Box{{0, 0}, {1, 1}}, Capsule{{0, 0}, {0, 1}, 0.1}};
  for (const auto& collider : space) CHECK(collider.nearest({0, 0.9, 0.01}, 10));
  for (const auto& collider : plane) CHECK(collider.nearest({0, 0.9}, 10));
  const Eigen::Vector2d corner(1, 2);
  const detail::contact::AnyCollider by_eigen = HalfSpace{corner, {0, 1}};
  CHECK(std::is_same_v<decltype(by_eigen), const detail::contact::AnyCollider<2>>);
  CHECK(Box{{0, 0}, corner}.upper() == corner);
  CHECK(Sphere{corner, 1}.dim == 2);
  CHECK(Capsule{Eigen::Vector3d(0, 0, 0), {0, 0, 1}, 1}.dim == 3);
}
