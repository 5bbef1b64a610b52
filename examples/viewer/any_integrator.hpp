// An integrator that is chosen at run time: one Simulation serves all of them, and the choice may change
// during a run. It is also an example of a custom integrator (pliant/integrator/concept.hpp).
#pragma once

#include <array>
#include <utility>

#include <pliant/integrator/backward_euler.hpp>
#include <pliant/integrator/newmark.hpp>
#include <pliant/integrator/optimization_euler.hpp>

enum class Rule { linearised, backward_euler, optimization_euler, newmark };

inline constexpr std::array<const char*, 4> rule_names{"BackwardEuler, linearised", "BackwardEuler",
                                                       "OptimizationEuler", "Newmark"};

struct AnyIntegrator {
  double dt = 1.0 / 60;  // [s]
  Rule rule = Rule::linearised;

  static constexpr pliant::IntegratorAbilities abilities{.keeps_acceleration = true,  // Newmark does
                                                         .knows_colliders = true};

  template <class SystemType, class FilterType>
  struct Workspace {
    pliant::BackwardEuler::Workspace<SystemType, FilterType> euler;
    pliant::Newmark::Workspace<SystemType, FilterType> newmark;
    bool newmark_was_last = false;

    static constexpr pliant::WorkspaceAbilities abilities = {};
    const auto& constraint_forces() const {
      return newmark_was_last ? newmark.constraint_forces() : euler.constraint_forces();
    }
  };

  double time_step() const { return dt; }
  void check() const { pliant::BackwardEuler{.dt = dt}.check(); }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& workspace) const {
    pliant::BackwardEuler{}.prepare(system, workspace.euler);
    pliant::Newmark{}.prepare(system, workspace.newmark);
  }

  template <class Context>
  pliant::StepReport step(const Context& context, pliant::State<typename Context::Vector>& state,
                          Workspace<typename Context::System, typename Context::Filter>& workspace,
                          pliant::NewtonMonitor monitor) const {
    using namespace pliant;
    workspace.newmark_was_last = rule == Rule::newmark;
    const auto euler = [&](const auto& integrator) {
      state.acceleration_known = false;  // Newmark has to compute it
      return integrator.step(context, state, workspace.euler, monitor);
    };
    switch (rule) {
      case Rule::linearised:
        return euler(BackwardEuler{.dt = dt, .newton = Newton::linearised()});
      case Rule::backward_euler:
        return euler(BackwardEuler{.dt = dt});
      case Rule::optimization_euler:
        return euler(OptimizationEuler{.dt = dt, .newton = {.max_iterations = 3}});
      case Rule::newmark:
        break;
    }
    return Newmark{.dt = dt}.step(context, state, workspace.newmark, monitor);
  }
};
