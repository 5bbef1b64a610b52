// Steps with DualRows: the same as those with Condensed.
#include "rigid/coupled.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cmath>

#include <pliant/constraint/pinned.hpp>
#include <pliant/contact/shape/half_space.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/linear_solver/rows/dual_rows.hpp>

using namespace pliant;
using test::Vector3;

namespace {

constexpr double young = 1e5, width = 0.1, length = 0.3;

auto bar_mesh(int fineness = 1) {
  return make_box<Tet4>({.lengths = {width, length, width},
                         .cells = {fineness, 3 * fineness, fineness},
                         .origin = {-width / 2, -length, -width / 2}});
}

// A hinged link, with limits and a motor, and below it the bar by a ball joint; or the bar alone.
template <class Energy>
auto bar(const Energy& energy, double beta, bool jointed, int fineness = 1) {
  Mechanism mechanism;
  const int link = mechanism.add(RigidBody::box({0.02, 0.2, 0.02}, Mass{0.5}), Pose({0, 0.1, 0}));
  mechanism.add(Hinge{.second = link,
                      .at = {0, 0.2, 0},
                      .axis = {0, 0, 1},
                      .limits = {-0.05, 0.05},
                      .motor = {.speed = 0.1, .force = 0.1}});
  const auto mesh = bar_mesh(fineness);
  Coupled coupled(Solid(mesh, energy, Density{1000}, Rayleigh{.beta = beta}), mechanism);
  if (jointed) coupled.add(BallToFace{.body = link, .face = test::face_at(mesh, 0), .offset = 0.01});
  return coupled;
}

constexpr double below = -10;  // a floor that nothing reaches
const Lame lame = Lame::from_young_poisson(young, 0.3);

// The largest difference of velocities between Condensed and DualRows in some steps, with a floor at y =
// `floor`, which touches the bar if it is above its lower end.
template <class Scene, class... Held>
double difference(const Scene& coupled, const Newton& newton, double floor, const Held&... held) {
  const BackwardEuler steps{.dt = 1. / 60, .newton = newton};
  Simulation direct(coupled, steps, Condensed{}, held...);
  Simulation dual(coupled, steps, DualRows<Jacobi>{.gap = 1e-11, .solver = {.tolerance = 1e-13}}, held...);
  double largest = 0, fastest = 0;
  direct.set_gravity({-5, -8.4, 0});
  dual.set_gravity({-5, -8.4, 0});
  const HalfSpace ground(Vector3(0, floor, 0), Vector3(0, 1, 0));
  direct.add_collider(ground, {.friction = 0.3});
  dual.add_collider(ground, {.friction = 0.3});
  int touching = 0;
  for (int k = 0; k < 12; ++k) {
    const StepReport reference = direct.step();
    REQUIRE(reference);
    const StepReport report = dual.step();
    INFO(report.message());
    REQUIRE(report);
    CHECK(report.linear_iterations > 0);
    CHECK(dual.joint_gap() <= 1e-10);
    CHECK(report.contacts == reference.contacts);
    touching = std::max(touching, report.contacts);
    largest = std::max(largest, (direct.velocities() - dual.velocities()).cwiseAbs().maxCoeff());
    fastest = std::max(fastest, direct.velocities().cwiseAbs().maxCoeff());
  }
  CHECK(fastest > 0.1);
  CHECK((touching > 0) == (floor > -1));
  return largest;
}

}  // namespace

TEST_CASE("DualRows: linearised steps are those of Condensed, with damping and with held nodes") {
  const LinearElastic energy(lame);
  CHECK(difference(bar(energy, 0.002, true), Newton::linearised(), below) < 1e-8);
  CHECK(difference(bar(energy, 0, false), Newton::linearised(), below,
                   Pinned(test::nodes_at(bar_mesh(), 0))) < 1e-8);
}

TEST_CASE("DualRows: converged steps are those of Condensed, with warped elements") {
  const CorotatedLinear energy(lame);
  CHECK(difference(bar(energy, 0.002, true), Newton{.tolerance = 1e-9}, below) < 1e-6);
}

TEST_CASE("DualRows: contact and friction are those of Condensed") {
  CHECK(difference(bar(LinearElastic(lame), 0.002, true), Newton::linearised(), -length - 0.001) < 1e-6);
}

TEST_CASE("DualRows: the same bits on any number of threads") {
  const auto run = [](int threads) {
    const WithThreads with(threads);
    Simulation sim(bar(LinearElastic(lame), 0.002, true, 5),
                   BackwardEuler{.dt = 0.01, .newton = Newton::linearised()},
                   DualRows<Jacobi>{.gap = 1e-5, .solver = {.tolerance = 1e-8}});  // 1,875 elements
    sim.set_gravity({-5, -8.4, 0});
    test::step(sim, 2);
    return Eigen::MatrixXd(sim.positions());
  };
  const Eigen::MatrixXd one = run(1);
  CHECK(run(2) == one);
  CHECK(run(3) == one);
}

TEST_CASE("DualRows: the regularisation softens a hanging bar") {
  const auto stretch = [](double regularisation) {
    const auto mesh = bar_mesh();
    Simulation sim(bar(LinearElastic(lame), 0.05, false),
                   BackwardEuler{.dt = 0.02, .newton = Newton::linearised()},
                   DualRows<Jacobi>{.regularisation = regularisation}, Pinned(test::nodes_at(mesh, 0)));
    sim.set_gravity({0, -10, 0});
    test::step(sim, 100);
    return -length - sim.positions()(1, test::nodes_at(mesh, -length)[0]);
  };
  const double exact = stretch(0);
  CHECK(exact == Approx(1000 * 10 * length * length / (2 * young)).epsilon(0.15));
  CHECK(stretch(1e-3) > 1.01 * exact);
  CHECK(stretch(1e-2) > 1.1 * exact);
}
