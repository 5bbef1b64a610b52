// Soft bodies with mechanisms as values, their joints, and what they refuse.
#include "rigid/coupled.hpp"

#include <array>
#include <limits>
#include <string>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/io/snapshot.hpp>
#include <pliant/rigid/joint/ball_to_face.hpp>
#include <pliant/rigid/joint/face_to_face.hpp>
#include <pliant/rigid/joint/weld_to_nodes.hpp>
#include <pliant/solid/bodies.hpp>
#include <pliant/testing/joints.hpp>

using namespace pliant;
using test::Vector3;

namespace {

constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

// Two cells of a unit cube each, with nodes 0 to 11, and a ball.
auto cells() { return make_box<Hex8>({.lengths = {2, 1, 1}, .cells = {2, 1, 1}}); }

auto soft() { return Solid(cells(), StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000}); }

Mechanism balls() {
  Mechanism mechanism;
  mechanism.add(RigidBody::sphere(0.1, Mass{1}), Pose({0, 2, 0}));
  mechanism.add(RigidBody::sphere(0.1, Mass{1}), Pose({1, 2, 0}));
  mechanism.add(Ball{.first = 0, .second = 1});
  return mechanism;
}

// The message of an error of type E.
template <class E, class J>
std::string refused(const J& joint) {
  Coupled coupled(soft(), balls());
  coupled.add(WeldToNodes{.body = 0, .nodes = {2}});
  try {
    coupled.add(joint);
  } catch (const E& error) {
    CHECK(coupled.joint_count() == 2);
    coupled.add(WeldToNodes{.body = 0, .nodes = {1}});  // nothing of the refused joint is left
    return error.what();
  }
  return "no such error";
}

// A face of the surface.
std::array<int, 3> face() {
  const auto faces = boundary_faces(cells()).faces;
  return {faces(0, 0), faces(1, 0), faces(2, 0)};
}

template <class E, class Held>
std::string refused_constraint(const Held& held) {
  Coupled coupled(soft(), balls());
  coupled.add(WeldToNodes{.body = 0, .nodes = {2, 4}});
  coupled.add(BallToFace{.body = 1, .face = face()});
  try {
    Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{}, held);
  } catch (const E& error) {
    return error.what();
  }
  return "no such error";
}

}  // namespace

TEST_CASE("BallToFace and WeldToNodes: derivatives, and forces that sum to zero") {
  for (const double offset : {0.0, 0.3, -0.1}) {
    const BallToFace joint{.body = 0, .face = {4, 7, 9}, .barycentric = {0.5, 0.7, -0.2}, .offset = offset};
    const CheckReport report = check_joint(joint);
    INFO(report.message());
    CHECK(report);
  }
  for (const auto& part : WeldToNodes{.body = 0, .nodes = {3, 5}}.parts()) {
    const CheckReport report = check_joint(part);
    INFO(report.message());
    CHECK(report);
  }
}

TEST_CASE("FaceToFace: derivatives, and forces that sum to zero") {
  for (const double offset : {0.0, 0.3, -0.1}) {
    const FaceToFace joint{
        .first = {.face = {4, 7, 9}, .barycentric = {0.5, 0.7, -0.2}, .offset = offset},
        .second = {.face = {1, 2, 3}, .barycentric = {0.1, 0.2, 0.7}, .offset = -2 * offset}};
    const CheckReport report = check_joint(joint, {.fits = false});
    INFO(report.message());
    CHECK(report);
  }
}

TEST_CASE("FaceToFace: two solids, and two faces of one") {
  // A solid 0.3 m below another one; they are joined in the gap, below the middle of the upper one.
  const auto solid = [](double height) {
    auto mesh = cells();
    mesh.nodes.row(1).array() += height;
    return Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e7, 0.3)), Density{1000},
                 Rayleigh{.alpha = 5});
  };
  const Bodies both(solid(0), solid(-1.3));
  const auto corners = [&](double y) {
    return std::array{nearest_node(cells(), {0, y, 0}), nearest_node(cells(), {0, y, 1}),
                      nearest_node(cells(), {1, y, 0})};
  };
  const auto lower = both.nodes<1>(std::vector<int>{corners(1)[0], corners(1)[1], corners(1)[2]});
  const Vector3 middle(-0.5, 0.5, 1);
  const FaceToFace hook{
      .first = {.face = corners(0), .barycentric = middle, .offset = -0.1},
      .second = {.face = {lower[0], lower[1], lower[2]}, .barycentric = middle, .offset = 0.2}};
  Coupled hung(both, Mechanism{}), free(both, Mechanism{});
  CHECK(hung.add(hook) == 0);
  CHECK(free.add(hook) == 0);
  hung.add(WeldToNodes{.nodes = test::nodes_at(cells(), 1)});
  const double weight = 4000 * test::gravity;
  {
    Simulation sim(hung, BackwardEuler{.dt = 0.02}, Condensed{});
    sim.set_gravity({0, -test::gravity, 0});
    test::step(sim, 100);
    CHECK(sim.joint_gap() < 1e-10);
    CHECK(sim.joint_load(1).force.y() == Approx(-weight).epsilon(1e-3));
    CHECK(sim.joint_load(0).force.norm() == 0);  // it has no body
  }
  Simulation sim(free, BackwardEuler{.dt = 0.002, .newton = {.tolerance = 1e-11}}, Condensed{});
  auto velocities = sim.velocities();
  velocities.row(0).leftCols(12).setConstant(1);
  sim.set_velocities(velocities);
  for (int n = 0; n < 50; ++n) {
    test::step(sim);
    CHECK(sim.joint_gap() < 1e-10);
    // The drag of the mass damping takes the same part of the momentum in each step.
    const Vector3 p = 2000 * Vector3::UnitX() * std::pow(1 / (1 + 5 * 0.002), n + 1);
    CHECK((test::soft_momentum(sim) - p).norm() < 1e-9 * p.norm());
  }
  CHECK(sim.velocities().row(0).tail(12).mean() > 0.1);  // the lower one is pulled along

  // The middle of one solid, from its upper and from its lower faces.
  Coupled one(solid(0), Mechanism{});
  one.add(FaceToFace{.first = {.face = corners(0), .barycentric = middle, .offset = 0.5},
                     .second = {.face = corners(1), .barycentric = middle, .offset = -0.5}});
  Simulation squeezed(one, BackwardEuler{.dt = 0.01}, Condensed{});
  auto push = squeezed.velocities();
  for (int k = 0; k < 12; ++k) push(1, k) = cells().nodes(1, k) > 0.5 ? -2 : 2;
  squeezed.set_velocities(push);
  for (int n = 0; n < 20; ++n) {
    test::step(squeezed);
    CHECK(squeezed.joint_gap() < 1e-10);
  }

  const auto refused_by = [&](FaceToFace joint) {
    try {
      Coupled(both, Mechanism{}).add(joint);
    } catch (const ParameterError& error) {
      return std::string(error.what());
    }
    return std::string("no such error");
  };
  FaceToFace open = hook, shared = hook, within = hook, sums = hook;
  open.second.offset = 0.3;
  CHECK(refused_by(open).find("joint 0: held row = ") == 0);
  CHECK(refused_by(open).find("the joint does not fit") != std::string::npos);
  shared.second.face[1] = shared.first.face[2];
  CHECK(refused_by(shared).find("a joint is between different nodes") != std::string::npos);
  sums.first.barycentric[0] = 0;
  CHECK(refused_by(sums) == "joint 0: FaceToFace::first.barycentric: sum = 1.5: must be 1");
  // Three nodes that are on no common face.
  within.second.face[2] = both.nodes<1>(std::vector<int>{nearest_node(cells(), {2, 0, 1})})[0];
  within.compliance.stiffness = 1;
  CHECK(refused_by(within).find("joint 0: FaceToFace::second.face: first node = ") == 0);
}

TEST_CASE("Coupled: joints are numbered after those of the mechanism") {
  Coupled coupled(soft(), balls());
  CHECK(coupled.joint_count() == 1);
  CHECK(coupled.add(WeldToNodes{.body = 0, .nodes = {1, 2, 3}}) == 1);
  CHECK(coupled.add(BallToFace{.body = 1, .face = face()}) == 2);
  CHECK(coupled.joint_count() == 3);
  CHECK(coupled.joints().of(1).size() == 3);
  CHECK(coupled.joints().parts().size() == 5);
  CHECK(coupled.joints().joint_of(0) == 0);
  CHECK(coupled.joints().joint_of(3) == 1);
  CHECK(coupled.joints().joint_of(4) == 2);
  CHECK(coupled.mechanism().joint_count() == 1);

  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{}, Pinned({11}));
  CHECK(sim.positions().cols() == 14);
  CHECK(sim.positions().leftCols(12) == cells().nodes);
  CHECK(sim.positions().col(13) == Vector3(1, 2, 0));
  const auto shot = sim.soft();
  static_assert(Snapshot<std::remove_cvref_t<decltype(shot)>>);
  CHECK(shot.positions() == cells().nodes);
  CHECK(shot.velocities().cols() == 12);
  CHECK_THROWS_AS(sim.joint_load(3), IndexError);
  CHECK_THROWS_AS(sim.joint_coordinate(-1), IndexError);
  CHECK_THROWS_AS(sim.pose(2), IndexError);
}

TEST_CASE("Coupled: bodies of several solids") {
  const Bodies both(soft(), soft());
  Coupled coupled(both, balls());
  coupled.add(WeldToNodes{.body = 0, .nodes = {0, 1, 2, 3}});
  coupled.add(WeldToNodes{.body = 1, .nodes = {12, 13, 14, 15}});
  Simulation sim(coupled, BackwardEuler{.dt = 0.01}, Condensed{});
  sim.set_gravity({0, -9.81, 0});
  test::step(sim, 10);
  CHECK(sim.joint_gap() < 1e-10);
  CHECK((test::momentum(sim) + test::soft_momentum(sim)).y() == Approx(-9.81 * 0.1 * 4002).epsilon(1e-10));
}

TEST_CASE("Coupled: bad joints are refused by number and value, and leave it as it was") {
  const auto [a, b, c] = face();
  CHECK(refused<IndexError>(WeldToNodes{.body = 2, .nodes = {1}}) == "joint 2: body 2: outside [0, 2)");
  CHECK(refused<IndexError>(WeldToNodes{.body = 0, .nodes = {1, 12}}) == "joint 2: node 12: outside [0, 12)");
  CHECK(refused<IndexError>(WeldToNodes{.body = 0, .nodes = {-1}}) == "joint 2: node -1: outside [0, 12)");
  CHECK(refused<SizeError>(WeldToNodes{.body = 0}) == "joint 2: WeldToNodes::nodes: 0 given, 1 expected");
  CHECK(refused<ParameterError>(WeldToNodes{.body = 1, .nodes = {3, 2}}) ==
        "joint 2: WeldToNodes: node = 2: joint 1 welds it already");
  CHECK(refused<ParameterError>(WeldToNodes{.body = 1, .nodes = {3, 3}}) ==
        "joint 2: WeldToNodes: node = 3: joint 2 welds it already");
  CHECK(refused<ParameterError>(WeldToNodes{.body = 1, .nodes = {3}, .compliance = {.stiffness = -1}}) ==
        "joint 2: WeldToNodes::compliance.stiffness = -1: must not be negative");
  CHECK(refused<IndexError>(BallToFace{.body = 1, .face = {a, b, 12}}) ==
        "joint 2: node 12: outside [0, 12)");
  CHECK(refused<IndexError>(BallToFace{.body = -2, .face = {a, b, c}}) == "joint 2: body -2: outside [0, 2)");
  CHECK(refused<ParameterError>(BallToFace{.body = 1, .face = {a, a, c}}) ==
        "joint 2: node = " + std::to_string(a) + ": a joint is between different nodes");
  CHECK(refused<ParameterError>(BallToFace{.face = {a, b, c}, .barycentric = {0.5, 0.5, 0.25}}) ==
        "joint 2: BallToFace::barycentric: sum = 1.25: must be 1");
  CHECK(refused<ParameterError>(BallToFace{.face = {a, b, c}, .barycentric = {0.5, nan_, 0.25}}) ==
        "joint 2: BallToFace::barycentric = not a number: must be finite");
  CHECK(refused<ParameterError>(BallToFace{.face = {a, b, c}, .offset = nan_}) ==
        "joint 2: BallToFace::offset = not a number: must be finite (m)");
  // The plane between the cells.
  const auto inside = nodes_where(cells(), [](const auto& X) { return std::abs(X.x() - 1) < 1e-9; });
  CHECK(refused<ParameterError>(BallToFace{.face = {inside[0], inside[1], inside[2]}}) ==
        "joint 2: BallToFace::face: first node = " + std::to_string(inside[0]) +
            ": it must be on the surface with the nodes " + std::to_string(inside[1]) + " and " +
            std::to_string(inside[2]) + ", as those of a face");
  CHECK(refused<ParameterError>(Ball{.first = 0, .second = 0}) ==
        "joint 2: body = 0: a joint is between different bodies");
  CHECK(refused<ParameterError>(BallToFace{.face = {a, b, c}}) == "no such error");
}

TEST_CASE("Coupled: a flat triangle is refused") {
  auto mesh = cells();
  const auto [a, b, c] = face();
  mesh.nodes.col(b) = mesh.nodes.col(a) + 0.005 * (mesh.nodes.col(b) - mesh.nodes.col(a));
  Coupled coupled(Solid(mesh, LinearElastic(Lame::from_young_poisson(1e5, 0.3)), Density{1000}), balls());
  CHECK_THROWS_AS(coupled.add(BallToFace{.face = {a, b, c}}), ParameterError);
}

TEST_CASE("Coupled: constraints hold nodes of the solid without joints") {
  CHECK(refused_constraint<ParameterError>(Pinned({7, 4})) ==
        "joint 1: node = 4: a constraint holds or moves it: a joint acts on free nodes");
  const int on_face = face()[1] == 4 || face()[1] == 2 ? face()[0] : face()[1];
  CHECK(refused_constraint<ParameterError>(Sliding::on_line({on_face}, Vector3(1, 0, 0))) ==
        "joint 2: node = " + std::to_string(on_face) +
            ": a constraint holds or moves it: a joint acts on free nodes");
  CHECK(refused_constraint<IndexError>(Pinned({12})) == "node of a constraint 12: outside [0, 12)");
  CHECK(refused_constraint<IndexError>(Pinned({11})) == "no such error");
}
