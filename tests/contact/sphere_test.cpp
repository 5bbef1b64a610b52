#include "contact/collider_facts.hpp"

#include <pliant/contact/shape/sphere.hpp>

using namespace pliant;
using test::Inside;

namespace {

template <int Dim>
void check_sphere() {
  std::mt19937_64 random(1);
  const auto centre = test::random_vector<Dim>(random, 2);
  const Sphere collider(centre, 0.7);
  const Inside<Dim> inside = [=](const auto& x) { return (x - centre).squaredNorm() < 0.7 * 0.7; };
  test::check_nearest<Dim>(collider, inside, centre, 1.5);
  test::check_first_hit<Dim>(collider, inside, centre, 1.5);
}

}  // namespace

TEST_CASE("Sphere: nearest points and hits, of a ball and of a disc") {
  check_sphere<2>();
  check_sphere<3>();
}

TEST_CASE("Sphere: closed forms, tangents and ends") {
  const Sphere ball{{1, 0, 0}, 0.5};
  const auto hit = ball.first_hit({-1, 0.3, 0}, {3, 0.3, 0});
  REQUIRE(hit);
  CHECK(hit->fraction == Approx(0.4).epsilon(1e-14));
  CHECK((hit->normal - SmallVector<double, 3>(-0.8, 0.6, 0)).norm() < 1e-14);
  CHECK_FALSE(ball.first_hit({-1, 0.5, 0}, {3, 0.5, 0}));  // touches
  CHECK(ball.first_hit({-1, 0, 0}, {0.5, 0, 0})->fraction == 1);
  CHECK(ball.first_hit({0.5, 0, 0}, {1, 0, 0})->fraction == 0);
  CHECK_FALSE(ball.first_hit({0.5, 0, 0}, {0.5, 1, 0}));  // tangential, from the surface
  CHECK_FALSE(ball.first_hit({0.5, 0, 0}, {0, 0, 0}));    // leaves
  CHECK_FALSE(ball.first_hit({1, 0.1, 0}, {5, 0, 0}));    // starts inside
  CHECK_FALSE(ball.first_hit({-1, 0, 0}, {0.4, 0, 0}));   // ends before it
}

TEST_CASE("Sphere: a segment from very far away hits where it should") {
  const Sphere ball{{0, 0, 0}, 1};
  // A chord of the line y = 0.6.
  const auto hit = ball.first_hit({-1e7, 0.6, 0}, {1e7, 0.6, 0});
  REQUIRE(hit);
  CHECK((hit->normal - SmallVector<double, 3>(-0.8, 0.6, 0)).norm() < 1e-8);
  CHECK(ball.first_hit({-1e7, 1 - 1e-8, 0}, {1e7, 1 - 1e-8, 0}));
  CHECK_FALSE(ball.first_hit({-1e7, 1 + 1e-8, 0}, {1e7, 1 + 1e-8, 0}));
}

TEST_CASE("Sphere: the centre has an answer") {
  const auto near = Sphere{{2, 1}, 0.5}.nearest({2, 1}, 0);
  REQUIRE(near);
  CHECK(near->distance == -0.5);
  CHECK(near->point == SmallVector<double, 2>(2.5, 1));
  CHECK(near->normal == SmallVector<double, 2>(1, 0));
}

TEST_CASE("Sphere: refuses a radius that is not positive and values that are not finite") {
  CHECK_THROWS_WITH((Sphere{{0, 0, 0}, 0}), Catch::Contains("Sphere: radius = 0"));
  CHECK_THROWS_AS((Sphere{{0, 0}, -1}), ParameterError);
  CHECK_THROWS_AS((Sphere{{0, 0}, INFINITY}), ParameterError);
  CHECK_THROWS_WITH((Sphere{{0, NAN}, 1}), Catch::Contains("Sphere: centre"));
}
