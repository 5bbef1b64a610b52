// DualRows has the strains of linear tetrahedra of a linear law as rows.
// must say: DualRows takes a Solid of Tet4, whose strain is constant in an element: use Condensed
// must say: DualRows takes energies whose stress is linear in a strain
#include <pliant/pliant.hpp>

using namespace pliant;

template <class Element, class Energy>
bool step() {
  const Lame lame = Lame::from_young_poisson(1e5, 0.3);
  Simulation simulation(Coupled(Solid(make_box<Element>({}), Energy(lame), Density{1000}), Mechanism{}),
                        BackwardEuler{}, DualRows<>{});
  return bool(simulation.step());
}

#ifdef SHOULD_FAIL
bool hexahedra() { return step<Hex8, LinearElastic>(); }
bool rubber() { return step<Tet4, StableNeoHookean>(); }
#else
bool linear() { return step<Tet4, LinearElastic>(); }
#endif
