// An integrator of one's own that needs no solver must say that it knows colliders.
// must say: this integrator knows no colliders
#include <pliant/pliant.hpp>

struct Drift {
  double dt = 0.01;
#ifndef SHOULD_FAIL
  static constexpr pliant::IntegratorAbilities abilities{.needs_solver = false, .knows_colliders = true};
#else
  static constexpr pliant::IntegratorAbilities abilities{.needs_solver = false};
#endif

  template <class System, class Filter>
  struct Workspace {
    static constexpr pliant::WorkspaceAbilities abilities = {};
    typename System::Vector none;
    const auto& constraint_forces() const { return none; }
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

void put_on_floor() {
  const auto mesh = pliant::make_box<pliant::Tet4>();
  const pliant::StableNeoHookean energy(pliant::Lame::from_young_poisson(1e6, 0.3));
  const pliant::Solid solid(mesh, energy, pliant::Density{1000});
  pliant::Simulation simulation(solid, Drift{});
  simulation.add_collider(pliant::HalfSpace(Eigen::Vector3d(0, -1, 0), Eigen::Vector3d(0, 1, 0)));
}
