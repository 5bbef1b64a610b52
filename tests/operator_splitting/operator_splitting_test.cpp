// The steps of OperatorSplitting against plain ones: one number at a time.
#include "integrator/bodies.hpp"
#include "operator_splitting/plain_splitting.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/arap.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/simulation.hpp>

namespace {

using namespace pliant;
using namespace pliant::test;
using Eigen::MatrixXd;
using Eigen::Vector3d;

constexpr double dt = PlainScene::dt, density = PlainScene::density;
const Vector3d& gravity = PlainScene::gravity;
const Lame& lame = PlainScene::lame;

template <class Scalar>
void steps_like_the_plain_one(double tolerance) {
  const Mesh<Tet4> mesh = make_box<Tet4>({.lengths = {0.3, 0.1, 0.1}, .cells = {6, 2, 2}});
  const auto held = lower_end(mesh);
  Simulation sim(Solid(in<Scalar>(mesh), Arap(lame), Density{density}),
                 OperatorSplitting{.dt = dt, .rotation_iterations = 3}, Pinned(held));
  sim.set_gravity(gravity);
  MatrixXd x = mesh.nodes + 0.004 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, x.cols());
  for (const int n : held) x.col(n) = mesh.nodes.col(n);
  sim.set_positions(x);
  const PlainBody body(mesh, 0, held);
  for (int n = 0; n < 5; ++n) {
    REQUIRE(sim.step());
    body.step(x, v, 0, {});
    CHECK((sim.positions().template cast<double>() - x).cwiseAbs().maxCoeff() < tolerance);
    CHECK((sim.velocities().template cast<double>() - v).cwiseAbs().maxCoeff() < tolerance / dt);
  }
}

}  // namespace

TEST_CASE("operator splitting: the stretch of a step is that of a plain one") {
  steps_like_the_plain_one<double>(1e-13);
  steps_like_the_plain_one<float>(2e-7);
}

TEST_CASE("operator splitting: volume constraints are relaxed as plain ones are") {
  const double lambda = lame.lambda();
  SECTION("one element") {
    const Mesh<Tet4> mesh = tetrahedron();
    for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}})
      for (const bool incremental : {false, true}) {
        Simulation sim(
            Solid(mesh, FixedCorotated(lame), Density{density}),
            OperatorSplitting{
                .dt = dt, .volume_iterations = 3, .rotation_iterations = 3, .incremental = incremental},
            Pinned(held));
        sim.set_gravity(gravity);
        MatrixXd x = mesh.nodes + 0.02 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, 4);
        sim.set_positions(x);
        const PlainBody body(mesh, lambda, held, incremental);
        Eigen::VectorXd multiplier = body.multipliers(x);
        for (int n = 0; n < 5; ++n) {
          REQUIRE(sim.step());
          body.step(x, v, 3, {0}, multiplier);
          CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-13);
        }
      }
  }
  SECTION("six elements about one edge, in some order") {
    const Mesh<Tet4> mesh =
        make_box<Tet4>({.lengths = {0.1, 0.12, 0.15}, .cells = {1, 1, 1}, .split = Split::kuhn});
    const auto held = lower_end(mesh);
    Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                   OperatorSplitting{.dt = dt, .volume_iterations = 2, .rotation_iterations = 3},
                   Pinned(held));
    sim.set_gravity(gravity);
    MatrixXd start = mesh.nodes + 0.02 * noise(mesh.node_count(), 1);
    for (const int n : held) start.col(n) = mesh.nodes.col(n);
    sim.set_positions(start);
    REQUIRE(sim.step());
    const PlainBody body(mesh, lambda, held);
    CHECK(distance_in_best_order(body, 6, 2, start, sim.positions()) < 1e-13);
  }
  SECTION("elements apart from each other") {
    Mesh<Tet4> mesh;
    mesh.nodes.resize(3, 44);
    mesh.elements.resize(4, 11);
    for (int e = 0; e < 11; ++e) {
      for (int a = 0; a < 4; ++a) {
        mesh.elements(a, e) = 4 * e + a;
        mesh.nodes.col(4 * e + a) = Vector3d(e, 0, 0);
        if (a > 0) mesh.nodes(a - 1, 4 * e + a) += 0.1 + 0.01 * e;
      }
    }
    Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                   OperatorSplitting{.dt = dt, .rotation_iterations = 3});
    MatrixXd x = mesh.nodes + 0.02 * noise(mesh.node_count(), 1), v = MatrixXd::Zero(3, x.cols());
    sim.set_gravity(gravity);
    sim.set_positions(x);
    const PlainBody body(mesh, lambda, {});
    std::vector<int> order(11);
    std::iota(order.begin(), order.end(), 0);
    Eigen::VectorXd multiplier = body.multipliers(x);
    for (int n = 0; n < 3; ++n) {
      REQUIRE(sim.step());
      body.step(x, v, 2, order, multiplier);
      CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("operator splitting: the volume force of an element that is inverted starts at zero") {
  const Mesh<Tet4> mesh = tetrahedron();
  for (const std::vector<int>& held : {std::vector<int>{}, std::vector<int>{0, 2}}) {
    Simulation sim(Solid(mesh, FixedCorotated(lame), Density{density}),
                   OperatorSplitting{.dt = dt, .volume_iterations = 3, .rotation_iterations = 3},
                   Pinned(held));
    MatrixXd x = mesh.nodes, v = MatrixXd::Zero(3, 4);
    x(0, 1) = -0.07;  // of 0.1
    sim.set_gravity(gravity);
    sim.set_positions(x);
    const PlainBody body(mesh, lame.lambda(), held);
    Eigen::VectorXd multiplier = body.multipliers(x);
    int times = 0;  // that the solve of a step started from an inverted element
    for (int n = 0; n < 6; ++n) {
      const bool inverted = body.inverted_elements(x + dt * v) > 0;
      REQUIRE(sim.step());
      body.step(x, v, 3, {0}, multiplier);
      CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-13);
      times += inverted;
    }
    CHECK((times > 0 && times < 6));
  }
}

TEST_CASE("operator splitting: a large body, cut into parts, steps like a plain one") {
  const Mesh<Tet4> mesh =
      make_box<Tet4>({.lengths = {0.6, 0.5, 0.5}, .cells = {12, 10, 10}, .split = Split::kuhn});
  const auto held = lower_end(mesh);
  REQUIRE(parts_of(mesh, held) > 1);
  MatrixXd v = MatrixXd::Zero(3, mesh.node_count());
  const auto disturbed = [&](double most) {
    MatrixXd x = mesh.nodes + most * noise(mesh.node_count(), 1);
    for (const int n : held) x.col(n) = mesh.nodes.col(n);
    return x;
  };
  SECTION("its stretch") {
    for (const double lambda : {0.0, lame.lambda()}) {  // elements with volume constraints are sorted apart
      MatrixXd x = disturbed(0.01);
      Simulation sim(Solid(mesh, FixedCorotated(RawCoefficients{lame.mu(), lambda}), Density{density}),
                     OperatorSplitting{.dt = dt, .volume_iterations = 0, .rotation_iterations = 3},
                     Pinned(held));
      sim.set_gravity(gravity);
      sim.set_positions(x);
      v.setZero();
      const PlainBody body(mesh, lambda, held);
      for (int n = 0; n < 2; ++n) {
        REQUIRE(sim.step());
        body.step(x, v, 0, {});
        CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 1e-13);
      }
    }
  }
  SECTION("its volumes, relaxed until the order of elements does not matter") {
    constexpr double lambda = 2e3, most = 1e-6;
    constexpr int iterations = 30;
    MatrixXd x = mesh.nodes + most * noise(mesh.node_count(), 1);
    Simulation sim(Solid(mesh, FixedCorotated(RawCoefficients{lame.mu(), lambda}), Density{density}),
                   OperatorSplitting{.dt = dt, .volume_iterations = iterations});
    sim.set_gravity(gravity);
    sim.set_positions(x);
    const PlainBody body(mesh, lambda, {});
    Eigen::VectorXd multiplier = body.multipliers(x);
    std::vector<int> order(static_cast<std::size_t>(mesh.element_count()));
    std::iota(order.begin(), order.end(), 0);
    MatrixXd without = x, v_without = v;
    body.step(without, v_without, 0, order);
    for (int n = 0; n < 2; ++n) {
      REQUIRE(sim.step());
      body.step(x, v, iterations, order, multiplier);
      if (n == 0) CHECK((x - without).cwiseAbs().maxCoeff() > 2e-7);
      // Of second order in the strain, 2e-5, the order of elements does matter.
      CHECK((sim.positions() - x).cwiseAbs().maxCoeff() < 4e-12);
    }
  }
}
