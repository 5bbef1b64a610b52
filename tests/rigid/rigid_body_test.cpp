// Mass and inertia of rigid bodies against integrals over slices and over tetrahedra.
#include "contact/surfaces.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <Eigen/Geometry>

#include <pliant/rigid/rigid_body.hpp>

using namespace pliant;
using test::Point;

namespace {

using Tensor = SmallMatrix<double, 3, 3>;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

void check_same(const MassProperties& found, const MassProperties& expected, double tolerance = 1e-13) {
  const double size = expected.inertia.norm();
  CHECK(found.mass == Approx(expected.mass).epsilon(tolerance));
  CHECK((found.centre - expected.centre).norm() <= tolerance * (1 + expected.centre.norm()));
  CHECK((found.inertia - expected.inertia).norm() <= tolerance * size);
}

// A solid of revolution of density 1 around z, as a stack of discs: Gauss's rule of order 5 on each of many
// layers. radius(z) for z from -half to half.
template <class Radius>
MassProperties revolved(double half, const std::vector<double>& cuts, Radius&& radius) {
  MassProperties sum{0, Point::Zero(), Tensor::Zero()};
  const double nodes[] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, weights[] = {5. / 18, 8. / 18, 5. / 18};
  std::vector<double> ends{-half};
  ends.insert(ends.end(), cuts.begin(), cuts.end());
  ends.push_back(half);
  for (std::size_t part = 0; part + 1 < ends.size(); ++part) {
    const int layers = 64;
    const double h = (ends[part + 1] - ends[part]) / layers;
    for (int k = 0; k < layers; ++k) {
      for (int q = 0; q < 3; ++q) {
        const double z = ends[part] + h * (k + (1 + nodes[q]) / 2), r = radius(z);
        const double area = std::numbers::pi * r * r, w = weights[q] * h;
        sum.mass += w * area;
        sum.inertia(0, 0) += w * area * (r * r / 4 + z * z);
        sum.inertia(2, 2) += w * area * r * r / 2;
      }
    }
  }
  sum.inertia(1, 1) = sum.inertia(0, 0);
  return sum;
}

// A mesh of tetrahedra of density 1, by the rule of four points that is exact for squares.
MassProperties integrated(const Mesh<Tet4>& mesh) {
  double volume = 0;
  Point first = Point::Zero();
  Tensor second = Tensor::Zero();
  const double near = (5 + 3 * std::sqrt(5.0)) / 20, far = (5 - std::sqrt(5.0)) / 20;
  for (Eigen::Index e = 0; e < mesh.elements.cols(); ++e) {
    Eigen::Matrix<double, 3, 4> x;
    for (int a = 0; a < 4; ++a) x.col(a) = mesh.nodes.col(mesh.elements(a, e));
    const Eigen::Matrix3d edges = x.rightCols<3>().colwise() - x.col(0);
    const double part = edges.determinant() / 6;
    volume += part;
    for (int q = 0; q < 4; ++q) {
      const Point at = far * x.rowwise().sum() + (near - far) * x.col(q);
      first += part / 4 * at;
      second += part / 4 * at * at.transpose();
    }
  }
  const Point centre = first / volume;
  second -= volume * centre * centre.transpose();
  return {volume, centre, second.trace() * Tensor::Identity() - second};
}

std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const Pose<3> somewhere(Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, -2, 0.5).normalized()), {3, -7, 2});

}  // namespace

TEST_CASE("RigidBody: boxes, spheres, cylinders and capsules have the inertia of their slices") {
  const double r = 0.3, L = 0.8;
  check_same(RigidBody::sphere(r, Density{1}).properties(),
             revolved(r, {}, [&](double z) { return std::sqrt(r * r - z * z); }), 1e-12);
  check_same(RigidBody::cylinder(L, r, Density{1}).properties(),
             revolved(L / 2, {}, [&](double) { return r; }), 1e-12);
  check_same(RigidBody::capsule(L, r, Density{1}).properties(),
             revolved(L / 2 + r, {-L / 2, L / 2},
                      [&](double z) {
                        const double over = std::fmax(std::abs(z) - L / 2, 0);
                        return std::sqrt(r * r - over * over);
                      }),
             1e-12);
  // A box is 1/12 of a mass-weighted sum of squared edges, and a cube of any orientation is alike.
  const RigidBody box = RigidBody::box({1, 2, 3}, Mass{12});
  CHECK(box.properties().inertia.diagonal().isApprox(Eigen::Vector3d(13, 10, 5), 1e-15));
  CHECK(box.moments().isApprox(Eigen::Vector3d(13, 10, 5), 1e-14));
  const MassProperties cube = RigidBody::box({2, 2, 2}, Density{1}).properties();
  const Pose<3> turn(somewhere.rotation(), Point(0, 0, 0));
  check_same(cube.at(turn), cube);
  CHECK(RigidBody::box({1, 2, 3}, Density{2}).mass() == Approx(12));
}

TEST_CASE("RigidBody: a mass scales a shape, whatever its density") {
  const auto lengths = Point(0.02, 0.2, 0.02);
  const double volume = lengths.prod();
  check_same(RigidBody::box(lengths, Mass{0.5}).properties(),
             RigidBody::box(lengths, Density{0.5 / volume}).properties());
  check_same(RigidBody::sphere(2, Mass{5}).properties(),
             {5, Point::Zero(), 0.4 * 5 * 4 * Tensor::Identity()});
}

TEST_CASE("RigidBody: the inside of a closed surface, exactly") {
  const test::Surface block = test::block({1, 2, 3});
  const MassProperties box = RigidBody::box({1, 2, 3}, Density{1}).properties();
  check_same(RigidBody::solid(block.collider(), Density{1}).properties(),
             box.at(Pose<3>(Point(0.5, 1, 1.5))));

  auto mesh = make_ball<Tet4>({.shells = 4});
  for (Eigen::Index i = 0; i < mesh.nodes.cols(); ++i) {
    const Point x = mesh.nodes.col(i);
    mesh.nodes.col(i) = x * (1 + 0.2 * std::sin(5 * x[0]) * std::cos(4 * x[1] + x[2])) + Point(0.3, 0, 0);
  }
  const auto surface = [&] { return TriangleMesh(mesh.nodes, boundary_faces(mesh).faces); };
  const MassProperties here = RigidBody::solid(surface(), Density{1}).properties();
  check_same(here, integrated(mesh), 1e-12);
  CHECK(here.centre.norm() > 0.1);

  // The same surface elsewhere is the same body, also a thousand times its size away.
  mesh.nodes = somewhere.rotation() * mesh.nodes;
  mesh.nodes.colwise() += somewhere.translation();
  check_same(RigidBody::solid(surface(), Density{1}).properties(), here.at(somewhere), 1e-12);
  mesh.nodes.colwise() += Point(1000, 0, 0);
  const Pose<3> far(somewhere.rotation(), somewhere.translation() + Point(1000, 0, 0));
  check_same(RigidBody::solid(surface(), Density{1}).properties(), here.at(far), 2e-12);
}

TEST_CASE("MassProperties: the sum of parts is the whole") {
  const MassProperties whole = RigidBody::box({1, 2, 3}, Density{700}).properties();
  const MassProperties low = RigidBody::box({1, 0.5, 3}, Density{700}).properties(),
                       high = RigidBody::box({1, 1.5, 3}, Density{700}).properties();
  const auto parts = low.at(Pose<3>(Point(0, -0.75, 0))) + high.at(Pose<3>(Point(0, 0.25, 0)));
  check_same(parts, whole);
  check_same(low.at(somewhere) + high.at(somewhere), (low + high).at(somewhere));

  // Two balls on a massless rod.
  const double m = 2, d = 3;
  const MassProperties ball = RigidBody::sphere(1, Mass{m}).properties();
  const MassProperties dumbbell = ball.at(Pose<3>(Point(d, 0, 0))) + ball.at(Pose<3>(Point(-d, 0, 0)));
  check_same(dumbbell, {2 * m, Point::Zero(), Eigen::Vector3d(1.6, 1.6 + 36, 1.6 + 36).asDiagonal()});
  CHECK(RigidBody(dumbbell).moments().isApprox(Eigen::Vector3d(37.6, 37.6, 1.6)));
}

TEST_CASE("RigidBody: its principal frame diagonalises its inertia") {
  const MassProperties given = RigidBody::box({1, 2, 3}, Mass{12}).properties().at(somewhere);
  const RigidBody body(Mass{given.mass}, given.centre, given.inertia);
  const Tensor axes = body.principal_frame().rotation();
  CHECK((axes.transpose() * given.inertia * axes - Tensor(body.moments().asDiagonal())).norm() < 1e-13);
  CHECK(axes.determinant() == Approx(1));
  CHECK(body.principal_frame().translation() == given.centre);
}

TEST_CASE("RigidBody: what no body can be is refused by name and value") {
  const Tensor one = Tensor::Identity();
  const auto body = [&](double mass, const Point& centre, const Tensor& inertia) {
    return message_of([&] { RigidBody(Mass{mass}, centre, inertia); });
  };
  CHECK(body(1, Point::Zero(), one) == "nothing was thrown");
  CHECK(body(0, Point::Zero(), one) == "RigidBody: mass = 0: must be positive and finite (kg)");
  CHECK(body(-2, Point::Zero(), one) == "RigidBody: mass = -2: must be positive and finite (kg)");
  CHECK(body(inf, Point::Zero(), one) == "RigidBody: mass = infinite: must be positive and finite (kg)");
  CHECK(body(1, {0, nan_, 0}, one) == "RigidBody: centre = not a number: must be finite (m)");
  CHECK(body(1, Point::Zero(), nan_ * one) == "RigidBody: inertia = not a number: must be finite (kg m^2)");
  Tensor skew = one;
  skew(0, 1) = 0.25;
  CHECK(body(1, Point::Zero(), skew) ==
        "RigidBody: largest entry of inertia - inertia^T = 0.25: the inertia tensor must be symmetric");
  const auto with_moments = [&](double a, double b, double c) {
    return body(1, Point::Zero(), Eigen::Vector3d(a, b, c).asDiagonal());
  };
  CHECK(with_moments(1, 1, 2) == "nothing was thrown");  // a flat disc
  CHECK(with_moments(1, 0, 1) == "RigidBody: smallest principal moment = 0: must be positive (kg m^2)");
  CHECK(with_moments(1, -1, 1) == "RigidBody: smallest principal moment = -1: must be positive (kg m^2)");
  CHECK(with_moments(1, 3, 1) ==
        "RigidBody: largest principal moment minus the two others = 1: must not be positive (kg m^2): no "
        "distribution of mass has such an inertia tensor");

  CHECK(message_of([] { RigidBody::sphere(0, Mass{1}); }) ==
        "RigidBody: radius = 0: must be positive and finite (m)");
  CHECK(message_of([] { RigidBody::cylinder(-1, 1, Mass{1}); }) ==
        "RigidBody: length = -1: must be positive and finite (m)");
  CHECK(message_of([] { RigidBody::capsule(1, inf, Density{1}); }) ==
        "RigidBody: radius = infinite: must be positive and finite (m)");
  CHECK(message_of([] {
          RigidBody::box({1, 0, 1}, Mass{1});
        }) == "RigidBody: length of an edge = 0: must be positive and finite (m)");
  CHECK(message_of([] {
          RigidBody::box({1, 1, 1}, Density{-5});
        }) == "RigidBody: density = -5: must be positive and finite (kg/m^3)");
  CHECK(message_of([] {
          RigidBody::box({1, 1, 1}, Mass{nan_});
        }) == "RigidBody: mass = not a number: must be positive and finite (kg)");

  test::Surface open = test::block({1, 1, 1});
  CHECK_THROWS_AS(RigidBody::solid(TriangleMesh::two_sided(open.nodes, open.triangles), Mass{1}), MeshError);
  open.triangles.conservativeResize(3, 11);
  CHECK_THROWS_AS(RigidBody::solid(open.collider(), Mass{1}), MeshError);
}
