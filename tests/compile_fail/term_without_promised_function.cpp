// A function of a Term that is misspelt, or that its abilities do not name, is not silently left out.
// must say: a Term has `begin_step(state)` if, and only if
#include <pliant/pliant.hpp>

struct Lagged {
  static constexpr pliant::TermAbilities abilities{.begins_steps = true};

  template <class State>
#ifdef SHOULD_FAIL
  void begins_step(const State&) {
  }
#else
  void begin_step(const State&) {
  }
#endif

  template <class At, class Sum>
  double evaluate(const At&, Sum&) const {
    return 0;
  }
};

using Solid = pliant::Solid<pliant::Tet4, pliant::StableNeoHookean>;
static_assert(pliant::require_term<Lagged, pliant::ElasticSystem<Solid>>());
