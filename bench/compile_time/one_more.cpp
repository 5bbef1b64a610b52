// What the compiler is timed on, by measure.sh: the base program, and one more instantiation beside it. Every
// one differs from the base in a single policy.
#if STEP == 0
#include <Eigen/Geometry>
#elif STEP == 1
#include <pliant/fwd.hpp>
#else
#include <pliant/pliant.hpp>
#endif

#if STEP >= 3
namespace {

using namespace pliant;

template <class Element, class Energy, class Scalar, class Integrator, class Solver, class Constraint>
int moves(const Constraint& constraint) {
  Mesh<Element, Scalar> mesh;
  if constexpr (Element::dim == 2) mesh = make_rectangle<Element, Scalar>();
  else mesh = make_box<Element, Scalar>();
  const Energy energy(Lame::from_young_poisson(1e6, 0.3));
  Simulation simulation(Solid(mesh, energy, Density{1000}), Integrator{.dt = 0.01}, Solver{}, constraint);
  return simulation.step() ? 1 : 0;
}

}  // namespace

int main() {
  const Pinned held({0});
  int count = moves<Tet4, StableNeoHookean, double, BackwardEuler, Pcg<BlockJacobi>>(held);
#if STEP == 4
  count += moves<Tet4, BowerNeoHookean, double, BackwardEuler, Pcg<BlockJacobi>>(held);
#elif STEP == 5
  count += moves<Tet4, FixedCorotated, double, BackwardEuler, Pcg<BlockJacobi>>(held);
#elif STEP == 6
  count += moves<Hex8, StableNeoHookean, double, BackwardEuler, Pcg<BlockJacobi>>(held);
#elif STEP == 7
  count += moves<Tri3, StableNeoHookean, double, BackwardEuler, Pcg<BlockJacobi>>(held);
#elif STEP == 8
  count += moves<Tet4, StableNeoHookean, float, BackwardEuler, Pcg<BlockJacobi>>(held);
#elif STEP == 9
  count += moves<Tet4, StableNeoHookean, double, QuasiStatic, Pcg<BlockJacobi>>(held);
#elif STEP == 10
  count += moves<Tet4, StableNeoHookean, double, BackwardEuler, Pcg<Jacobi>>(held);
#elif STEP == 11
  count += moves<Tet4, StableNeoHookean, double, BackwardEuler, Pcg<BlockJacobi>>(Unconstrained{});
#elif STEP == 12
  count += read_mesh<Tet4>("a.msh").node_count() > 0 ? 1 : 0;
#endif
  return count > 0 ? 0 : 1;
}
#else
int main() {}
#endif
