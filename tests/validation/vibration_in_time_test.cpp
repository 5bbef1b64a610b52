// Free bending vibration in time with BackwardEuler.
#include "validation/record.hpp"
#include "validation/vibration.hpp"

#include <pliant/constraint/pinned.hpp>
#include <pliant/simulation/simulation.hpp>

using namespace pliant;
using namespace vibration;

// A mode of angular frequency omega, released from rest, obeys in every step
//   v+ = v - dt omega^2 a+,  a+ = a + dt v+:
// it loses the factor 1 / sqrt(1 + omega^2 dt^2) of its amplitude and turns by atan(omega dt).
TEST_CASE("BackwardEuler: the first bending mode swings and decays as it must") {
  validation::Record record("vibration", "3 in time");
  const auto body = beam(10, 1);
  const auto& mesh = body.mesh();
  const Problem problem(body);
  Eigen::MatrixXd parabola = Eigen::MatrixXd::Zero(3, mesh.node_count());
  parabola.row(1) = mesh.nodes.row(0).array().square();
  const Mode mode = mode_like(problem.unknowns(parabola), problem.K, problem.lumped);
  Eigen::MatrixXd start = mesh.nodes;
  for (std::size_t i = 0; i < problem.nodes.size(); ++i) {
    start.col(problem.nodes[i]) += 1e-2 * mode.shape.segment<3>(3 * static_cast<Eigen::Index>(i));
  }
  for (const int per_period : {20, 60}) {
    const double dt = 2 * pi / mode.omega / per_period, omega_dt = mode.omega * dt;
    Simulation sim(body, BackwardEuler{.dt = dt, .newton = Newton::linearised()},
                   Pcg<BlockJacobi>{.tolerance = 1e-13}, Pinned(held(mesh)));
    sim.set_positions(start);
    const int steps = 3 * per_period;
    double a = 1e-2, v = 0, difference = 0, before = a;
    std::vector<double> crossings;
    for (int n = 1; n <= steps; ++n) {
      REQUIRE(sim.step());
      v = (v - dt * mode.omega * mode.omega * a) / (1 + omega_dt * omega_dt);
      a += dt * v;
      const double measured =
          (problem.lumped * mode.shape).dot(problem.unknowns(sim.positions() - mesh.nodes));
      difference = std::max(difference, std::abs(measured - a) / 1e-2);
      // The chord misses the zero by little, and by nearly as much at each crossing.
      if (before * measured < 0) crossings.push_back((n - 1 + before / (before - measured)) * dt);
      before = measured;
    }
    REQUIRE(crossings.size() >= 5);
    const std::string name = "`Hex8`, bending, " + std::to_string(per_period) + " steps a period: ";
    record.at_most(name + "amplitude over three periods", "recurrence of one mode", difference, 1e-8);
    record.equals(name + "period, s", "2 pi dt / atan(omega dt)", (crossings[4] - crossings[0]) / 2,
                  2 * pi * dt / std::atan(omega_dt), 2e-3 * 2 * pi / mode.omega);
  }
}
