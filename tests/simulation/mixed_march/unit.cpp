#include "unit.hpp"

#include <filesystem>
#include <stdexcept>

#include <pliant/pliant.hpp>

using namespace pliant;

namespace {

Mesh<Tet4> make_beam() { return make_box<Tet4>({.lengths = {1, 0.25, 0.25}, .cells = {8, 2, 2}}); }

template <class Constraint>
NodeMatrix<double, 3> move(const Mesh<Tet4>& mesh, const Constraint& held, double gravity, double dt,
                           int steps) {
  const auto solid = Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.3)), Density{1000});
  auto sim = Simulation(solid, BackwardEuler{.dt = dt}, Pcg<BlockJacobi>{.tolerance = 1e-12}, held);
  sim.set_gravity({0, gravity, 0});
  for (int i = 0; i < steps; ++i) {
    const StepReport report = sim.step();
    if (!report) throw std::runtime_error(report.message());
  }
  // Writers make matrices of their own; they must not mix those of two instruction sets either.
  const auto frame = std::filesystem::temp_directory_path() / "pliant_mixed_march.vtu";
  write_vtu(frame, sim);
  std::filesystem::remove(frame);
  return sim.positions();
}

NodeMatrix<double, 3> move(const Mesh<Tet4>& mesh, bool held, double gravity, double dt, int steps) {
  if (!held) return move(mesh, Unconstrained{}, gravity, dt, steps);
  return move(mesh, Pinned(nodes_where(mesh, [](const auto& X) { return X.x() < 1e-9; })), gravity, dt,
              steps);
}

}  // namespace

extern const Unit UNIT{make_beam, move};
