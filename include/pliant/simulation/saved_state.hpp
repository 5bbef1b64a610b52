// The state of a simulation as a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/potential/own_terms.hpp>

namespace pliant {

namespace detail {

// The properties that must agree between the simulations of state() and set_state().
template <int Dim>
struct StateOrigin {
  std::ptrdiff_t nodes = 0;
  SystemIdentity system;
  std::vector<HeldDirection<Dim>> held;  // of held and moved nodes; internal numbers, ascending
  std::vector<int> moved;                // nodes; internal numbers, ascending

  StateOrigin() = default;

  template <class System, class Filter>
  StateOrigin(const System& of, const Filter& filter)
      : nodes(of.node_count()), system(of.identity()), held(filter.directions()) {
    filter.for_each_moved([this](int node, const auto&) { moved.push_back(node); });
  }
};

// Throws StateError if a simulation differs from that of a state.
template <int Dim, class System>
void require_same(const StateOrigin<Dim>& state, const StateOrigin<Dim>& here, const System& system) {
  if (state.nodes != here.nodes) {
    throw StateError("nodes",
                     std::to_string(state.nodes) + " in the state, " + std::to_string(here.nodes) + " here");
  }
  if (state.system.mesh != here.system.mesh) throw StateError("mesh", "other elements in the state");
  if (state.system.rest_shape != here.system.rest_shape)
    throw StateError("rest shape", "another one in the state");
  if (state.system.poses != here.system.poses) throw StateError("poses", "other ones in the state");
  if (state.system.masses != here.system.masses) throw StateError("masses", "others in the state");
  // Both lists ascend: their first difference is at the first node that is not in both.
  const auto compare = [&](const auto& saved, const auto& own, auto&& node, auto&& same, const char* what) {
    const auto [a, b] = std::mismatch(saved.begin(), saved.end(), own.begin(), own.end(), same);
    if (a == saved.end() && b == own.end()) return;
    int first = a == saved.end() ? node(*b) : node(*a);
    if (b != own.end()) first = std::min(first, node(*b));
    throw StateError("node " + std::to_string(system.user_number(first)), what);
  };
  using Held = HeldDirection<Dim>;
  compare(
      state.held, here.held, [](const Held& held) { return held.node; },
      [](const Held& a, const Held& b) { return a.node == b.node && a.along == b.along; },
      "not held or moved in the same way as in the state");
  compare(
      state.moved, here.moved, [](int node) { return node; }, [](int a, int b) { return a == b; },
      "moved in the state and held here, or the other way round");
}

template <class System>
class MovingSystem;  // moving_system.hpp

// What the user sees and sets.
template <class System>
struct UserValues {
  using Positions = NodeMatrix<typename System::Scalar, System::space>;

  Positions positions, velocities;          // [m], [m/s]
  Positions relative_positions;             // of Copies, otherwise without columns [m]
  Positions constraint_forces;              // [N]
  Positions forces;                         // to be converted in each step [N]; otherwise without columns
  typename System::Vector external_forces;  // on the unknowns [N]
  typename System::Vector step_forces;      // those of add_force, if they act: in the next step alone [N]
  bool step_forces_act = false;
  SmallVector<double, System::space> gravity = SmallVector<double, System::space>::Zero();  // [m/s^2]
};

// The part of a SavedState that depends on the System alone.
template <class SystemType>
class SavedMotion {
 public:
  using System = SystemType;
  using Positions = typename UserValues<System>::Positions;

  double time() const { return time_; }                             // [s]
  const Positions& positions() const { return user_.positions; }    // [m]
  const Positions& velocities() const { return user_.velocities; }  // [m/s]

 protected:
  SavedMotion() = default;
  void invalidate() { made_in_ = {}; }

 private:
  friend MovingSystem<System>;
  using Vector = typename System::Vector;

  StateOrigin<System::dim> made_in_;
  double time_ = 0;
  UserValues<System> user_;
  Vector x_, v_;  // the unknowns and their rates, if the user's arrays do not determine them
  Vector a_;      // if the integrator stores it [m/s^2]
  bool acceleration_known_ = false;
  typename System::Contacts::History contacts_;
  core::HistoryOf<System> system_;
  std::optional<detail::potential::TermsOf<System>> terms_;
};

}  // namespace detail

// The type of Simulation::state and Simulation::set_state. It contains the time, positions, velocities and
// accelerations, the loads, the poses of colliders, the persistent data of friction and of the integrator,
// the multipliers, factors and first guesses of the solvers, the pairs of nodes that the matrices have
// (GrowingPattern), and the terms of the program that accept steps. It is a value of plain numbers and
// arrays, independent of any simulation.
//
// It does not contain the solid, the constraints, the parameters of integrator and solver, nor the shapes,
// surfaces and paths of colliders. The simulation of set_state must have the same ones.
template <class SolidType, class IntegratorType, class SolverType, Isa isa = PLIANT_NATIVE_ISA>
class SavedState : public detail::SavedMotion<SystemOf<SolidType, isa>> {
 public:
  using System = SystemOf<SolidType, isa>;

  // An empty state, which set_state rejects.
  SavedState() = default;

 private:
  template <class, class, class, class, Isa>
  friend class Simulation;

  using IntegratorWorkspace = typename IntegratorType::template Workspace<System, typename System::Filter>;
  using SolverWorkspace = typename SolverType::template Workspace<typename System::Matrix>;

  detail::core::HistoryOf<IntegratorWorkspace> integrator_;
  detail::core::HistoryOf<SolverWorkspace> solver_;
};

}  // namespace pliant
