// Bodies of which there are many copies against the same bodies one by one, whose lanes are elements.
#include "integrator/bodies.hpp"
#include "operator_splitting/plain_splitting.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/constraint/unconstrained.hpp>
#include <pliant/contact/shape/box.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>
#include <pliant/solid/copies.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::MatrixXd;
using Eigen::Vector3d;

const Lame lame = Lame::from_young_poisson(3e4, 0.35);

Vector3d place_of(int k) { return {0.5 * (k % 5), 0.5 * (k / 5), 0.1 * k}; }

// A body at its k-th place, turned in some way.
Mesh<Tet4> copy_of(Mesh<Tet4> mesh, int k) {
  mesh.nodes = (rotation(0.7 * k, {1, 0.3 * k, -1}) * mesh.nodes).colwise() + place_of(k);
  return mesh;
}

Mesh<Tet4> crowd_of(const Mesh<Tet4>& mesh, int count) { return copies_of(mesh, count, copy_of); }

struct End {
  MatrixXd positions, velocities, forces;
  int factorisations;
};

// Where some steps from a disturbed state lead.
template <class Scalar, class Energy, class Constraint>
End end_of(const Mesh<Tet4>& mesh, const Energy& energy, const OperatorSplitting& integrator,
           const MatrixXd& start, const Constraint& constraint) {
  Simulation sim(Solid(in<Scalar>(mesh), energy, Density{1000}, Rayleigh{.alpha = 2}), integrator,
                 constraint);
  sim.set_gravity({0, -9.81, 0});
  sim.set_positions(start.cast<Scalar>());
  sim.set_velocities((0.3 * start).cast<Scalar>());
  int factorisations = 0;
  for (int n = 0; n < 4; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    factorisations += report.factorisations;
  }
  return {sim.positions().template cast<double>(), sim.velocities().template cast<double>(),
          sim.constraint_forces().template cast<double>(), factorisations};
}

// The largest differences between the bodies of a crowd and the bodies by themselves: of positions [m], and
// of forces relative to the largest.
struct Difference {
  double positions = 0, velocities = 0, forces = 0;
};

const auto pinned = [](const std::vector<int>& nodes) { return Pinned(nodes); };

// Each body starts in a disturbed `shape`. `constraint(nodes)` holds or moves nodes, those `held` of each.
template <class Scalar, class Energy, class Constraint = decltype(pinned)>
Difference crowd_minus_bodies(const Mesh<Tet4>& body, int count, const Energy& energy,
                              const OperatorSplitting& integrator, const std::vector<int>& held,
                              const Mesh<Tet4>& shape, const Constraint& constraint = pinned) {
  const Mesh<Tet4> crowd = crowd_of(body, count);
  const auto nodes = static_cast<int>(body.node_count());
  MatrixXd start = crowd_of(shape, count).nodes + 0.01 * noise(crowd.node_count(), 3);
  std::vector<int> all_held;
  for (int k = 0; k < count; ++k) {
    for (const int node : held) {
      all_held.push_back(k * nodes + node);
      start.col(all_held.back()) = crowd.nodes.col(all_held.back());
    }
  }
  const End together = end_of<Scalar>(crowd, energy, integrator, start, constraint(all_held));
  // They are solved as copies, those apart that are left over and too few.
  constexpr int block = sizeof(Scalar) == 4 ? 16 : 8;
  REQUIRE(together.factorisations == 1 + (count % block > 0 && count % block < block * 3 / 4));
  Difference result;
  for (int k = 0; k < count; ++k) {
    const auto own = [&](const MatrixXd& all) { return all.middleCols(k * nodes, nodes); };
    const End alone = end_of<Scalar>(copy_of(body, k), energy, integrator, own(start), constraint(held));
    const auto largest = [](const MatrixXd& a) { return a.cwiseAbs().maxCoeff(); };
    result.positions = std::max(result.positions, largest(own(together.positions) - alone.positions));
    result.velocities = std::max(result.velocities, largest(own(together.velocities) - alone.velocities));
    if (!held.empty()) {
      result.forces =
          std::max(result.forces, largest(own(together.forces) - alone.forces) / largest(alone.forces));
    }
  }
  return result;
}
template <class Scalar, class Energy>
Difference crowd_minus_bodies(const Mesh<Tet4>& body, int count, const Energy& energy,
                              const OperatorSplitting& integrator, const std::vector<int>& held) {
  return crowd_minus_bodies<Scalar>(body, count, energy, integrator, held, body);
}

Mesh<Tet4> bar() { return make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}}); }

// How many matrices are made for a solid: one for each kind of body of which there are whole blocks of
// copies, and one for all others.
template <class Solid>
int factorisations(const Solid& solid, const std::vector<int>& held = {}) {
  Simulation sim(solid, OperatorSplitting{.dt = 0.01}, Pinned(held));
  const StepReport report = sim.step();
  REQUIRE(report);
  return report.factorisations;
}

const FixedCorotated rubber(lame);
constexpr int block = 8, nodes_of_bar = 16;  // copies, in doubles; nodes

Mesh<Tet4> scaled(Mesh<Tet4> mesh, double factor) {
  mesh.nodes *= factor;
  return mesh;
}

}  // namespace

TEST_CASE("copies: each stretches as it does alone, free or held, and is held by the same forces") {
  const OperatorSplitting integrator{.dt = 0.01, .rotation_iterations = 3, .stretch_iterations = 3};
  const auto held = lower_end(bar());
  for (const int count : {8, 22}) {
    for (const std::vector<int>& nodes : {std::vector<int>{}, held}) {
      const Difference d = crowd_minus_bodies<double>(bar(), count, Arap(lame), integrator, nodes);
      CHECK(d.positions < 1e-12);
      CHECK(d.velocities < 1e-10);
      CHECK(d.forces < 1e-10);
    }
  }
  const Difference d = crowd_minus_bodies<float>(bar(), 29, Arap(lame), integrator, held);
  CHECK(d.positions < 5e-6);
  CHECK(d.forces < 2e-4);
}

TEST_CASE("copies: moved nodes take each along as they do alone") {
  const OperatorSplitting integrator{.dt = 0.01, .rotation_iterations = 3};
  const auto moved = [](const std::vector<int>& nodes) {
    return PrescribedMotion(nodes, [](const Vector3d& X, double t) -> Vector3d {
      return X + t * Vector3d(0.1, -0.2, 0.3) + t * t * Vector3d(0, 5, 0);
    });
  };
  const Difference d =
      crowd_minus_bodies<double>(bar(), 11, Arap(lame), integrator, lower_end(bar()), bar(), moved);
  CHECK(d.positions < 1e-12);
  CHECK(d.velocities < 1e-10);
  CHECK(d.forces < 1e-10);
}

TEST_CASE("copies: each keeps its volume as it does alone") {
  SECTION("one element, whose constraint has no order") {
    const OperatorSplitting integrator{.dt = 0.01, .volume_iterations = 3, .rotation_iterations = 3};
    for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}}) {
      const Difference d =
          crowd_minus_bodies<double>(tetrahedron(), 15, FixedCorotated(lame), integrator, held);
      CHECK(d.positions < 1e-12);
      CHECK(d.forces < 1e-10);
    }
  }
  SECTION("one element, inverted at first, whose volume forces start at zero meanwhile") {
    const OperatorSplitting integrator{.dt = 0.01, .volume_iterations = 3, .rotation_iterations = 3};
    Mesh<Tet4> inverted = tetrahedron();
    inverted.nodes(0, 1) = -0.07;  // of 0.1
    for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}}) {
      const Difference d =
          crowd_minus_bodies<double>(tetrahedron(), 15, FixedCorotated(lame), integrator, held, inverted);
      CHECK(d.positions < 1e-12);
      CHECK(d.forces < 1e-10);
    }
  }
  SECTION("six elements about one edge, in some order") {
    const Mesh<Tet4> cell =
        make_box<Tet4>({.lengths = {0.1, 0.12, 0.15}, .cells = {1, 1, 1}, .split = Split::kuhn});
    const Mesh<Tet4> crowd = crowd_of(cell, block);
    const MatrixXd start = crowd.nodes + 0.02 * noise(crowd.node_count(), 1);
    Simulation sim(Solid(crowd, FixedCorotated(PlainScene::lame), Density{PlainScene::density}),
                   OperatorSplitting{.dt = PlainScene::dt, .rotation_iterations = 3});
    sim.set_gravity(PlainScene::gravity);
    sim.set_positions(start);
    REQUIRE(sim.step());
    for (const int k : {0, 5}) {
      const PlainBody body(copy_of(cell, k), PlainScene::lame.lambda(), {});
      CHECK(distance_in_best_order(body, 6, 2, start.middleCols(8 * k, 8),
                                   sim.positions().middleCols(8 * k, 8)) < 1e-12);
    }
  }
}

TEST_CASE("copies: those that are moved and turned share a factor, others do not") {
  const Mesh<Tet4> crowd = crowd_of(bar(), block), two_crowds = crowd_of(bar(), 2 * block);
  REQUIRE(bar().node_count() == nodes_of_bar);
  const Solid solid(crowd, rubber, Density{1000});
  CHECK(factorisations(Solid(two_crowds, rubber, Density{1000})) == 1);
  for (const double alpha : {1e-6, 1e-3, 2.0, 1e3})  // [1/s]
    CHECK(factorisations(Solid(two_crowds, rubber, Density{1000}, Rayleigh{.alpha = alpha})) == 1);
  const auto beside = [&](const Mesh<Tet4>& other) {
    Mesh<Tet4> all = crowd;
    append(other, all);
    return factorisations(Solid(all, rubber, Density{1000}));
  };
  SECTION("another body beside them") { CHECK(beside(copy_of(jittered_box({2, 1, 1}), 10)) == 2); }
  SECTION("a copy too many is one of the others") { CHECK(beside(copy_of(bar(), 20)) == 2); }
  SECTION("shapes that are not quite the same") { CHECK(beside(crowd_of(scaled(bar(), 1.001), block)) == 2); }
  SECTION("mirror images") {
    Mesh<Tet4> mirrored = bar();
    mirrored.nodes.row(0) *= -1;
    mirrored.elements.row(0).swap(mirrored.elements.row(1));
    CHECK(beside(crowd_of(mirrored, block)) == 2);
  }
  SECTION("held in other ways") {
    std::vector<int> same, different;
    for (int k = 0; k < 2 * block; ++k) {
      same.push_back(nodes_of_bar * k + 5);
      different.push_back(nodes_of_bar * k + (k < block ? 5 : 6));
    }
    const Solid both(two_crowds, rubber, Density{1000});
    CHECK(factorisations(both, same) == 1);
    CHECK(factorisations(both, different) == 2);
  }
  SECTION("of other materials") {
    Mesh<Tet4> away = crowd;
    away.nodes.colwise() += Vector3d(0, 0, 5);
    const auto with = [&](const auto& other) { return factorisations(Bodies(solid, other)); };
    CHECK(with(Solid(away, rubber, Density{1000})) == 1);
    CHECK(with(Solid(away, rubber, Density{1001})) == 2);
    const auto other = [&](double mu, double lambda) {
      return FixedCorotated(RawCoefficients{mu * lame.mu(), lambda * lame.lambda()});
    };
    CHECK(with(Solid(away, other(1, 1), Density{1000})) == 1);
    CHECK(with(Solid(away, other(1.001, 1), Density{1000})) == 2);
    CHECK(with(Solid(away, other(1, 1.001), Density{1000})) == 2);
    CHECK(with(Solid(away, rubber, Density{1000}, Rayleigh{.alpha = 1e-3})) == 2);
    // With the same mass and damping in the matrix, dt being 0.01.
    CHECK(with(Solid(away, rubber, Density{1000 / 1.02}, Rayleigh{.alpha = 2})) == 2);
  }
  SECTION("many kinds in turns") {
    const int kinds = 20;
    const Mesh<Tet4> all = copies_of(bar(), kinds * block, [&](const Mesh<Tet4>& first, int k) {
      return copy_of(scaled(k % kinds == 0 ? first : tetrahedron(), 1 + 0.1 * (k % kinds)), k);
    });
    // Of the many kinds of one size, those that were seen long before are not looked for.
    CHECK(factorisations(Solid(all, rubber, Density{1000})) >= 2);
  }
}

TEST_CASE("copies: in floats, wherever other bodies are") {
  constexpr int block_of_floats = 16;
  Mesh<Tet4> all = crowd_of(bar(), block_of_floats);
  const auto count = [&] { return factorisations(Solid(in<float>(all), rubber, Density{1000})); };
  append(crowd_of(scaled(bar(), 1.001), block_of_floats), all);
  CHECK(count() == 2);
  Mesh<Tet4> far = bar();
  far.nodes.row(0).array() += 1000;
  append(far, all);
  CHECK(count() == 3);
  const Solid heavy(in<float>(crowd_of(bar(), block_of_floats)), rubber, Density{1001});
  CHECK(factorisations(Bodies(Solid(in<float>(all), rubber, Density{1000}), heavy)) == 4);

  // So far away rounding hides what shape they have: they are solved with all others.
  Mesh<Tet4> lost = row_of_copies(bar(), block_of_floats, Vector3d(0, 0, 1));
  lost.nodes.row(0).array() += 3e4;
  append(tetrahedron(), lost);
  CHECK(factorisations(Solid(in<float>(lost), rubber, Density{1000})) == 1);
}

TEST_CASE("copies: the factor follows the constraints, the step and a failure") {
  const Mesh<Tet4> crowd = crowd_of(bar(), block);
  Simulation sim(Solid(crowd, rubber, Density{1000}), OperatorSplitting{.dt = 0.01}, Pinned({}));
  sim.set_gravity({0, -9.81, 0});
  const auto made = [&] {
    const StepReport report = sim.step();
    REQUIRE(report);
    return report.factorisations;
  };
  CHECK(made() == 1);
  CHECK(made() == 0);
  sim.set_constraint(Pinned({0}));  // of one copy
  CHECK(made() == 2);
  CHECK(made() == 0);
  std::vector<int> all(static_cast<std::size_t>(crowd.node_count()));
  std::iota(all.begin(), all.end(), 0);
  sim.set_constraint(Pinned(all));
  const MatrixXd before = sim.positions();
  CHECK(made() == 1);
  CHECK(sim.positions() == before);
  sim.set_constraint(Pinned({}));
  sim.set_integrator({.dt = 1e200});
  CHECK_THROWS_AS(sim.step(), ParameterError);
  CHECK(sim.positions() == before);
  sim.set_integrator({.dt = 0.01});
  CHECK(made() == 1);
}

TEST_CASE("copies: the same bits for any number of threads, and beside other bodies") {
  const OperatorSplitting integrator{.dt = 0.01};
  Mesh<Tet4> crowd = crowd_of(bar(), 40);
  const auto end_with = [&](const Mesh<Tet4>& mesh, int threads) {
    const WithThreads with(threads);
    const MatrixXd start = mesh.nodes + 0.01 * noise(mesh.node_count(), 3);
    return end_of<float>(mesh, FixedCorotated(lame), integrator, start, Unconstrained{}).positions;
  };
  const MatrixXd one = end_with(crowd, 1);
  for (const int threads : {2, 3, 7}) CHECK(end_with(crowd, threads) == one);
  append(copy_of(jittered_box({2, 1, 1}), 40), crowd);
  CHECK(end_with(crowd, 2).leftCols(one.cols()) == one);
}

TEST_CASE("copies: a floor carries them all") {
  const Mesh<Tet4> body = make_box<Tet4>({.lengths = {0.2, 0.1, 0.2}, .cells = {2, 1, 2}});
  Mesh<Tet4> crowd = row_of_copies(body, 17, Vector3d(0.3, 0, 0));
  crowd.nodes.row(1).array() += 0.02;
  Simulation sim(Solid(crowd, FixedCorotated(lame), Density{1000}, Rayleigh{.alpha = 20}),
                 OperatorSplitting{.dt = 0.005});
  sim.set_gravity({0, -9.81, 0});
  sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.5});
  for (int n = 0; n < 400; ++n) REQUIRE(sim.step());
  CHECK(sim.positions().row(1).minCoeff() > -1e-12);
  double carried = 0;
  for (int n = 0; n < 100; ++n) {
    REQUIRE(sim.step());
    carried += sim.constraint_forces().row(1).sum() / 100;
  }
  CHECK(carried == Approx(17 * 0.004 * 1000 * 9.81).epsilon(1e-4));
}

TEST_CASE("copies: of floats in a row, however far apart, as far as the rounding of their places tells") {
  constexpr int count = 16;
  const auto found = [&](double spacing, double factor) {
    Mesh<Tet4> row = row_of_copies(bar(), count, Vector3d(spacing, 0.3 * spacing, 0));
    append(crowd_of(scaled(bar(), factor), count), row);
    Simulation sim(Solid(in<float>(row), rubber, Density{1000}), OperatorSplitting{.dt = 0.01});
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(report.pieces == 2 * count);
    return std::array{report.copies, report.factorisations};
  };
  for (const double spacing : {0.4, 3.0, 30.0, 1000.0}) {
    CHECK(found(spacing, 1) == std::array{2 * count, 1});
    CHECK(found(spacing, 1.3) == std::array{2 * count, 2});
  }
  CHECK(found(30, 1.01) == std::array{2 * count, 2});
  // The height of an element is 58 mm, and a float knows a place to a tenth of that up to 24 km: 13 of the
  // row are seen to be as the 16 of the crowd.
  CHECK(found(2e3, 1) == std::array{13 + count, 2});
}

namespace {

std::vector<Pose<3>> poses_of(int count, const Vector3d& spacing) {
  std::vector<Pose<3>> poses;
  for (int k = 0; k < count; ++k)
    poses.emplace_back(rotation(0.7 * k, {1, 0.3 * k, -1}), Vector3d(k * spacing));
  return poses;
}

template <class Scalar>
auto crowd_at(int count, const Vector3d& spacing) {
  return Copies(Solid(in<Scalar>(bar()), rubber, Density{1000}, Rayleigh{.alpha = 2}),
                poses_of(count, spacing));
}

// Relative to the poses, where gravity leads a crowd whose bars are held at one end.
template <class Scalar, class Prepare>
MatrixXd end_of_crowd(int count, const Vector3d& spacing, int steps, Prepare&& prepare) {
  const auto crowd = crowd_at<Scalar>(count, spacing);
  Simulation sim(crowd, OperatorSplitting{.dt = 0.01}, Pinned(crowd.nodes(lower_end(bar()))));
  sim.set_gravity({0, -9.81, 0});
  prepare(sim);
  for (int n = 0; n < steps; ++n) {
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(report.pieces == count);
    CHECK(report.copies == count / 8 * 8);
  }
  return sim.relative_positions().template cast<double>();
}
template <class Scalar>
MatrixXd end_of_crowd(int count, const Vector3d& spacing, int steps = 30) {
  return end_of_crowd<Scalar>(count, spacing, steps, [](const auto&) {});
}

}  // namespace

TEST_CASE("Copies: move as the same bodies in one mesh do") {
  const auto crowd = crowd_at<double>(block, {0.4, 0, 0});
  CHECK(crowd.mesh().nodes.isApprox(
      copies_of(bar(), block,
                [&](Mesh<Tet4> mesh, int k) {
                  mesh.nodes =
                      (rotation(0.7 * k, {1, 0.3 * k, -1}) * mesh.nodes).colwise() + Vector3d(0.4 * k, 0, 0);
                  return mesh;
                })
          .nodes,
      1e-14));
  const Solid placed(crowd.mesh(), rubber, Density{1000}, Rayleigh{.alpha = 2});
  const Pinned held(crowd.nodes(lower_end(bar())));
  Simulation copies(crowd, OperatorSplitting{.dt = 0.01}, held);
  Simulation bodies(placed, OperatorSplitting{.dt = 0.01}, held);
  const MatrixXd start = crowd.nodes() + 0.003 * noise(crowd.node_count(), 5);
  const auto begin = [&](auto& sim) {
    sim.set_positions(start);
    sim.set_gravity({0, -9.81, 0});
  };
  begin(copies);
  begin(bodies);
  for (int n = 0; n < 20; ++n) {
    REQUIRE(copies.step());
    REQUIRE(bodies.step());
  }
  CHECK((copies.positions() - crowd.nodes()).cwiseAbs().maxCoeff() > 0.01);
  CHECK((copies.positions() - bodies.positions()).cwiseAbs().maxCoeff() < 1e-11);
  CHECK((copies.constraint_forces() - bodies.constraint_forces()).cwiseAbs().maxCoeff() < 1e-7);
  CHECK(copies.energies().total() == Approx(bodies.energies().total()).epsilon(1e-9));
}

TEST_CASE("Copies: the same bits wherever they are, and those of doubles to the rounding of the piece") {
  constexpr int count = 17;
  const MatrixXd dense = end_of_crowd<float>(count, {0, 0, 0}),
                 far = end_of_crowd<float>(count, {1000.123, -400, 0.1});
  CHECK(far == dense);
  CHECK((dense - end_of_crowd<double>(count, {0, 0, 0})).cwiseAbs().maxCoeff() < 2e-5);
  // Places in the world are rounded, and nothing else: a step that is cancelled leaves the rest as it was.
  const MatrixXd resumed = end_of_crowd<float>(count, {1000.123, -400, 0.1}, 30, [](auto& sim) {
    (void)sim.step();
    sim.on_progress([](const Progress&) { return false; });
    const StepReport report = sim.step();
    CHECK(report.stop == StepStop::cancelled);
    sim.on_progress(nullptr);
  });
  CHECK(resumed == end_of_crowd<float>(count, {0, 0, 0}, 31));
}

TEST_CASE("Copies: a floor and a box far away meet each where it is") {
  constexpr int count = 16;
  const Mesh<Tet4> body = make_box<Tet4>({.lengths = {0.2, 0.1, 0.2}, .cells = {2, 1, 2}});
  std::vector<Pose<3>> poses;
  for (int k = 0; k < count; ++k) poses.emplace_back(Vector3d(1000.3 * k, 0.06, -500.7 * k));
  const Copies crowd(Solid(in<float>(body), FixedCorotated(lame), Density{1000}, Rayleigh{.alpha = 20}),
                     poses);
  Simulation sim(crowd, OperatorSplitting{.dt = 0.005});
  sim.set_gravity({0, -9.81, 0});
  sim.add_collider(HalfSpace({0, 0, 0}, {0, 1, 0}), {.friction = 0.5});
  // Under the last one, a step of 5 cm.
  sim.add_collider(Box({-0.3, -0.05, -0.3}, {0.3, 0.05, 0.3}), {},
                   [&](double) { return Pose<3>(Vector3d(1000.3 * 15 + 0.1, 0, -500.7 * 15 + 0.1)); });
  StepReport report;
  for (int n = 0; n < 400; ++n) REQUIRE((report = sim.step()));
  CHECK(report.copies == count);
  const auto nodes = body.node_count();
  const Eigen::MatrixXf x = sim.relative_positions();
  for (int k = 0; k < count; ++k) {
    const float floor = k == 15 ? 0.05f : 0.0f;
    CHECK(x.middleCols(k * nodes, nodes).row(1).minCoeff() + 0.06f == Approx(floor).margin(2e-4));
  }
  double carried = 0;
  for (int n = 0; n < 100; ++n) {
    REQUIRE(sim.step());
    carried += static_cast<double>(sim.constraint_forces().row(1).sum()) / 100;
  }
  CHECK(carried == Approx(count * 0.004 * 1000 * 9.81).epsilon(1e-3));
}
