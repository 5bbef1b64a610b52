// StrainDamping in time: waves of shear and of volume in a column have the decay of the closed form.
#include "integrator/axial_bar.hpp"

#include <functional>

#include <pliant/constraint/pinned.hpp>
#include <pliant/constraint/sliding.hpp>
#include <pliant/constraint/together.hpp>
#include <pliant/element/hex8.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/central_differences.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/linear_solver/direct/cholesky.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace pliant::test;

namespace {

constexpr double length = 0.8, cell = 0.1, density = 1000;
const Lame lame = Lame::from_young_poisson(1e5, 0.3);

// A column along x, whose nodes move along one direction only and which is held at x = 0.
struct Column {
  Mesh<Hex8> mesh = make_box<Hex8>({.lengths = {length, cell, cell}, .cells = {8, 1, 1}});
  Eigen::Vector3d direction;

  auto held() const {
    const auto all = nodes_where(mesh, [](const auto&) { return true; });
    const auto end = nodes_where(mesh, [](const auto& X) { return X.x() < cell / 2; });
    return Together(Sliding::on_line(all, direction), Pinned(end));
  }

  // The displacements of the far end in the first mode, sin(k x).
  template <class Sim>
  std::vector<double> swing(Sim& sim, int steps) const {
    const Eigen::VectorXd mode = (pi / (2 * length) * mesh.nodes.row(0)).array().sin();
    sim.set_positions(mesh.nodes + 1e-3 * direction * mode.transpose());
    const int end = nearest_node(mesh, {length, 0, 0});
    std::vector<double> q;
    for (int n = 0; n < steps; ++n) {
      q.push_back(direction.dot(sim.positions().col(end) - mesh.nodes.col(end)));
      const StepReport report = sim.step();
      INFO(report.message());
      REQUIRE(report);
    }
    return q;
  }
};

// Of the trapezoidal rule for q'' + rate q' + omega^2 q = 0: R = (I - h A / 2)^-1 (I + h A / 2).
Recurrence trapezoidal(double omega, double rate, double h) {
  const double square = h * h * omega * omega / 4, drag = h * rate / 2, below = 1 + drag + square;
  return {2 * (1 - square) / below, (1 - drag + square) / below};
}

}  // namespace

TEST_CASE("StrainDamping: shear waves decay by the shear viscosity, waves of volume by both") {
  const double k = pi / (2 * length), wave = 2 / cell * std::sin(k * cell / 2);  // on this mesh
  const auto check = [&](const Eigen::Vector3d& direction, double modulus, const StrainDamping& damping,
                         double viscosity) {
    const Column column{.direction = direction};
    const Solid body(column.mesh, LinearElastic(lame), Density{density}, damping);
    const double omega = wave * std::sqrt(modulus / density), rate = wave * wave * viscosity / density;
    CHECK(rate > 0.05 * omega);
    const double dt = 0.2 / omega;
    Simulation newmark(body, Newmark{.dt = dt, .newton = tight()}, Cholesky{}, column.held());
    const Recurrence second = Recurrence::fitted(column.swing(newmark, 12)),
                     expected = trapezoidal(omega, rate, dt);
    CHECK(second.determinant == Approx(expected.determinant).epsilon(1e-8));
    CHECK(second.trace == Approx(expected.trace).epsilon(1e-8));
    Simulation euler(body, BackwardEuler{.dt = dt, .newton = tight()}, Cholesky{}, column.held());
    const Recurrence first = Recurrence::fitted(column.swing(euler, 12)),
                     of_euler = Recurrence::of_mode(omega, rate, dt);
    CHECK(first.determinant == Approx(of_euler.determinant).epsilon(1e-8));
    CHECK(first.trace == Approx(of_euler.trace).epsilon(1e-8));
  };
  const double mu = lame.mu(), M = lame.lambda() + 2 * mu, time = 0.05;
  const StrainDamping shear{.shear = time * mu}, bulk{.bulk = time * mu},
      both{.shear = time * mu, .bulk = 2 * time * mu};
  check({0, 1, 0}, mu, shear, time * mu);
  check({0, 1, 0}, mu, both, time * mu);
  check({1, 0, 0}, M, shear, 4. / 3 * time * mu);
  check({1, 0, 0}, M, bulk, time * mu);
  check({1, 0, 0}, M, both, (4. / 3 + 2) * time * mu);
}

TEST_CASE("StrainDamping: with the viscosities beta C all integrators make the steps of Rayleigh damping") {
  const double beta = 0.004;
  const StrainDamping same{.shear = beta * lame.mu(), .bulk = beta * (lame.lambda() + 2 * lame.mu() / 3)};
  const Column column{.direction = {1, 0, 0}};
  const Solid one(column.mesh, LinearElastic(lame), Density{density}, Rayleigh{.alpha = 0.1, .beta = beta}),
      two(column.mesh, LinearElastic(lame), Density{density}, Rayleigh{.alpha = 0.1}, same);
  const auto check = [&](const auto& make) {
    const auto a = make(one), b = make(two);
    const auto p = column.swing(*a, 10), q = column.swing(*b, 10);
    for (std::size_t n = 0; n < p.size(); ++n) CHECK(std::abs(p[n] - q[n]) < 1e-12 * std::abs(p[0]));
  };
  const double dt = 0.01;
  check([&](const auto& body) {
    using Sim = decltype(Simulation(body, Newmark{}, Cholesky{}, column.held()));
    return std::make_unique<Sim>(body, Newmark{.dt = dt, .newton = tight()}, Cholesky{}, column.held());
  });
  check([&](const auto& body) {
    using Sim = decltype(Simulation(body, BackwardEuler{}, Cholesky{}, column.held()));
    return std::make_unique<Sim>(body, BackwardEuler{.dt = dt, .newton = tight()}, Cholesky{}, column.held());
  });
  check([&](const auto& body) {
    using Sim = decltype(Simulation(body, CentralDifferences{}, column.held()));
    return std::make_unique<Sim>(body, CentralDifferences{.dt = dt}, column.held());
  });
}

TEST_CASE("StrainDamping: a free body keeps its momentum, and its energy only falls") {
  const Column column{.direction = {1, 0, 0}};
  const Solid body(column.mesh, LinearElastic(lame), Density{density},
                   StrainDamping{.shear = 100, .bulk = 50});
  Simulation sim(body, BackwardEuler{.dt = 0.005, .newton = tight()}, Cholesky{},
                 Together(Sliding::on_line({}, Eigen::Vector3d(1, 0, 0)), Pinned({})));
  Points v = Points::Random(3, column.mesh.node_count());
  sim.set_velocities(v);
  const auto momentum = [&] {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    const auto& system = sim.system();
    for (int i = 0; i < system.node_count(); ++i) {
      sum += system.mass().node(i)(0) * sim.velocities().col(system.user_number(i));
    }
    return sum;
  };
  const Eigen::Vector3d p = momentum();
  double energy = sim.energies().kinetic + sim.energies().elastic;
  const double first = energy;
  for (int n = 0; n < 50; ++n) {
    REQUIRE(sim.step());
    const double now = sim.energies().kinetic + sim.energies().elastic;
    CHECK(now < energy);
    energy = now;
    CHECK((momentum() - p).norm() < 1e-11 * p.norm());
  }
  CHECK(energy < 0.5 * first);
}
