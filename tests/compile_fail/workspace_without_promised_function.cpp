// An integrator of one's own whose workspace says that it follows steps, with one of the two functions
// misspelt.
// must say: or its workspace a function that its abilities promise
#include <pliant/pliant.hpp>

struct Drift {
  double dt = 0.01;
  static constexpr pliant::IntegratorAbilities abilities{.needs_solver = false};

  template <class System, class Filter>
  struct Workspace {
    static constexpr pliant::WorkspaceAbilities abilities{.steps = true};
    typename System::Vector none;
    const auto& constraint_forces() const { return none; }
    void begin_step() {}
#ifdef SHOULD_FAIL
    void step_undon() {}
#else
    void step_undone() {}
#endif
  };

  double time_step() const { return dt; }
  void check() const {}
  template <class System, class Filter>
  void prepare(const System& system, Workspace<System, Filter>& workspace) const {
    workspace.none = system.make_vector();
  }
  template <class Context, class W, class Monitor>
  pliant::StepReport step(const Context&, pliant::State<typename Context::Vector>& state, W&,
                          Monitor&&) const {
    state.x.add(static_cast<typename Context::Scalar>(dt), state.v);
    return {};
  }
};

const auto mesh = pliant::make_box<pliant::Tet4>();
const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
const pliant::Solid solid(mesh, energy, pliant::Density{1000});
pliant::Simulation simulation(solid, Drift{});
