// Segments against triangle meshes: none slips through.
#include "contact/collider_facts.hpp"
#include "contact/surfaces.hpp"

#include <pliant/contact/shape/triangle_mesh.hpp>

using namespace pliant;
using test::Point;
using test::Surface;

namespace {

// Segments from far outside through a point of an edge, or through a node, to a point inside.
struct Aims {
  const Surface& surface;
  std::mt19937_64 random{11};

  Eigen::Index triangle() {
    return std::uniform_int_distribution<Eigen::Index>(0, surface.triangles.cols() - 1)(random);
  }
  Point node() { return surface.corner(triangle(), 0); }
  // A point that rounding puts on an edge; now and then the middle.
  Point on_edge() {
    const auto t = triangle();
    const int i = std::uniform_int_distribution<int>(0, 2)(random);
    const double s = i == 0 ? 0.5 : std::uniform_real_distribution<double>(0, 1)(random);
    return surface.corner(t, i) + s * (surface.corner(t, i + 1) - surface.corner(t, i));
  }
};

// Each segment from outside through the aim to within must hit, not later than at the aim. The ball is convex
// and contains the origin.
int misses(const Surface& ball, int count, double far) {
  const TriangleMesh mesh = ball.collider();
  Aims aims{ball};
  int missed = 0;
  for (int i = 0; i < count; ++i) {
    const Point aim = i % 2 == 0 ? aims.node() : aims.on_edge();
    // Through the centre, or beside it; from near and from far away; ending at once or beyond.
    const Point inside = i % 3 == 0 ? Point(Point::Zero()) : test::random_vector<3>(aims.random, 0.4);
    const double back = i % 5 == 0 ? far : 1;
    const Point from = aim + back * (aim - inside);
    const Point to = i % 7 == 0 ? Point(aim - far * (aim - inside)) : inside;
    const auto hit = mesh.first_hit(from, to);
    missed += !hit || (hit->point - aim).norm() > 1e-12 * far || hit->normal.dot(to - from) >= 0;
  }
  return missed;
}

void check_no_misses(int count) {
  std::mt19937_64 random(12);
  for (const int shells : {1, 4, 9}) {
    const Surface ball = test::ball(shells);
    CHECK(misses(ball, count / 6, 10) == 0);
    for (int turn = 0; turn < 5; ++turn) {
      CHECK(misses(test::rotated(ball, test::random_rotation(random)), count / 30, 1e5) == 0);
    }
  }
}

}  // namespace

TEST_CASE("first_hit: a segment aimed at an edge or a node of a closed mesh hits, always") {
  check_no_misses(60000);
}

TEST_CASE("first_hit: a million segments aimed at edges and nodes hit", "[slow]") {
  check_no_misses(2000000);
}

TEST_CASE("first_hit: segments through many nodes and edges at once, exactly") {
  // On a lattice every sum is exact, and most segments meet edges, nodes and faces that contain them.
  const Surface block = test::block({4, 4, 4});
  const TriangleMesh mesh = block.collider();
  std::mt19937_64 random(13);
  std::uniform_int_distribution<int> lattice(-4, 8);
  const auto point = [&] { return Point(lattice(random), lattice(random), lattice(random)); };
  int hits = 0, touches = 0;
  for (int i = 0; i < 200000; ++i) {
    const Point from = point(), to = point();
    // In the open block; the interval of the segment there, in whole numbers.
    double enter = -1e9, leave = 1e9;
    bool parallel_outside = false;
    for (int k = 0; k < 3; ++k) {
      const double d = to[k] - from[k];
      if (d == 0) {
        parallel_outside = parallel_outside || from[k] <= 0 || from[k] >= 4;
        continue;
      }
      const double a = -from[k] / d, b = (4 - from[k]) / d;
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    const bool goes_in = !parallel_outside && from != to && enter < leave && enter >= 0 && enter <= 1;
    const auto hit = mesh.first_hit(from, to);
    if (enter == 1 && !hit) continue;  // ends on the surface: as rounding has it
    const Point d = to - from;
    const double along = d.cwiseAbs().maxCoeff();
    bool exact = true;  // the slopes of the segment are doubles
    for (int k = 0; k < 3; ++k) exact = exact && std::fma(d[k] / along, along, -d[k]) == 0;
    if (!goes_in && !exact) continue;
    CAPTURE(from.transpose(), to.transpose(), enter, leave);
    REQUIRE(hit.has_value() == goes_in);
    touches += !goes_in && enter >= 0 && enter <= leave && enter <= 1;
    if (!hit) continue;
    ++hits;
    CHECK(std::abs(hit->fraction - enter) < 1e-15);
    CHECK((hit->point - (from + enter * (to - from))).norm() < 1e-14);
    CHECK(hit->normal.dot(to - from) < 0);
  }
  CHECK(hits > 10000);
  CHECK(touches > 5000);
}

TEST_CASE("first_hit: random segments against all triangles, dents, holes and starts inside included") {
  std::mt19937_64 random(14);
  for (const Surface& surface : {test::ball(6, 0.3), test::torus(24, 12, 1, 0.4), test::block({0.5, 1, 2})}) {
    const TriangleMesh mesh = surface.collider();
    int hits = 0, from_inside = 0;
    for (int i = 0; i < 3000; ++i) {
      const Point from = test::random_vector<3>(random, 1.4), to = test::random_vector<3>(random, 1.4);
      const auto all = test::crossings(surface, from, to);
      const bool inside = test::winding(surface, from) > 0.5;
      const bool goes_in = !inside && !all.empty();
      if (!all.empty()) REQUIRE(all[0].entering == !inside);  // the truth agrees with itself
      const auto hit = mesh.first_hit(from, to);
      REQUIRE(hit.has_value() == goes_in);
      from_inside += inside;
      if (!hit) continue;
      ++hits;
      CHECK(std::abs(hit->fraction - all[0].fraction) < 1e-12);
      CHECK((hit->point - (from + hit->fraction * (to - from))).norm() < 1e-12);
      const auto t = all[0].triangle;
      const Point normal = (surface.corner(t, 1) - surface.corner(t, 0))
                               .cross(surface.corner(t, 2) - surface.corner(t, 0))
                               .normalized();
      CHECK((hit->normal - normal).norm() < 1e-12);
    }
    CHECK(hits > 300);
    CHECK(from_inside > 10);
  }
}

TEST_CASE("first_hit: starts on the surface go in or leave") {
  std::mt19937_64 random(15);
  for (const int turn : {0, 1, 2}) {
    const Surface ball = test::rotated(test::ball(4), test::random_rotation(random));
    const TriangleMesh mesh = ball.collider();
    Aims aims{ball};
    for (int i = 0; i < 6000; ++i) {
      Point x = i % 3 == 0 ? aims.node() : aims.on_edge();
      if (i % 3 == 1) x = mesh.nearest(x * 0.99, 1)->point;  // mostly on a face
      const Point inside = test::random_vector<3>(aims.random, 0.4);
      const auto in = mesh.first_hit(x, turn == 0 ? inside : Point(x + 1e3 * (inside - x)));
      REQUIRE(in);
      CHECK(in->fraction < 1e-12);
      CHECK((in->point - x).norm() < 1e-12);
      CHECK_FALSE(mesh.first_hit(x, x + (turn == 0 ? 1 : 1e3) * (x - inside)));
      CHECK(mesh.first_hit(x + (x - inside), x + 1e-9 * (inside - x)));
    }
  }
}

TEST_CASE("first_hit: a start on the surface that leaves can go in elsewhere; one inside cannot") {
  const TriangleMesh mesh = test::torus(32, 16, 1, 0.25).collider();
  const auto across = mesh.first_hit({-0.75, 0, 0}, {2, 0, 0});  // from a node of the inner rim over the hole
  REQUIRE(across);
  CHECK((across->point - Point(0.75, 0, 0)).norm() < 1e-12);
  CHECK_FALSE(mesh.first_hit({-1, 0, 0}, {2, 0, 0}));
  CHECK(mesh.first_hit({-2, 0, 0}, {2, 0, 0})->point.x() == Approx(-1.25));
}

TEST_CASE("first_hit: a segment from very far away, through nodes and past them") {
  const Surface ball = test::ball(8);
  const TriangleMesh mesh = ball.collider();
  std::mt19937_64 random(16);
  for (int i = 0; i < 2000; ++i) {
    const Point direction = test::random_direction<3>(random);
    const Point node = ball.corner(i % ball.triangles.cols(), 0);
    const auto hit = mesh.first_hit(node + 1e8 * direction, node - 1e8 * direction);
    if (direction.dot(node) > 0.3) REQUIRE(hit);
    if (hit) CHECK(std::abs(hit->point.norm() - 1) < 0.02);
    // Past the ball at 1.001 of its radius.
    const Point beside = 1.001 * direction.unitOrthogonal();
    CHECK_FALSE(mesh.first_hit(beside + 1e8 * direction, beside - 1e8 * direction));
  }
}
