// Runs without linear solvers that are saved and gone on with, and states that do not fit.
#include "simulation/dragged_body.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/fixed_corotated.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/operator_splitting/operator_splitting.hpp>
#include <pliant/simulation/frame_rate.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

using Explicit = CentralDifferences;

// As many bars as a block of copies has lanes and two more, beside each other.
template <class Scalar>
Mesh<Tet4, Scalar> crowd() {
  const Mesh<Tet4, Scalar> one = bar<Scalar>(3);
  constexpr int count = 18;
  Mesh<Tet4, Scalar> all;
  all.nodes.resize(3, count * one.node_count());
  all.elements.resize(4, count * one.element_count());
  for (int k = 0; k < count; ++k) {
    all.nodes.middleCols(k * one.node_count(), one.node_count()) =
        one.nodes.colwise() + Eigen::Vector3<Scalar>(0, 0, static_cast<Scalar>(0.125 * k));
    all.elements.middleCols(k * one.element_count(), one.element_count()) =
        one.elements.array() + static_cast<int>(k * one.node_count());
  }
  return all;
}

template <class Scalar>
auto falling_crowd(const OperatorSplitting& integrator, double young = 2e4) {
  const auto mesh = crowd<Scalar>();
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-6 && X.z() > 0.7; }));
  const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(young, 0.4)), Density{1000},
                    Rayleigh{.alpha = 0.2});
  using Made = decltype(Simulation(solid, integrator, held));
  auto sim = std::make_unique<Made>(solid, integrator, held);
  sim->set_gravity({0.5, -9.81, 0});
  sim->add_collider(Sphere(Eigen::Vector3d(0.2, -0.15, 0.6), 0.14), {.friction = 0.5});
  return sim;
}

// What a state has that does not fit; "nothing" where it does.
template <class Made, class State>
std::string what_differs(Made& sim, const State& state) {
  try {
    sim.set_state(state);
  } catch (const StateError& error) {
    CHECK(std::string(error.what()).starts_with("state: " + error.what_differs() + ": "));
    return error.what_differs();
  }
  return "nothing";
}

template <class Constraint>
auto held_bar(const Constraint& held, double density = 1000, int cells = 8, double stretch = 1) {
  auto mesh = bar<double>(cells);
  mesh.nodes.row(0) *= stretch;
  const Solid solid(mesh, FixedCorotated(Lame::from_young_poisson(5e4, 0.4)), Density{density});
  using Made = decltype(Simulation(solid, Explicit{}, held));
  auto sim = std::make_unique<Made>(solid, Explicit{.dt = 2e-3}, held);
  sim->set_gravity({0, -9.81, 0});
  return sim;
}

}  // namespace

TEST_CASE("a saved run goes on with the same bits: CentralDifferences") {
  check_dragged_body<FixedCorotated>(Explicit{.dt = 0.01, .renewal = 3});
  check_dragged_body<FixedCorotated, float>(Explicit{.dt = 0.01, .renewal = 3});
}

TEST_CASE("a saved run goes on with the same bits: OperatorSplitting, a body") {
  check_dragged_body<FixedCorotated>(OperatorSplitting{.dt = 5e-3});
}

TEST_CASE("a saved run goes on with the same bits: OperatorSplitting, copies and others, in floats") {
  for (const bool incremental : {true, false}) {
    const OperatorSplitting integrator{.dt = 5e-3, .volume_iterations = 3, .incremental = incremental};
    check_saved_state([&] { return falling_crowd<float>(integrator); }, 20, 8);
  }
}

TEST_CASE("a saved run goes on with the same bits: another dt, a step that was cancelled") {
  // The state is saved before step 10, so once with multipliers for another attempt and once for another dt.
  const auto make = [] { return falling_crowd<float>(OperatorSplitting{.dt = 5e-3}); };
  const auto cancels = [](auto& sim, int n) {
    if (n != 9 && n != 12) return;
    sim.on_progress([](const Progress&) { return false; });
    CHECK_FALSE(sim.step());
    sim.on_progress(nullptr);
  };
  check_saved_state(make, 10, 6, cancels);
  check_saved_state(make, 10, 6, [](auto& sim, int n) {
    sim.set_integrator({.dt = 1e-3 * (6 - n / 4)});  // it is no part of the state
  });
}

TEST_CASE("frames go on with the same bits where they are copied beside the state") {
  double now = 0;
  const auto clock = [&now] { return now; };
  Frames frames(FrameRate{.frame = 0.01, .budget = 0.005, .max_substeps = 4}, clock);
  auto sim = falling_crowd<float>(OperatorSplitting{});
  sim->on_progress([&](const Progress&) { now += 1e-3; });
  const auto some_frames = [&] {
    Record record;
    for (int n = 0; n < 4; ++n) {
      const FrameReport report = frames.advance(*sim);
      REQUIRE(report);
      record.add(*sim, report.last);
    }
    return record;
  };
  some_frames();
  const auto state = sim->state();
  const auto frames_then = frames;
  const Record first = some_frames();
  sim->set_state(state);
  std::destroy_at(&frames);
  std::construct_at(&frames, frames_then);
  CHECK(some_frames().first_difference(first) == -1);
}

TEST_CASE("positions that are set after a state make as good a start as in a new simulation") {
  const auto used = falling_crowd<float>(OperatorSplitting{.dt = 5e-3});
  run(*used, 0, 10, NoEvents{});
  const auto state = used->state();
  run(*used, 0, 3, NoEvents{});
  used->set_state(state);
  used->set_positions(state.positions());
  const auto fresh = falling_crowd<float>(OperatorSplitting{.dt = 5e-3});
  fresh->set_positions(state.positions());
  fresh->set_velocities(state.velocities());
  fresh->set_time(state.time());
  const Record truth = run(*fresh, 0, 4, NoEvents{});
  CHECK(run(*used, 0, 4, NoEvents{}).first_difference(truth) == -1);
  used->set_state(state);
  CHECK(run(*used, 0, 4, NoEvents{}).first_difference(truth) == 0);  // multipliers are those of the run
}

TEST_CASE("a state that does not fit is refused by what differs, and nothing changes") {
  const auto nodes = [](const auto& where) { return nodes_where(bar<double>(), where); };
  const auto left = nodes([](const auto& X) { return X.x() < 1e-6; });
  auto more = left;
  more.push_back(nodes([](const auto& X) { return X.x() > 0.399; }).front());
  const auto made = held_bar(Pinned(left));
  using State = std::remove_reference_t<decltype(*made)>::SavedState;
  made->add_collider(HalfSpace(Eigen::Vector3d(0, -0.02, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.5});
  run(*made, 0, 20, NoEvents{});
  const State own = made->state();
  const Record truth = run(*made, 0, 5, NoEvents{});
  made->set_state(own);

  const auto refused = [&](const State& state) {
    const std::string what = what_differs(*made, state);
    CHECK(run(*made, 0, 5, NoEvents{}).first_difference(truth) == -1);
    made->set_state(own);
    return what;
  };
  const auto floor = [](auto sim) {
    sim->add_collider(HalfSpace(Eigen::Vector3d(0, -0.02, 0), Eigen::Vector3d(0, 1, 0)), {.friction = 0.5});
    return sim;
  };
  CHECK(refused(State()) == "nodes");
  CHECK(refused(floor(held_bar(Pinned({0}), 1000, 7))->state()) == "nodes");
  CHECK(refused(floor(held_bar(Pinned(left), 1000, 8, 1.5))->state()) == "rest shape");
  CHECK(refused(floor(held_bar(Pinned(left), 1100))->state()) == "masses");
  CHECK(refused(floor(held_bar(Pinned(more)))->state()) == "node " + std::to_string(more.back()));
  CHECK(refused(floor(held_bar(PrescribedMotion(left, Drag{})))->state()).starts_with("node "));
  CHECK(refused(held_bar(Pinned(left))->state()) == "collider 0");
  const auto two = floor(floor(held_bar(Pinned(left))));
  CHECK(refused(two->state()) == "collider 1");
  two->remove_collider(0);
  CHECK(refused(two->state()) == "collider 0");
  const auto moved = held_bar(Pinned(left));
  moved->add_collider(HalfSpace(Eigen::Vector3d(0, -0.02, 0), Eigen::Vector3d(0, 1, 0)), {},
                      [](double) { return Pose<3>(); });
  CHECK(refused(moved->state()) == "collider 0");
  moved->move_collider(0, Pose<3>());
  CHECK(what_differs(*made, moved->state()) == "nothing");
  CHECK(what_differs(*made, floor(held_bar(Pinned(left)))->state()) == "nothing");

  // A mesh with as many nodes, and the same bars of another material.
  auto crossed = bar<double>();
  crossed.elements = make_box<Tet4>({.cells = {8, 2, 2}, .split = Split::kuhn}).elements;
  Simulation other(Solid(crossed, FixedCorotated(Lame::from_young_poisson(5e4, 0.4)), Density{1000}),
                   Explicit{}, Pinned(left));
  CHECK(what_differs(*made, other.state()) == "mesh");
  const auto soft = falling_crowd<float>(OperatorSplitting{}, 1e4),
             stiff = falling_crowd<float>(OperatorSplitting{});
  CHECK(what_differs(*soft, stiff->state()) == "elements");
}
