// A Simulation of types that pliant::compiled contains; prints all digits of its results.
#include <cstdio>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

int main() {
  const auto mesh = make_box<Tet4>({.cells = {4, 2, 2}});
  const Solid solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e5, 0.45)), Density{1000});
  const auto held = [&](double end) {
    return Pinned(nodes_where(mesh, [&](const auto& X) { return X.x() <= end; }));
  };
  Simulation sim(solid, BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-6}, held(0));
  sim.set_gravity({0, -9.81, 0});
  const auto saved = sim.state();
  const auto march = [&] {
    for (int frame = 0; frame < 3; ++frame) {
      const StepReport report = sim.step();
      if (!report) throw std::runtime_error(report.message());
      std::printf("%.17g %.17g %d\n", report.energies.total(), report.residual, report.linear_iterations);
    }
    std::printf("%.17g %.17g\n", sim.energies().elastic, sim.positions().sum());
  };
  march();
  sim.set_state(saved);
  sim.set_integrator({.dt = 0.02});
  sim.set_constraint(held(0.3));
  march();
}
