// The axial vibration of a bar (axial_bar.hpp): its frequency, what backward Euler takes from it, and what
// Rayleigh damping does.
#include "integrator/axial_bar.hpp"
#include "integrator/dense_body.hpp"
#include "support/catch.hpp"

#include <pliant/energy/linear_elastic.hpp>
#include <pliant/energy/stable_neo_hookean.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/mesh/make_cylinder.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

// The mean time between zero crossings, twice.
double period(const std::vector<double>& q, double dt) {
  std::vector<double> crossings;
  for (std::size_t n = 0; n + 1 < q.size(); ++n) {
    if (q[n] * q[n + 1] < 0) crossings.push_back((static_cast<double>(n) + q[n] / (q[n] - q[n + 1])) * dt);
  }
  REQUIRE(crossings.size() > 3);
  return 2 * (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
}

}  // namespace

TEST_CASE("a bar with nu = 0 swings with its first axial frequency") {
  const Bar bar;
  const double exact_period = 4 * bar.L / bar.c;
  const double dt = exact_period / 2000;
  const double measured =
      period(bar.amplitudes(BackwardEuler{.dt = dt, .newton = Newton::linearised()}, {}, 5000), dt);
  CAPTURE(measured, exact_period);
  CHECK(measured == Approx(2 * pi / bar.omega).epsilon(1e-5));
  CHECK(measured == Approx(exact_period).epsilon(std::pow(bar.k * bar.h, 2) / 20));
}

TEST_CASE("a bar free at one end: the same frequency, and exactly that of its dense eigenproblem") {
  const double E = 1e6, density = 1000, L = 0.5, dt = 2e-3;
  const auto mesh = make_box<Tet4>({.lengths = {L, 0.1, 0.1}, .cells = {5, 1, 1}});
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const DenseBody body(mesh, Law::linear, Lame::from_young_poisson(E, 0), density);
  Eigen::MatrixXd K = body.stiffness(mesh.nodes);
  for (const int i : pinned) {
    K.middleRows<3>(3 * i).setZero();
    K.middleCols<3>(3 * i).setZero();
  }
  const Eigen::VectorXd root = body.masses().cwiseSqrt();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(root.cwiseInverse().asDiagonal() * K *
                                                             root.cwiseInverse().asDiagonal());
  Points axial = Points::Zero(3, mesh.node_count());
  axial.row(0) = (pi / (2 * L) * mesh.nodes.row(0)).array().sin();
  Eigen::Index best = 0;
  (eigen.eigenvectors().transpose() * root.asDiagonal() * stacked(axial)).cwiseAbs().maxCoeff(&best);
  const double omega = std::sqrt(eigen.eigenvalues()(best));
  CHECK(omega == Approx(2 * pi * std::sqrt(E / density) / (4 * L)).epsilon(0.01));

  const Eigen::VectorXd shape = eigen.eigenvectors().col(best);
  const auto scene = make_scene<LinearElastic>({.mesh = mesh,
                                                .lame = Lame::from_young_poisson(E, 0),
                                                .density = density,
                                                .integrator = {.dt = dt, .newton = Newton::linearised()},
                                                .linear_tolerance = 1e-13,
                                                .pinned = pinned});
  Points start = unstacked(1e-3 * root.cwiseInverse().cwiseProduct(shape));
  for (const int i : pinned) start.col(i).setZero();
  scene->set_positions(mesh.nodes + start);
  std::vector<double> q;
  for (int n = 0; n < 12; ++n) {
    q.push_back(root.cwiseProduct(shape).dot(stacked(scene->positions() - mesh.nodes)));
    REQUIRE(scene->step());
  }
  const Recurrence measured = Recurrence::fitted(q), expected = Recurrence::of_mode(omega, 0, dt);
  CHECK(measured.determinant == Approx(expected.determinant).epsilon(1e-8));
  CHECK(measured.trace == Approx(expected.trace).epsilon(1e-8));
}

TEST_CASE("backward Euler takes 1 / sqrt(1 + omega^2 dt^2) of an undamped mode per step") {
  const Bar bar;
  for (const Newton& newton : {Newton::linearised(), tight()}) {
    for (const double omega_dt : {0.01, 0.3, 1.0, 5.0}) {
      const double dt = omega_dt / bar.omega;
      const Recurrence measured = Recurrence::fitted(
          bar.amplitudes(BackwardEuler{.dt = dt, .newton = newton}, {}, omega_dt > 2 ? 5 : 12));
      CAPTURE(omega_dt, newton.max_iterations);
      CHECK(measured.amplification() == Approx(1 / std::sqrt(1 + omega_dt * omega_dt)).epsilon(1e-8));
      CHECK(measured.phase() == Approx(std::atan(omega_dt)).epsilon(1e-6));
    }
  }
}

TEST_CASE("a Rayleigh-damped mode decays at the rate zeta omega, zeta = (alpha / omega + beta omega) / 2") {
  const Bar bar;
  for (const Newton& newton : {Newton::linearised(), tight()}) {
    for (const Rayleigh& damping : {Rayleigh{.alpha = 6}, Rayleigh{.beta = 1e-3}, Rayleigh{4, 5e-4}}) {
      const double zeta = (damping.alpha / bar.omega + damping.beta * bar.omega) / 2;
      REQUIRE(zeta < 0.1);
      const auto decay_rate = [&](double dt) {
        const Recurrence measured =
            Recurrence::fitted(bar.amplitudes(BackwardEuler{.dt = dt, .newton = newton}, damping, 12));
        // The discrete closed form holds at any step.
        const Recurrence expected = Recurrence::of_mode(bar.omega, 2 * zeta * bar.omega, dt);
        CHECK(measured.determinant == Approx(expected.determinant).epsilon(1e-8));
        CHECK(measured.trace == Approx(expected.trace).epsilon(1e-8));
        return -std::log(measured.amplification()) / dt;
      };
      // What backward Euler itself takes is of first order in dt: extrapolate it away.
      const double dt = 0.01 / bar.omega;
      const double rate = 2 * decay_rate(dt / 2) - decay_rate(dt);
      CAPTURE(damping.alpha, damping.beta, newton.max_iterations);
      CHECK(rate == Approx(zeta * bar.omega).epsilon(2e-3));
      (void)decay_rate(2 / bar.omega);
    }
  }
}

TEST_CASE(
    "Rayleigh by two frequencies and ratios: the swings of two bars die away by the decrements asked for") {
  // Of the same size; the second swings five times as fast. Newmark takes nothing by itself.
  const Bar slow, fast{.E = 25e6};
  const double slow_ratio = 0.02, fast_ratio = 0.06;
  const auto damping =
      Rayleigh::from_frequencies(slow.omega / (2 * pi), slow_ratio, fast.omega / (2 * pi), fast_ratio);
  const auto decrement = [&](const Bar& bar) {  // the logarithm of one swing over the next
    const double dt = 0.01 / bar.omega;
    const Recurrence measured =
        Recurrence::fitted(bar.amplitudes(Newmark{.dt = dt, .newton = Newton::linearised()}, damping, 12));
    return -std::log(measured.amplification()) * 2 * pi / measured.phase();
  };
  const auto exact = [](double ratio) { return 2 * pi * ratio / std::sqrt(1 - ratio * ratio); };
  CHECK(decrement(slow) == Approx(exact(slow_ratio)).epsilon(1e-4));
  CHECK(decrement(fast) == Approx(exact(fast_ratio)).epsilon(1e-4));
}

TEST_CASE("an overdamped mode creeps back and never grows") {
  const Bar bar;
  const Rayleigh damping{.beta = 6 / bar.omega};  // zeta = 3
  for (const double dt : {1e-4, 1e-2, 1.0}) {
    const auto q = bar.amplitudes(BackwardEuler{.dt = dt, .newton = tight()}, damping, 10);
    for (std::size_t n = 1; n < q.size(); ++n) CHECK((q[n] < q[n - 1] && q[n] >= -1e-12));
  }
}

TEST_CASE("no time step makes a damped body gain energy; the wrong sign would") {
  const auto mesh = jittered_box({3, 2, 2});
  const auto pinned = nodes_where(mesh, [](const auto& X) { return X.x() < 0.05; });
  const Rayleigh damping{.alpha = 0.1, .beta = 0.004};
  for (const double dt : {1e-4, 1e-3, 3e-3, 1e-2, 1e-1}) {
    const auto scene = make_scene<StableNeoHookean>({.mesh = mesh,
                                                     .damping = damping,
                                                     .integrator = {.dt = dt, .newton = tight(1e-9)},
                                                     .linear_tolerance = 1e-10,
                                                     .pinned = pinned});
    scene->set_positions(Eigen::Vector3d(1.4, 0.8, 0.9).asDiagonal() * mesh.nodes);
    scene->set_velocities(noise(mesh.node_count(), 4));
    double before = scene->energies().total();
    for (int n = 0; n < 60; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      const double after = report.energies.total();
      REQUIRE(after <= before * (1 + 1e-12) + 1e-15);
      before = after;
    }
  }

  // One oscillator with the damping term's stiffness part of the other sign: its energy grows where dt <
  // beta.
  const double beta = 0.004, omega = 20;
  const auto energy_after_two_seconds = [&](double sign, double dt) {
    const double s = 1 + sign * dt * beta * omega * omega + dt * dt * omega * omega;
    double a = 1, v = 0;
    for (int n = 0; n * dt < 2; ++n) {
      v = (v - dt * omega * omega * a) / s;
      a += dt * v;
    }
    return (v * v + omega * omega * a * a) / (omega * omega);
  };
  CHECK(energy_after_two_seconds(-1, 1.0 / 600) > 4);
  CHECK(energy_after_two_seconds(-1, 1.0 / 6000) > 15);
  CHECK(energy_after_two_seconds(-1, 1.0 / 60) < 1);  // a large step hides it
  CHECK(energy_after_two_seconds(+1, 1.0 / 6000) < 0.1);
}

TEST_CASE("a nonlinear bar that swings a little is damped as a linear one") {
  const Bar bar{.amplitude = 1e-6, .linear = 1e-5};
  const double dt = 0.1 / bar.omega;
  const Rayleigh damping{.beta = 0.2 / bar.omega};  // zeta = 0.1
  const Recurrence measured = Recurrence::fitted(
      bar.amplitudes<StableNeoHookean>(BackwardEuler{.dt = dt, .newton = tight()}, damping, 12));
  const Recurrence expected = Recurrence::of_mode(bar.omega, 0.2 * bar.omega, dt);
  CHECK(measured.determinant == Approx(expected.determinant).epsilon(1e-5));
  CHECK(measured.trace == Approx(expected.trace).epsilon(1e-5));
}

namespace {

// A free disc of 0.2 m across that spins at omega [rad/s], from rest in its shape.
struct Disc {
  double omega;
  Mesh<Tet4> mesh = make_cylinder<Tet4>({.radius = 0.1, .length = 0.02, .rings = 2, .layers = 1});
  Eigen::VectorXd mass = node_masses(mesh, 1000);

  double spin(const Points& x, const Points& v) const {  // angular momentum about the axis [J s]
    return (x.row(0).cwiseProduct(v.row(1)) - x.row(1).cwiseProduct(v.row(0))).dot(mass.transpose());
  }

  // What is left of the angular momentum after half a second. `falls`: no step may add energy.
  template <class Integrator>
  double kept(const Integrator& integrator, double beta, bool falls) const {
    const auto scene =
        make_scene<StableNeoHookean, double, Integrator>({.mesh = mesh,
                                                          .lame = Lame::from_young_poisson(1e6, 0.45),
                                                          .damping = {.beta = beta},
                                                          .integrator = integrator,
                                                          .linear_tolerance = 1e-8});
    Points v = Points::Zero(3, mesh.node_count());
    v.row(0) = -omega * mesh.nodes.row(1);
    v.row(1) = omega * mesh.nodes.row(0);
    scene->set_velocities(v);
    const double first = spin(mesh.nodes, v);
    double before = scene->energies().total();
    for (int n = 0; n < 1000; ++n) {
      const StepReport report = scene->step();
      INFO(report.message());
      REQUIRE(report);
      const double after = report.energies.total();
      if (falls) REQUIRE(after <= before * (1 + 1e-12));
      before = after;
    }
    return spin(scene->positions(), scene->velocities()) / first;
  }
};

}  // namespace

// A disc that spins is stressed, and K v of its velocity is not zero. What backward Euler itself takes of a
// rigid body's spin is omega^2 dt^2 of it in each step: d omega / dt = -omega^3 dt.
TEST_CASE("stiffness damping does not brake a free spin") {
  const double dt = 5e-4;
  for (const double omega : {10.0, 50.0}) {
    const Disc disc{omega};
    const double euler = disc.kept(BackwardEuler{.dt = dt}, 0, true);
    CHECK(euler == Approx(1 / std::sqrt(1 + 2 * 0.5 * dt * omega * omega)).epsilon(0.005));
    for (const double beta : {1e-4, 1e-3}) {
      CAPTURE(omega, beta);
      CHECK(disc.kept(BackwardEuler{.dt = dt}, beta, true) == Approx(euler).margin(1e-3));
    }
    CHECK(disc.kept(Newmark{.dt = dt}, 1e-3, false) == Approx(1).margin(1e-3));
    CHECK(disc.kept(CentralDifferences{.dt = dt}, 1e-4, false) == Approx(1).margin(1e-9));
  }
  CHECK(Disc{50}.kept(Newmark{.dt = dt}, 0, false) == Approx(1).margin(1e-3));
}
