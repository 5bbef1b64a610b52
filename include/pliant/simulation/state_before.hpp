// What a failed step restores.
#pragma once

#include <utility>

#include <pliant/core/history.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/potential/own_terms.hpp>

namespace pliant::detail {

// The state before a step, except for what the user's arrays of positions and velocities determine.
template <class System>
struct StateBefore {
  using Vector = typename System::Vector;
  using Scalar = typename System::Scalar;

  Vector x, v;  // if the user's arrays do not determine the unknowns exactly
  Vector a;
  Vector forces;  // on the unknowns, if the user's forces are converted in each step [N]
  bool acceleration_known = false;
  double time = 0;
  core::HistoryOf<System> system;
  detail::potential::TermsBefore<System> terms;

  void take(const System& of, const State<Vector>& state) {
    if constexpr (!System::abilities.exact_view) {
      x.set_sum(state.x, Scalar(0), state.x);
      v.set_sum(state.v, Scalar(0), state.v);
    }
    a.set_sum(state.a, Scalar(0), state.a);
    acceleration_known = state.acceleration_known;
    time = state.time;
    core::save_history(of, system);
    terms.take(of);
  }

  void give_back(System& to, State<Vector>& state) {
    if constexpr (!System::abilities.exact_view) {
      std::swap(state.x, x);
      std::swap(state.v, v);
    }
    std::swap(state.a, a);
    state.acceleration_known = acceleration_known;
    state.time = time;
    core::restore_history(to, std::move(system));
    terms.give_back(to);
  }
};

}  // namespace pliant::detail
