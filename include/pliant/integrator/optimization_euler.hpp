// Backward Euler as an optimisation that never fails for want of a good start.
#pragma once

#include <pliant/integrator/incremental_potential.hpp>

namespace pliant {

// The same step as BackwardEuler, x+ the minimum of
//   |x+ - x - dt v - dt^2 M^-1 f|_M^2 / (2 dt^2) + E(x+) + damping,
// by a projected Newton iteration that is always guarded: every iterate lowers this incremental potential, so
// that |v+ - v|_M^2 / 2 + E(x+) <= |v|_M^2 / 2 + E(x) without external forces, converged or not. Where the
// iteration limit comes first, the step is taken as it is: `residual` in the report tells how far it is from
// the minimum, and StepStop::linearised that it is. Gast et al. 2015, "Optimization integrator for large time
// steps".
struct OptimizationEuler {
  double dt = 0.01;  // [s]
  Newton newton = {.require_convergence = false, .hessian = HessianStrategy::progressive};

  template <class SystemType, class FilterType>
  using Workspace = IncrementalWorkspace<SystemType, FilterType>;

  double time_step() const { return dt; }

  void check() const {
    detail::require_parameter(dt > 0, "OptimizationEuler::dt", dt, "must be positive (s)");
    newton.check();
    detail::require_parameter(newton.line_search, "OptimizationEuler::newton.line_search", 0,
                              "must be on: use BackwardEuler for full steps");
    detail::require_parameter(newton.projection != Projection::none, "OptimizationEuler::newton.projection",
                              static_cast<double>(newton.projection), "must be clamp or absolute");
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, const Rayleigh& damping,
               Workspace<SystemType, FilterType>& workspace) const {
    workspace.prepare(system, damping, newton);
  }

  // Advances the state; `report` of the Newton iteration goes to `monitor` before each linear solve.
  template <class SystemType, class FilterType, class Solver, class SolverWorkspace, class Monitor>
  StepReport step(SystemType& system, const FilterType& filter, State<typename SystemType::Vector>& state,
                  const typename SystemType::Vector& loads, const Rayleigh& damping, const Solver& solver,
                  SolverWorkspace& solver_workspace, Workspace<SystemType, FilterType>& workspace,
                  Monitor&& monitor) const {
    return minimize_incremental_potential(system, filter, state, loads, dt, damping, newton, solver,
                                          solver_workspace, workspace, monitor);
  }
};

static_assert(Integrator<OptimizationEuler>);

}  // namespace pliant
