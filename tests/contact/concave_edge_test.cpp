// Ways that start on one facet and slide past a concave edge under the next.
#include "support/catch.hpp"

#include <cmath>
#include <random>

#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/shape/triangle_mesh.hpp>

namespace {

using namespace pliant;
using Point = SmallVector<double, 3>;

constexpr int around = 48;
constexpr double inner = 0.11, outer = 0.21, height = 0.3;  // [m]

// A ring about the y axis, with air inside.
TriangleMesh ring() {
  const double radius[4] = {inner, outer, outer, inner}, y[4] = {0, 0, height, height};
  NodeMatrix<double, 3> nodes(3, 4 * around);
  TriangleMesh::Triangles triangles(3, 8 * around);
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / around;
    for (int k = 0; k < 4; ++k) {
      const int a = 4 * i + k, b = 4 * i + (k + 1) % 4, turn = 4 * ((i + 1) % around) - 4 * i;
      nodes.col(a) = Eigen::Vector3d(radius[k] * std::cos(angle), y[k], radius[k] * std::sin(angle));
      triangles.col(2 * a) << a, b, b + turn;
      triangles.col(2 * a + 1) << a, b + turn, a + turn;
    }
  }
  return TriangleMesh(nodes, triangles);
}

}  // namespace

TEST_CASE("colliders: no node slides unseen from a facet past a concave edge") {
  const TriangleMesh shape = ring();
  Colliders<3> colliders;
  colliders.prepare(outer, 256 * 2.2e-16);
  colliders.add(shape, {}, nullptr, 0);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const double off : {0.0, 1e-17, -1e-17, 1e-15, -1e-15, -1e-12}) {  // the facet, into the air [m]
    CAPTURE(off);
    int inside = 0, unseen = 0;
    for (int n = 0; n < 500; ++n) {
      const double begin = 2 * std::acos(-1.0) * static_cast<int>(uniform(random) * around) / around,
                   end = begin + 2 * std::acos(-1.0) / around;
      const Eigen::Vector3d a(inner * std::cos(begin), 0, inner * std::sin(begin)),
          b(inner * std::cos(end), 0, inner * std::sin(end));
      Eigen::Vector3d from = a + uniform(random) * (b - a) - off * (a + b).normalized(),
                      to = a + (1 + 0.5 * uniform(random)) * (b - a);
      from.y() = to.y() = height * (0.2 + 0.6 * uniform(random));
      const auto near = shape.nearest(Point(to), 1);
      if (!near || near->distance > -1e-6) continue;
      ++inside;
      bool seen = false;
      const Point way(to - from);
      colliders.for_each_entered(Point(from), way, [&](const ContactPlane<3>& plane) {
        seen = seen || plane.least - detail::algebra::dot<double, 3>(plane.normal, way) > 1e-7;
      });
      unseen += !seen;
    }
    CHECK(inside > 400);
    CHECK(unseen == 0);
  }
}
