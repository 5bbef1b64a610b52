// 26_tumbling: a body that is spun about its middle axis turns over, again and again.
//
// The problem: a box with three different edges is spun in space about the axis of its middle moment of
// inertia, up to a small part about that of the largest. This spin is unstable: the box turns over, spins the
// other way round about that axis of its own for a while, and turns back (Dzhanibekov's wing nut, the tennis
// racket).
//
//         +--------+
//        /   z    /|      edges of 0.1, 0.2 and 0.3 m along x, y, z; moments I_x > I_y > I_z
//       +--------+ |  y   spun about y
//       |        | +
//       |   x    |/
//       +--------+
//
// What to look at: with omega = (delta, Omega, 0) at the start, the energy E and the angular momentum L,
// Euler's equations have the solution omega_y ~ sn(p t + K) (Landau and Lifshitz, Mechanics, section 37),
// with
//   p^2 = (I_x - I_y) (L^2 - 2 E I_z) / (I_x I_y I_z),   k^2 = (I_y - I_z) (2 E I_x - L^2) / ((I_x - I_y)
//   (L^2 - 2 E I_z)),
// the modulus k and K = K(k) the complete elliptic integral: the box turns over whenever p t is K, 3 K, 5 K,
// ... The smaller delta, the longer it waits. The angular momentum stays what it is to rounding, and the
// energy has no trend.
//
// Run:  26_tumbling                  the table below, steps of 1/240 s
//       26_tumbling 60 out/box       steps of 1/60 s, and .vtu files of the last case for ParaView
//
// Returns 0 if the box turns over as often as the formula says in 60 s, at its times to half a per cent, and
// the angular momentum is the same to 1e-12.
//
// Read before: 22_chain.
#include "../support/facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

using Vector = SmallVector<double, 3>;

constexpr double spin = 5, duration = 60;  // Omega [rad/s], [s]

int run(int argc, char** argv) {
  const double dt = 1 / (argc > 1 ? std::atof(argv[1]) : 240);
  const RigidBody box = RigidBody::box({0.1, 0.2, 0.3}, Mass{1});
  const Vector I = box.properties().inertia.diagonal();
  Facts facts;
  std::printf("delta/Omega  flips  formula  first/s  formula  largest change of L, of E\n");
  for (const double part : {0.1, 0.01, 0.001}) {
    // Step 1: a mechanism of one body, without joints.
    Mechanism space;
    space.add(box);
    Simulation sim(space, BackwardEuler{.dt = dt}, Condensed{});
    const Vector start(part * spin, spin, 0);
    sim.set_body_velocity(0, {.angular = start});
    std::unique_ptr<VtkSeries> series;
    if (argc > 2 && part == 0.001) series = std::make_unique<VtkSeries>(argv[2], sim);

    // Step 2: when omega_y, in the frame of the box, changes its sign, and what is conserved.
    const auto angular_momentum = [&] {
      const SmallMatrix<double, 3, 3> R = sim.pose(0).rotation();
      return Vector(R * I.asDiagonal() * R.transpose() * sim.body_velocity(0).angular);
    };
    const Vector L = angular_momentum();
    const double E = sim.energies().kinetic;
    double last = spin, change_of_L = 0, change_of_E = 0;
    std::vector<double> flips;
    while (sim.time() < duration) {
      const StepReport report = sim.step();
      if (!report) throw std::runtime_error(report.message());
      const double now = sim.pose(0).rotation().col(1).dot(sim.body_velocity(0).angular);
      if (now * last < 0) flips.push_back(sim.time() - dt * now / (now - last));
      last = now;
      change_of_L = std::max(change_of_L, (angular_momentum() - L).norm() / L.norm());
      change_of_E = std::max(change_of_E, std::abs(sim.energies().kinetic / E - 1));
      if (series) series->write(sim);
    }

    // Step 3: the formula.
    const double square = L.squaredNorm(),
                 p = std::sqrt((I.x() - I.y()) * (square - 2 * E * I.z()) / I.prod());
    const double k =
        std::sqrt((I.y() - I.z()) * (2 * E * I.x() - square) / ((I.x() - I.y()) * (square - 2 * E * I.z())));
    const double quarter = std::comp_ellint_1(k) / p;  // of a period [s]
    const auto expected = static_cast<std::size_t>(duration / (2 * quarter) + 0.5);
    std::printf("%11.3f %6zu %8zu %8.3f %8.3f %12.1e %14.1e\n", part, flips.size(), expected, flips.at(0),
                quarter, change_of_L, change_of_E);
    facts.expect(flips.size() == expected, "the box turns over as often as the formula says");
    for (std::size_t n = 0; n < flips.size(); ++n) {
      const double when = static_cast<double>(2 * n + 1) * quarter;
      facts.expect(std::abs(flips[n] / when - 1) < 5e-3, "and at its times");
    }
    facts.expect(change_of_L < 1e-12, "the angular momentum stays what it is");
    facts.expect(change_of_E < 1e-3, "the energy stays within a narrow band");
  }
  return facts.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "26_tumbling: %s\n", error.what());
    return 1;
  }
}
