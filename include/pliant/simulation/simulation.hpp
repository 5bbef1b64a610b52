// The facade: a solid or another System, an integrator, a linear solver and constraints, advanced step by
// step.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/dense_filter.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/no_contacts.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/simulation/moving_system.hpp>
#include <pliant/simulation/out_of_line.hpp>
#include <pliant/simulation/plastic_solids.hpp>
#include <pliant/simulation/roles.hpp>
#include <pliant/simulation/saved_state.hpp>

namespace pliant {

namespace detail {

// Further functions of a Simulation for one type of System, which has a specialisation.
template <class SystemType, class Simulation>
class FunctionsOf {};

// The System of a Simulation, and what the compiler says if there is none.
template <class Solid, Isa isa>
struct MovedSystem {
  static constexpr bool is_solid = assembly::IsSolid<Solid>;
  static_assert(is_solid || !assembly::NamesSystemAbilities<Solid> || assembly::DeclaresOwnState<Solid>,
                "a System has a History, save, restore and end_step if, and only if, its abilities say "
                ".own_state = true");
  static_assert(is_solid || !assembly::NamesSystemAbilities<Solid> || assembly::DeclaresTerms<Solid>,
                "a System has terms if, and only if, its abilities say .terms = true");
  static_assert(
      is_solid || ViewedSystem<Solid>,
      "the first argument of Simulation must be a Solid, Bodies or Copies, or a System of your own; "
      "see assembly/concept.hpp");
  using Type = SystemOf<Solid, isa>;
};

}  // namespace detail

// The types are chosen at compile time. Positions and velocities are in the user's node numbering, dim x
// #nodes.
template <class SolidType,       // a Solid, Bodies or Copies, or a System (assembly/concept.hpp)
          class IntegratorType,  // BackwardEuler, OptimizationEuler, Newmark, CentralDifferences, QuasiStatic
          class SolverType,      // Pcg<...>, Cholesky, Mprgp<...>; NoSolver if the integrator needs none
          class ConstraintType,  // Unconstrained, Pinned, Sliding, PrescribedMotion, ..., or several Together
          Isa isa = PLIANT_NATIVE_ISA>
class Simulation
    : public detail::MovingSystem<typename detail::MovedSystem<SolidType, isa>::Type>,
      public detail::FunctionsOf<SolidType,
                                 Simulation<SolidType, IntegratorType, SolverType, ConstraintType, isa>> {
  using Base = detail::MovingSystem<typename detail::MovedSystem<SolidType, isa>::Type>;

 public:
  using Solid = SolidType;
  using Integrator = IntegratorType;
  using Solver = SolverType;
  using Constraint = ConstraintType;
  static constexpr bool has_solid = detail::assembly::IsSolid<Solid>;
  using System = typename Base::System;
  using Base::dim;

  static_assert(
      pliant::Integrator<Integrator>,
      "the second argument of Simulation must be an integrator, e.g. BackwardEuler{.dt = 0.01}; see "
      "integrator/concept.hpp");
  static constexpr bool needs_solver = detail::integrator::needs_solver<Integrator>;
  static_assert(!needs_solver || pliant::LinearSolver<Solver, typename System::Matrix>,
                "the third argument of Simulation must be a linear solver, e.g. Pcg<BlockJacobi>{}; see "
                "linear_solver/concept.hpp");
  static_assert(needs_solver || (std::is_same_v<Solver, NoSolver> &&
                                 !detail::is_solver<typename System::Matrix, Constraint>),
                "this integrator solves no linear system, so that Simulation takes no solver: write "
                "Simulation(solid, integrator, constraints...)");
  static_assert(!System::abilities.rows || Integrator::abilities.takes_rows,
                "this integrator takes no joints: use BackwardEuler, OptimizationEuler or Newmark");
  static_assert(
      !System::abilities.rows || !needs_solver || detail::linear_solver::solver_abilities<Solver>.takes_rows,
      "joints need a solver that takes rows: Simulation(mechanism, BackwardEuler{...}, Condensed{})");
  static_assert(!System::abilities.rows_alone || std::is_same_v<Constraint, Unconstrained>,
                "the bodies of a Mechanism are held by joints to the world, not by constraints");
  static_assert(pliant::Constraint<Constraint, System::dim>,
                "the arguments of Simulation from the fourth on must be constraints, e.g. Pinned(nodes); see "
                "constraint/concept.hpp. From the third on, where the integrator needs no solver");

  using SavedState = pliant::SavedState<Solid, Integrator, Solver, isa>;

  // Starts at rest in the rest shape. Throws ParameterError for a parameter out of range and for constraints
  // that the integrator does not support, IndexError for a constrained node that does not exist.
  // (The third parameter is not deduced, so that the guide below assigns the arguments.)
  Simulation(Solid solid, Integrator integrator, std::type_identity_t<SolverType> solver,
             Constraint constraint = {}) requires(detail::integrator::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), std::move(solver), std::move(constraint)}) {
  }

  // The same with several constraints.
  template <class First, class Second, class... More>
  Simulation(Solid solid, Integrator integrator, Solver solver, First first, Second second,
             More... more) requires(detail::integrator::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), std::move(solver),
                         Constraint(std::move(first), std::move(second), std::move(more)...)}) {}

  // The same if the integrator needs no linear solver.
  Simulation(Solid solid, Integrator integrator,
             Constraint constraint = {}) requires(!detail::integrator::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{}, std::move(constraint)}) {}
  template <class First, class Second, class... More>
  Simulation(Solid solid, Integrator integrator, First first, Second second,
             More... more) requires(!detail::integrator::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{},
                         Constraint(std::move(first), std::move(second), std::move(more)...)}) {}

  // Can be neither copied nor moved, because its parts refer to each other. Keep it in place, or in a
  // std::unique_ptr. A second simulation that is constructed in the same way and gets state() continues
  // identically.
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Advances by one time step. If the report is false, the state is that before the step. It is so too if
  // memory runs out or a user's callback, path, energy or collider throws; the exception is passed on.
  [[nodiscard]] StepReport step() { return detail::OutOfLine::step(*this); }

  // The energies of the current state [J].
  Energies energies() const { return detail::OutOfLine::energies(*this); }

  const Solid& solid() const requires(has_solid) { return solid_; }
  const auto& mesh() const requires(has_solid) { return solid_.mesh(); }  // of Bodies a MixedMesh
  const Constraint& constraint() const { return constraint_; }
  const Integrator& integrator() const { return integrator_; }
  const Solver& solver() const { return solver_; }

  // Both functions throw SizeError for a wrong number of columns, ParameterError for a number that is not
  // finite.
  template <class Derived>
  void set_positions(const Eigen::MatrixBase<Derived>& positions) {
    Base::set_positions(positions);
    tell_of_new_state();
  }
  template <class Derived>
  void set_velocities(const Eigen::MatrixBase<Derived>& velocities) {
    Base::set_velocities(velocities);
    tell_of_new_state();
  }

  // All data on which later steps depend, except for the parts of the simulation, see SavedState. Steps after
  // set_state have the same bits as those after state().
  SavedState state() const {
    SavedState saved;
    copy_state_to(saved);
    return saved;
  }

  // The same, into an existing state, whose memory is reused. If it throws, the state becomes invalid, and
  // set_state rejects it.
  void copy_state_to(SavedState& saved) const { detail::OutOfLine::copy_state(*this, saved); }

  // Restores a state of this simulation, or of one constructed in the same way. Throws StateError, without a
  // change, for a state with another mesh, rest shape, masses or poses, with other held or moved nodes, or
  // with other colliders.
  void set_state(SavedState saved) { detail::OutOfLine::set_state(*this, saved); }

  template <class Other>
  void set_state(const Other&) requires(!std::is_same_v<Other, SavedState>) {
    static_assert(detail::core::always_false<Other>,
                  "set_state takes what state() of a Simulation has returned, whose solid, integrator and "
                  "solver are of the same types");
  }

  // Continues with other parameters, e.g. another dt. Throws ParameterError for one out of range.
  void set_integrator(Integrator integrator) { detail::OutOfLine::set_integrator(*this, integrator); }

  // Continues with other constraints, of the same types, without any other setup. Throws like the
  // constructor, and then keeps the old constraints.
  void set_constraint(Constraint constraint) { detail::OutOfLine::set_constraint(*this, constraint); }

  // Adds a collider, which nodes do not enter; returns its number. `path`, a function of the time [s], moves
  // it; without one it keeps its pose until move_collider. Throws ParameterError for an invalid collider,
  // surface or pose.
  int add_collider(detail::contact::AnyCollider<dim> collider, const Surface& surface = {},
                   std::function<Pose<dim>(double time)> path = nullptr) {
    static_assert(Integrator::abilities.knows_colliders, "this integrator knows no colliders");
    static_assert(Base::has_colliders, "this System knows no colliders");
    static_assert(takes_contact_rows,
                  "this integrator takes joints without contact: use BackwardEuler or OptimizationEuler");
    return contacts_.add(std::move(collider), surface, std::move(path), state_.time);
  }

  // `callback(const Progress&)` is called before each Newton iteration and every 64 iterations of the linear
  // solver, by CentralDifferences before each substep, by OperatorSplitting once at the start of a step. It
  // cancels the step by returning false; if it throws, the state is that before the step. An empty function,
  // or nullptr, ends the calls.
  void on_progress(std::nullptr_t) { progress_ = nullptr; }
  template <class Callback>
  void on_progress(Callback callback) {
    static_assert(std::is_invocable_v<Callback&, const Progress&>,
                  "on_progress takes a function of a const Progress&, which returns nothing or a bool");
    if constexpr (std::is_void_v<std::invoke_result_t<Callback&, const Progress&>>) {
      std::function<void(const Progress&)> told(std::move(callback));
      if (!told) return on_progress(nullptr);
      progress_ = [told = std::move(told)](const Progress& progress) {
        told(progress);
        return true;
      };
    } else {
      progress_ = std::move(callback);
    }
  }

 private:
  friend detail::FunctionsOf<SolidType, Simulation>;
  friend detail::OutOfLine;

  using Base::contacts_, Base::filter_, Base::loads_, Base::state_, Base::system_;
  using typename Base::FilterType;
  using Workspace = typename Integrator::template Workspace<System, FilterType>;
  using SolverWorkspace = typename Solver::template Workspace<typename System::Matrix>;
  static constexpr SolverAbilities of_solver = detail::linear_solver::solver_abilities<Solver>;
  using Context = StepContext<System, FilterType, Solver, SolverWorkspace>;
  static_assert(std::constructible_from<FilterType, NodeConstraints<System::dim>, const System&>,
                "a Filter is made from what constraints describe and the System, see constraint/concept.hpp");
  static_assert(
      IntegratorFor<Integrator, Context>,
      "the integrator lacks prepare or step, or its workspace a function that its abilities promise, or it "
      "has one that they do not name; see integrator/concept.hpp");

  static constexpr bool takes_contact_rows =
      !detail::contact::contacts_as_rows<System> || Integrator::abilities.takes_contact_rows;

  FilterType filter_of(const Constraint& constraint) const {
    NodeConstraints<System::dim> held(system_.node_count());
    constraint.describe(held);
    return FilterType(held, system_);
  }

  void check_filter(const FilterType& filter) const {
    if constexpr (Workspace::abilities.checks_constraints) {
      integrator_workspace_.check_constraints(system_, filter);
    }
  }

  struct Parts {
    Solid solid;
    Integrator integrator;
    Solver solver;
    Constraint constraint;
  };

  explicit Simulation(Parts parts)
      : Base((parts.integrator.check(), parts.solver.check(), [&] { return system_from(parts.solid); })),
        solid_(kept(parts.solid)),
        integrator_(std::move(parts.integrator)),
        solver_(std::move(parts.solver)),
        constraint_(std::move(parts.constraint)) {
    detail::OutOfLine::prepare(*this);
  }

  // The System is constructed from a solid, which is stored; otherwise it is the first argument itself.
  static System system_from(Solid& solid) {
    if constexpr (has_solid) return detail::OutOfLine::make_system<System>(std::as_const(solid));
    else return std::move(solid);
  }
  struct NoSolid {};
  using SolidOrNothing = std::conditional_t<has_solid, Solid, NoSolid>;
  static SolidOrNothing kept(Solid& solid) {
    if constexpr (has_solid) return std::move(solid);
    else return {};
  }

  // Called by OutOfLine.
  void prepare() {
    this->prepare_system();
    if constexpr (!takes_contact_rows) contacts_.require_no_colliders();
    this->set_filter(filter_of(constraint_));
    integrator_.prepare(system_, integrator_workspace_);
    check_filter(filter_);
    if constexpr (Integrator::abilities.keeps_acceleration)
      state_.a = this->before_.a = system_.make_vector();
    if constexpr (has_solid) this->user_.positions = solid_.nodes();
  }

  StepReport advance() {
    if (half_built_) renew();
    const double dt = integrator_.time_step();
    if (!detail::integrator::time_advances(state_.time, dt)) {
      StepReport report = StepReport::without_residual();
      report.stop = StepStop::time_stands_still;
      this->report_failure(report);
      return report;
    }
    const double start = state_.time;
    this->begin_step();
    if constexpr (Workspace::abilities.steps) integrator_workspace_.begin_step();
    if constexpr (of_solver.follows_steps) solver_workspace_.begin_step();
    bool asking = false;
    const auto monitor = [&](const NewtonReport& newton) {
      if (!progress_) return true;
      asking = true;
      const bool goes_on = progress_({.time = start,
                                      .newton_iteration = newton.iterations,
                                      .linear_iteration = newton.linear.iterations,
                                      .residual = newton.gradient,
                                      .linear_residual = newton.linear.residual});
      asking = false;
      return goes_on;
    };
    StepReport report;
    try {
      auto contact = contacts_.begin_step(start, dt, state_.x);
      if (contact.moved_nodes()) state_.acceleration_known = false;
      const Context context{system_, filter_, contact, loads_, solver_, solver_workspace_};
      report = integrator_.step(context, state_, integrator_workspace_, monitor);
      if (report) this->check_step(report);
      if (report) {
        this->accept_step(report, dt);
        contact.accept();
      } else if (report.stop == StepStop::penetration) {
        const detail::contact::BlockedNode blocked = contact.blocked();
        report.blocked_node = this->user_number(blocked.node);
        report.blocking_colliders = blocked.colliders;
      }
    } catch (...) {  // of an allocation, or of a user's callback, path, energy or collider
      // The callback is only called while all data are consistent.
      half_built_ = !asking;
      undo_step();
      if constexpr (of_solver.follows_steps) solver_workspace_.step_undone();
      throw;
    }
    if (!report) {
      undo_step();
      if (report.stop != StepStop::inverted) report.inverted_elements = -1;
      this->report_failure(report);
      return report;
    }
    this->show();
    this->show_forces(integrator_workspace_.constraint_forces());
    this->end_step_forces();
    report.time = state_.time;
    return report;
  }

  void copy_state(SavedState& saved) const {
    saved.invalidate();
    detail::core::save_history(integrator_workspace_, saved.integrator_);
    detail::core::save_history(solver_workspace_, saved.solver_);
    this->save(saved);
  }

  void take_state(SavedState& saved) {
    if (half_built_) renew();
    this->check(saved);
    detail::core::check_history(integrator_workspace_, saved.integrator_);
    detail::core::check_history(solver_workspace_, saved.solver_);
    // Nothing throws after this point.
    this->restore(std::move(saved));
    detail::core::restore_history(integrator_workspace_, std::move(saved.integrator_));
    detail::core::restore_history(solver_workspace_, std::move(saved.solver_));
  }

  void take_integrator(Integrator& integrator) {
    integrator.check();
    if (half_built_) renew();
    half_built_ = true;  // until it is prepared, because an allocation may fail
    integrator.prepare(system_, integrator_workspace_);
    half_built_ = false;
    integrator_ = std::move(integrator);
  }

  void take_constraint(Constraint& constraint) {
    FilterType filter = filter_of(constraint);
    check_filter(filter);
    this->set_filter(std::move(filter));
    constraint_ = std::move(constraint);
    if constexpr (Workspace::abilities.follows_constraints) integrator_workspace_.constraints_changed();
  }

  void tell_of_new_state() {
    if constexpr (Workspace::abilities.follows_state) integrator_workspace_.state_changed();
  }

  // Called after a failed step or an exception.
  void undo_step() {
    this->restore_step();
    if constexpr (Workspace::abilities.steps) integrator_workspace_.step_undone();
  }

  // An exception may have left temporary data incomplete: everything is rebuilt except for the data that
  // persist from step to step.
  void renew() {
    make_anew<Workspace::abilities.keeps>(integrator_workspace_);
    make_anew<of_solver.follows_steps>(solver_workspace_);
    contacts_.renew();
    integrator_.prepare(system_, integrator_workspace_);
    half_built_ = false;
  }

  // Replaces a workspace by a new one, which takes over the data that persist from step to step.
  template <bool keeps, class W>
  static void make_anew(W& workspace) {
    if constexpr (std::movable<W>) {
      W fresh{};
      if constexpr (keeps) fresh.keep_from(workspace);
      workspace = std::move(fresh);
    }
  }

  SolidOrNothing solid_;
  Integrator integrator_;
  Solver solver_;
  Constraint constraint_;
  Workspace integrator_workspace_;
  SolverWorkspace solver_workspace_;
  bool half_built_ = false;  // an exception may have left the data of steps, or the workspaces, incomplete
  std::function<bool(const Progress&)> progress_;
};

template <class Solid, class Integrator, class... Rest>
Simulation(Solid, Integrator, Rest...)
    -> Simulation<Solid, Integrator,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::integrator::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
