// The facade: a solid, an integrator, a linear solver and constraints, advanced step by step.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <pliant/assembly/system.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/backward_euler.hpp>
#include <pliant/linear_solver/krylov/pcg.hpp>
#include <pliant/simulation/roles.hpp>
#include <pliant/simulation/saved_state.hpp>

namespace pliant {

// Composed at compile time. Positions and velocities are in the user's node numbering, dim x #nodes.
template <class SolidType,       // a Solid, Bodies or Copies
          class IntegratorType,  // BackwardEuler, OptimizationEuler, Newmark, CentralDifferences, QuasiStatic
          class SolverType,      // Pcg<...>, Cholesky, Mprgp<...>; NoSolver where the integrator needs none
          class ConstraintType,  // Unconstrained, Pinned, Sliding, PrescribedMotion, ..., or several Together
          Isa isa = PLIANT_NATIVE_ISA>
class Simulation {
 public:
  using Solid = SolidType;
  using Integrator = IntegratorType;
  using Solver = SolverType;
  using Constraint = ConstraintType;
  using Scalar = typename Solid::Scalar;
  static constexpr int dim = Solid::dim;
  using Positions = NodeMatrix<Scalar, dim>;

  static_assert(
      requires(const Solid& solid) { parts_of(solid); },
      "the first argument of Simulation must be a Solid, Bodies or Copies");
  static_assert(
      pliant::Integrator<Integrator>,
      "the second argument of Simulation must be an integrator, e.g. BackwardEuler{.dt = 0.01}; see "
      "integrator/concept.hpp");
  static_assert(!detail::needs_solver<Integrator> ||
                    pliant::LinearSolver<Solver, BlockMatrix<dim, Scalar, isa>>,
                "the third argument of Simulation must be a linear solver, e.g. Pcg<BlockJacobi>{}; see "
                "linear_solver/concept.hpp");
  static_assert(detail::needs_solver<Integrator> ||
                    (std::is_same_v<Solver, NoSolver> &&
                     !detail::is_solver<BlockMatrix<dim, Scalar, isa>, Constraint>),
                "this integrator solves no linear system, so that Simulation takes no solver: write "
                "Simulation(solid, integrator, constraints...)");
  static_assert(pliant::Constraint<Constraint, dim>,
                "the arguments of Simulation from the fourth on must be constraints, e.g. Pinned(nodes); see "
                "constraint/concept.hpp. From the third on, where the integrator needs no solver");

  using SavedState = pliant::SavedState<Solid, Integrator, Solver, isa>;

  // Starts at rest in the rest shape. Throws ParameterError for a parameter out of range and for constraints
  // that the integrator does not take, IndexError for a constrained node that does not exist.
  // (The third parameter is not deduced, so that the guide below says which argument is what.)
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

  // The same where the integrator solves no linear system.
  Simulation(Solid solid, Integrator integrator,
             Constraint constraint = {}) requires(!detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{}, std::move(constraint)}) {}
  template <class First, class Second, class... More>
  Simulation(Solid solid, Integrator integrator, First first, Second second,
             More... more) requires(!detail::needs_solver<IntegratorType>)
      : Simulation(Parts{std::move(solid), std::move(integrator), Solver{},
                         Constraint(std::move(first), std::move(second), std::move(more)...)}) {}

  // Not copied nor moved: its parts refer to each other. Keep it in place, or in a std::unique_ptr. A second
  // one that is made in the same way and given state() goes on as the first does.
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Advances by one time step. Where the report is false the state is what it was before, and so it is where
  // memory runs out or a user's callback, path, energy or collider throws, which is thrown on.
  [[nodiscard]] StepReport step() {
    if (half_built_) renew();
    if (!detail::time_advances(state_.time, integrator_.time_step())) {
      StepReport report = StepReport::without_residual();
      report.stop = StepStop::time_stands_still;
      report.time = state_.time;
      report.energies = energies();
      return report;
    }
    before_.take(state_);
    detail::begin_step(integrator_workspace_);
    detail::begin_step(solver_workspace_);
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
    const Context context{system_, filter_, contacts_, loads_, solver_, solver_workspace_};
    StepReport report;
    try {
      if (!contacts_.empty() && contacts_.start(state_.time, integrator_.time_step(), state_.x)) {
        state_.acceleration_known = false;
      }
      report = integrator_.step(context, state_, integrator_workspace_, monitor);
    } catch (...) {  // of an allocation, or of a user's callback, path, energy or collider
      // The callback is called where everything is whole.
      half_built_ = !asking;
      restore();
      detail::step_undone(solver_workspace_);
      contacts_.end(false);
      throw;
    }
    if (report) {
      report.energies = with_elastic(report.energies.elastic);
      if (!state_finite(report.energies)) report.stop = StepStop::not_finite;
      else if (report.inverted_elements < 0)
        report.inverted_elements = system_.inverted_elements(state_.x).all;
    }
    if (report.stop == StepStop::penetration) {
      const auto blocked = contacts_.blocked();
      report.blocked_node = user_number(blocked.node);
      report.blocking_colliders = blocked.colliders;
    }
    contacts_.end(static_cast<bool>(report));
    if (!report) {
      restore();
      if (report.stop != StepStop::inverted) report.inverted_elements = -1;
      report.time = state_.time;
      report.energies = energies();
      return report;
    }
    if (relative()) system_.positions_to_user(state_.x, positions_, relative_positions_);
    else system_.to_user(state_.x, positions_);
    system_.to_user(state_.v, velocities_);
    system_.to_user(integrator_workspace_.constraint_forces(), constraint_forces_);
    report.time = state_.time;
    return report;
  }

  const Positions& positions() const { return positions_; }    // [m]
  const Positions& velocities() const { return velocities_; }  // [m/s]
  double time() const { return state_.time; }                  // [s]

  // The positions of Copies relative to the translations of their poses, which floats round less than those
  // in the world where these are far; otherwise the positions themselves [m].
  const Positions& relative_positions() const { return relative() ? relative_positions_ : positions_; }

  // What constraints and colliders together exert on the nodes at the end of the last step [N], dim x #nodes,
  // of colliders with CentralDifferences the mean over it: zero where nothing holds or touches them, and
  // before the first step. The reaction of a floor to a body at rest is its weight.
  const Positions& constraint_forces() const { return constraint_forces_; }

  // The part of colliders in it, friction included [N]; the rest is that of the constraints.
  Positions collider_forces() const {
    Positions forces = Positions::Zero(dim, system_.node_count());
    for (const Contact<dim>& contact : contacts()) {
      forces.col(contact.node) += contact.force.template cast<Scalar>();
    }
    return forces;
  }

  const Solid& solid() const { return solid_; }
  const typename Solid::Mesh& mesh() const { return solid_.mesh(); }  // of Bodies a MixedMesh
  const Constraint& constraint() const { return constraint_; }
  const Integrator& integrator() const { return integrator_; }
  const Solver& solver() const { return solver_; }

  // Throw SizeError for a wrong number of columns, ParameterError for a number that is not finite.
  template <class Derived>
  void set_positions(const Eigen::MatrixBase<Derived>& positions) {
    set("positions", positions, positions_);
    system_.positions_to_internal(positions_, state_.x);
    if (relative()) system_.to_user(state_.x, relative_positions_);
    contacts_.let_go();
  }
  template <class Derived>
  void set_velocities(const Eigen::MatrixBase<Derived>& velocities) {
    set("velocities", velocities, velocities_);
    system_.to_internal(velocities_, state_.v);
  }

  // All that later steps depend on beside what the simulation is made of, see SavedState. Steps after
  // set_state have the same bits as those after state().
  SavedState state() const {
    SavedState saved;
    copy_state_to(saved);
    return saved;
  }

  // The same, into one that there is already, whose memory is used again. If it throws, no simulation takes
  // that one.
  void copy_state_to(SavedState& saved) const {
    saved.made_in_ = {};
    saved.time_ = state_.time;
    saved.positions_ = positions_;
    saved.relative_positions_ = relative_positions_;
    saved.velocities_ = velocities_;
    saved.constraint_forces_ = constraint_forces_;
    saved.gravity_ = gravity_;
    const auto copy = [&](const Vector& from, bool known, Positions& to) {
      to.resize(dim, known ? from.nodes() : 0);
      if (known) system_.to_user(from, to);
    };
    copy(external_forces_, true, saved.external_forces_);
    copy(state_.a, state_.acceleration_known, saved.accelerations_);
    contacts_.save(saved.contacts_);
    detail::save_history(integrator_workspace_, saved.integrator_);
    detail::save_history(solver_workspace_, saved.solver_);
    saved.made_in_ = {system_, filter_};
  }

  // Takes over the state of this simulation, or of one made in the same way. Throws StateError for a state of
  // another mesh, rest shape, masses or poses, of other nodes held or moved or of other colliders, and then
  // keeps its own.
  void set_state(SavedState saved) {
    if (half_built_) renew();
    detail::require_same(saved.made_in_, {system_, filter_}, system_.numbering());
    contacts_.check(saved.contacts_);
    detail::check_history(integrator_workspace_, saved.integrator_);
    detail::check_history(solver_workspace_, saved.solver_);
    // Nothing throws from here on.
    positions_ = std::move(saved.positions_);
    relative_positions_ = std::move(saved.relative_positions_);
    velocities_ = std::move(saved.velocities_);
    constraint_forces_ = std::move(saved.constraint_forces_);
    gravity_ = saved.gravity_;
    system_.to_internal(relative_positions(), state_.x);
    system_.to_internal(velocities_, state_.v);
    system_.to_internal(saved.external_forces_, external_forces_);
    update_loads();
    state_.time = saved.time_;
    state_.acceleration_known = saved.accelerations_.cols() > 0;
    if (state_.acceleration_known) system_.to_internal(saved.accelerations_, state_.a);
    contacts_.restore(std::move(saved.contacts_));
    detail::restore_history(integrator_workspace_, std::move(saved.integrator_));
    detail::restore_history(solver_workspace_, std::move(saved.solver_));
  }

  template <class Other>
  void set_state(const Other&) requires(!std::is_same_v<Other, SavedState>) {
    static_assert(detail::always_false<Other>,
                  "set_state takes what state() of a Simulation has returned, whose solid, integrator and "
                  "solver are of the same types");
  }

  // Goes on with other parameters, e.g. another dt. Throws ParameterError for one out of range.
  void set_integrator(Integrator integrator) {
    integrator.check();
    if (half_built_) renew();
    half_built_ = true;  // until it is prepared: an allocation may fail
    integrator.prepare(system_, integrator_workspace_);
    half_built_ = false;
    integrator_ = std::move(integrator);
  }

  // Goes on with other constraints, of the same types; nothing else is built again. Throws as the constructor
  // does, and then keeps the old ones.
  void set_constraint(Constraint constraint) {
    FilterType filter = filter_of(constraint);
    check(filter);
    contacts_.set_constraints(filter);
    filter_ = std::move(filter);
    constraint_ = std::move(constraint);
    state_.acceleration_known = false;
    if constexpr (requires { integrator_workspace_.constraints_changed(); }) {
      integrator_workspace_.constraints_changed();
    }
  }

  // The time of the present state [s], which paths of moved nodes see.
  void set_time(double time) {
    detail::require_parameter(true, "time", time, "must be finite (s)");
    state_.time = time;
  }

  // Adds a collider, which nodes do not enter; returns its number. `path`, a function of the time [s], moves
  // it; without one it stays where it was made until move_collider. Throws ParameterError for a collider, a
  // surface or a pose that makes no sense.
  int add_collider(AnyCollider<dim> collider, const Surface& surface = {},
                   std::function<Pose<dim>(double time)> path = nullptr) {
    static_assert(detail::knows_colliders<Integrator>, "this integrator knows no colliders");
    return contacts_.add(std::move(collider), surface, std::move(path), state_.time);
  }

  // The next step takes a collider to another pose, where it stays. Both throw IndexError for a collider that
  // is not there.
  void move_collider(int collider, const Pose<dim>& pose) { contacts_.move(collider, pose); }
  void remove_collider(int collider) { contacts_.remove(collider); }

  // Which colliders pressed on which nodes at the end of the last step, of CentralDifferences in any of its
  // substeps; a node may press on several.
  std::vector<Contact<dim>> contacts() const {
    std::vector<Contact<dim>> result = contacts_.pressing();
    for (Contact<dim>& contact : result) {
      contact.node = user_number(contact.node);
    }
    return result;
  }

  // Acceleration of every node [m/s^2].
  void set_gravity(const SmallVector<double, dim>& gravity) {
    for (int axis = 0; axis < dim; ++axis) {
      require_finite("gravity", gravity(axis), "must be finite (m/s^2)");
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
    static_assert(detail::always_false<Numbers...>,
                  "set_gravity takes a vector, in braces or of Eigen: set_gravity({0, -9.81, 0})");
  }

  // A force on each node, dim x #nodes [N], kept until it is set again.
  template <class Derived>
  void set_external_forces(const Eigen::MatrixBase<Derived>& forces) {
    const auto& values = forces.derived().eval();
    require_nodal("external forces", values);
    system_.to_internal(values, external_forces_);
    update_loads();
  }

  // `callback(const Progress&)` is called before each Newton iteration and every 64 iterations of the linear
  // solver, by CentralDifferences before each substep, by OperatorSplitting once at the start of a step. It
  // may return false to cancel the step; what it throws leaves the state as it was before the step. An empty
  // function, or nullptr, ends the calls.
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

  // Of the present state [J].
  Energies energies() const { return with_elastic(system_.energy(state_.x)); }

 private:
  using SystemType = ElasticSystem<Solid, isa>;
  using Vector = typename SystemType::Vector;
  using FilterType = Filter<dim, Scalar, isa>;
  using SolverWorkspace = typename Solver::template Workspace<BlockMatrix<dim, Scalar, isa>>;
  using Context = StepContext<SystemType, FilterType, Solver, SolverWorkspace>;
  static_assert(IntegratorFor<Integrator, Context>,
                "the integrator lacks prepare or step, see integrator/concept.hpp");

  // Whether positions in a step are relative to those of the world.
  bool relative() const { return !system_.origins().all_zero(); }

  // Of a node in the internal numbering; -1 for none.
  int user_number(int node) const {
    return node < 0 ? -1 : system_.numbering().to_user[static_cast<std::size_t>(node)];
  }

  FilterType filter_of(const Constraint& constraint) const {
    NodeConstraints<dim> held(system_.node_count());
    constraint.describe(held);
    return FilterType(held, SystemType::rest_nodes(solid_), system_.numbering(), system_.pattern(),
                      system_.origins());
  }

  void check(const FilterType& filter) const {
    if constexpr (requires { integrator_workspace_.check_constraints(system_, filter); }) {
      integrator_workspace_.check_constraints(system_, filter);
    }
  }

  void prepare_contacts() {
    const auto& rest = SystemType::rest_nodes(solid_);
    const double size = static_cast<double>(rest.cwiseAbs().maxCoeff());
    double length = 0;
    std::ptrdiff_t edges = 0;
    const BlockPattern& pattern = system_.pattern();
    const auto& user = system_.numbering().to_user;
    for (std::ptrdiff_t i = 0; i < pattern.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (int k = pattern.row_begin[row] + 1; k < pattern.row_begin[row + 1]; ++k) {
        const int j = pattern.columns[static_cast<std::size_t>(k)];
        const auto edge = rest.col(user[row]) - rest.col(user[static_cast<std::size_t>(j)]);
        length += static_cast<double>(edge.norm());
        ++edges;
      }
    }
    const double spacing = edges > 0 ? length / static_cast<double>(edges) : size;
    contacts_.prepare(system_.node_count(), spacing, size, system_.origins());
    contacts_.set_constraints(filter_);
  }

  struct Parts {
    Solid solid;
    Integrator integrator;
    Solver solver;
    Constraint constraint;
  };

  explicit Simulation(Parts parts)
      : solid_(std::move(parts.solid)),
        integrator_(std::move(parts.integrator)),
        solver_(std::move(parts.solver)),
        constraint_(std::move(parts.constraint)),
        system_((integrator_.check(), solver_.check(), solid_)) {
    filter_ = filter_of(constraint_);
    prepare_contacts();
    integrator_.prepare(system_, integrator_workspace_);
    check(filter_);
    for (auto* vector : {&state_.x, &state_.v, &external_forces_, &loads_}) {
      *vector = system_.make_vector();
    }
    if constexpr (detail::keeps_acceleration<Integrator>) state_.a = before_.a = system_.make_vector();
    state_.x = system_.rest();
    positions_ = solid_.nodes();
    if (relative()) relative_positions_ = SystemType::rest_nodes(solid_);
    velocities_ = constraint_forces_ = Positions::Zero(dim, system_.node_count());
  }

  // Throws unless a value is finite as a Scalar; `node` may be told.
  static void require_finite(const char* what, double value, const char* requirement,
                             std::ptrdiff_t node = -1) {
    if (std::abs(value) <= static_cast<double>(std::numeric_limits<Scalar>::max())) return;
    throw ParameterError(what + (node < 0 ? std::string() : " of node " + std::to_string(node)), value,
                         requirement);
  }

  template <class Derived>
  void require_nodal(const char* what, const Eigen::MatrixBase<Derived>& values) const {
    static_assert(Derived::RowsAtCompileTime == dim || Derived::RowsAtCompileTime == Eigen::Dynamic,
                  "a nodal quantity is a matrix of dim rows and one column per node");
    detail::require_size(what, ": rows", values.rows(), dim);
    detail::require_size(what, ": columns", values.cols(), system_.node_count());
    for (std::ptrdiff_t i = 0; i < values.cols(); ++i) {
      for (int axis = 0; axis < dim; ++axis) {
        require_finite(what, static_cast<double>(values(axis, i)), "must be finite", i);
      }
    }
  }

  template <class Derived>
  void set(const char* what, const Eigen::MatrixBase<Derived>& values, Positions& user) {
    const auto& numbers = values.derived().eval();
    require_nodal(what, numbers);
    user = numbers.template cast<Scalar>();
    state_.acceleration_known = false;
    if constexpr (requires { integrator_workspace_.state_changed(); }) integrator_workspace_.state_changed();
  }

  // After a step that failed or was broken off: the user's arrays still tell the state before it.
  void restore() {
    system_.to_internal(relative_positions(), state_.x);
    system_.to_internal(velocities_, state_.v);
    before_.give_back(state_);
    detail::step_undone(integrator_workspace_);
  }

  // An exception may have left anything that a step builds half built: all is made anew but what is
  // remembered from step to step.
  void renew() {
    detail::renew(integrator_workspace_);
    detail::renew(solver_workspace_);
    contacts_.renew();
    integrator_.prepare(system_, integrator_workspace_);
    half_built_ = false;
  }

  void update_loads() {
    for (std::ptrdiff_t i = 0; i < loads_.nodes(); ++i) {
      loads_.node(i) =
          external_forces_.node(i) + system_.mass().node(i).cwiseProduct(gravity_.template cast<Scalar>());
    }
    state_.acceleration_known = false;
  }

  Energies with_elastic(double elastic) const {
    using Row = Lane<double, Vector::stride, isa>;
    const auto wide = [](const typename Vector::Row& row) { return convert<Row>(row); };
    Row gravity(0);
    for (int axis = 0; axis < dim; ++axis) set_lane(gravity, axis, gravity_(axis));
    Energies energies =
        parallel_sum<Energies>(state_.x.nodes(), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
          Row kinetic(0), gravitational(0), external(0);
          for (std::ptrdiff_t i = begin; i < end; ++i) {
            const Row v = wide(state_.v.row(i)), mass = wide(system_.mass().row(i)),
                      moved = wide(state_.x.row(i) - system_.rest().row(i));
            kinetic = multiply_add(mass * v, v, kinetic);
            gravitational = multiply_add(mass * gravity, moved, gravitational);
            external = multiply_add(wide(external_forces_.row(i)), moved, external);
          }
          return Energies{
              .kinetic = sum(kinetic) / 2, .gravitational = -sum(gravitational), .external = -sum(external)};
        });
    energies.elastic = elastic;
    return energies;
  }

  // Whether the state is, whose energies are given. A number of it that is not finite makes one of them so:
  // only then it is worth a look.
  bool state_finite(const Energies& energies) const {
    return state_.a.finite() &&
           (std::isfinite(energies.kinetic + energies.gravitational + energies.external) ||
            (state_.x.finite() && state_.v.finite()));
  }

  // What positions_ and velocities_ do not tell of the state before a step.
  struct Before {
    Vector a;
    bool acceleration_known = false;
    double time = 0;

    void take(const State<Vector>& state) {
      a.set_sum(state.a, Scalar(0), state.a);
      acceleration_known = state.acceleration_known;
      time = state.time;
    }
    void give_back(State<Vector>& state) {
      std::swap(state.a, a);
      state.acceleration_known = acceleration_known;
      state.time = time;
    }
  };

  Solid solid_;
  Integrator integrator_;
  Solver solver_;
  Constraint constraint_;
  SystemType system_;
  FilterType filter_;
  State<Vector> state_;
  Before before_;
  Contacts<Vector> contacts_;
  Vector external_forces_;  // [N]
  Vector loads_;            // external forces and gravity [N]
  SmallVector<double, dim> gravity_ = SmallVector<double, dim>::Zero();
  typename Integrator::template Workspace<SystemType, FilterType> integrator_workspace_;
  SolverWorkspace solver_workspace_;
  bool half_built_ = false;  // whatever steps have built, or the workspaces
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
