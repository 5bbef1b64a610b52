// Meshes and positions cross between the units both ways; each unit must find the fall of a free body, which
// has a closed form, and both the same swing of a held beam.
#include "unit.hpp"

#include <cstdio>
#include <exception>

namespace {

constexpr double gravity = -9.81;  // [m/s^2]
constexpr double dt = 0.01;        // [s]
constexpr int steps = 10;

bool check(const char* what, double error, double tolerance) {
  const bool good = error <= tolerance;  // false for NaN
  std::printf("%s: error %.3g m, at most %.3g m\n", what, error, tolerance);
  return good;
}

// The beam is made by one unit and moved by the other.
bool falls_freely(const char* what, const Unit& maker, const Unit& mover) {
  const pliant::Mesh<pliant::Tet4> beam = maker.make_beam();
  pliant::NodeMatrix<double, 3> expected = beam.nodes;
  expected.row(1).array() += gravity * dt * dt * steps * (steps + 1) / 2;  // backward Euler: v_n = n g dt
  return check(what, (mover.move(beam, false, gravity, dt, steps) - expected).cwiseAbs().maxCoeff(), 1e-10);
}

// The solves stop at 1e-12 of the right-hand side, and the condition of the matrix magnifies what is left.
bool swing_alike() {
  const pliant::Mesh<pliant::Tet4> beam = generic.make_beam();
  const pliant::NodeMatrix<double, 3> a = generic.move(beam, true, gravity, dt, steps);
  const pliant::NodeMatrix<double, 3> b = native.move(beam, true, gravity, dt, steps);
  const double sag = (a - beam.nodes).cwiseAbs().maxCoeff();
  const bool sags = sag > 1e-3;
  if (!sags) std::printf("the held beam sags by only %.3g m\n", sag);
  return check("swing alike", (a - b).cwiseAbs().maxCoeff(), 1e-8 * sag) && sags;
}

}  // namespace

int main() try {
  const bool good = falls_freely("made by generic, moved by native", generic, native) &
                    falls_freely("made by native, moved by generic", native, generic) & swing_alike();
  return good ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
