// Its matrix has no place for terms of a program's own.
// must say: OperatorSplitting takes no terms of a program's own
#include <pliant/pliant.hpp>

struct Nothing {
  static constexpr pliant::TermAbilities abilities{};

  template <class At, class Sum>
  double evaluate(const At&, Sum&) const {
    return 0;
  }
};

const pliant::Solid solid(pliant::make_box<pliant::Tet4>(),
                          pliant::FixedCorotated(pliant::Lame::from_young_poisson(1e6, 0.3)),
                          pliant::Density{1000});
#ifdef SHOULD_FAIL
pliant::Simulation simulation(solid.with(Nothing{}), pliant::OperatorSplitting{});
#else
pliant::Simulation simulation(solid, pliant::OperatorSplitting{});
#endif
