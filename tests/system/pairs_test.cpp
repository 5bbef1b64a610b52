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
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/linear_solver/bounded/mprgp.hpp>
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

namespace {

// Two bodies, the second below the first, that are joined by springs between pairs of nodes.
template <class BodiesType>
class Joined : public ElasticSystem<BodiesType> {
 public:
  using Base = ElasticSystem<BodiesType>;
  using Vector = typename Base::Vector;
  using Matrix = typename Base::Matrix;
  using Scalar = typename Base::Scalar;

  Joined(const BodiesType& bodies, std::vector<NodePair> pairs, double stiffness)
      : Base(bodies), pairs_(std::move(pairs)), stiffness_(static_cast<Scalar>(stiffness)) {
    for (NodePair& pair : pairs_) pair = {this->internal_number(pair.a), this->internal_number(pair.b)};
    this->require_pairs(pairs_);
  }

  double energy(const Vector& x) const {
    double sum = Base::energy(x);
    for (const NodePair& pair : pairs_) sum += stiffness_ / 2 * stretch(x, pair).squaredNorm();
    return sum;
  }
  double gradient(const Vector& x, Vector& g) {
    const double sum = Base::gradient(x, g);
    return sum + pull(x, g);
  }
  double tangent(const Vector& x, Projection projection, Scalar scale, Vector& g, Matrix& A) {
    const double sum = Base::tangent(x, projection, scale, g, A);
    const auto k = (scale * stiffness_ * Eigen::Matrix3<Scalar>::Identity()).eval();
    for (const NodePair& pair : pairs_) {
      A.add(pair.a, pair.a, k);
      A.add(pair.b, pair.b, k);
      A.add(pair.a, pair.b, -k);
    }
    return sum + pull(x, g);
  }

 private:
  Eigen::Vector3<Scalar> stretch(const Vector& x, const NodePair& pair) const {
    const Vector& rest = this->rest();
    return (x.node(pair.a) - rest.node(pair.a)) - (x.node(pair.b) - rest.node(pair.b));
  }
  double pull(const Vector& x, Vector& g) const {
    double sum = 0;
    for (const NodePair& pair : pairs_) {
      const Eigen::Vector3<Scalar> way = stretch(x, pair);
      g.node(pair.a) += stiffness_ * way;
      g.node(pair.b) -= stiffness_ * way;
      sum += stiffness_ / 2 * way.squaredNorm();
    }
    return sum;
  }

  std::vector<NodePair> pairs_;
  Scalar stiffness_;
};

// The displacements after some steps of a cube that hangs by four springs from a held one.
template <class Scalar, class Integrator, class... Solver>
Eigen::MatrixXd hang(const Integrator& integrator, const Solver&... solver) {
  const auto upper = make_box<Tet4, Scalar>({.lengths = {0.1, 0.1, 0.1}, .cells = {1, 1, 1}});
  const auto lower =
      make_box<Tet4, Scalar>({.lengths = {0.1, 0.1, 0.1}, .cells = {1, 1, 1}, .origin = {0, -0.2, 0}});
  const StableNeoHookean energy(Lame::from_young_poisson(1e6, 0.4));
  const Bodies bodies(Solid(upper, energy, Density{1000}), Solid(lower, energy, Density{1000}));
  std::vector<NodePair> pairs;
  for (const int a : nodes_where(upper, [](const auto& X) { return X.y() < 1e-6; })) {
    for (const int b : nodes_where(lower, [](const auto& X) { return X.y() > -0.1 - 1e-6; })) {
      if (std::abs(upper.nodes(0, a) - lower.nodes(0, b)) + std::abs(upper.nodes(2, a) - lower.nodes(2, b)) <
          0.01)
        pairs.push_back({a, b + static_cast<int>(upper.node_count())});
    }
  }
  REQUIRE(pairs.size() == 4);
  std::vector<int> held;
  for (int i = 0; i < upper.node_count(); ++i) held.push_back(i);
  Simulation sim(Joined(bodies, pairs, 50), integrator, solver..., Pinned(held));
  const Eigen::MatrixXd start = sim.positions().template cast<double>();
  sim.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 20; ++n) REQUIRE(sim.step());
  return sim.positions().template cast<double>() - start;
}

}  // namespace

TEST_CASE("In floats a body that pairs join to another moves as in doubles") {
  const auto check = [](const Eigen::MatrixXd& exact, const Eigen::MatrixXd& in_floats) {
    CHECK(exact.cwiseAbs().maxCoeff() > 0.01);
    CHECK((in_floats - exact).cwiseAbs().maxCoeff() < 0.01 * exact.cwiseAbs().maxCoeff());
  };
  SECTION("BackwardEuler") {
    const BackwardEuler integrator{.dt = 0.01};
    check(hang<double>(integrator, Cholesky{}), hang<float>(integrator, Cholesky{}));
  }
  SECTION("CentralDifferences") {
    const CentralDifferences integrator{.dt = 0.01};
    check(hang<double>(integrator), hang<float>(integrator));
  }
}

namespace {

// A body without colliders.
class Alone : public ElasticSystem<Body> {
 public:
  using Contacts = NoContacts<Vector>;
  using ElasticSystem<Body>::ElasticSystem;
};

using BodyInFloats = Solid<Tet4, StableNeoHookean, float>;
class AloneInFloats : public ElasticSystem<BodyInFloats> {
 public:
  using Contacts = NoContacts<Vector>;
  using ElasticSystem<BodyInFloats>::ElasticSystem;
};

template <class WithoutContacts, class Scalar, class Integrator, class... Solver>
void check_without_contacts(const Integrator& integrator, const Solver&... solver) {
  const auto mesh = make_box<Tet4, Scalar>({.cells = {3, 1, 1}});
  const Solid body(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.4)), Density{1000});
  Simulation usual(body, integrator, solver...);
  Simulation alone(WithoutContacts(body), integrator, solver...);
  usual.set_gravity({0, -9.81, 0});
  alone.set_gravity({0, -9.81, 0});
  for (int n = 0; n < 3; ++n) {
    REQUIRE(usual.step());
    REQUIRE(alone.step());
  }
  CHECK(alone.positions() == usual.positions());
  CHECK(alone.contacts().empty());
}

}  // namespace

TEST_CASE("A System of a BlockMatrix without colliders takes the steps of a body that meets none") {
  SECTION("Cholesky") { check_without_contacts<Alone, double>(BackwardEuler{.dt = 0.01}, Cholesky{}); }
  SECTION("Mprgp") { check_without_contacts<Alone, double>(BackwardEuler{.dt = 0.01}, Mprgp<Jacobi>{}); }
  SECTION("Newmark, in floats") {
    check_without_contacts<AloneInFloats, float>(Newmark{.dt = 0.01}, Pcg<TwoLevel>{});
  }
  SECTION("CentralDifferences") { check_without_contacts<Alone, double>(CentralDifferences{.dt = 0.01}); }
}
