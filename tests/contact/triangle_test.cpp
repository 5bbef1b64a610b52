#include "support/catch.hpp"

#include <cmath>

#include <pliant/contact/shape/triangle.hpp>

using namespace pliant;

TEST_CASE("sign_of_difference: exact where both products round to the same number") {
  // n n - (n - 1) (n + 1) = 1, of products with twice the digits of a double.
  for (int power = 20; power <= 52; ++power) {
    for (int less = 1; less < 100; ++less) {
      const double n = std::ldexp(1.0, power) - less;
      CHECK(detail::contact::sign_of_difference(n, n, n - 1, n + 1) == 1);
      CHECK(detail::contact::sign_of_difference(n - 1, n + 1, n, n) == -1);
      CHECK(detail::contact::sign_of_difference(-n, n, n - 1, -n - 1) == -1);
      CHECK(detail::contact::sign_of_difference(n, n + 1, n + 1, n) == 0);
    }
  }
}

TEST_CASE(
    "LineThroughTriangles: of two triangles with a common edge a line meets one, either way it is moved") {
  using Point = SmallVector<double, 3>;
  const detail::contact::TriangleCorners a{Point(0, 0, 0), Point(3, 1, 0.5), Point(1, 4, 0.25)},
      b{Point(3, 1, 0.5), Point(0, 0, 0), Point(2, -4, 1)};
  for (int i = 1; i < 64; ++i) {
    const double s = i / 64.0;
    const Point on_edge(3 * s, s, 0.5 * s);
    for (const Point& from : {Point(on_edge + Point(0, 0, 1)), Point(on_edge + Point(1, 0.5, -4))}) {
      for (const bool other_way : {false, true}) {
        detail::contact::LineThroughTriangles line(from, on_edge, other_way);
        const auto on_a = line.crossing(a), on_b = line.crossing(b);
        REQUIRE(on_a.has_value() != on_b.has_value());
        const auto& crossing = on_a ? on_a : on_b;
        CHECK(crossing->fraction == Approx(1).epsilon(1e-14));
        CHECK((crossing->point - on_edge).norm() < 1e-14);
        CHECK(crossing->entering == (from.z() > on_edge.z()));
      }
    }
  }
}
