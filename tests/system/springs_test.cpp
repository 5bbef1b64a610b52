// Systems that are no meshes, with every integrator that takes any System, against closed forms.
#include "system/springs.hpp"

#include "support/catch.hpp"

#include <complex>
#include <type_traits>
#include <vector>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/prescribed_motion.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/energy/linear_elastic.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/optimization_euler.hpp>
#include <pliant/integrator/quasistatic.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/linear_solver/direct/dense_cholesky.hpp>
#include <pliant/mesh/make_rectangle.hpp>
#include <pliant/simulation/simulation.hpp>
#include <pliant/solid/solid.hpp>

using namespace pliant;
using Complex = std::complex<double>;

namespace {

constexpr int masses = 5;
const Chain chain(masses, 2.0, 300.0, 0.5);  // kg, N/m, m

Eigen::VectorXd start() {
  Eigen::VectorXd u(masses);
  u << 0.1, -0.05, 0.2, 0.02, -0.1;
  return u;
}

// The displacements after 40 steps from those of start().
template <class Sim>
Eigen::VectorXd after_steps(Sim& sim, int steps = 40) {
  sim.set_positions(chain.rest().values().transpose() + start().transpose());
  for (int k = 0; k < steps; ++k) {
    const StepReport report = sim.step();
    INFO(report.message());
    REQUIRE(report);
  }
  return sim.positions().transpose() - chain.rest().values();
}

constexpr Newton exact{.tolerance = 1e-12};

}  // namespace

TEST_CASE("Implicit Euler damps each mode of a chain by 1 / (1 + i omega dt)") {
  constexpr double dt = 0.02;
  const Eigen::VectorXd expected =
      modal_displacement(chain, start(), 40, [&](double omega) { return 1.0 / Complex(1, omega * dt); });
  REQUIRE(expected.norm() > 1e-3);
  SECTION("BackwardEuler") {
    Simulation sim(chain, BackwardEuler{.dt = dt, .newton = exact}, DenseCholesky{});
    CHECK((after_steps(sim) - expected).norm() < 1e-11);
  }
  SECTION("BackwardEuler in one iteration, which is enough") {
    Simulation sim(chain, BackwardEuler{.dt = dt, .newton = Newton::linearised()},
                   DenseCholesky{.tolerance = 0});
    CHECK((after_steps(sim) - expected).norm() < 1e-11);
  }
  SECTION("OptimizationEuler") {
    Simulation sim(chain, OptimizationEuler{.dt = dt, .newton = exact}, DenseCholesky{});
    CHECK((after_steps(sim) - expected).norm() < 1e-11);
  }
}

TEST_CASE("The trapezoidal rule turns each mode of a chain and conserves its energy") {
  constexpr double dt = 0.02;
  const Eigen::VectorXd expected = modal_displacement(chain, start(), 40, [&](double omega) {
    return Complex(1, -omega * dt / 2) / Complex(1, omega * dt / 2);
  });
  Simulation sim(chain, Newmark{.dt = dt, .newton = exact}, DenseCholesky{});
  CHECK((after_steps(sim) - expected).norm() < 1e-11);
  const double energy = start().dot(chain.stiffness() * start()) / 2;
  CHECK(sim.energies().total() == Approx(energy).epsilon(1e-12));
}

TEST_CASE("Central differences turn each mode of a chain by acos(1 - omega^2 dt^2 / 2)") {
  constexpr double dt = 0.01;
  const Eigen::VectorXd expected = modal_displacement(chain, start(), 40, [&](double omega) {
    return std::polar(1.0, std::acos(1 - omega * omega * dt * dt / 2));
  });
  Simulation sim(chain, CentralDifferences{.dt = dt});
  CHECK((after_steps(sim) - expected).norm() < 1e-12);

  // Longer steps are cut: the longest stable one is 2 / omega of the highest mode.
  Simulation coarse(chain, CentralDifferences{.dt = 10 * dt});
  const StepReport report = coarse.step();
  const double highest = std::sqrt(
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(chain.stiffness()).eigenvalues()(masses - 1) / 2);
  CHECK(report.stable_dt <= 2 / highest);
  CHECK(report.stable_dt > 0.9 * 2 / highest);
}

TEST_CASE("A hanging chain sags by the weights below each spring") {
  constexpr double g = 9.81;
  Simulation sim(chain, QuasiStatic{.newton = {.tolerance = 1e-12}}, DenseCholesky{});
  sim.set_gravity(SmallVector<double, 1>(g));
  REQUIRE(sim.step());
  double sag = 0;
  for (int i = 0; i < masses; ++i) {
    sag += (masses - i) * 2.0 * g / 300.0;
    CHECK(sim.positions()(0, i) == Approx(0.5 * (i + 1) + sag).epsilon(1e-13));
  }
}

TEST_CASE("Constraints hold and move the masses of a chain") {
  SECTION("the last one is held: half of the weight of the others each") {
    Simulation sim(chain, QuasiStatic{.newton = {.tolerance = 1e-12}}, DenseCholesky{},
                   Pinned(std::vector<int>{masses - 1}));
    sim.set_gravity(SmallVector<double, 1>(9.81));
    REQUIRE(sim.step());
    // Symmetric about the middle: four masses between five springs.
    const double force = -4 * 2.0 * 9.81 / 2 - 2.0 * 9.81;
    CHECK(sim.constraint_forces()(0, masses - 1) == Approx(force).epsilon(1e-12));
    CHECK(sim.positions()(0, masses - 1) == 0.5 * masses);
    CHECK(sim.constraint_forces().leftCols(masses - 1).isZero());
  }
  SECTION("it is pulled: all springs stretch alike") {
    const PrescribedMotion pulled(
        {masses - 1}, [](const auto& X, double t) { return SmallVector<double, 1>(X(0) + 0.5 * t); });
    Simulation sim(chain, QuasiStatic{.newton = {.tolerance = 1e-12}}, DenseCholesky{}, pulled);
    REQUIRE(sim.step());
    for (int i = 0; i < masses; ++i) CHECK(sim.positions()(0, i) == Approx(0.6 * (i + 1)).epsilon(1e-13));
  }
}

TEST_CASE("Each number of a node has a mass of its own") {
  const Eigen::Vector2d mass(1, 9), stiffness(400, 100);
  const TwoSprings springs(mass, stiffness);
  constexpr double dt = 0.01;
  constexpr int steps = 60;
  const auto check = [&](auto& sim, auto&& factor, double tolerance) {
    sim.set_positions(Eigen::Vector2d(0.3, -0.2));
    for (int k = 0; k < steps; ++k) REQUIRE(sim.step());
    for (int axis = 0; axis < 2; ++axis) {
      const double omega = std::sqrt(stiffness[axis] / mass[axis]);
      const double expected = (axis == 0 ? 0.3 : -0.2) * std::real(std::pow(Complex(factor(omega)), steps));
      CHECK(sim.positions()(axis, 0) == Approx(expected).margin(tolerance));
    }
  };
  SECTION("BackwardEuler") {
    Simulation sim(springs, BackwardEuler{.dt = dt, .newton = exact}, DenseCholesky{});
    check(
        sim, [&](double omega) { return 1.0 / Complex(1, omega * dt); }, 1e-12);
  }
  SECTION("Newmark") {
    Simulation sim(springs, Newmark{.dt = dt, .newton = exact}, DenseCholesky{});
    check(
        sim, [&](double omega) { return Complex(1, -omega * dt / 2) / Complex(1, omega * dt / 2); }, 1e-12);
  }
  SECTION("CentralDifferences") {
    Simulation sim(springs, CentralDifferences{.dt = dt});
    check(
        sim, [&](double omega) { return std::polar(1.0, std::acos(1 - omega * omega * dt * dt / 2)); },
        1e-12);
  }
}

TEST_CASE("A pendulum swings with the period of the elliptic integral") {
  constexpr double length = 2, g = 9.81, amplitude = 2.5;  // m, m/s^2, rad
  const double period = 4 * std::sqrt(length / g) * std::comp_ellint_1(std::sin(amplitude / 2));
  const auto error_after_period = [&](int steps) {
    Simulation sim(Pendulum(3, length, g), Newmark{.dt = period / steps, .newton = exact}, DenseCholesky{});
    sim.set_positions(length * Eigen::Vector2d(std::sin(amplitude), -std::cos(amplitude)));
    for (int k = 0; k < steps / 4; ++k) REQUIRE(sim.step());
    CHECK(sim.contacts().empty());
    CHECK(sim.collider_forces().isZero(0));
    CHECK_THROWS_AS(sim.move_collider(0, Pose<2>()), IndexError);
    CHECK_THROWS_AS(sim.remove_collider(0), IndexError);
    // A quarter of the period later it is at the bottom.
    return std::abs(sim.positions()(0, 0)) / length;
  };
  const double error = error_after_period(400);
  CHECK(error < 1e-3);
  CHECK(error_after_period(800) == Approx(error / 4).epsilon(0.05));  // of second order
}

TEST_CASE("A pendulum goes over the top, where its angle jumps") {
  constexpr double length = 1, g = 10, speed = 8, duration = 2;  // m, m/s^2, m/s at the bottom, s
  const double turn = 4 / speed * std::comp_ellint_1(2 * std::sqrt(g * length) / speed);  // takes [s]
  const auto check = [&](auto integrator, auto... solver) {
    Simulation sim(Pendulum(1, length, g), integrator, solver...);
    sim.set_velocities(Eigen::Vector2d(speed, 0));  // 32 J, of which the top takes 20
    int turns = 0;
    double last = 0;
    while (sim.time() < duration) {
      REQUIRE(sim.step());
      CHECK(sim.positions().norm() == Approx(length).epsilon(1e-14));
      const double x = sim.positions()(0, 0);
      if (sim.positions()(1, 0) > 0 && last > 0 && x <= 0) ++turns;
      last = x;
      CHECK(sim.energies().total() == Approx(32).epsilon(2e-3));
    }
    CHECK(turns == std::floor(duration / turn + 0.5));  // half of the first one comes before the top
  };
  SECTION("Newmark") { check(Newmark{.dt = 0.005, .newton = exact}, DenseCholesky{}); }
  SECTION("CentralDifferences") { check(CentralDifferences{.dt = 0.005}); }
}

TEST_CASE("Two Systems and a solid side by side") {
  Simulation first(chain, BackwardEuler{.dt = 0.01}, DenseCholesky{});
  Simulation second(Pendulum(1, 1, 10), BackwardEuler{.dt = 0.01}, DenseCholesky{});
  const auto mesh = make_rectangle<Tri3>();
  const Solid solid(mesh, LinearElastic(Lame::from_young_poisson(1e4, 0.3)), Density{1});
  Simulation third(solid, BackwardEuler{.dt = 0.01}, Cholesky{});
  static_assert(std::is_same_v<decltype(system_of(solid)), std::remove_cvref_t<decltype(third.system())>>);
  for (int k = 0; k < 3; ++k) {
    CHECK(first.step());
    CHECK(second.step());
    CHECK(third.step());
  }
  CHECK(first.positions().transpose().isApprox(chain.rest().values()));
  CHECK(second.positions().isApprox(Eigen::Vector2d(0, -1)));
}

namespace {

// A mass on a spring whose anchor creeps after it: state of its own, beside the position and the velocity.
class Creeping : public DenseSystem<1> {
 public:
  static constexpr SystemAbilities abilities{.exact_view = true, .own_state = true};
  static constexpr double stiffness = 50, rate = 0.5;  // N/m, 1/s

  Creeping() : DenseSystem(Vector(1), Vector(Eigen::VectorXd::Ones(1).eval())) {}

  double energy(const Vector& x) const { return stiffness / 2 * stretch(x) * stretch(x); }
  double gradient(const Vector& x, Vector& g) {
    ++own_.evaluations;
    g.values()[0] = stiffness * stretch(x);
    return energy(x);
  }
  double tangent(const Vector& x, Projection, double scale, Vector& g, Matrix& A) {
    A.values()(0, 0) = scale * stiffness;
    return gradient(x, g);
  }

  struct History {
    double anchor = 0;
    int evaluations = 0;
    double time = 0;
  };
  void save(History& history) const { history = own_; }
  void restore(History&& history) { own_ = history; }
  bool end_step(const Vector& x, const Vector&, double time, double dt) {
    own_.anchor += rate * dt * stretch(x);
    own_.time = time;
    return true;
  }
  const History& own() const { return own_; }

 private:
  double stretch(const Vector& x) const { return x.values()[0] - own_.anchor; }

  History own_;
};

}  // namespace

TEST_CASE("State of a System's own follows its steps, and goes back with them") {
  constexpr double force = 10;
  Simulation sim(Creeping(), QuasiStatic{.dt = 0.5}, DenseCholesky{});
  sim.set_external_forces(Eigen::Matrix<double, 1, 1>(force));
  const auto place = [&](int steps) { return force / 50 * (1 + 0.25 * (steps - 1)); };
  for (int k = 1; k <= 3; ++k) {
    const StepReport report = sim.step();
    REQUIRE(report);
    CHECK(sim.positions()(0, 0) == Approx(place(k)).epsilon(1e-12));
    CHECK(sim.system().own().time == sim.time());
    // The energies are those after the anchor has moved: 0.75 of the stretch that balances the force remain.
    CHECK(report.energies.elastic == Approx(0.75 * 0.75 * force * force / 50 / 2).epsilon(1e-12));
  }
  const auto saved = sim.state();
  const auto before = sim.system().own();

  sim.on_progress([](const Progress&) { return false; });
  REQUIRE_FALSE(sim.step());
  CHECK(sim.system().own().evaluations == before.evaluations);
  CHECK(sim.system().own().anchor == before.anchor);
  sim.on_progress(nullptr);

  REQUIRE(sim.step());
  REQUIRE(sim.step());
  CHECK(sim.positions()(0, 0) == Approx(place(5)).epsilon(1e-12));
  const double fifth = sim.positions()(0, 0);
  sim.set_state(saved);
  CHECK(sim.system().own().anchor == before.anchor);
  REQUIRE(sim.step());
  REQUIRE(sim.step());
  CHECK(sim.positions()(0, 0) == fifth);
}

TEST_CASE("A saved state of a System whose view is not exact has the same bits") {
  Simulation sim(Pendulum(1, 1, 10), Newmark{.dt = 0.03}, DenseCholesky{});
  sim.set_positions(Eigen::Vector2d(1, 0));
  for (int k = 0; k < 5; ++k) REQUIRE(sim.step());
  const auto saved = sim.state();
  for (int k = 0; k < 5; ++k) REQUIRE(sim.step());
  const Eigen::Vector2d end = sim.positions();
  sim.set_state(saved);
  sim.on_progress([](const Progress&) { return false; });
  REQUIRE_FALSE(sim.step());
  sim.on_progress(nullptr);
  for (int k = 0; k < 5; ++k) REQUIRE(sim.step());
  CHECK(sim.positions() == end);
  CHECK_THROWS_AS(Simulation(Pendulum(2, 1, 10), Newmark{.dt = 0.03}, DenseCholesky{}).set_state(saved),
                  StateError);
}

TEST_CASE("A force on a pendulum keeps its direction in space") {
  const auto check = [](auto integrator, auto... solver) {
    // Its weight as an external force, and in the energy.
    Simulation pushed(Pendulum(2, 0.5, 0), integrator, solver...);
    Simulation heavy(Pendulum(2, 0.5, 9.81), integrator, solver...);
    pushed.set_positions(Eigen::Vector2d(0.4, -0.3));
    heavy.set_positions(Eigen::Vector2d(0.4, -0.3));
    pushed.set_external_forces(Eigen::Vector2d(0, -2 * 9.81));
    const double energy = pushed.energies().total();
    for (int k = 0; k < 1500; ++k) {
      if (k == 700) {
        const auto saved = pushed.state();
        REQUIRE(pushed.step());
        pushed.set_external_forces(Eigen::Vector2d(7, 7));
        pushed.set_state(saved);
      }
      REQUIRE(pushed.step());
      const StepReport report = heavy.step();
      INFO(k << ": " << report.message());
      REQUIRE(report);
      CHECK((pushed.positions() - heavy.positions()).norm() < 0.01);
    }
    CHECK(pushed.energies().total() == Approx(energy).epsilon(0.02));
    CHECK(pushed.energies().external == Approx(heavy.energies().elastic).epsilon(0.03));
  };
  SECTION("Newmark") { check(Newmark{.dt = 1e-3}, DenseCholesky{}); }
  SECTION("CentralDifferences") { check(CentralDifferences{.dt = 1e-3}); }
}

namespace {

// A chain that the user sees in another unit, without a word about it in its abilities.
class InInches : public Chain {
 public:
  using Chain::Chain;
  void show_positions(const Vector& x, Positions& p) const { p = x.values().transpose() / 0.0254; }
  void take_positions(const Positions& p, Vector& x) const { x.values() = p.transpose() * 0.0254; }
};

}  // namespace

TEST_CASE("A step that fails gives back the bits of a System whose view is rounded") {
  Simulation unbroken(InInches(5, 0.3, 200, 0.1), Newmark{.dt = 0.01}, DenseCholesky{});
  Simulation broken(InInches(5, 0.3, 200, 0.1), Newmark{.dt = 0.01}, DenseCholesky{});
  unbroken.set_gravity(Eigen::Matrix<double, 1, 1>(3));
  broken.set_gravity(Eigen::Matrix<double, 1, 1>(3));
  for (int k = 0; k < 20; ++k) {
    broken.on_progress([](const Progress&) { return false; });
    REQUIRE_FALSE(broken.step());
    broken.on_progress(nullptr);
    REQUIRE(broken.step());
    REQUIRE(unbroken.step());
    CHECK((broken.positions() == unbroken.positions()));
  }
}
