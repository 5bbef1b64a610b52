#include "contact/collider_facts.hpp"

#include <pliant/contact/shape/half_space.hpp>

using namespace pliant;
using test::Inside;

namespace {

template <int Dim>
void check_half_space() {
  std::mt19937_64 random(1);
  const auto point = test::random_vector<Dim>(random, 2), normal = test::random_vector<Dim>(random, 3);
  const HalfSpace collider(point, normal);
  const Inside<Dim> inside = [=](const auto& x) { return normal.dot(x) < normal.dot(point); };
  const auto centre = test::Vector<Dim>(point - 0.2 * normal / normal.norm());
  test::check_nearest<Dim>(collider, inside, centre, 2);
  test::check_first_hit<Dim>(collider, inside, centre, 2);
}

}  // namespace

TEST_CASE("HalfSpace: nearest points and hits are those of the plane") {
  check_half_space<2>();
  check_half_space<3>();
}

TEST_CASE("HalfSpace: closed forms, tangents and ends") {
  const HalfSpace ground{{0, 1, 0}, {0, 5, 0}};
  const auto near = ground.nearest({3, 1.25, -2}, 0.25);
  REQUIRE(near);
  CHECK(near->distance == 0.25);
  CHECK(near->point == SmallVector<double, 3>(3, 1, -2));
  CHECK(near->normal == SmallVector<double, 3>(0, 1, 0));
  CHECK_FALSE(ground.nearest({3, 1.25, -2}, 0.2));
  CHECK(ground.nearest({3, -99, -2}, 0)->distance == -100);

  const auto hit = ground.first_hit({0, 2, 0}, {4, -2, 0});
  REQUIRE(hit);
  CHECK(hit->fraction == 0.25);
  CHECK(hit->point == SmallVector<double, 3>(1, 1, 0));
  CHECK(ground.first_hit({0, 2, 0}, {0, 1, 0})->fraction == 1);         // ends on it
  CHECK(ground.first_hit({0, 1, 0}, {0, 0, 0})->fraction == 0);         // starts on it
  CHECK_FALSE(ground.first_hit({0, 1, 0}, {5, 1, 0}));                  // stays on it
  CHECK_FALSE(ground.first_hit({0, 1, 0}, {0, 2, 0}));                  // leaves it
  CHECK_FALSE(ground.first_hit({0, 1 - 1e-13, 0}, {0, 1 - 1e-14, 0}));  // but for rounding
  CHECK_FALSE(ground.first_hit({0, 0.5, 0}, {0, -2, 0}));               // is inside
  CHECK(ground.first_hit({0, 1e7, 0}, {0, -1e7, 0})->point.y() == 1);
}

TEST_CASE("HalfSpace: its bounds end at a plane that is normal to an axis") {
  const auto box = HalfSpace{{0, 1, 0}, {0, 5, 0}}.bounds();
  CHECK(box.upper.y() == 1);
  CHECK(box.lower.y() == -INFINITY);
  CHECK(box.upper.x() == INFINITY);
  CHECK(HalfSpace{{0, 1}, {-2, 0}}.bounds().lower == SmallVector<double, 2>(0, -INFINITY));
  CHECK(HalfSpace{{0, 1}, {1, 1}}.bounds().upper == SmallVector<double, 2>(INFINITY, INFINITY));
}

TEST_CASE("HalfSpace: refuses a normal without length and values that are not finite") {
  CHECK_THROWS_WITH((HalfSpace{{0, 0, 0}, {0, 0, 0}}),
                    Catch::Contains("HalfSpace: length of the normal = 0"));
  CHECK_THROWS_AS((HalfSpace{{0, 0}, {0, NAN}}), ParameterError);
  CHECK_THROWS_AS((HalfSpace{{0, 0}, {0, INFINITY}}), ParameterError);
  CHECK_THROWS_WITH((HalfSpace{{0, NAN, 0}, {0, 1, 0}}), Catch::Contains("HalfSpace: point"));
}
