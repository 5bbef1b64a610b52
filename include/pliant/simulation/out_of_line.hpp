// The functions of a Simulation that take long to compile.
#pragma once

#include <pliant/integrator/step_report.hpp>

namespace pliant::detail {

// They are no inline functions, so that a program does not compile those that it declares as extern
// templates: pliant::compiled contains them for common types.
struct OutOfLine {
  template <class System, class Solid>
  static System make_system(const Solid& solid);
  template <class Simulation>
  static void prepare(Simulation& simulation);
  template <class Simulation>
  static StepReport step(Simulation& simulation);
  template <class Simulation>
  static Energies energies(const Simulation& simulation);
  template <class Simulation, class SavedState>
  static void copy_state(const Simulation& simulation, SavedState& saved);
  template <class Simulation, class SavedState>
  static void set_state(Simulation& simulation, SavedState& saved);
  template <class Simulation, class Integrator>
  static void set_integrator(Simulation& simulation, Integrator& integrator);
  template <class Simulation, class Constraint>
  static void set_constraint(Simulation& simulation, Constraint& constraint);
};

template <class System, class Solid>
System OutOfLine::make_system(const Solid& solid) {
  return System(solid);
}
template <class Simulation>
void OutOfLine::prepare(Simulation& simulation) {
  simulation.prepare();
}
template <class Simulation>
StepReport OutOfLine::step(Simulation& simulation) {
  return simulation.advance();
}
template <class Simulation>
Energies OutOfLine::energies(const Simulation& simulation) {
  return simulation.all_energies();
}
template <class Simulation, class SavedState>
void OutOfLine::copy_state(const Simulation& simulation, SavedState& saved) {
  simulation.copy_state(saved);
}
template <class Simulation, class SavedState>
void OutOfLine::set_state(Simulation& simulation, SavedState& saved) {
  simulation.take_state(saved);
}
template <class Simulation, class Integrator>
void OutOfLine::set_integrator(Simulation& simulation, Integrator& integrator) {
  simulation.take_integrator(integrator);
}
template <class Simulation, class Constraint>
void OutOfLine::set_constraint(Simulation& simulation, Constraint& constraint) {
  simulation.take_constraint(constraint);
}

}  // namespace pliant::detail
