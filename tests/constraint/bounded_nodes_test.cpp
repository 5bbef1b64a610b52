// The nearest displacement that the planes of a node allow.
#include "support/catch.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <pliant/constraint/bounded_nodes.hpp>

namespace {

using namespace pliant;
using Vector = NodeVector<3, double>;
using Bounds = BoundedNodes<Vector>;
using Point = SmallVector<double, 3>;
using Plane = ContactPlane<3>;

// By projections onto one plane after the other, each without what it did last (Dykstra 1983).
Point nearest_by_turns(const std::vector<Plane>& planes, Point u) {
  std::vector<double> pushes(planes.size(), 0);
  for (int turn = 0; turn < 20000; ++turn) {
    for (std::size_t k = 0; k < planes.size(); ++k) {
      u -= pushes[k] * planes[k].normal;
      pushes[k] = std::max(0.0, planes[k].least - planes[k].normal.dot(u));
      u += pushes[k] * planes[k].normal;
    }
  }
  return u;
}

}  // namespace

TEST_CASE("bounded nodes: of one to three planes, however oblique, the nearest displacement") {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto any = [&] { return Point(normal(random), normal(random), normal(random)); };
  int moved = 0;
  for (int n = 0; n < 60; ++n) {
    std::vector<Plane> planes;
    const Point mean = any().normalized();
    const double spread = n % 2 == 0 ? 0.3 : 2;
    for (int k = 0; k <= n % 3; ++k) {
      planes.push_back({Point(mean + spread * any()).normalized(), -std::abs(normal(random)), k});
    }
    Bounds bounds;
    bounds.clear(1);
    bounds.add(0, planes, SmallMatrix<double, 3, 3>::Identity(), Point::Zero(), 1);
    REQUIRE(bounds.nodes().size() == 1);
    const auto& bounded = bounds.nodes().front();
    if (bounded.axes != n % 3 + 1) continue;  // two of them were as good as parallel
    for (int of_plane = 0; of_plane < 10; ++of_plane) {
      const Point u = 3 * any(), expected = nearest_by_turns(planes, u);
      CHECK((Bounds::nearest(bounded, u) - expected).norm() < 1e-6);
      if (expected != u) ++moved;
    }
    const Point inside = Point::Zero();
    CHECK(Bounds::nearest(bounded, inside) == inside);
  }
  CHECK(moved > 200);
}

TEST_CASE("bounded nodes: a node between two planes that face each other stays between them") {
  const std::vector<Plane> planes{
      {Point(0, 1, 0), -0.1, 0}, {Point(0, -1, 0), -0.2, 1}, {Point(1, 0, 0), 0, 2}};
  Bounds bounds;
  bounds.clear(1);
  bounds.add(0, planes, SmallMatrix<double, 3, 3>::Identity(), Point::Zero(), 1);
  const auto& bounded = bounds.nodes().front();
  CHECK((Bounds::nearest(bounded, Point(-1, 5, 2)) - Point(0, 0.2, 2)).norm() < 1e-15);
  CHECK((Bounds::nearest(bounded, Point(1, -5, 2)) - Point(1, -0.1, 2)).norm() < 1e-15);
}
