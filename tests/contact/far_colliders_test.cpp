// A box around nodes never hides a collider that one of them could meet.
#include "contact/unbounded.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Geometry>

#include <pliant/contact/response/colliders.hpp>
#include <pliant/contact/response/node_groups.hpp>
#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/capsule.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/contact/shape/sphere.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/io/make_triangle_mesh.hpp>
#include <pliant/mesh/make_ball.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Point = SmallVector<double, 3>;

class Random {
 public:
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  int one_of(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }
  Point vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }
  Point direction() {
    for (;;) {
      const Point v = vector(1);
      if (v.norm() > 0.1 && v.norm() < 1) return v / v.norm();
    }
  }
  Pose<3> pose(double size) {
    return {Eigen::AngleAxisd(between(-3, 3), Eigen::Vector3d(direction())), vector(size)};
  }

 private:
  std::mt19937_64 engine_{11};
};

// Calls use(collider) with one of each kind, thin ones too.
template <class Use>
void for_each_kind(Random& random, Use&& use) {
  const Point at = random.vector(0.2);
  const double size = random.log_between(1e-3, 1);
  use(HalfSpace<3>(at, random.direction()));
  use(HalfSpace<3>(at, Point(0, random.one_of(2) == 0 ? 1 : -1, 0)));
  use(Sphere<3>(at, size));
  use(Box<3>(at, at + Point(random.between(0.1, 1), size, random.between(0.1, 1))));
  use(Capsule<3>(at, at + random.direction(), size));
  auto ball = make_ball<Tet4>({.radius = 0.5, .shells = 2});
  ball.nodes.row(1) *= size;
  use(make_triangle_mesh(ball));
  Eigen::Matrix3d corners;
  for (int k = 0; k < 3; ++k) corners.col(k) = random.vector(1);
  use(TriangleMesh::two_sided(corners, Eigen::Vector3i(0, 1, 2)));
}

}  // namespace

TEST_CASE("colliders: what is far from a region finds nothing at any of its nodes") {
  Random random;
  int regions = 0, far = 0, hidden = 0, met = 0, entered = 0, pushed = 0;
  for (int scene = 0; scene < 150; ++scene) {
    for_each_kind(random, [&](const auto& shape) {
      Colliders<3> bounded, plain;
      const double rounding = random.one_of(2) == 0 ? 256 * 0x1p-23 : 256 * 0x1p-52;
      const pliant::Surface surface{.thickness = random.one_of(2) == 0 ? 0 : random.log_between(1e-4, 0.3)};
      const Pose<3> from = random.pose(0.5), to = random.one_of(3) == 0 ? from : random.pose(0.5);
      for (Colliders<3>* colliders : {&bounded, &plain}) {
        colliders->prepare(1, rounding);
        const auto path = [=](double t) { return t == 0 ? from : to; };
        if (colliders == &plain) colliders->add(Unbounded{shape}, surface, path, 0);
        else colliders->add(shape, surface, path, 0);
        colliders->set_interval(0, 1);
      }
      for (int k = 0; k < 60; ++k) {
        const double size = random.log_between(1e-3, 0.3), speed = random.log_between(1e-4, 1);
        const double beyond = random.one_of(2) == 0 ? 0 : random.log_between(1e-3, 0.3);
        const Point middle = random.vector(2), drift = speed * random.direction();
        const Point reach = Point::Constant(size), spread = Point::Constant(random.between(0, 0.5) * speed);
        const NodeRegion<3> region{{middle - reach, middle + reach}, {drift - spread, drift + spread}};
        const bool is_far = !bounded.near(0, region, beyond);
        ++regions;
        if (is_far) ++far;
        for (int n = 0; n < 12; ++n) {
          Point x = middle, way = drift;
          for (int axis = 0; axis < 3; ++axis) {  // corners, and places between them
            const bool corner = n < 8;
            x[axis] += reach[axis] * (corner ? ((n >> axis & 1) != 0 ? 1 : -1) : random.between(-1, 1));
            way[axis] += spread[axis] * (random.one_of(2) == 0 ? 1 : -1);
          }
          NodePlanes<3> planes;
          planes.size = x.cwiseAbs().maxCoeff();
          plain.meet(0, x, way, way.norm() + beyond, planes);
          int entries = 0;
          plain.for_each_entered(x, way, [&](const ContactPlane<3>&) { ++entries; });
          Point moved = x;
          const bool is_pushed =
              plain.push_out(moved, planes.size, [] { return SmallMatrix<double, 3, 3>::Identity().eval(); });
          met += planes.count > 0 ? 1 : 0;
          entered += entries > 0 ? 1 : 0;
          pushed += is_pushed ? 1 : 0;
          if (is_far && (planes.count > 0 || entries > 0 || is_pushed)) ++hidden;
        }
      }
    });
  }
  CHECK(hidden == 0);
  // The scenes are neither all far nor all near.
  CHECK(far > regions / 4);
  CHECK(far < regions * 9 / 10);
  CHECK(met > 10000);
  CHECK(entered > 5000);
  CHECK(pushed > 5000);
}

TEST_CASE("half-space: it is apart from just the boxes that are higher than the reach") {
  Random random;
  for (int k = 0; k < 5000; ++k) {
    const Point at = random.vector(1), normal = random.direction(), half = Point::Constant(0.1);
    const HalfSpace<3> floor(at, normal);
    const Point middle = random.vector(1);
    const double lowest = (middle - at).dot(normal) - 0.1 * normal.cwiseAbs().sum();
    const AxisAlignedBox<3> box{middle - half, middle + half};
    if (lowest > 1e-9) CHECK(floor.apart(box, lowest - 1e-9));
    CHECK_FALSE(floor.apart(box, std::max(lowest, 0.0)));
  }
}

TEST_CASE("colliders: a node that rests on a surface, or on the edge of what counts as that, is near") {
  Colliders<3> colliders;
  constexpr double rounding = 1e-6, thickness = 0.1;
  colliders.prepare(1, rounding);
  colliders.add(HalfSpace<3>(Point(0, 0, 0), Point(0, 1, 0)), {.thickness = thickness}, nullptr, 0);
  colliders.set_interval(0, 1);
  for (const double height : {0.0, thickness, 1.0099 * thickness, 1.01 * thickness + rounding}) {
    const Point x(0, height, 0), still = Point::Zero();
    NodePlanes<3> planes;
    colliders.meet(0, x, still, 0, planes);
    CHECK(planes.count == 1);
    CHECK(colliders.near(0, {{x, x}, {still, still}}, 0));
  }
}

TEST_CASE("groups of nodes: each node is in one, within its box, and what is not a number does not matter") {
  Random random;
  for (const int nodes : {1, 31, 32, 33, 70}) {
    const detail::contact::NodeGroups<NodeVector<3, float>> groups(nodes, {});
    NodeVector<3, float> x(nodes);
    for (int i = 0; i < nodes; ++i) x.node(i) = random.vector(1).cast<float>() + Eigen::Vector3f(5, -5, 0);
    int wrong = 0;
    for (int hole = 0; hole < nodes; ++hole) {
      NodeVector<3, float> y = x;
      y.node(hole).setConstant(std::numeric_limits<float>::quiet_NaN());
      int next = 0;
      for (int group = 0; group < groups.count(); ++group) {
        CHECK(groups.begin(group) == next);
        const auto box = groups.box(y, group);
        for (; next < groups.end(group); ++next) {
          if (next != hole && !box.contains(y.node(next).cast<double>())) ++wrong;
        }
        if (group + 1 < groups.count()) CHECK((box.lower[0] >= 4 && box.upper[1] <= -4));
      }
      CHECK(next == nodes);
    }
    CHECK(wrong == 0);
  }
}
