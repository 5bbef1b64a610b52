// Bodies that there are many times against the same bodies one by one, whose lanes are elements.
#include "integrator/bodies.hpp"
#include "integrator/plain_splitting.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/half_space.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

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

void append(const Mesh<Tet4>& mesh, Mesh<Tet4>& all) {
  const auto nodes = all.node_count(), elements = all.element_count();
  all.nodes.conservativeResize(3, nodes + mesh.node_count());
  all.elements.conservativeResize(4, elements + mesh.element_count());
  all.nodes.rightCols(mesh.node_count()) = mesh.nodes;
  all.elements.rightCols(mesh.element_count()) = mesh.elements.array() + static_cast<int>(nodes);
}

Mesh<Tet4> crowd_of(const Mesh<Tet4>& mesh, int count) {
  Mesh<Tet4> all;
  all.elements.resize(4, 0);
  all.nodes.resize(3, 0);
  for (int k = 0; k < count; ++k) append(copy_of(mesh, k), all);
  return all;
}

struct End {
  MatrixXd positions, velocities, forces;
};

// Where some steps from a disturbed state lead.
template <class Scalar, class Energy>
End end_of(const Mesh<Tet4>& mesh, const Energy& energy, const OperatorSplitting& integrator,
           const MatrixXd& start, const std::vector<int>& held) {
  Simulation sim(Solid(in<Scalar>(mesh), energy, Density{1000}, Rayleigh{.alpha = 2}), integrator,
                 Pinned(held));
  sim.set_gravity({0, -9.81, 0});
  sim.set_positions(start.cast<Scalar>());
  sim.set_velocities((0.3 * start).cast<Scalar>());
  for (int n = 0; n < 4; ++n) REQUIRE(sim.step());
  return {sim.positions().template cast<double>(), sim.velocities().template cast<double>(),
          sim.constraint_forces().template cast<double>()};
}

// The largest differences between the bodies of a crowd and the bodies by themselves: of positions [m], and
// of forces relative to the largest.
struct Difference {
  double positions = 0, velocities = 0, forces = 0;
};

template <class Scalar, class Energy>
Difference crowd_minus_bodies(const Mesh<Tet4>& body, int count, const Energy& energy,
                              const OperatorSplitting& integrator, const std::vector<int>& held) {
  const Mesh<Tet4> crowd = crowd_of(body, count);
  const auto nodes = static_cast<int>(body.node_count());
  MatrixXd start = crowd.nodes + 0.01 * noise(crowd.node_count(), 3);
  std::vector<int> all_held;
  for (int k = 0; k < count; ++k) {
    for (const int node : held) {
      all_held.push_back(k * nodes + node);
      start.col(all_held.back()) = crowd.nodes.col(all_held.back());
    }
  }
  const End together = end_of<Scalar>(crowd, energy, integrator, start, all_held);
  Difference result;
  for (int k = 0; k < count; ++k) {
    const auto own = [&](const MatrixXd& all) { return all.middleCols(k * nodes, nodes); };
    const End alone = end_of<Scalar>(copy_of(body, k), energy, integrator, own(start), held);
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

Mesh<Tet4> bar() { return make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {3, 1, 1}}); }

Mesh<Tet4> tetrahedron() {
  Mesh<Tet4> mesh;
  mesh.nodes.resize(3, 4);
  mesh.nodes << 0, 0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0, 0.12;
  mesh.elements.resize(4, 1);
  mesh.elements << 0, 1, 2, 3;
  return mesh;
}

int factorisations(const Mesh<Tet4>& mesh, const std::vector<int>& held) {
  Simulation sim(Solid(mesh, FixedCorotated(lame), Density{1000}), OperatorSplitting{.dt = 0.01},
                 Pinned(held));
  const StepReport report = sim.step();
  REQUIRE(report);
  return report.factorisations;
}

}  // namespace

TEST_CASE("copies: each stretches as it does alone, free or held, and is held by the same forces") {
  const OperatorSplitting integrator{.dt = 0.01, .rotation_iterations = 3, .stretch_iterations = 3};
  const auto held = lower_end(bar());
  for (const int count : {8, 19}) {
    for (const std::vector<int>& nodes : {std::vector<int>{}, held}) {
      const Difference d = crowd_minus_bodies<double>(bar(), count, Arap(lame), integrator, nodes);
      CHECK(d.positions < 1e-12);
      CHECK(d.velocities < 1e-10);
      CHECK(d.forces < 1e-10);
    }
  }
  const Difference d = crowd_minus_bodies<float>(bar(), 19, Arap(lame), integrator, held);
  CHECK(d.positions < 2e-5);
  CHECK(d.forces < 2e-2);
}

TEST_CASE("copies: each keeps its volume as it does alone") {
  SECTION("one element, whose constraint has no order") {
    const OperatorSplitting integrator{.dt = 0.01, .volume_iterations = 3, .rotation_iterations = 3};
    for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}}) {
      const Difference d =
          crowd_minus_bodies<double>(tetrahedron(), 11, FixedCorotated(lame), integrator, held);
      CHECK(d.positions < 1e-12);
      CHECK(d.forces < 1e-10);
    }
  }
  SECTION("six elements about one edge, in some order") {
    const Mesh<Tet4> cell =
        make_box<Tet4>({.lengths = {0.1, 0.12, 0.15}, .cells = {1, 1, 1}, .split = Split::kuhn});
    const Mesh<Tet4> crowd = crowd_of(cell, 9);
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
  const Mesh<Tet4> crowd = crowd_of(bar(), 9);
  const auto nodes = static_cast<int>(bar().node_count());
  CHECK(factorisations(crowd, {}) == 1);
  CHECK(factorisations(crowd_of(bar(), 3), {}) == 1);
  SECTION("held in other ways") {
    CHECK(factorisations(crowd, {0}) == 2);
    std::vector<int> held;
    for (int k = 0; k < 9; ++k) held.push_back(k * nodes + 5);
    CHECK(factorisations(crowd, held) == 1);
  }
  SECTION("another body beside them") {
    Mesh<Tet4> more = crowd;
    append(copy_of(jittered_box({2, 1, 1}), 10), more);
    CHECK(factorisations(more, {}) == 2);
  }
  SECTION("a shape that is not quite the same") {
    Mesh<Tet4> other = crowd;
    other.nodes.col(3) += 1e-4 * Vector3d(1, 1, 1);
    CHECK(factorisations(other, {}) == 2);
  }
  SECTION("mirror images") {
    Mesh<Tet4> mirrored = jittered_box({2, 1, 1}), all = crowd_of(mirrored, 9);
    mirrored.nodes.row(0) *= -1;
    mirrored.elements.row(0).swap(mirrored.elements.row(1));
    append(copy_of(mirrored, 10), all);
    CHECK(factorisations(all, {}) == 2);
  }
}

TEST_CASE("copies: the same bits for any number of threads, and beside other bodies") {
  const OperatorSplitting integrator{.dt = 0.01};
  Mesh<Tet4> crowd = crowd_of(bar(), 40);
  const auto end_with = [&](const Mesh<Tet4>& mesh, int threads) {
    const WithThreads with(threads);
    const MatrixXd start = mesh.nodes + 0.01 * noise(mesh.node_count(), 3);
    return end_of<float>(mesh, FixedCorotated(lame), integrator, start, {}).positions;
  };
  const MatrixXd one = end_with(crowd, 1);
  for (const int threads : {2, 3, 7}) CHECK(end_with(crowd, threads) == one);
  append(copy_of(jittered_box({2, 1, 1}), 41), crowd);
  CHECK(end_with(crowd, 2).leftCols(one.cols()) == one);
}

TEST_CASE("copies: a floor carries them all") {
  const Mesh<Tet4> body = make_box<Tet4>({.lengths = {0.2, 0.1, 0.2}, .cells = {2, 1, 2}});
  Mesh<Tet4> crowd;
  crowd.nodes.resize(3, 0);
  crowd.elements.resize(4, 0);
  for (int k = 0; k < 17; ++k) {
    Mesh<Tet4> copy = body;
    copy.nodes.colwise() += Vector3d(0.3 * k, 0.02, 0);
    append(copy, crowd);
  }
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
  CHECK(carried == Approx(17 * 0.004 * 1000 * 9.81).epsilon(0.01));
}
