// Uses METIS or CHOLMOD, whichever it is linked with.
#include <pliant/linear_solver/direct/cholmod.hpp>
#include <pliant/pliant.hpp>

using namespace pliant;

Mesh<Tet4> read(const char* file);

#ifdef PLIANT_USE_CHOLMOD
using Solver = Cholmod;
#else
using Solver = Cholesky;
#endif

int main(int, char** arguments) {
  const Mesh<Tet4> mesh = read(arguments[1]);
  Simulation sim(Solid(mesh, StableNeoHookean(Lame::from_young_poisson(1e6, 0.45)), Density{1000}),
                 BackwardEuler{.dt = 0.01}, Solver{},
                 Pinned(nodes_where(mesh, [](const auto& X) { return X.y() > 0.9; })));
  sim.set_gravity({0, -9.81, 0});
  if (!sim.step()) return 1;
#ifdef PLIANT_USE_METIS
  if (detail::linear_solver::metis_nested_dissection(
          neighbours_of_nodes<Tet4>(mesh.elements, mesh.node_count()))
          .size() != 8)
    return 2;
#endif
  return sim.positions().row(1).minCoeff() < 0 ? 0 : 3;
}
