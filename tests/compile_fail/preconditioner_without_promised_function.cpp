// A preconditioner of one's own that is to see how solves end, with the function misspelt.
// must say: P must be a preconditioner
#include <pliant/pliant.hpp>

struct Curious : pliant::Jacobi {
  static constexpr pliant::PreconditionerAbilities abilities{.observes = true};

  template <class W>
#ifdef SHOULD_FAIL
  void observ(const pliant::LinearReport&, W&) const {
  }
#else
  void observe(const pliant::LinearReport&, W&) const {
  }
#endif
};

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});
pliant::Simulation simulation(solid, pliant::BackwardEuler{}, pliant::Pcg<Curious>{});
