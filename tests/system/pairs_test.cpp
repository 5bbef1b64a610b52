// A System of elements whose matrices have blocks of further pairs of nodes.
#include "support/catch.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/pinned.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
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
