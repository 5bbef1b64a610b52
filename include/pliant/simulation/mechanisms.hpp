// A Simulation of a mechanism.
#pragma once

#include <pliant/linear_solver/rows/condensed.hpp>
#include <pliant/rigid/joint/ball.hpp>
#include <pliant/rigid/joint/fixed.hpp>
#include <pliant/rigid/joint/hinge.hpp>
#include <pliant/rigid/joint/slider.hpp>
#include <pliant/rigid/mechanism_system.hpp>
#include <pliant/simulation/simulation.hpp>

namespace pliant {

// Simulation(mechanism, BackwardEuler{.dt = 0.01}, Condensed{})
template <class Integrator, class... Rest>
Simulation(Mechanism, Integrator, Rest...)
    -> Simulation<MechanismSystem<>, Integrator,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
