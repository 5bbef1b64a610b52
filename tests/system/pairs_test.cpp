// A System of elements whose matrices have blocks of further pairs of nodes.
#include "support/catch.hpp"
#include "support/saved_state.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/linear_solver/preconditioner/prefactored.hpp>
#include <pliant/linear_solver/preconditioner/two_level.hpp>
#include <pliant/mesh/make_box.hpp>
#include <pliant/mesh/selection.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;

TEST_CASE("A System with pairs that hold nothing takes the steps that it takes without them") {
  const auto mesh = make_box<Tet4>({.cells = {4, 2, 2}});
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  const BackwardEuler rule{.dt = 0.01, .newton = {.tolerance = 1e-10}};
  Simulation plain(solid, rule, Cholesky{}, held);
  ElasticSystem system(solid);
  std::vector<NodePair> pairs;
  for (int k = 1; k < mesh.node_count(); ++k) pairs.push_back({0, k});
  REQUIRE(system.require_pairs(pairs));
  Simulation paired(std::move(system), rule, Cholesky{}, held);
  plain.set_gravity({0, -9.81, 0});
  paired.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 5; ++n) {
    REQUIRE(plain.step());
    REQUIRE(paired.step());
    if (n == 2) paired.set_constraint(held);
  }
  CHECK((paired.positions() - mesh.nodes).cwiseAbs().maxCoeff() > 1e-3);
  CHECK((paired.positions() - plain.positions()).cwiseAbs().maxCoeff() < 1e-10);
}

namespace {

using Body = Solid<Tet4, StableNeoHookean>;

// Requires a pair for each node that is lower than at rest by more than 2 mm: the pattern depends on all
// positions that were ever evaluated.
class Watchful : public ElasticSystem<Body> {
 public:
  using ElasticSystem<Body>::ElasticSystem;

  double tangent(const Vector& x, Projection projection, double scale, Vector& g, Matrix& A) {
    std::vector<NodePair> pairs;
    const int last = static_cast<int>(node_count()) - 1;
    for (int i = 0; i < last; ++i) {
      if (x.node(i).y() < rest().node(i).y() - 2e-3) pairs.push_back({i, last - i});
    }
    require_pairs(pairs);
    return ElasticSystem<Body>::tangent(x, projection, scale, g, A);
  }
};

template <class Integrator, class Solver>
void check_pairs_are_saved(const Integrator& integrator, const Solver& solver) {
  const auto mesh = make_box<Tet4>({.lengths = {0.4, 0.1, 0.1}, .cells = {8, 2, 2}});
  const Body body(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  const auto make = [&] {
    return std::make_unique<Simulation<Watchful, Integrator, Solver, Pinned>>(Watchful(body), integrator,
                                                                              solver, held);
  };
  // The body first sinks and then rises, so that no pair is required any more.
  const auto events = [](auto& sim, int n) {
    if (n == 0) sim.set_gravity({0, -9.81, 3});
    if (n == 3) sim.set_gravity({0, 60, -4});
  };
  test::check_saved_state(make, 8, 4, events);
  const auto sim = make();
  test::run(*sim, 0, 8, events);
  CHECK(sim->system().matrix_pattern() != make()->system().matrix_pattern());
  CHECK(sim->system().matrix_pattern()->blocks() > sim->system().pattern().blocks());
}

}  // namespace

TEST_CASE("A saved run of a System with pairs goes on with the same bits") {
  SECTION("Cholesky") { check_pairs_are_saved(BackwardEuler{.dt = 0.01}, Cholesky{}); }
  SECTION("TwoLevel") { check_pairs_are_saved(Newmark{.dt = 0.01}, Pcg<TwoLevel>{}); }
  SECTION("Prefactored") { check_pairs_are_saved(BackwardEuler{.dt = 0.01}, Pcg<Prefactored>{}); }
}

TEST_CASE("Pairs that a failed step has required are forgotten") {
  const auto mesh = make_box<Tet4>({.lengths = {0.4, 0.1, 0.1}, .cells = {8, 2, 2}});
  const Body body(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; }));
  Simulation sim(Watchful(body), BackwardEuler{.dt = 0.1}, Cholesky{}, held);
  sim.set_gravity({0, -9.81, 3});
  int calls = 0;
  sim.on_progress([&](const Progress&) { return ++calls < 6; });
  REQUIRE_FALSE(sim.step());
  Watchful::History pairs;
  sim.system().save(pairs);
  CHECK(pairs.empty());
  sim.on_progress(nullptr);
  REQUIRE(sim.step());
  sim.system().save(pairs);
  CHECK_FALSE(pairs.empty());
}
