// The Integrator concept: how a state is advanced by one step.
//
// A model is a plain aggregate of parameters. What it needs at run time lives in its nested
// Workspace<System>, which the caller owns and keeps from one step to the next. Its members:
//   time_step()   the length of a step [s]
//   check()       throws ParameterError naming the parameter that is out of range
//   prepare(system, damping, workspace)
//                 makes room for the unknowns
//   step(system, filter, state, loads, damping, solver, solver_workspace, workspace, monitor)
//                 advances the state and reports; on failure the state may be anything: the caller keeps a
//                 copy
#pragma once

#include <concepts>

#include <pliant/assembly/concept.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/integrator/step_report.hpp>
#include <pliant/solid/rayleigh.hpp>

namespace pliant {

// Positions and velocities, in the system's numbering, at a time.
template <class Vector>
struct State {
  Vector x;         // [m]
  Vector v;         // [m/s]
  double time = 0;  // [s]
};

template <class I>
concept Integrator = std::copy_constructible<I> && requires(const I& integrator) {
  { integrator.time_step() } -> std::convertible_to<double>;  // [s]
  integrator.check();                                         // validates parameters
};

}  // namespace pliant
