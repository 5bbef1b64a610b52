// Backward Euler as an optimisation in which every iteration lowers the potential.
#pragma once

#include <pliant/integrator/incremental_potential.hpp>

namespace pliant {

// The same step as BackwardEuler, x+ the minimum of the incremental potential
//   |x+ - x - dt v - dt^2 M^-1 f|_M^2 / (2 dt^2) + E(x+) + damping,
// by a projected Newton iteration, always with a line search, whose last iterate is accepted: without moved
// nodes and external forces |v+ - v|_M^2 / 2 + E(x+) <= |v|_M^2 / 2 + E(x), up to rounding, converged or not.
// If the iteration limit is reached, or no step lowers the potential further, the report contains
// StepStop::accepted and in `residual` the distance from the minimum. Gast et al. 2015, "Optimization
// integrator for large time steps".
struct OptimizationEuler {
  double dt = 0.01;    // [s]
  Newton newton = {};  // `require_convergence` is ignored and taken as false

  static constexpr IntegratorAbilities abilities{
      .knows_colliders = true, .takes_rows = true, .takes_contact_rows = true};

  template <class SystemType, class FilterType>
  using Workspace = detail::integrator::IncrementalWorkspace<SystemType, FilterType>;

  double time_step() const { return dt; }

  void check() const {
    detail::core::require_parameter(dt > 0, "OptimizationEuler::dt", dt, "must be positive (s)");
    newton.check();
    detail::core::require_parameter(newton.line_search, "OptimizationEuler::newton.line_search", 0,
                                    "must be on: use BackwardEuler for full steps");
    detail::core::require_parameter(newton.projection != Projection::none,
                                    "OptimizationEuler::newton.projection",
                                    static_cast<double>(newton.projection), "must be clamp or absolute");
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& workspace) const {
    workspace.prepare(system, newton);
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& workspace,
                  NewtonMonitor monitor) const {
    return detail::integrator::minimize_incremental_potential(context, state, dt, guarded(), workspace,
                                                              monitor);
  }

 private:
  Newton guarded() const {
    Newton result = newton;
    result.require_convergence = false;
    return result;
  }
};

static_assert(Integrator<OptimizationEuler>);

}  // namespace pliant
