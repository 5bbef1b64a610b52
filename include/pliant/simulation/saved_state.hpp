// The state of a simulation as a value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pliant/assembly/system.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/core/error.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/concept.hpp>

namespace pliant {

namespace detail {

// What a simulation that takes a state must have in common with the one that gave it.
template <int Dim>
struct StateOrigin {
  std::ptrdiff_t nodes = 0;
  std::uint64_t mesh = 0, rest_shape = 0, masses = 0, poses = 0;  // fingerprints
  std::vector<HeldDirection<Dim>> held;  // of held and moved nodes; internal numbers, ascending
  std::vector<int> moved;                // nodes; internal numbers, ascending

  StateOrigin() = default;

  template <class System, class Filter>
  StateOrigin(const System& system, const Filter& filter)
      : nodes(system.node_count()),
        rest_shape(fingerprint_of(system.rest())),
        masses(fingerprint_of(system.mass())),
        held(filter.directions()) {
    Fingerprint pattern;
    pattern.add_all(system.pattern().row_begin);
    pattern.add_all(system.pattern().columns);
    mesh = pattern.value();
    if (!system.origins().all_zero()) {
      Fingerprint origins;
      for (std::ptrdiff_t i = 0; i < nodes; ++i) origins.add_all(system.origins().of(i));
      poses = origins.value();
    }
    filter.for_each_moved([this](int node, const auto&) { moved.push_back(node); });
  }

 private:
  template <class Vector>
  static std::uint64_t fingerprint_of(const Vector& vector) {
    Fingerprint result;
    for (std::ptrdiff_t i = 0; i < vector.nodes(); ++i) result.add_all(vector.node(i));
    return result.value();
  }
};

// Throws StateError where a simulation differs from the one that gave a state.
template <int Dim>
void require_same(const StateOrigin<Dim>& state, const StateOrigin<Dim>& here, const Numbering& numbering) {
  if (state.nodes != here.nodes) {
    throw StateError("nodes",
                     std::to_string(state.nodes) + " in the state, " + std::to_string(here.nodes) + " here");
  }
  if (state.mesh != here.mesh) throw StateError("mesh", "other elements in the state");
  if (state.rest_shape != here.rest_shape) throw StateError("rest shape", "another one in the state");
  if (state.poses != here.poses) throw StateError("poses", "other ones in the state");
  if (state.masses != here.masses) throw StateError("masses", "others in the state");
  // Both lists ascend: where they part is the first node that is not in both of them.
  const auto compare = [&](const auto& saved, const auto& own, auto&& node, auto&& same, const char* what) {
    const auto [a, b] = std::mismatch(saved.begin(), saved.end(), own.begin(), own.end(), same);
    if (a == saved.end() && b == own.end()) return;
    int first = a == saved.end() ? node(*b) : node(*a);
    if (b != own.end()) first = std::min(first, node(*b));
    throw StateError("node " + std::to_string(numbering.to_user[static_cast<std::size_t>(first)]), what);
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

}  // namespace detail

// What Simulation::state returns and Simulation::set_state takes: the time, the positions, the velocities and
// the accelerations, the loads, where colliders are, what friction and the integrator remember, the
// multipliers, factors and first guesses of the solvers. A value of plain numbers and arrays, which refers to
// no simulation.
//
// What a simulation is made of is not in it: solid, constraints, the parameters of integrator and solver, the
// shapes, surfaces and paths of colliders. A simulation that takes it must have the same ones.
template <class SolidType, class IntegratorType, class SolverType, Isa isa = PLIANT_NATIVE_ISA>
class SavedState {
 public:
  using Scalar = typename SolidType::Scalar;
  static constexpr int dim = SolidType::dim;
  using Positions = NodeMatrix<Scalar, dim>;

  // An empty state, which no simulation takes.
  SavedState() = default;

  double time() const { return time_; }                        // [s]
  const Positions& positions() const { return positions_; }    // [m]
  const Positions& velocities() const { return velocities_; }  // [m/s]

 private:
  template <class, class, class, class, Isa>
  friend class Simulation;

  using System = ElasticSystem<SolidType, isa>;
  using IntegratorWorkspace = typename IntegratorType::template Workspace<System, Filter<dim, Scalar, isa>>;
  using SolverWorkspace = typename SolverType::template Workspace<typename System::Matrix>;

  detail::StateOrigin<dim> made_in_;
  double time_ = 0;
  Positions positions_, velocities_;
  Positions relative_positions_;                   // of Copies, else without columns [m]
  Positions accelerations_;                        // without columns where they are not known [m/s^2]
  Positions constraint_forces_, external_forces_;  // [N]
  SmallVector<double, dim> gravity_ = SmallVector<double, dim>::Zero();
  typename Contacts<typename System::Vector>::History contacts_;
  detail::HistoryOf<IntegratorWorkspace> integrator_;
  detail::HistoryOf<SolverWorkspace> solver_;
};

}  // namespace pliant
