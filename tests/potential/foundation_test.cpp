// The terms of examples/20_your_own_energy_term against closed forms, and terms that limit a step or remember
// something.
#include "../examples/20_your_own_energy_term/terms.hpp"
#include "potential/terms.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace pliant;

namespace {

constexpr double height = 0.2, density = 1000, gravity = 9.81;

auto make_block() { return make_box<Tet4>({.lengths = {0.5, height, 0.4}, .cells = {4, 2, 3}}); }

// Of the displacements of some nodes, weighed by their areas.
template <class Simulation>
Eigen::Vector3d mean_displacement(const Simulation& sim, const std::vector<FaceNode>& nodes) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  double area = 0;
  for (const FaceNode& face : nodes) {
    sum += face.area * (sim.positions().col(face.node) - face.at_rest);
    area += face.area;
  }
  return sum / area;
}

// How often a step was accepted, and from where the last one began.
struct Diary {
  int begun = 0, accepted = 0;
  double began_at = 0, height = 0;

  static constexpr TermAbilities abilities{.begins_steps = true, .accepts_steps = true};

  template <class State>
  void begin_step(const State& state) {
    ++begun;
    began_at = state.time() - state.dt();
    height = state.position(0).y();
  }
  template <class State>
  void accept_step(const State& state) {
    ++accepted;
    height = state.position(0).y();
  }
  template <class At, class Sum>
  double evaluate(const At&, Sum&) const {
    return 0;
  }
};

}  // namespace

TEST_CASE("A block on an elastic foundation sinks by rho g h / k on the average, however soft it is") {
  const auto mesh = make_block();
  const auto under = nodes_of_faces(mesh, {0, -1, 0});
  double area = 0;
  for (const FaceNode& face : under) area += face.area;
  CHECK(area == Approx(0.5 * 0.4));
  for (const double young : {1e4, 1e6}) {
    const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(young, 0.3)), Density{density});
    for (const double k : {2e4, 5e5}) {
      const auto held = Pinned({});
      Simulation sim(solid.with(ElasticFoundation{under, k}), QuasiStatic{.allow_free_motion = true},
                     Cholesky{}, held);
      sim.set_gravity({0, -gravity, 0});
      const StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
      const Eigen::Vector3d sunk = mean_displacement(sim, under);
      CHECK(sunk.y() == Approx(-density * gravity * height / k).epsilon(1e-5));
      CHECK(std::abs(sunk.x()) < 1e-5 * std::abs(sunk.y()));
      double energy = 0;
      for (const FaceNode& face : under) {
        energy += k * face.area * (sim.positions().col(face.node) - face.at_rest).squaredNorm() / 2;
      }
      CHECK(report.energies.terms == Approx(energy).epsilon(1e-12));
      CHECK(sim.energies().total() == Approx(report.energies.total()).epsilon(1e-12));
    }
  }
}

TEST_CASE("Wind pushes the block on its foundation by c w^2 A / (k A'), where no load but it acts") {
  const auto mesh = make_block();
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.3)), Density{density});
  const auto under = nodes_of_faces(mesh, {0, -1, 0}), side = nodes_of_faces(mesh, {-1, 0, 0});
  Simulation sim(solid.with(ElasticFoundation{under, 2e5}, Wind{side, {30, 0, 0}, 0.6, true}),
                 QuasiStatic{.allow_free_motion = true}, Cholesky{}, Unconstrained{});
  const StepReport report = sim.step();
  INFO(report.message());
  REQUIRE(report);
  CHECK(mean_displacement(sim, under).x() ==
        Approx(0.6 * 30 * 30 * (height * 0.4) / (2e5 * 0.5 * 0.4)).epsilon(1e-5));
}

TEST_CASE("Newton goes no farther than a term allows") {
  const auto mesh = make_block();
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{density});
  Floor floor{{}, 1e-2, 0.1};
  for (int node = 0; node < mesh.node_count(); ++node) floor.nodes.push_back(node);
  for (const bool limits : {true, false}) {
    floor.limits = limits;
    Simulation sim(solid.with(floor), BackwardEuler{.dt = 0.02}, Cholesky{});
    sim.set_gravity({0, -gravity, 0});
    bool all = true;
    for (int step = 0; step < 30; ++step) all = static_cast<bool>(sim.step()) && all;
    const double lowest = std::as_const(sim).template term<Floor>().lowest;
    if (limits) {
      CHECK(all);
      CHECK(lowest > 0);
      CHECK(sim.positions().row(1).minCoeff() > -0.1);
      CHECK(sim.positions().row(1).minCoeff() < -0.08);  // it has come down
    } else {
      CHECK_FALSE(lowest > 0);
    }
  }
}

TEST_CASE("A term is told when steps begin and when they have succeeded, and what it remembers is saved") {
  const auto mesh = make_block();
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{density});
  Simulation sim(solid.with(Diary{}), BackwardEuler{.dt = 0.02}, Cholesky{});
  const auto& diary = std::as_const(sim).template term<Diary>();
  sim.set_gravity({0, -gravity, 0});
  REQUIRE(sim.step());
  const auto saved = sim.state();
  REQUIRE(sim.step());
  CHECK(diary.begun == 2);
  CHECK(diary.accepted == 2);
  CHECK(diary.began_at == Approx(0.02));
  CHECK(diary.height == Approx(sim.positions()(1, 0)));
  sim.on_progress([](const Progress&) { return false; });
  CHECK_FALSE(sim.step());
  CHECK(diary.begun == 2);
  CHECK(diary.accepted == 2);
  CHECK(diary.began_at == Approx(0.02));
  sim.set_state(saved);
  CHECK(diary.accepted == 1);
}
