// The acceleration of a body from the balance of forces.
#pragma once

#include <cmath>

#include <pliant/integrator/concept.hpp>
#include <pliant/potential/own_terms.hpp>

namespace pliant::detail::integrator {

// Sets state.a = M^-1 (f - dE/dx - (alpha M + D) v) [m/s^2] at the free nodes, and zero at held and moved
// ones; E includes the additional terms of the System. D is the stiffness damping at x; if there is one, the
// velocities of moved nodes are set to those of their paths at the start of a step of length dt [s], because
// they contribute to the damping of other nodes. `forces` is scratch. Returns false if the result is not
// finite.
template <class Context>
bool find_acceleration(const Context& context, double dt, State<typename Context::Vector>& state,
                       typename Context::Vector& forces) {
  using Block = typename Context::Vector::Block;
  auto& system = context.system;
  const double energy = system.gradient(state.x, forces);
  if (system.stiffness_damping() > 0) {
    context.filter.follow_motions(state.time + dt, state.time, state.v);
    (void)system.add_damping({.start = &state.x, .velocity = &state.v}, Projection::none, forces);
  }
  potential::begin_terms(system,
                         TermState<typename Context::System>(system, state.x, state.v, state.time + dt, dt));
  potential::add_terms<Evaluate::gradient>(system, state.x, nullptr, state.time, dt, forces);
  const bool damps_mass = system.mass_damping().nodes() > 0;
  const auto& mass = system.mass();
  mass.for_each_block([&](std::ptrdiff_t i) {
    Block force = context.loads.block(i) - forces.block(i);
    if (damps_mass) force = force - system.mass_damping().block(i) * state.v.block(i);
    state.a.set_block(i, per_mass<Block>(force, mass.block(i)));
  });
  context.filter.apply(state.a);
  state.acceleration_known = true;
  return std::isfinite(energy) && state.a.finite();
}

}  // namespace pliant::detail::integrator
