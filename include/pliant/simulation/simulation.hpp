// The facade: a solid or another System, an integrator, a linear solver and constraints, advanced step by
// step.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <pliant/assembly/system.hpp>
#include <pliant/constraint/dense_filter.hpp>
#include <pliant/constraint/filter.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/contact/response/no_contacts.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/simulation/energies_of_state.hpp>
#include <pliant/simulation/nodal_input.hpp>
#include <pliant/simulation/plastic_solids.hpp>
#include <pliant/simulation/roles.hpp>
#include <pliant/simulation/saved_state.hpp>
#include <pliant/simulation/state_before.hpp>

namespace pliant {

namespace detail {

// Further functions of a Simulation for one type of System, which has a specialisation.
template <class SystemType, class Simulation>
class FunctionsOf {};

}  // namespace detail

// The types are chosen at compile time. Positions and velocities are in the user's node numbering, dim x
// #nodes.
template <class SolidType,       // a Solid, Bodies or Copies, or a System (assembly/concept.hpp)
          class IntegratorType,  // BackwardEuler, OptimizationEuler, Newmark, CentralDifferences, QuasiStatic
          class SolverType,      // Pcg<...>, Cholesky, Mprgp<...>; NoSolver if the integrator needs none
          class ConstraintType,  // Unconstrained, Pinned, Sliding, PrescribedMotion, ..., or several Together
          Isa isa = PLIANT_NATIVE_ISA>
class Simulation
    : public detail::FunctionsOf<SolidType,
                                 Simulation<SolidType, IntegratorType, SolverType, ConstraintType, isa>> {
 public:
  using Solid = SolidType;
  using Integrator = IntegratorType;
  using Solver = SolverType;
  using Constraint = ConstraintType;
  static constexpr bool has_solid = detail::assembly::IsSolid<Solid>;
  static_assert(has_solid || !detail::assembly::NamesSystemAbilities<Solid> ||
                    detail::assembly::DeclaresOwnState<Solid>,
                "a System has a History, save, restore and end_step if, and only if, its abilities say "
                ".own_state = true");
  static_assert(has_solid || !detail::assembly::NamesSystemAbilities<Solid> ||
                    detail::assembly::DeclaresTerms<Solid>,
                "a System has terms if, and only if, its abilities say .terms = true");
  static_assert(
      has_solid || ViewedSystem<Solid>,
      "the first argument of Simulation must be a Solid, Bodies or Copies, or a System of your own; "
      "see assembly/concept.hpp");
  using System = SystemOf<Solid, isa>;
  using Scalar = typename System::Scalar;
  static constexpr int dim = System::space;
  using Positions = NodeMatrix<Scalar, dim>;

  static_assert(
      pliant::Integrator<Integrator>,
      "the second argument of Simulation must be an integrator, e.g. BackwardEuler{.dt = 0.01}; see "
      "integrator/concept.hpp");
  static constexpr bool needs_solver = detail::needs_solver<Integrator>;
  static_assert(!needs_solver || pliant::LinearSolver<Solver, typename System::Matrix>,
                "the third argument of Simulation must be a linear solver, e.g. Pcg<BlockJacobi>{}; see "
                "linear_solver/concept.hpp");
  static_assert(needs_solver || (std::is_same_v<Solver, NoSolver> &&
                                 !detail::is_solver<typename System::Matrix, Constraint>),
                "this integrator solves no linear system, so that Simulation takes no solver: write "
                "Simulation(solid, integrator, constraints...)");
  static_assert(!System::abilities.rows || Integrator::abilities.takes_rows,
                "this integrator takes no joints: use BackwardEuler or OptimizationEuler");
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
             Constraint constraint = {}) requires(detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), std::move(solver), std::move(constraint)}) {
  }

  // The same with several constraints.
  template <class First, class Second, class... More>
  Simulation(Solid solid, Integrator integrator, Solver solver, First first, Second second,
             More... more) requires(detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), std::move(solver),
                         Constraint(std::move(first), std::move(second), std::move(more)...)}) {}

  // The same if the integrator needs no linear solver.
  Simulation(Solid solid, Integrator integrator,
             Constraint constraint = {}) requires(!detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{}, std::move(constraint)}) {}
  template <class First, class Second, class... More>
  Simulation(Solid solid, Integrator integrator, First first, Second second,
             More... more) requires(!detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{},
                         Constraint(std::move(first), std::move(second), std::move(more)...)}) {}

  // Can be neither copied nor moved, because its parts refer to each other. Keep it in place, or in a
  // std::unique_ptr. A second simulation that is constructed in the same way and gets state() continues
  // identically.
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Advances by one time step. If the report is false, the state is that before the step. It is so too if
  // memory runs out or a user's callback, path, energy or collider throws; the exception is passed on.
  [[nodiscard]] StepReport step() {
    if (half_built_) renew();
    if (!detail::time_advances(state_.time, integrator_.time_step())) {
      StepReport report = StepReport::without_residual();
      report.stop = StepStop::time_stands_still;
      report.time = state_.time;
      report.energies = energies();
      return report;
    }
    follow_forces();
    before_.take(system_, state_);
    if constexpr (Workspace::abilities.steps) integrator_workspace_.begin_step();
    if constexpr (of_solver.follows_steps) solver_workspace_.begin_step();
    filter_.stop_held(state_.v);
    bool asking = false;
    const auto monitor = [&](const NewtonReport& newton) {
      if (!progress_) return true;
      asking = true;
      const bool goes_on = progress_({.time = before_.time,
                                      .newton_iteration = newton.iterations,
                                      .linear_iteration = newton.linear.iterations,
                                      .residual = newton.gradient,
                                      .linear_residual = newton.linear.residual});
      asking = false;
      return goes_on;
    };
    StepReport report;
    try {
      auto contact = contacts_.begin_step(state_.time, integrator_.time_step(), state_.x);
      if (contact.moved_nodes()) state_.acceleration_known = false;
      const Context context{system_, filter_, contact, loads_, solver_, solver_workspace_};
      report = integrator_.step(context, state_, integrator_workspace_, monitor);
      if (report) {
        report.energies = with_elastic(report.energies.elastic);
        if (!state_finite(report.energies)) report.stop = StepStop::not_finite;
        else if (report.inverted_elements < 0)
          report.inverted_elements = system_.inverted_elements(state_.x).all;
      }
      if (report) {
        accept_terms(system_, {system_, state_.x, state_.v, state_.time, integrator_.time_step()});
        if constexpr (System::abilities.own_state) {
          if (system_.end_step(state_.x, state_.v, state_.time, integrator_.time_step())) {
            state_.acceleration_known = false;
            report.energies = energies();
          }
        }
        contact.accept();
      } else if (report.stop == StepStop::penetration) {
        const BlockedNode blocked = contact.blocked();
        report.blocked_node = user_number(blocked.node);
        report.blocking_colliders = blocked.colliders;
      }
    } catch (...) {  // of an allocation, or of a user's callback, path, energy or collider
      // The callback is only called while all data are consistent.
      half_built_ = !asking;
      restore();
      if constexpr (of_solver.follows_steps) solver_workspace_.step_undone();
      throw;
    }
    if (!report) {
      restore();
      if (report.stop != StepStop::inverted) report.inverted_elements = -1;
      report.time = state_.time;
      report.energies = energies();
      return report;
    }
    show();
    system_.show_forces(state_.x, integrator_workspace_.constraint_forces(), constraint_forces_);
    report.time = state_.time;
    return report;
  }

  const Positions& positions() const { return positions_; }    // [m]
  const Positions& velocities() const { return velocities_; }  // [m/s]
  double time() const { return state_.time; }                  // [s]

  // The positions of Copies relative to the translations of their poses, with smaller rounding errors than
  // those in the world if these are far from the origin; otherwise the positions themselves [m].
  const Positions& relative_positions() const { return relative() ? relative_positions_ : positions_; }

  // The forces of constraints and colliders on the nodes at the end of the last step [N], dim x #nodes; with
  // CentralDifferences the mean forces of colliders over the step. Zero for nodes without constraint or
  // contact, and before the first step. The reaction of a floor to a body at rest balances its weight.
  const Positions& constraint_forces() const { return constraint_forces_; }

  // The part of colliders in it, including friction [N]; the rest is that of the constraints.
  Positions collider_forces() const {
    Positions forces = Positions::Zero(dim, system_.visible_node_count());
    for (const Contact<dim>& contact : contacts()) {
      forces.col(contact.node) += contact.force.template cast<Scalar>();
    }
    return forces;
  }

  const Solid& solid() const requires(has_solid) { return solid_; }
  const auto& mesh() const requires(has_solid) { return solid_.mesh(); }  // of Bodies a MixedMesh
  const System& system() const { return system_; }
  const Constraint& constraint() const { return constraint_; }
  const Integrator& integrator() const { return integrator_; }
  const Solver& solver() const { return solver_; }

  // A term of `solid.with(term)`, by its type: the copy that is used in the steps.
  template <class Term>
  const Term& term() const {
    return std::get<Term>(system_.terms());
  }

  // Replaces the term of this type, for example to switch it on. A term that refers to data elsewhere must be
  // set again after these have changed, because the acceleration at the start of a step depends on it.
  template <class Term>
  void set_term(Term term) {
    std::get<Term>(system_.terms()) = std::move(term);
    state_.acceleration_known = false;
  }

  // Both functions throw SizeError for a wrong number of columns, ParameterError for a number that is not
  // finite.
  template <class Derived>
  void set_positions(const Eigen::MatrixBase<Derived>& positions) {
    set("positions", positions, positions_);
    system_.take_positions(positions_, state_.x);
    if constexpr (System::abilities.origins) {
      if (relative()) system_.to_user(state_.x, relative_positions_);
    }
    if constexpr (!System::abilities.exact_view) show();
    contacts_.release();
  }
  template <class Derived>
  void set_velocities(const Eigen::MatrixBase<Derived>& velocities) {
    set("velocities", velocities, velocities_);
    system_.take_velocities(state_.x, velocities_, state_.v);
    if constexpr (!System::abilities.exact_view) show();
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
  void copy_state_to(SavedState& saved) const {
    saved.made_in_ = {};
    saved.time_ = state_.time;
    saved.positions_ = positions_;
    saved.relative_positions_ = relative_positions_;
    saved.velocities_ = velocities_;
    saved.constraint_forces_ = constraint_forces_;
    saved.gravity_ = gravity_;
    saved.external_forces_ = external_forces_;
    saved.user_forces_ = user_forces_;
    saved.acceleration_known_ = state_.acceleration_known;
    saved.a_ = state_.a;
    if constexpr (!System::abilities.exact_view) {
      saved.x_ = state_.x;
      saved.v_ = state_.v;
    }
    detail::core::save_history(system_, saved.system_);
    contacts_.save(saved.contacts_);
    saved.terms_ = detail::terms_in(system_);
    detail::core::save_history(integrator_workspace_, saved.integrator_);
    detail::core::save_history(solver_workspace_, saved.solver_);
    saved.made_in_ = {system_, filter_};
  }

  // Restores a state of this simulation, or of one constructed in the same way. Throws StateError, without a
  // change, for a state with another mesh, rest shape, masses or poses, with other held or moved nodes, or
  // with other colliders.
  void set_state(SavedState saved) {
    if (half_built_) renew();
    detail::require_same(saved.made_in_, {system_, filter_}, system_);
    contacts_.check(saved.contacts_);
    detail::core::check_history(system_, saved.system_);
    detail::core::check_history(integrator_workspace_, saved.integrator_);
    detail::core::check_history(solver_workspace_, saved.solver_);
    // Nothing throws after this point.
    positions_ = std::move(saved.positions_);
    relative_positions_ = std::move(saved.relative_positions_);
    velocities_ = std::move(saved.velocities_);
    constraint_forces_ = std::move(saved.constraint_forces_);
    gravity_ = saved.gravity_;
    if constexpr (System::abilities.exact_view) {
      take_back();
    } else {
      state_.x = std::move(saved.x_);
      state_.v = std::move(saved.v_);
    }
    external_forces_ = std::move(saved.external_forces_);
    user_forces_ = std::move(saved.user_forces_);
    update_loads();
    state_.time = saved.time_;
    state_.acceleration_known = saved.acceleration_known_;
    if (state_.acceleration_known) state_.a = std::move(saved.a_);
    detail::core::restore_history(system_, std::move(saved.system_));
    contacts_.restore(std::move(saved.contacts_));
    restore_terms(system_, std::move(*saved.terms_));
    detail::core::restore_history(integrator_workspace_, std::move(saved.integrator_));
    detail::core::restore_history(solver_workspace_, std::move(saved.solver_));
  }

  template <class Other>
  void set_state(const Other&) requires(!std::is_same_v<Other, SavedState>) {
    static_assert(detail::core::always_false<Other>,
                  "set_state takes what state() of a Simulation has returned, whose solid, integrator and "
                  "solver are of the same types");
  }

  // Continues with other parameters, e.g. another dt. Throws ParameterError for one out of range.
  void set_integrator(Integrator integrator) {
    integrator.check();
    if (half_built_) renew();
    half_built_ = true;  // until it is prepared, because an allocation may fail
    integrator.prepare(system_, integrator_workspace_);
    half_built_ = false;
    integrator_ = std::move(integrator);
  }

  // Continues with other constraints, of the same types, without any other setup. Throws like the
  // constructor, and then keeps the old constraints.
  void set_constraint(Constraint constraint) {
    FilterType filter = filter_of(constraint);
    check(filter);
    contacts_.set_constraints(filter);
    filter_ = std::move(filter);
    constraint_ = std::move(constraint);
    state_.acceleration_known = false;
    if constexpr (Workspace::abilities.follows_constraints) integrator_workspace_.constraints_changed();
  }

  // Sets the time of the current state [s], an argument of terms and of the paths of moved nodes.
  void set_time(double time) {
    detail::core::require_parameter(true, "time", time, "must be finite (s)");
    if (time == state_.time) return;
    state_.time = time;
    state_.acceleration_known = false;
  }

  // Adds a collider, which nodes do not enter; returns its number. `path`, a function of the time [s], moves
  // it; without one it keeps its pose until move_collider. Throws ParameterError for an invalid collider,
  // surface or pose.
  int add_collider(AnyCollider<dim> collider, const Surface& surface = {},
                   std::function<Pose<dim>(double time)> path = nullptr) {
    static_assert(Integrator::abilities.knows_colliders, "this integrator knows no colliders");
    static_assert(System::Contacts::takes_colliders, "this System knows no colliders");
    return contacts_.add(std::move(collider), surface, std::move(path), state_.time);
  }

  // In the next step the collider moves to another pose, and stays there. Both functions throw IndexError for
  // a collider that does not exist.
  void move_collider(int collider, const Pose<dim>& pose) { contacts_.move(collider, pose); }
  void remove_collider(int collider) { contacts_.remove(collider); }

  // The contacts of nodes with colliders at the end of the last step, with CentralDifferences in any of its
  // substeps; a node may touch several colliders.
  std::vector<Contact<dim>> contacts() const {
    std::vector<Contact<dim>> result;
    if constexpr (System::Contacts::takes_colliders) result = contacts_.active();
    for (Contact<dim>& contact : result) contact.node = user_number(contact.node);
    return result;
  }

  // Acceleration of every node [m/s^2].
  void set_gravity(const SmallVector<double, dim>& gravity) {
    for (int axis = 0; axis < dim; ++axis) {
      detail::require_finite<Scalar>("gravity", gravity(axis), "must be finite (m/s^2)");
    }
    gravity_ = gravity;
    update_loads();
  }
  template <class Derived>
  void set_gravity(const Eigen::MatrixBase<Derived>& gravity) {
    constexpr bool fits = Derived::IsVectorAtCompileTime && Derived::SizeAtCompileTime == dim;
    static_assert(fits,
                  "set_gravity takes a vector of as many numbers as the mesh has dimensions: "
                  "set_gravity({0, -9.81, 0})");
    if constexpr (fits) set_gravity(SmallVector<double, dim>(gravity.template cast<double>()));
  }
  template <class... Numbers>
  void set_gravity(Numbers...) requires(sizeof...(Numbers) > 0 && (std::is_arithmetic_v<Numbers> && ...)) {
    static_assert(detail::core::always_false<Numbers...>,
                  "set_gravity takes a vector, in braces or of Eigen: set_gravity({0, -9.81, 0})");
  }

  // Sets a force on each node, dim x #nodes [N], which persists until it is set again. Its direction is fixed
  // in space, also if the unknowns are no positions.
  template <class Derived>
  void set_external_forces(const Eigen::MatrixBase<Derived>& forces) {
    const auto& values = forces.derived().eval();
    detail::require_nodal<Scalar, dim>("external forces", values, system_.visible_node_count());
    Positions user = values.template cast<Scalar>();
    system_.take_forces(state_.x, user, external_forces_);
    if constexpr (!System::abilities.constant_forces) user_forces_ = std::move(user);
    update_loads();
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

  // The energies of the current state [J].
  Energies energies() const { return with_elastic(system_.energy(state_.x)); }

 private:
  friend detail::FunctionsOf<SolidType, Simulation>;

  using Vector = typename System::Vector;
  using FilterType = typename System::Filter;
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

  // Whether positions in a step are relative to origins.
  bool relative() const {
    if constexpr (System::abilities.origins) return !system_.origins().all_zero();
    else return false;
  }

  // The user's number of a node in the internal numbering; -1 for none.
  int user_number(int node) const { return node < 0 ? -1 : system_.user_number(node); }

  FilterType filter_of(const Constraint& constraint) const {
    NodeConstraints<System::dim> held(system_.node_count());
    constraint.describe(held);
    return FilterType(held, system_);
  }

  void check(const FilterType& filter) const {
    if constexpr (Workspace::abilities.checks_constraints) {
      integrator_workspace_.check_constraints(system_, filter);
    }
  }

  // Updates the user's arrays from the state.
  void show() {
    if constexpr (System::abilities.origins) {
      if (relative()) system_.positions_to_user(state_.x, positions_, relative_positions_);
      else system_.show_positions(state_.x, positions_);
    } else {
      system_.show_positions(state_.x, positions_);
    }
    system_.show_velocities(state_.x, state_.v, velocities_);
  }

  // Updates the state from the user's arrays, which determine it exactly.
  void take_back() requires(System::abilities.exact_view) {
    if constexpr (System::abilities.origins) system_.to_internal(relative_positions(), state_.x);
    else system_.take_positions(positions_, state_.x);
    system_.take_velocities(state_.x, velocities_, state_.v);
  }

  // A solid is stored; a System is moved into system_.
  using SolidOrNothing = std::conditional_t<has_solid, Solid, std::optional<Solid>>;

  struct Parts {
    SolidOrNothing solid;
    Integrator integrator;
    Solver solver;
    Constraint constraint;
  };

  explicit Simulation(Parts parts)
      : solid_(std::move(parts.solid)),
        integrator_(std::move(parts.integrator)),
        solver_(std::move(parts.solver)),
        constraint_(std::move(parts.constraint)),
        system_((integrator_.check(), solver_.check(), system_from(solid_))) {
    filter_ = filter_of(constraint_);
    contacts_.prepare(system_);
    contacts_.set_constraints(filter_);
    integrator_.prepare(system_, integrator_workspace_);
    check(filter_);
    for (auto* vector : {&state_.x, &state_.v, &external_forces_, &loads_}) {
      *vector = system_.make_vector();
    }
    if constexpr (Integrator::abilities.keeps_acceleration) state_.a = before_.a = system_.make_vector();
    state_.x = system_.rest();
    positions_ = velocities_ = constraint_forces_ = Positions::Zero(dim, system_.visible_node_count());
    if (relative()) relative_positions_ = positions_;
    if constexpr (!System::abilities.exact_view) before_.x = before_.v = system_.make_vector();
    if constexpr (!System::abilities.constant_forces) before_.forces = system_.make_vector();
    show();
    if constexpr (has_solid) positions_ = solid_.nodes();
  }

  // The System is constructed from a solid; otherwise it is the first argument itself.
  static decltype(auto) system_from(SolidOrNothing& solid) {
    if constexpr (has_solid) return static_cast<const Solid&>(solid);
    else return std::move(*solid);
  }

  template <class Derived>
  void set(const char* what, const Eigen::MatrixBase<Derived>& values, Positions& user) {
    const auto& numbers = values.derived().eval();
    detail::require_nodal<Scalar, dim>(what, numbers, system_.visible_node_count());
    user = numbers.template cast<Scalar>();
    state_.acceleration_known = false;
    if constexpr (Workspace::abilities.follows_state) integrator_workspace_.state_changed();
  }

  // Called after a failed step or an exception.
  void restore() {
    if constexpr (System::abilities.exact_view) take_back();
    before_.give_back(system_, state_);
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

  // Converts the user's forces for the current unknowns.
  void follow_forces() {
    if constexpr (!System::abilities.constant_forces) {
      if (user_forces_.cols() == 0) return;
      Vector& change = before_.forces;
      change.set_sum(external_forces_, Scalar(0), external_forces_);
      system_.take_forces(state_.x, user_forces_, external_forces_);
      change.add(Scalar(-1), external_forces_);
      if (!(change.norm() == 0)) update_loads();
    }
  }

  // The potential of the user's forces [J].
  double external_energy() const {
    Positions rest(dim, system_.visible_node_count()), now = rest;
    system_.show_positions(system_.rest(), rest);
    system_.show_positions(state_.x, now);
    return -static_cast<double>(user_forces_.cwiseProduct(now - rest).sum());
  }

  void update_loads() {
    loads_.set_sum(external_forces_, Scalar(0), external_forces_);
    system_.add_gravity(gravity_, loads_);
    state_.acceleration_known = false;
  }

  Energies with_elastic(double elastic) const {
    SmallVector<double, System::dim> gravity = SmallVector<double, System::dim>::Zero();
    if constexpr (System::dim == dim && !System::abilities.own_gravity) gravity = gravity_;
    Energies energies = detail::energies_of_state(system_.mass(), system_.rest(), state_.x, state_.v, gravity,
                                                  external_forces_);
    if constexpr (!System::abilities.constant_forces) {
      if (user_forces_.cols() > 0) energies.external = external_energy();
    }
    if constexpr (System::abilities.own_gravity) {
      energies.gravitational = system_.gravitational_energy(gravity_, state_.x);
    }
    energies.elastic = elastic;
    energies.terms = stored_energy(system_, state_.x, state_.time);
    return energies;
  }

  // Whether the state with these energies is finite. Any number in it that is not finite makes an energy not
  // finite, so that the state itself is checked only in that case.
  bool state_finite(const Energies& energies) const {
    return state_.a.finite() &&
           (std::isfinite(energies.kinetic + energies.gravitational + energies.external) ||
            (state_.x.finite() && state_.v.finite()));
  }

  SolidOrNothing solid_;  // without value if the subject is a System
  Integrator integrator_;
  Solver solver_;
  Constraint constraint_;
  System system_;
  FilterType filter_;
  State<Vector> state_;
  detail::StateBefore<System> before_;
  typename System::Contacts contacts_;
  Vector external_forces_;  // on the unknowns [N]
  Positions user_forces_;   // from which they are converted in each step [N]; otherwise without columns
  Vector loads_;            // external forces and gravity [N]
  SmallVector<double, dim> gravity_ = SmallVector<double, dim>::Zero();
  Workspace integrator_workspace_;
  SolverWorkspace solver_workspace_;
  bool half_built_ = false;  // an exception may have left the data of steps, or the workspaces, incomplete
  Positions positions_, velocities_, constraint_forces_;
  Positions relative_positions_;  // of Copies, in the user's numbering
  std::function<bool(const Progress&)> progress_;
};

template <class Solid, class Integrator, class... Rest>
Simulation(Solid, Integrator, Rest...)
    -> Simulation<Solid, Integrator,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Solver,
                  typename detail::Roles<detail::needs_solver<Integrator>, Rest...>::Constraint>;

}  // namespace pliant
