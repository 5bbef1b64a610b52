// What terms of a program see of steps: those that fail, those in which they are inactive, and changes
// between steps.
#include "potential/terms.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

namespace {

const auto mesh = make_box<Tet4>({.lengths = {1, 1, 1}, .cells = {2, 2, 2}});
const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{1000});
const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6; }));

// A force on a node that depends on the numbers of steps that were begun and accepted, and on the time; it is
// active after `start` [s], as it finds in begin_step.
struct Counting {
  double start = -1;
  bool on = true;
  int begun = 0, accepted = 0;
  bool throws = false;

  static constexpr TermAbilities abilities{.switches = true, .begins_steps = true, .accepts_steps = true};

  bool active() const { return on; }
  template <class State>
  void begin_step(const State& state) {
    ++begun;
    on = state.time() > start;
  }
  template <class State>
  void accept_step(const State&) {
    ++accepted;
    if (throws) throw std::runtime_error("no more steps");
  }
  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    const Eigen::Vector3d force(0, 100 * begun + 30 * accepted, 2000 * std::sin(20 * at.time()));
    sum.add_gradient(26, -force);
    return -force.dot(at.displacement(26));
  }
};

template <class Integrator, class... Solver>
auto counting(const Counting& term, const Integrator& integrator, const Solver&... solver) {
  using Body = decltype(solid.with(term));
  using Sim = decltype(Simulation(std::declval<Body>(), integrator, solver..., held));
  return std::make_unique<Sim>(solid.with(term), integrator, solver..., held);
}

template <class Integrator, class... Solver>
void check_failed_steps(const Integrator& integrator, const Solver&... solver) {
  const auto unbroken = counting({}, integrator, solver...), broken = counting({}, integrator, solver...);
  for (int step = 0; step < 4; ++step) {
    const Counting before = broken->template term<Counting>();
    broken->on_progress([](const Progress&) { return false; });
    REQUIRE_FALSE(broken->step());
    broken->on_progress(nullptr);
    CHECK(broken->template term<Counting>().begun == before.begun);
    Counting throwing = before;
    throwing.throws = true;
    broken->set_term(throwing);
    CHECK_THROWS_AS((void)broken->step(), std::runtime_error);
    CHECK(broken->template term<Counting>().begun == before.begun);
    CHECK(broken->template term<Counting>().accepted == before.accepted);
    broken->set_term(before);
    unbroken->set_term(before);  // which makes the same acceleration anew
    REQUIRE(broken->step());
    REQUIRE(unbroken->step());
    CHECK(broken->positions() == unbroken->positions());
  }
}

}  // namespace

TEST_CASE("What a failed step has told a term is taken back") {
  SECTION("BackwardEuler") { check_failed_steps(BackwardEuler{.dt = 0.01}, Cholesky{}); }
  SECTION("Newmark") { check_failed_steps(Newmark{.dt = 0.01}, Cholesky{}); }
  SECTION("CentralDifferences") { check_failed_steps(CentralDifferences{.dt = 0.01}); }
}

TEST_CASE("An inactive term is told of steps, so that it can become active") {
  const auto late = counting({.start = 0.035}, BackwardEuler{.dt = 0.01}, Cholesky{});
  Simulation without(solid, BackwardEuler{.dt = 0.01}, Cholesky{}, held);
  late->set_gravity({0, -9.81, 0});
  without.set_gravity({0, -9.81, 0});
  for (int step = 1; step <= 5; ++step) {
    REQUIRE(late->step());
    REQUIRE(without.step());
    CHECK(late->term<Counting>().begun == step);
    CHECK(late->term<Counting>().accepted == step);
    CHECK((late->positions() == without.positions()) == (step < 4));
  }
}

namespace {

// A step after a change is that of a new simulation that starts from the same state.
template <class Integrator, class... Solver>
void check_changed_terms(const Integrator& integrator, const Solver&... solver) {
  const auto used = counting({}, integrator, solver...);
  static_assert(std::is_same_v<decltype(used->template term<Counting>()), const Counting&>);
  const auto compare = [&](const char* what) {
    INFO(what);
    const auto fresh = counting(used->template term<Counting>(), integrator, solver...);
    fresh->set_positions(used->positions());
    fresh->set_velocities(used->velocities());
    fresh->set_time(used->time());
    REQUIRE(used->step());
    REQUIRE(fresh->step());
    CHECK((used->positions() - fresh->positions()).norm() < 1e-12);
    CHECK((used->velocities() - fresh->velocities()).norm() < 1e-9);
  };
  const Counting& kept = used->template term<Counting>();
  for (int step = 0; step < 3; ++step) REQUIRE(used->step());
  Counting changed = kept;
  changed.begun += 50;
  used->set_term(changed);
  CHECK(kept.begun == changed.begun);
  compare("another term");
  used->set_time(used->time() + 0.07);
  compare("another time");
}

}  // namespace

TEST_CASE("A step starts from the acceleration of a term that was changed, or of another time") {
  SECTION("Newmark") { check_changed_terms(Newmark{.dt = 0.01}, Cholesky{}); }
  SECTION("CentralDifferences") { check_changed_terms(CentralDifferences{.dt = 0.01}); }
}

TEST_CASE("Colliders do not push nodes farther than a term allows") {
  // A plate comes down on a block that stands above the wall of a barrier.
  Floor floor{{}, 1e-2, 0.1};
  for (int node = 0; node < mesh.node_count(); ++node) floor.nodes.push_back(node);
  const auto lowest_under_plate = [&](const auto& integrator, bool limits) {
    floor.limits = limits;
    Simulation sim(solid.with(floor), integrator, Cholesky{});
    sim.add_collider(HalfSpace<3>({0, 1.01, 0}, {0, -1, 0}), {},
                     [](double time) { return Pose<3>(Eigen::Vector3d(0, -8 * time, 0)); });
    for (int step = 0; step < 4; ++step) {
      const StepReport report = sim.step();
      if (!report) break;
      CHECK(sim.positions().row(1).maxCoeff() < 1.01 - 8 * sim.time() + 1e-4);
    }
    CHECK(sim.time() > (limits ? 0.05 : -1.0));
    return sim.template term<Floor>().lowest;
  };
  CHECK(lowest_under_plate(BackwardEuler{.dt = 0.02}, true) > 0);
  CHECK_FALSE(lowest_under_plate(BackwardEuler{.dt = 0.02}, false) > 0);
  CHECK(lowest_under_plate(Newmark{.dt = 0.02, .gamma = 0.7}, true) > 0);
}
