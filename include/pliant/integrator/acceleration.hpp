// The acceleration that a body has where none is known yet.
#pragma once

#include <cmath>

#include <pliant/integrator/concept.hpp>

namespace pliant {

// Sets state.a = M^-1 (f - dE/dx - (alpha M + beta K) v) [m/s^2] at the free nodes, zero at the held and the
// moved ones. K is projected as asked; where there is one in the damping, the velocities of moved nodes
// become those of their paths at the start of a step of length dt [s], for they drag at the others.
// `elastic`, `drag` and `damping` are scratch. False where the result is not finite.
template <class Context, class Matrix>
bool find_acceleration(const Context& context, double dt, Projection projection,
                       State<typename Context::Vector>& state, typename Context::Vector& elastic,
                       typename Context::Vector& drag, Matrix& damping) {
  using Scalar = typename Context::Scalar;
  using Block = typename Context::Vector::Block;
  auto& system = context.system;
  double energy;
  if (system.uniform_stiffness_damping() == Scalar(0)) {
    energy = system.gradient(state.x, elastic);
  } else {
    energy = system.stiffness_damping(state.x, projection, Scalar(1), elastic, damping);
    context.filter.follow_motions(state.time + dt, state.time, state.v);
    (void)damping.multiply(state.v, drag);
    elastic.add(Scalar(1), drag);
  }
  const bool damps_mass = system.mass_damping().nodes() > 0;
  const auto& mass = system.mass();
  mass.for_each_block([&](std::ptrdiff_t i) {
    Block force = context.loads.block(i) - elastic.block(i);
    if (damps_mass) force = force - system.mass_damping().block(i) * state.v.block(i);
    state.a.set_block(i, detail::per_mass<Block>(force, mass.block(i)));
  });
  context.filter.apply(state.a);
  state.acceleration_known = true;
  return std::isfinite(energy) && state.a.finite();
}

}  // namespace pliant
