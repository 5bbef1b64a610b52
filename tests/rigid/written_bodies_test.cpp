// The surfaces of rigid bodies, what a VtkSeries writes of them, and forces on their points.
#include "contact/surfaces.hpp"
#include "io/vtu_file.hpp"
#include "rigid/coupled.hpp"
#include "support/temporary_folder.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/io/vtk_series.hpp>

using namespace pliant;
using test::Vector3;

namespace {

// Mass and inertia of a body that has the surface of another one: closed and outward, or this throws.
RigidBody remade(const RigidBody& body) {
  const BodySurface surface = body.surface();
  return RigidBody::solid(TriangleMesh(surface.nodes, surface.triangles), Mass{body.mass()});
}

// The largest relative difference of the centre, in radii of gyration, and of the inertia.
double difference(const RigidBody& a, const RigidBody& b) {
  const double size = std::sqrt(a.moments()[0] / a.mass());
  return std::max((a.properties().centre - b.properties().centre).norm() / size,
                  (a.properties().inertia - b.properties().inertia).norm() / a.moments()[0]);
}

NodeMatrix<double, 3> columns(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::Matrix3Xd>(values.data(), 3, std::ssize(values) / 3);
}

}  // namespace

TEST_CASE("RigidBody: its surface is closed and encloses what its inertia is that of") {
  const auto box = RigidBody::box({0.3, 0.1, 0.2}, Density{700});
  CHECK(difference(box, remade(box)) < 1e-14);
  const auto solid = RigidBody::solid(test::block({1, 2, 0.5}).collider(), Density{2});
  CHECK(difference(solid, remade(solid)) < 1e-13);
  // Bodies that are made from numbers: a box about the principal axes.
  const MassProperties hammer = RigidBody::cylinder(0.3, 0.01, Mass{0.4}).properties() +
                                RigidBody::box({0.1, 0.03, 0.04}, Mass{1})
                                    .properties()
                                    .at(Pose(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized()),
                                             Eigen::Vector3d(0, 0.01, 0.15)));
  const RigidBody composed(hammer);
  CHECK(difference(composed, remade(composed)) < 1e-12);
  // A rod without thickness has the surface of a flat box.
  const BodySurface flat =
      RigidBody(Mass{1}, Vector3::Zero(), Eigen::Vector3d(1, 1, 2).asDiagonal()).surface();
  CHECK(flat.nodes.allFinite());
  CHECK(flat.nodes.row(2).cwiseAbs().maxCoeff() < 1e-7);

  // Round shapes are inscribed: their nodes are on the shape, and their moments a little smaller.
  const auto check_round = [](const RigidBody& body, auto&& distance) {
    const BodySurface surface = body.surface();
    for (const auto& node : surface.nodes.colwise()) CHECK(std::abs(distance(Vector3(node))) < 1e-15);
    CHECK(difference(body, remade(body)) < 0.04);
    CHECK(body.moments()[0] > remade(body).moments()[0]);
  };
  check_round(RigidBody::sphere(0.5, Mass{2}), [](const Vector3& X) { return X.norm() - 0.5; });
  check_round(RigidBody::cylinder(0.4, 0.1, Mass{2}), [](const Vector3& X) {
    return std::max(std::hypot(X.x(), X.y()) - 0.1, std::abs(X.z()) - 0.2);
  });
  check_round(RigidBody::capsule(0.4, 0.1, Mass{2}), [](const Vector3& X) {
    return Vector3(X.x(), X.y(), std::max(std::abs(X.z()) - 0.2, 0.0)).norm() - 0.1;
  });
}

TEST_CASE("Bodies: a series shows a mechanism as it moves") {
  const TemporaryFolder folder;
  Mechanism mechanism;
  const Pose<3> start(Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitY()), Eigen::Vector3d(1, 2, 3));
  mechanism.add(RigidBody::box({0.3, 0.1, 0.2}, Mass{2}), start);
  mechanism.add(RigidBody::sphere(0.1, Mass{3}));
  const double dt = 1e-6;
  Simulation sim(mechanism, BackwardEuler{.dt = dt}, Condensed{});
  const BodyVelocity spin{{1, -2, 3}, {4, 5, -6}};
  sim.set_body_velocity(0, spin);
  VtkSeries series(folder.path / "bodies", sim);
  test::step(sim);
  series.write(sim);

  const std::string index = detail::io::file_bytes(series.index());
  CHECK(index.find("<DataSet timestep=\"0\" file=\"bodies_bodies_0000.vtu\"/>") != std::string::npos);
  CHECK(index.find("<DataSet timestep=\"1e-06\" file=\"bodies_bodies_0001.vtu\"/>") != std::string::npos);
  CHECK(index.find("part") == std::string::npos);
  const VtuFile first(folder.path / "bodies_bodies_0000.vtu"), second(folder.path / "bodies_bodies_0001.vtu");
  const auto before = columns(first.values<double>("Points", "Float64", 3)),
             after = columns(second.values<double>("Points", "Float64", 3)),
             velocities = columns(second.values<double>("velocity", "Float64", 3)),
             moved = columns(second.values<double>("displacement", "Float64", 3));
  const BodySurface box = mechanism.body(0).surface(), ball = mechanism.body(1).surface();
  REQUIRE(before.cols() == box.nodes.cols() + ball.nodes.cols());
  for (Eigen::Index k = 0; k < box.nodes.cols(); ++k) {
    CHECK((before.col(k) - start.to_world(box.nodes.col(k))).norm() < 1e-15);
  }
  CHECK((before.rightCols(ball.nodes.cols()) - ball.nodes).norm() < 1e-15);
  CHECK((after - before - moved).norm() < 1e-14);
  CHECK(velocities.col(0).norm() > 1);
  CHECK((moved / dt - velocities).norm() < 1e-4 * velocities.norm());

  // The triangles of both bodies.
  const auto types = second.values<std::uint8_t>("types", "UInt8", 1);
  CHECK(types == std::vector<std::uint8_t>(static_cast<std::size_t>(12 + ball.triangles.cols()), 5));
  CHECK(second.values<std::int64_t>("offsets", "Int64", 1).back() == 3 * std::ssize(types));
  const auto nodes = second.values<std::int32_t>("connectivity", "Int32", 1);
  REQUIRE(std::ssize(nodes) == 3 * std::ssize(types));
  CHECK(nodes[0] == box.triangles(0, 0));
  CHECK(nodes[36] == ball.triangles(0, 0) + 8);
  const auto body = second.values<std::int32_t>("body", "Int32", 1);
  const auto mass = second.values<double>("mass", "Float64", 1);
  const auto linear = columns(second.values<double>("body_velocity", "Float64", 3)),
             angular = columns(second.values<double>("angular_velocity", "Float64", 3));
  REQUIRE(std::ssize(body) == std::ssize(types));
  REQUIRE(angular.cols() == std::ssize(types));
  for (std::size_t k = 0; k < types.size(); ++k) {
    const bool of_box = k < 12;
    const auto column = static_cast<Eigen::Index>(k);
    CHECK(body[k] == (of_box ? 0 : 1));
    CHECK(mass[k] == (of_box ? 2.0 : 3.0));
    CHECK((linear.col(column) - (of_box ? spin : BodyVelocity{}).linear).norm() < 1e-12);
    CHECK((angular.col(column) - (of_box ? spin : BodyVelocity{}).angular).norm() < 1e-4);
  }
}

TEST_CASE("Bodies: a series shows a soft body and its mechanism, and writes neither half of a frame") {
  const TemporaryFolder folder;
  const auto mesh = make_box<Tet4>({.lengths = {0.1, 0.1, 0.1}});
  Mechanism mechanism;
  mechanism.add(RigidBody::box({0.1, 0.1, 0.1}, Mass{1}), Pose({0.05, 0.15, 0.05}));
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e4, 0.3)), Density{1000}),
                  mechanism);
  coupled.add(WeldToNodes{.body = 0, .nodes = test::nodes_at(mesh, 0.1)});
  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{});
  VtkSeries series(folder.path / "arm");
  series.write(sim);
  const std::string index = detail::io::file_bytes(series.index());
  CHECK(index.find("    <DataSet timestep=\"0\" part=\"0\" file=\"arm_0000.vtu\"/>\n"
                   "    <DataSet timestep=\"0\" part=\"1\" file=\"arm_bodies_0000.vtu\"/>\n") !=
        std::string::npos);
  const auto soft = columns(VtuFile(folder.path / "arm_0000.vtu").values<double>("Points", "Float64", 3));
  CHECK(soft == mesh.nodes);
  const auto rigid =
      columns(VtuFile(folder.path / "arm_bodies_0000.vtu").values<double>("Points", "Float64", 3));
  CHECK(rigid.row(1).minCoeff() == Approx(0.1));

  std::filesystem::create_directories(folder.path / "arm_bodies_0001.vtu" / "x");
  CHECK_THROWS_AS(series.write(sim), WriteError);
  CHECK(series.frame_count() == 1);
  CHECK(detail::io::file_bytes(series.index()) == index);

  // Arrays that do not fit together.
  BodySnapshot bodies = sim.bodies();
  bodies.triangles(1, 2) = 8;
  CHECK_THROWS_AS(write_vtu(folder.path / "b.vtu", bodies), IndexError);
  bodies = sim.bodies();
  bodies.body_of[3] = 1;
  CHECK_THROWS_AS(write_vtu(folder.path / "b.vtu", bodies), IndexError);
  bodies = sim.bodies();
  bodies.angular_velocities.clear();
  CHECK_THROWS_AS(write_vtu(folder.path / "b.vtu", bodies), SizeError);
}

TEST_CASE("add_force: a force on a point of a body, for one step") {
  Mechanism mechanism;
  const Pose<3> start(Eigen::AngleAxisd(0.5, Eigen::Vector3d(1, 1, 0).normalized()),
                      Eigen::Vector3d(1, 2, 3));
  mechanism.add(RigidBody::box({0.3, 0.1, 0.2}, Mass{2}), start);
  mechanism.add(RigidBody::sphere(0.1, Mass{3}));
  const double dt = 0.01;
  Simulation sim(mechanism, BackwardEuler{.dt = dt}, Condensed{}),
      other(mechanism, sim.integrator(), Condensed{});
  sim.set_body_velocity(0, {{0.1, 0.2, 0.3}, {0.3, 2, -1}});
  const Vector3 f(3, -1, 2), g(0, 5, 0), at = start.to_world({0.15, 0.05, 0.1}), on = Vector3(0, 0, 0.1);
  const Vector3 p = test::momentum(sim), l = test::angular_momentum(sim);
  sim.add_force(0, at, f);
  sim.add_force(1, on, g);
  sim.add_force(0, at, f);  // they add up

  // A step that is cancelled loses none, and a saved state has them.
  sim.on_progress([](const Progress&) { return false; });
  CHECK_FALSE(sim.step());
  sim.on_progress(nullptr);
  other.set_state(sim.state());
  test::step(sim);
  test::step(other);
  CHECK(other.positions() == sim.positions());

  using detail::algebra::cross;
  const Vector3 dp = dt * (2 * f + g), dl = dt * (cross<double>(at, Vector3(2 * f)) + cross<double>(on, g));
  CHECK((test::momentum(sim) - p - dp).norm() < 1e-13 * dp.norm());
  CHECK((test::angular_momentum(sim) - l - dl).norm() < 1e-12 * dl.norm());
  test::step(sim, 3);
  CHECK((test::momentum(sim) - p - dp).norm() < 1e-13 * dp.norm());
  CHECK((test::angular_momentum(sim) - l - dl).norm() < 1e-12 * dl.norm());
  const auto last = sim.state();
  test::step(other, 2);
  other.add_force(0, at, f);
  other.set_state(last);  // without forces
  test::step(other);
  test::step(sim);
  CHECK(other.positions() == sim.positions());

  CHECK_THROWS_AS(sim.add_force(2, at, f), IndexError);
  CHECK_THROWS_AS(sim.add_force(0, at, Vector3(0, std::numeric_limits<double>::infinity(), 0)),
                  ParameterError);
  CHECK_THROWS_AS(sim.add_force(0, Vector3(0, std::nan(""), 0), f), ParameterError);
  const Vector3 before = test::momentum(sim);
  test::step(sim);
  CHECK((test::momentum(sim) - before).norm() < 1e-14 * before.norm());
}

TEST_CASE("add_force: a force on a point of a face is that on its nodes, for one step") {
  const auto mesh = make_box<Tet4>({.lengths = {0.1, 0.1, 0.1}});
  Mechanism mechanism;
  mechanism.add(RigidBody::box({0.1, 0.1, 0.1}, Mass{1}), Pose({0.05, 0.15, 0.05}));
  Coupled coupled(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e4, 0.3)), Density{1000}),
                  mechanism);
  coupled.add(WeldToNodes{.body = 0, .nodes = test::nodes_at(mesh, 0.1)});
  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{}),
      other(coupled, sim.integrator(), Condensed{});
  const std::array<int, 3> face = test::face_at(mesh, 0);
  const Vector3 f(3, -1, 2), weights(0.5, 0.2, 0.3);
  sim.add_force(face, weights, f);
  NodeMatrix<double, 3> forces = NodeMatrix<double, 3>::Zero(3, mesh.node_count() + 1);
  for (std::size_t k = 0; k < 3; ++k) forces.col(face[k]) = weights[static_cast<int>(k)] * f;
  other.set_external_forces(forces);
  test::step(sim);
  test::step(other);
  CHECK(sim.positions() == other.positions());
  other.set_external_forces(0 * forces);
  test::step(sim);
  test::step(other);
  CHECK(sim.positions() == other.positions());

  CHECK_THROWS_AS(sim.add_force({0, 1, 8}, weights, f), IndexError);  // a body
  CHECK_THROWS_AS(sim.add_force(face, Vector3(0.5, 0.2, 0.2), f), ParameterError);
}
