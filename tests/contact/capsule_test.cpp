#include "contact/collider_facts.hpp"

#include <pliant/contact/shape/capsule.hpp>

using namespace pliant;
using test::Inside;

namespace {

// Within the radius of a point of the axis: the nearest one by a search of golden sections.
template <int Dim>
bool in_capsule(const test::Vector<Dim>& from, const test::Vector<Dim>& to, double radius,
                const test::Vector<Dim>& x) {
  double a = 0, b = 1;
  const auto squared = [&](double s) { return (x - (from + s * (to - from))).squaredNorm(); };
  for (int i = 0; i < 80; ++i) {
    const double c = b - 0.618033988749895 * (b - a), d = a + 0.618033988749895 * (b - a);
    (squared(c) < squared(d) ? b : a) = squared(c) < squared(d) ? d : c;
  }
  return squared((a + b) / 2) < radius * radius;
}

template <int Dim>
void check_capsule() {
  std::mt19937_64 random(1);
  const auto from = test::random_vector<Dim>(random, 1), to = test::random_vector<Dim>(random, 1);
  const Capsule collider(from, to, 0.25);
  const Inside<Dim> inside = [=](const auto& x) { return in_capsule<Dim>(from, to, 0.25, x); };
  test::check_nearest<Dim>(collider, inside, (from + to) / 2, 1.2);
  test::check_first_hit<Dim>(collider, inside, (from + to) / 2, 1.2);
}

using Point = SmallVector<double, 3>;

}  // namespace

TEST_CASE("Capsule: nearest points and hits, in space and in the plane") {
  check_capsule<2>();
  check_capsule<3>();
}

TEST_CASE("Capsule: sides and ends in closed form") {
  const Capsule rod{{0, 0, 0}, {0, 2, 0}, 0.5};
  CHECK(rod.nearest({0.75, 1, 0}, 1)->distance == 0.25);
  CHECK(rod.nearest({0.75, 1, 0}, 1)->normal == Point(1, 0, 0));
  const auto end = rod.nearest({0.3, 2.4, 0}, 1);
  CHECK(std::abs(end->distance) < 1e-15);
  CHECK((end->normal - Point(0.6, 0.8, 0)).norm() < 1e-14);
  CHECK(rod.nearest({0, -2, 0}, 2)->point == Point(0, -0.5, 0));
  const auto axis = rod.nearest({0, 1, 0}, 0);
  CHECK(axis->distance == -0.5);
  CHECK(std::abs(axis->normal.y()) < 1e-15);
  CHECK((axis->point - Point(0, 1, 0)).norm() == Approx(0.5));

  const auto side = rod.first_hit({-1, 1, 0.3}, {1, 1, 0.3});
  REQUIRE(side);
  CHECK(side->fraction == Approx(0.3).epsilon(1e-14));
  CHECK((side->normal - Point(-0.8, 0, 0.6)).norm() < 1e-14);
  const auto along = rod.first_hit({0, -3, 0}, {0, 5, 0});  // along the axis
  REQUIRE(along);
  CHECK(along->fraction == 0.3125);
  CHECK(along->normal == Point(0, -1, 0));
  CHECK(rod.first_hit({0.3, 5, 0}, {0.3, -5, 0})->point.y() == Approx(2.4).epsilon(1e-14));
  CHECK_FALSE(rod.first_hit({0.5, 5, 0}, {0.5, -5, 0}));  // along a side
  CHECK_FALSE(rod.first_hit({0.5, 1, -1}, {0.5, 1, 1}));  // touches a side
  CHECK_FALSE(rod.first_hit({-1, 2.5, 0}, {1, 2.5, 0}));  // touches an end
  CHECK_FALSE(rod.first_hit({0, 1, 0}, {3, 1, 0}));       // starts inside
  CHECK_FALSE(rod.first_hit({0.5, 1, 0}, {3, 1, 0}));     // leaves
  CHECK(rod.first_hit({0.5, 1, 0}, {0, 1, 0})->fraction == 0);
  CHECK(rod.first_hit({1, 1, 0}, {0.5, 1, 0})->fraction == 1);
}

TEST_CASE("Capsule: refuses a radius or an axis without length and values that are not finite") {
  CHECK_THROWS_WITH((Capsule{{0, 0, 0}, {0, 1, 0}, -1}), Catch::Contains("Capsule: radius = -1"));
  CHECK_THROWS_WITH((Capsule{{0, 1}, {0, 1}, 1}), Catch::Contains("Capsule: length of the axis = 0"));
  CHECK_THROWS_AS((Capsule{{0, NAN}, {0, 1}, 1}), ParameterError);
  CHECK_THROWS_AS((Capsule{{0, 0}, {0, INFINITY}, 1}), ParameterError);
}
