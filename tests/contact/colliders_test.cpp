#include "support/catch.hpp"

#include <cmath>

#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/shape/sphere.hpp>

using namespace pliant;

TEST_CASE("Colliders: a path without a pose is refused by the number of its collider") {
  Colliders<3> colliders;
  const auto rises = [](double t) { return Pose<3>({0, t < 1 ? t : NAN, 0}); };
  CHECK(colliders.add(Sphere({0, 0, 0}, 1), {}, nullptr, 0) == 0);
  CHECK_THROWS_WITH(colliders.add(Sphere({0, 0, 0}, 1), {}, rises, 2),
                    Catch::Contains("collider 1: Pose: translation = ") && Catch::Contains("must be finite"));
  CHECK(colliders.add(Sphere({0, 0, 0}, 1), {}, nullptr, 0) == 1);  // nothing was added
  CHECK(colliders.add(Sphere({0, 0, 0}, 1), {}, rises, 0) == 2);
  colliders.set_interval(0, 0.5);
  CHECK(colliders[2].to.translation() == SmallVector<double, 3>(0, 0.5, 0));
  CHECK_THROWS_WITH(colliders.set_interval(0.5, 1), Catch::Contains("collider 2: Pose: translation"));
}
