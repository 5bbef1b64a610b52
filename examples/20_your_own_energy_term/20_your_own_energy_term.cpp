// 20_your_own_energy_term: custom terms in the function that a step minimises.
//
// The problem: a block stands on an elastic foundation, springs of k N/m^3 under its lower face, and sinks
// until they carry its weight. Then wind blows against one of its sides. Neither is an energy of the block's
// elements: both are terms, which are added to the function that a step minimises.
//
//        wind -> +-------+            sinking w = rho g h / k,  on average over the face
//        wind -> |       |  h
//        wind -> +-------+
//                 > > > >   k
//                 < < < <
//                =========
//
// Run:  20_your_own_energy_term     returns 0 if the terms are right and the block sinks to the expected
// depth
//
// Read before: 01_hello, and the page docs/terms.md.
#include "terms.hpp"

#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <pliant/pliant.hpp>
#include <pliant/testing/terms.hpp>

using namespace pliant;

namespace {

constexpr double density = 1000, gravity = 9.81, height = 0.2, stiffness = 2e5;

// Step 3: check the derivatives. On a coarse mesh, because all variables are varied.
bool terms_are_right() {
  auto mesh = make_box<Tet4>({.lengths = {0.5, height, 0.5}, .cells = {2, 1, 2}});
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{density});
  const auto foundation = check_term(solid, ElasticFoundation{nodes_of_faces(mesh, {0, -1, 0}), stiffness});
  const auto wind = check_term(solid, Wind{nodes_of_faces(mesh, {-1, 0, 0}), {8, 0, 0}, 0.6});
  std::printf("ElasticFoundation:\n%s\nWind:\n%s\n", foundation.message().c_str(), wind.message().c_str());
  return foundation && wind;
}

template <class Simulation>
void run_for(Simulation& sim, double time) {
  for (const double end = sim.time() + time; sim.time() < end - 1e-9;) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
  }
}

int run() {
  if (!terms_are_right()) return 1;

  // Step 4: a solid with both terms, in any simulation.
  auto mesh = make_box<Tet4>({.lengths = {0.5, height, 0.5}, .cells = {10, 4, 10}});
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.3)), Density{density},
                           Rayleigh{.alpha = 20});
  const auto under = nodes_of_faces(mesh, {0, -1, 0});
  const auto side = nodes_of_faces(mesh, {-1, 0, 0});
  auto sim = Simulation(solid.with(ElasticFoundation{under, stiffness}, Wind{side, {30, 0, 0}, 0.6}),
                        BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-8});
  sim.set_gravity({0, -gravity, 0});

  // Step 5: the block comes to rest when the springs carry it.
  run_for(sim, 1.5);
  double sunk = 0, pushed = 0, area = 0;
  for (const FaceNode& face : under) {
    sunk += face.area * (face.at_rest.y() - sim.positions()(1, face.node));
    area += face.area;
  }
  const double expected = density * gravity * height / stiffness;
  std::printf("sunk by %.5f m, expected %.5f m; energy in the foundation %.4f J\n", sunk / area, expected,
              sim.energies().terms);

  // Step 6: switch the wind on. The simulation has its own copy of the term, which another one replaces.
  Wind wind = sim.term<Wind>();
  wind.blows = true;
  sim.set_term(wind);
  run_for(sim, 1.5);
  for (const FaceNode& face : under) pushed += face.area * (sim.positions()(0, face.node) - face.at_rest.x());
  const double of_wind = 0.6 * 30 * 30 * (height * 0.5) / (stiffness * area);
  std::printf("the wind pushes it by %.6f m, expected %.6f m\n", pushed / area, of_wind);
  return std::abs(sunk / area - expected) < 0.01 * expected &&
                 std::abs(pushed / area - of_wind) < 0.01 * of_wind
             ? 0
             : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "20_your_own_energy_term: %s\n", error.what());
    return 1;
  }
}
