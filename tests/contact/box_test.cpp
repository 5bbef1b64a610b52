#include "contact/collider_facts.hpp"

#include <pliant/contact/shape/box.hpp>

using namespace pliant;
using test::Inside;

namespace {

template <int Dim>
void check_box() {
  std::mt19937_64 random(1);
  const auto lower = test::random_vector<Dim>(random, 1);
  const test::Vector<Dim> upper =
      lower + test::Vector<Dim>::Constant(0.3) + test::random_vector<Dim>(random, 0.5).cwiseAbs();
  const Box collider(lower, upper);
  const Inside<Dim> inside = [=](const auto& x) {
    return (x - lower).minCoeff() > 0 && (upper - x).minCoeff() > 0;
  };
  test::check_nearest<Dim>(collider, inside, (lower + upper) / 2, 1);
  test::check_first_hit<Dim>(collider, inside, (lower + upper) / 2, 1);
}

using Point = SmallVector<double, 3>;

}  // namespace

TEST_CASE("Box: nearest points and hits, of a block and of a rectangle") {
  check_box<2>();
  check_box<3>();
}

TEST_CASE("Box: corners, edges and faces, from outside, inside and on them") {
  const Box box{{0, 0, 0}, {1, 2, 3}};
  const auto corner = box.nearest({2, 4, 5}, 3);
  REQUIRE(corner);
  CHECK(corner->distance == 3);
  CHECK(corner->point == Point(1, 2, 3));
  CHECK((corner->normal - Point(1, 2, 2) / 3).norm() < 1e-15);
  const auto edge = box.nearest({0.5, -3, 7}, 5);
  CHECK(edge->distance == 5);
  CHECK((edge->normal - Point(0, -0.6, 0.8)).norm() < 1e-15);
  CHECK(box.nearest({0.9, 1, 1}, 0)->point == Point(1, 1, 1));
  CHECK(box.nearest({0.9, 1, 1}, 0)->distance == Approx(-0.1));
  const auto on = box.nearest({0.5, 2, 1}, 0);
  CHECK(on->distance == 0);
  CHECK(on->normal == Point(0, 1, 0));
  const auto at_corner = box.nearest({0, 0, 0}, 0);
  CHECK(at_corner->distance == 0);
  CHECK(at_corner->normal == Point(-1, 0, 0));
}

TEST_CASE("Box: a segment through a corner or an edge goes in, one along a face does not") {
  const Box box{{0, 0, 0}, {1, 2, 3}};
  const auto corner = box.first_hit({-1, -1, -1}, {1, 1, 1});
  REQUIRE(corner);
  CHECK(corner->fraction == 0.5);
  CHECK(corner->point == Point(0, 0, 0));
  CHECK(box.first_hit({-1, -1, 1}, {1, 1, 1})->fraction == 0.5);
  CHECK_FALSE(box.first_hit({-1, 1, 1}, {1, -1, 1}));             // touches an edge
  CHECK_FALSE(box.first_hit({-1, 1, 0}, {1, -1, 0}));             // a corner
  CHECK_FALSE(box.first_hit({-1, 2, 1}, {3, 2, 1}));              // runs along a face
  CHECK_FALSE(box.first_hit({0, 0, -1}, {0, 0, 9}));              // along an edge
  CHECK(box.first_hit({0.5, 2, 1}, {0.5, 1, 1})->fraction == 0);  // from a face, inwards
  CHECK(box.first_hit({0, 0, 0}, {1, 1, 1})->fraction == 0);      // from a corner
  CHECK_FALSE(box.first_hit({0.5, 2, 1}, {0.5, 3, 1}));           // outwards
  CHECK_FALSE(box.first_hit({0.5, 1, 1}, {0.5, 3, 1}));           // from inside
  CHECK(box.first_hit({0.5, 3, 1}, {0.5, 2, 1})->fraction == 1);  // ends on it
  CHECK_FALSE(box.first_hit({0.5, 3, 1}, {0.5, 2.01, 1}));
  CHECK(box.first_hit({0.5, 1e9, 1}, {0.5, -1e9, 1})->point == Point(0.5, 2, 1));
}

TEST_CASE("Box: refuses edges that are not of positive length and values that are not finite") {
  CHECK_THROWS_WITH((Box{{0, 0, 0}, {1, 0, 1}}), Catch::Contains("Box: upper - lower = 0"));
  CHECK_THROWS_AS((Box{{0, 0}, {1, -1}}), ParameterError);
  CHECK_THROWS_AS((Box{{0, -INFINITY}, {1, 1}}), ParameterError);
  CHECK_THROWS_AS((Box{{0, NAN}, {1, 1}}), ParameterError);
}
