// One run of a swinging bar, timed by the clock on the wall, for measure.sh:
//   run <BackwardEuler | TwoLevel | OperatorSplitting | CentralDifferences> <cells along the bar> <steps>
//   <threads, 0 for the default>
// TwoLevel is BackwardEuler with that preconditioner.
// Prints the seconds that the steps took.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

template <class Simulation>
double seconds(Simulation&& simulation, int steps) {
  simulation.set_gravity({0, -9.81, 0});
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < steps; ++n) {
    if (const StepReport report = simulation.step(); !report) {
      std::fprintf(stderr, "%s\n", report.message().c_str());
      std::exit(1);
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double run(std::string_view integrator, int cells, int steps) {
  const auto mesh = make_box<Tet4>({.lengths = {1, 0.2, 0.2}, .cells = {cells, cells / 4, cells / 4}});
  const auto lame = Lame::from_young_poisson(1e5, 0.4);
  const Pinned held(nodes_where(mesh, [](const auto& X) { return X.x() > 0.99; }));
  const Solid hyperelastic(mesh, StableNeoHookean(lame), Density{1000});
  if (integrator == "BackwardEuler") {
    return seconds(
        Simulation(hyperelastic, BackwardEuler{.dt = 0.01}, Pcg<BlockJacobi>{.tolerance = 1e-6}, held),
        steps);
  }
  if (integrator == "TwoLevel") {
    return seconds(
        Simulation(hyperelastic, BackwardEuler{.dt = 0.01}, Pcg<TwoLevel>{.tolerance = 1e-6}, held), steps);
  }
  if (integrator == "CentralDifferences") {
    return seconds(Simulation(hyperelastic, CentralDifferences{.dt = 0.01}, held), steps);
  }
  return seconds(
      Simulation(Solid(mesh, FixedCorotated(lame), Density{1000}), OperatorSplitting{.dt = 0.002}, held),
      steps);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  set_thread_count(std::atoi(argv[4]));
  std::printf("%.4f\n", run(argv[1], std::atoi(argv[2]), std::atoi(argv[3])));
}
