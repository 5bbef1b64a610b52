#include "contact/collider_facts.hpp"
#include "contact/surfaces.hpp"

#include <numeric>

#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/triangle_mesh.hpp>

using namespace pliant;
using test::Point;
using test::Surface;

namespace {

// Against all triangles, and the sign against the solid angle.
void check_against_all(const Surface& surface, double size, int count) {
  const TriangleMesh mesh = surface.collider();
  std::mt19937_64 random(3);
  int inside = 0;
  for (int i = 0; i < count; ++i) {
    const Point x = test::random_vector<3>(random, size);
    const auto near = mesh.nearest(x, 1e9);
    REQUIRE(near);
    const Point truth = test::nearest_of_all(surface, x);
    CHECK(std::abs(std::abs(near->distance) - (x - truth).norm()) < 1e-13 * size);
    CHECK((near->point - truth).norm() < 1e-7 * size);
    const bool is_inside = test::winding(surface, x) > 0.5;
    CHECK((near->distance < 0) == is_inside);
    CHECK(near->normal.norm() == Approx(1).epsilon(1e-12));
    CHECK((near->point + near->distance * near->normal - x).norm() < 1e-12 * size);
    inside += is_inside;
    // Out of reach: no answer outside, the same answer inside.
    const auto out_of_reach = mesh.nearest(x, std::abs(near->distance) * (1 - 1e-9));
    REQUIRE(out_of_reach.has_value() == is_inside);
    if (is_inside) CHECK(out_of_reach->point == near->point);
    const auto within_reach = mesh.nearest(x, std::abs(near->distance) * (1 + 1e-9));
    REQUIRE(within_reach);
    CHECK(within_reach->point == near->point);
    CHECK(within_reach->distance == near->distance);
  }
  CHECK(inside > count / 200);
  CHECK(inside < count);
}

// A pyramid over a square with its tip in the origin and its base at height `h`, one for h > 0, one for h <
// 0.
void append_pyramid(Surface& surface, double half_width, double h) {
  const auto first = surface.nodes.cols(), face = surface.triangles.cols();
  const bool is_new = first == 0;
  surface.nodes.conservativeResize(3, first + (is_new ? 5 : 4));
  if (is_new) surface.nodes.col(0).setZero();
  const auto base = static_cast<int>(is_new ? 1 : first);
  for (int i = 0; i < 4; ++i) {
    const double angle = M_PI / 2 * i * (h > 0 ? 1 : -1);
    surface.nodes.col(base + i) = Point(half_width * std::cos(angle), half_width * std::sin(angle), h);
  }
  surface.triangles.conservativeResize(3, face + 6);
  for (int i = 0; i < 4; ++i)
    surface.triangles.col(face + i) = Eigen::Vector3i(0, base + (i + 1) % 4, base + i);
  surface.triangles.col(face + 4) = Eigen::Vector3i(base, base + 1, base + 2);
  surface.triangles.col(face + 5) = Eigen::Vector3i(base, base + 2, base + 3);
}

}  // namespace

TEST_CASE("TriangleMesh: the nearest point is that of all triangles, its side that of the solid angle") {
  check_against_all(test::ball(4), 1.3, 1000);
  check_against_all(test::ball(6, 0.3), 1.5, 1000);
  check_against_all(test::torus(24, 12, 1, 0.4), 1.5, 1000);
  check_against_all(test::block({0.5, 1, 2}), 2, 1000);
}

TEST_CASE("TriangleMesh: a sharp spike and a narrow notch keep their sides") {
  // The nearest part is often a tip or a ridge where unweighted normals of faces disagree.
  Surface spikes = test::ball(2);
  for (Eigen::Index i = 0; i < spikes.nodes.cols(); i += 2) spikes.nodes.col(i) *= i % 4 == 0 ? 4 : 0.1;
  check_against_all(spikes, 3, 3000);
}

TEST_CASE("TriangleMesh: two solids that touch in a node each keep their side of it") {
  Surface pyramids;
  append_pyramid(pyramids, 0.05, 1);
  append_pyramid(pyramids, 2, -1);  // wide: its tip alone decides for few points, the spike's for most
  check_against_all(pyramids, 0.3, 2000);
}

TEST_CASE("TriangleMesh: of a block answers as the Box, faces, edges and corners included") {
  const Point edges(0.5, 1, 2);
  const TriangleMesh mesh = test::block(edges).collider();
  const Box box(Point(0, 0, 0), edges);
  CHECK(mesh.bounds().lower == box.lower());
  CHECK(mesh.bounds().upper == box.upper());
  std::mt19937_64 random(4);
  std::uniform_int_distribution<int> thirds(-3, 6);
  for (int i = 0; i < 3000; ++i) {
    // On a lattice, so that many points lie over edges and corners and on the surface.
    const Point x = Point(thirds(random), thirds(random), thirds(random)).cwiseProduct(edges) / 3;
    const auto by_mesh = mesh.nearest(x, 1e9), by_box = box.nearest(x, 1e9);
    REQUIRE(by_mesh);
    CHECK(std::abs(by_mesh->distance - by_box->distance) < 1e-14);
    if (by_box->distance <= 1e-14) continue;
    CHECK((by_mesh->point - by_box->point).norm() < 1e-14);
    CHECK((by_mesh->normal - by_box->normal).norm() < 1e-12);
  }
  for (int i = 0; i < 3000; ++i) {
    const Point from = test::random_vector<3>(random, 3), to = test::random_vector<3>(random, 3);
    const auto by_mesh = mesh.first_hit(from, to), by_box = box.first_hit(from, to);
    REQUIRE(by_mesh.has_value() == by_box.has_value());
    if (!by_box) continue;
    CHECK((by_mesh->point - by_box->point).norm() < 1e-14);
    CHECK((by_mesh->normal - by_box->normal).norm() < 1e-14);
    CHECK(std::abs(by_mesh->fraction - by_box->fraction) < 1e-14);
  }
}

TEST_CASE("TriangleMesh: on a face, an edge and a node the normal is the mean of the faces around") {
  const TriangleMesh mesh = test::block({1, 1, 1}).collider();
  const auto normal = [&](const Point& x) {
    const auto near = mesh.nearest(x, 0);
    REQUIRE(near);
    CHECK(near->distance == 0);
    return near->normal;
  };
  CHECK((normal({1, 0.25, 0.5}) - Point(1, 0, 0)).norm() < 1e-15);
  CHECK((normal({1, 0.25, 1}) - Point(1, 0, 1).normalized()).norm() < 1e-15);
  // Weighted by angles: three right angles, although some corners belong to one triangle and some to two.
  CHECK((normal({1, 1, 1}) - Point(1, 1, 1).normalized()).norm() < 1e-15);
  CHECK((normal({0, 0, 1}) - Point(-1, -1, 1).normalized()).norm() < 1e-15);
}

TEST_CASE("TriangleMesh: the distance has its normal as gradient and grows no faster than the way") {
  const TriangleMesh mesh = test::ball(5, 0.3).collider();
  std::mt19937_64 random(5);
  int smooth = 0;
  for (int i = 0; i < 2000; ++i) {
    const Point x = test::random_vector<3>(random, 1.4);
    const double h = 1e-6;
    Point gradient;
    bool one_sided = false;
    for (int k = 0; k < 3; ++k) {
      const auto ahead = mesh.nearest(x + h * Point::Unit(k), 9),
                 behind = mesh.nearest(x - h * Point::Unit(k), 9);
      gradient[k] = (ahead->distance - behind->distance) / (2 * h);
      CHECK(std::abs(gradient[k]) < 1 + 1e-9);
      one_sided = one_sided || (ahead->normal - behind->normal).norm() > 1e-3;
    }
    if (one_sided) continue;
    ++smooth;
    CHECK((gradient - mesh.nearest(x, 9)->normal).norm() < 1e-6);
  }
  CHECK(smooth > 1500);
}

TEST_CASE("TriangleMesh: the rotated mesh gives the rotated answers") {
  std::mt19937_64 random(6);
  const Surface surface = test::ball(4, 0.3);
  const TriangleMesh mesh = surface.collider();
  for (int turn = 0; turn < 5; ++turn) {
    const Eigen::Matrix3d R = test::random_rotation(random);
    const Point t = test::random_vector<3>(random, 2);
    const TriangleMesh turned = test::rotated(surface, R, t).collider();
    for (int i = 0; i < 500; ++i) {
      const Point x = test::random_vector<3>(random, 1.5), y = test::random_vector<3>(random, 1.5);
      const auto here = mesh.nearest(x, 9), there = turned.nearest(R * x + t, 9);
      CHECK(std::abs(here->distance - there->distance) < 1e-14);
      CHECK((R * here->point + t - there->point).norm() < 1e-8);
      const auto hit = mesh.first_hit(x, y), hit_there = turned.first_hit(R * x + t, R * y + t);
      REQUIRE(hit.has_value() == hit_there.has_value());
      if (hit) CHECK((R * hit->point + t - hit_there->point).norm() < 1e-11);
      if (hit) CHECK((R * hit->normal - hit_there->normal).norm() < 1e-11);
    }
  }
}

TEST_CASE("TriangleMesh: the order of the triangles does not matter, nor that of their nodes") {
  std::mt19937_64 random(6);
  const Surface surface = test::ball(5, 0.3);
  Surface shuffled = surface;
  std::vector<int> order(static_cast<std::size_t>(surface.triangles.cols()));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int turn = static_cast<int>(i % 3);
    for (int k = 0; k < 3; ++k) {
      shuffled.triangles(k, static_cast<Eigen::Index>(i)) = surface.triangles((k + turn) % 3, order[i]);
    }
  }
  const TriangleMesh a = surface.collider(), b = shuffled.collider();
  for (int i = 0; i < 2000; ++i) {
    const Point x = test::random_vector<3>(random, 1.5), y = test::random_vector<3>(random, 1.5);
    CHECK(std::abs(a.nearest(x, 9)->distance - b.nearest(x, 9)->distance) < 1e-15);
    CHECK((a.nearest(x, 9)->normal - b.nearest(x, 9)->normal).norm() < 1e-11);
    const auto hit_a = a.first_hit(x, y), hit_b = b.first_hit(x, y);
    REQUIRE(hit_a.has_value() == hit_b.has_value());
    if (hit_a) CHECK((hit_a->point - hit_b->point).norm() < 1e-13);
  }
}

TEST_CASE("TriangleMesh: a two-sided sheet looks to the side of the asked point") {
  // An open sheet that is bent, its triangles of any orientation.
  Surface sheet;
  sheet.nodes.resize(3, 6);
  sheet.nodes << 0, 1, 2, 0, 1, 2,  //
      0, 0.5, 0, 0, 0.5, 0,         //
      0, 0, 0, 1, 1, 1;
  sheet.triangles.resize(3, 4);
  sheet.triangles << 0, 0, 1, 1,  //
      1, 4, 5, 5,                 //
      4, 3, 4, 2;
  CHECK_THROWS_WITH(sheet.collider(), Catch::Contains("two_sided"));
  const TriangleMesh mesh = TriangleMesh::two_sided(sheet.nodes, sheet.triangles);
  CHECK(mesh.is_two_sided());
  std::mt19937_64 random(9);
  for (int i = 0; i < 2000; ++i) {
    const Point x = Point(1, 0.25, 0.5) + test::random_vector<3>(random, 1.5);
    const auto near = mesh.nearest(x, 9);
    REQUIRE(near);
    CHECK(std::abs(near->distance - (x - test::nearest_of_all(sheet, x)).norm()) < 1e-13);
    CHECK((near->point + near->distance * near->normal - x).norm() < 1e-13);
    CHECK_FALSE(mesh.nearest(x, near->distance * (1 - 1e-9)));

    const Point to = Point(1, 0.25, 0.5) + test::random_vector<3>(random, 1.5);
    const auto truth = test::crossings(sheet, x, to);
    const auto hit = mesh.first_hit(x, to);
    REQUIRE(hit.has_value() == !truth.empty());
    if (!hit) continue;
    CHECK(std::abs(hit->fraction - truth[0].fraction) < 1e-13);
    CHECK(hit->normal.dot(to - x) < 0);
  }
  // From above and from below, through the ridge and past the border.
  CHECK(mesh.first_hit({1, 2, 0.5}, {1, -1, 0.5})->normal.y() > 0.8);
  CHECK(mesh.first_hit({1, -1, 0.5}, {1, 2, 0.5})->normal.y() < -0.8);
  CHECK(mesh.first_hit({0.3, 2, 0.5}, {0.3, -1, 0.5}));
  CHECK_FALSE(mesh.first_hit({0, 1, 0.5}, {0, -1, 0.5}));
  CHECK_FALSE(mesh.first_hit({-0.1, 1, 0.5}, {-0.1, -1, 0.5}));
}

TEST_CASE("TriangleMesh: refuses what is no surface, with the number of the culprit") {
  const Surface good = test::block({1, 1, 1});
  Surface bad = good;
  bad.triangles(1, 7) = 8;
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("triangle 7: node 8: outside [0, 8)"));
  bad.triangles(1, 7) = -1;
  CHECK_THROWS_AS(bad.collider(), IndexError);
  bad = good;
  bad.nodes(2, 5) = NAN;
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("coordinate of node 5"));
  CHECK_THROWS_AS(bad.collider(), ParameterError);
  bad = good;
  bad.nodes.col(2) = bad.nodes.col(3);
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("triangle 0 has no area"));
  bad = good;
  bad.triangles(0, 4) = bad.triangles(1, 4);
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("triangle 4 has no area"));
  bad = good;
  bad.triangles.conservativeResize(3, 11);
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("between nodes 1 and 5") || Catch::Contains("only"));
  bad = good;
  bad.triangles.col(3).reverseInPlace();
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("faces inwards"));
  bad = good;
  bad.triangles.colwise().reverseInPlace();
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("m^3: they face inwards"));
  bad = good;
  bad.triangles.conservativeResize(3, 13);
  bad.triangles.col(12) = bad.triangles.col(0);
  CHECK_THROWS_WITH(bad.collider(), Catch::Contains("belongs to 3 triangles"));
  CHECK_THROWS_WITH(TriangleMesh(good.nodes, Eigen::MatrixXi(3, 0)),
                    Catch::Contains("there are no triangles"));
  CHECK_THROWS_AS(TriangleMesh(Eigen::MatrixXd(2, 5), good.triangles), SizeError);
  CHECK_THROWS_AS(TriangleMesh(good.nodes, Eigen::MatrixXi(4, 5)), SizeError);
  CHECK_NOTHROW(good.collider().check());
}

TEST_CASE("TriangleMesh: points and segments that are not finite have no answer") {
  const TriangleMesh mesh = test::block({1, 1, 1}).collider();
  CHECK_FALSE(mesh.nearest({NAN, 0, 0}, 9));
  CHECK_FALSE(mesh.nearest({INFINITY, 0, 0}, INFINITY));
  CHECK_FALSE(mesh.nearest({2, 0, 0}, NAN));
  CHECK_FALSE(mesh.nearest({2, 0, 0}, -1));
  CHECK(mesh.nearest({0.5, 0.5, 0.5}, -1)->distance == -0.5);
  CHECK(mesh.nearest({2, 0, 0}, INFINITY)->distance == 1);
  CHECK_FALSE(mesh.first_hit({NAN, 0, 0}, {0.5, 0.5, 0.5}));
  CHECK_FALSE(mesh.first_hit({2, 0, 0}, {-INFINITY, 0.5, 0.5}));
  CHECK_FALSE(mesh.first_hit({2, 0, 0}, {2, 0, 0}));
}
