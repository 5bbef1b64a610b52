// Backward Euler (implicit Euler) time integration.
#pragma once

#include <pliant/integrator/incremental_potential.hpp>

namespace pliant {

// x+ = x + dt v+,  M (v+ - v) = dt (f(x+) + f_external - alpha M v+ - d), with the force d of the stiffness
// damping for the rate of strain (G(x+) - G(x)) / dt, see IncrementalPotential. First order, and dissipative:
// an undamped mode of angular frequency omega loses the factor 1 / sqrt(1 + omega^2 dt^2) of its amplitude
// per step.
//
// With the default `newton` the step is solved to convergence with a line search, so that the incremental
// potential never increases. `.newton = Newton::linearised()` makes one iteration: the linearly implicit step
//   (M + dt (alpha M + D) + dt^2 K) dv = dt (f(x) + f_external - (alpha M + D) v) - dt^2 K v,   D = D(x),
// of Baraff and Witkin 1998, which is faster but has no guarantee for large steps.
struct BackwardEuler {
  double dt = 0.01;    // [s]
  Newton newton = {};  // accuracy and safeguards of the solve

  static constexpr IntegratorAbilities abilities{
      .knows_colliders = true, .takes_rows = true, .takes_contact_rows = true};

  template <class SystemType, class FilterType>
  using Workspace = detail::integrator::IncrementalWorkspace<SystemType, FilterType>;

  double time_step() const { return dt; }

  void check() const {
    detail::core::require_parameter(dt > 0, "BackwardEuler::dt", dt, "must be positive (s)");
    newton.check();
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& workspace) const {
    workspace.prepare(system, newton);
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& workspace,
                  NewtonMonitor monitor) const {
    return detail::integrator::minimize_incremental_potential(context, state, dt, newton, workspace, monitor);
  }
};

static_assert(Integrator<BackwardEuler>);

}  // namespace pliant
