// A System in motion: that part of a Simulation which depends on the type of the System alone.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/assembly/concept.hpp>
#include <pliant/contact/response/concept.hpp>
#include <pliant/contact/response/contacts.hpp>
#include <pliant/core/history.hpp>
#include <pliant/integrator/concept.hpp>
#include <pliant/potential/own_terms.hpp>
#include <pliant/simulation/energies_of_state.hpp>
#include <pliant/simulation/nodal_input.hpp>
#include <pliant/simulation/saved_state.hpp>
#include <pliant/simulation/state_before.hpp>

namespace pliant::detail {

// The number of the rigid bodies among the visible nodes of a System, which are the last ones.
template <class System>
int bodies_among(const System& system) {
  if constexpr (requires { system.mechanism(); }) return system.mechanism().body_count();
  else return 0;
}

// The System, its state, loads, constrained unknowns and contacts, and the user's view of them. It is
// compiled once for all integrators, solvers and constraints.
template <class SystemType>
class MovingSystem {
 public:
  using System = SystemType;
  using Scalar = typename System::Scalar;
  static constexpr int dim = System::space;
  using Positions = NodeMatrix<Scalar, dim>;

  MovingSystem(const MovingSystem&) = delete;
  MovingSystem& operator=(const MovingSystem&) = delete;

  const Positions& positions() const { return user_.positions; }    // [m]
  const Positions& velocities() const { return user_.velocities; }  // [m/s]
  double time() const { return state_.time; }                       // [s]

  // The positions of Copies relative to the translations of their poses, with smaller rounding errors than
  // those in the world if these are far from the origin; otherwise the positions themselves [m].
  const Positions& relative_positions() const {
    return relative() ? user_.relative_positions : user_.positions;
  }

  // The forces of constraints and colliders on the nodes at the end of the last step [N], dim x #nodes; with
  // CentralDifferences the mean forces of colliders over the step. Zero for nodes without constraint or
  // contact, and before the first step. The reaction of a floor to a body at rest balances its weight.
  const Positions& constraint_forces() const { return user_.constraint_forces; }

  // The part of the colliders, including friction [N].
  Positions collider_forces() const {
    Positions forces = Positions::Zero(dim, system_.visible_node_count());
    for (const Contact<dim>& contact : contacts()) {
      forces.col(contact.node) += contact.force.template cast<Scalar>();
    }
    if constexpr (contact::contacts_as_rows<System>) contacts_.show_body_forces(forces);
    return forces;
  }

  // The part of the constraints, without colliders [N]; at nodes that only touch a collider zero up to
  // rounding.
  Positions reaction_forces() const { return user_.constraint_forces - collider_forces(); }

  // The contacts of nodes with colliders at the end of the last step, with CentralDifferences in any of its
  // substeps; a node may touch several colliders.
  std::vector<Contact<dim>> contacts() const {
    std::vector<Contact<dim>> result;
    if constexpr (has_colliders) result = contacts_.active();
    for (Contact<dim>& contact : result) contact.node = user_number(contact.node);
    return result;
  }

  // In the next step the collider moves to another pose, and stays there. Both functions throw IndexError for
  // a collider that does not exist.
  void move_collider(int collider, const Pose<dim>& pose) { contacts_.move(collider, pose); }
  void remove_collider(int collider) { contacts_.remove(collider); }

  const System& system() const { return system_; }

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

  // Sets the time of the current state [s], an argument of terms and of the paths of moved nodes.
  void set_time(double time) {
    core::require_parameter(true, "time", time, "must be finite (s)");
    if (time == state_.time) return;
    state_.time = time;
    state_.acceleration_known = false;
  }

  // Acceleration of every node [m/s^2].
  void set_gravity(const SmallVector<double, dim>& gravity) {
    for (int axis = 0; axis < dim; ++axis) {
      require_finite<Scalar>("gravity", gravity(axis), "must be finite (m/s^2)");
    }
    user_.gravity = gravity;
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
    static_assert(core::always_false<Numbers...>,
                  "set_gravity takes a vector, in braces or of Eigen: set_gravity({0, -9.81, 0})");
  }

  // Sets a force on each node, dim x #nodes [N], which persists until it is set again. Its direction is fixed
  // in space, also if the unknowns are no positions.
  template <class Derived>
  void set_external_forces(const Eigen::MatrixBase<Derived>& forces) {
    Positions user = nodal("external forces", forces);
    system_.take_forces(state_.x, user, user_.external_forces);
    if constexpr (!System::abilities.constant_forces) user_.forces = std::move(user);
    update_loads();
  }

  // Adds a force [N] at a point of a face, the nodes of an edge in 2D, of a triangle in 3D, with the
  // barycentric coordinates of the point; it may be any nodes. The force acts in the next step that succeeds,
  // and not in later ones. Throws IndexError for a node that does not exist, ParameterError for a number that
  // is not finite and for coordinates whose sum is not 1.
  void add_force(const std::array<int, dim>& face, const SmallVector<double, dim>& barycentric,
                 const SmallVector<double, dim>& force) requires requires(const System& system) {
    system.internal_number(0);
  }
  {
    constexpr double rounding = 1e-9;
    core::require_parameter(std::abs(barycentric.sum() - 1) < rounding,
                            "add_force: sum of the barycentric coordinates", barycentric.sum(), "must be 1");
    const auto count = static_cast<int>(system_.visible_node_count() - bodies_among(system_));
    for (const int node : face) {
      if (node < 0 || node >= count) throw IndexError("add_force: node", node, count);
    }
    require_force(force);
    for (int k = 0; k < dim; ++k) {
      step_forces().node(system_.internal_number(face[static_cast<std::size_t>(k)])) +=
          (barycentric[k] * force).template cast<Scalar>();
    }
    update_loads();
  }

  // The same at a point [m] of a rigid body, in the world, at its present pose; with a pose that is set
  // afterwards its torque turns with the body. Throws IndexError for a body that does not exist.
  void add_force(int body, const SmallVector<double, 3>& at, const SmallVector<double, 3>& force) requires
      requires(const System& system) {
    system.mechanism();
  }
  {
    for (int k = 0; k < 3; ++k) {
      core::require_parameter(true, "add_force: point of a body", at[k], "must be finite (m)");
    }
    require_force(force);
    system_.mechanism().body(body);
    system_.add_force(state_.x, body, at, force, step_forces());
    update_loads();
  }

 protected:
  using Vector = typename System::Vector;
  using FilterType = typename System::Filter;
  static constexpr bool has_colliders =
      System::Contacts::takes_colliders || contact::contacts_as_rows<System>;

  // `make` returns the System; prepare_system() must follow.
  template <class Make>
  explicit MovingSystem(const Make& make) : system_(make()) {}

  // Sets the state of rest. There are no constraints yet.
  void prepare_system() {
    contacts_.prepare(system_);
    for (auto* vector : {&state_.x, &state_.v, &user_.external_forces, &loads_}) {
      *vector = system_.make_vector();
    }
    state_.x = system_.rest();
    user_.positions = user_.velocities = user_.constraint_forces =
        Positions::Zero(dim, system_.visible_node_count());
    if (relative()) user_.relative_positions = user_.positions;
    if constexpr (!System::abilities.exact_view) before_.x = before_.v = system_.make_vector();
    if constexpr (!System::abilities.constant_forces) before_.forces = system_.make_vector();
    show();
  }

  // Both functions throw SizeError for a wrong number of columns, ParameterError for a number that is not
  // finite.
  template <class Derived>
  void set_positions(const Eigen::MatrixBase<Derived>& positions) {
    user_.positions = nodal("positions", positions);
    state_.acceleration_known = false;
    system_.take_positions(user_.positions, state_.x);
    if constexpr (System::abilities.origins) {
      if (relative()) system_.to_user(state_.x, user_.relative_positions);
    }
    if constexpr (!System::abilities.exact_view) show();
    contacts_.release();
  }
  template <class Derived>
  void set_velocities(const Eigen::MatrixBase<Derived>& velocities) {
    user_.velocities = nodal("velocities", velocities);
    state_.acceleration_known = false;
    system_.take_velocities(state_.x, user_.velocities, state_.v);
    if constexpr (!System::abilities.exact_view) show();
  }

  void set_filter(FilterType filter) {
    contacts_.set_constraints(filter);
    filter_ = std::move(filter);
    state_.acceleration_known = false;
  }

  Energies all_energies() const { return with_elastic(system_.energy(state_.x)); }

  // Called before a step, which restore_step() takes back.
  void begin_step() {
    follow_forces();
    before_.take(system_, state_);
    filter_.stop_held(state_.v);
  }

  // Completes the report of an integrator. A state with a number that is not finite is a failed step.
  void check_step(StepReport& report) const {
    report.energies = with_elastic(report.energies.elastic);
    if (!state_finite(report.energies)) report.stop = StepStop::not_finite;
    else if (report.inverted_elements < 0) report.inverted_elements = system_.inverted_elements(state_.x).all;
  }

  // Called after a successful step of dt [s].
  void accept_step(StepReport& report, double dt) {
    potential::accept_terms(system_, {system_, state_.x, state_.v, state_.time, dt});
    if constexpr (System::abilities.own_state) {
      if (system_.end_step(state_.x, state_.v, state_.time, dt)) {
        state_.acceleration_known = false;
        report.energies = all_energies();
      }
    }
  }

  // Called at the end of a successful step: the forces of add_force have acted.
  void end_step_forces() {
    if (!user_.step_forces_act) return;
    user_.step_forces_act = false;
    update_loads();
  }

  // Called after a failed step or an exception.
  void restore_step() {
    if constexpr (System::abilities.exact_view) take_back();
    before_.give_back(system_, state_);
  }

  // The report of a step that has left the state as it was.
  void report_failure(StepReport& report) const {
    report.time = state_.time;
    report.energies = all_energies();
  }

  // Updates the user's arrays from the state.
  void show() {
    if constexpr (System::abilities.origins) {
      if (relative()) system_.positions_to_user(state_.x, user_.positions, user_.relative_positions);
      else system_.show_positions(state_.x, user_.positions);
    } else {
      system_.show_positions(state_.x, user_.positions);
    }
    system_.show_velocities(state_.x, state_.v, user_.velocities);
  }
  void show_forces(const Vector& forces) { system_.show_forces(state_.x, forces, user_.constraint_forces); }

  // The user's number of a node in the internal numbering; -1 for none.
  int user_number(int node) const { return node < 0 ? -1 : system_.user_number(node); }

  // Copies everything to `saved`, which becomes valid at the end.
  void save(SavedMotion<System>& saved) const {
    saved.time_ = state_.time;
    saved.user_ = user_;
    saved.acceleration_known_ = state_.acceleration_known;
    saved.a_ = state_.a;
    if constexpr (!System::abilities.exact_view) {
      saved.x_ = state_.x;
      saved.v_ = state_.v;
    }
    core::save_history(system_, saved.system_);
    contacts_.save(saved.contacts_);
    saved.terms_ = potential::terms_in(system_);
    saved.made_in_ = {system_, filter_};
  }

  // Throws StateError for a state of another simulation.
  void check(const SavedMotion<System>& saved) const {
    require_same(saved.made_in_, {system_, filter_}, system_);
    contacts_.check(saved.contacts_);
    core::check_history(system_, saved.system_);
  }

  // Throws nothing.
  void restore(SavedMotion<System>&& saved) {
    user_ = std::move(saved.user_);
    if constexpr (System::abilities.exact_view) {
      take_back();
    } else {
      state_.x = std::move(saved.x_);
      state_.v = std::move(saved.v_);
    }
    update_loads();
    state_.time = saved.time_;
    state_.acceleration_known = saved.acceleration_known_;
    if (state_.acceleration_known) state_.a = std::move(saved.a_);
    core::restore_history(system_, std::move(saved.system_));
    contacts_.restore(std::move(saved.contacts_));
    potential::restore_terms(system_, std::move(*saved.terms_));
  }

  System system_;
  FilterType filter_;
  State<Vector> state_;
  StateBefore<System> before_;
  typename System::Contacts contacts_;
  Vector loads_;  // external forces and gravity [N]
  UserValues<System> user_;

 private:
  // Whether positions in a step are relative to origins.
  bool relative() const {
    if constexpr (System::abilities.origins) return !system_.origins().all_zero();
    else return false;
  }

  // Updates the state from the user's arrays, which determine it exactly.
  void take_back() requires(System::abilities.exact_view) {
    if constexpr (System::abilities.origins) system_.to_internal(relative_positions(), state_.x);
    else system_.take_positions(user_.positions, state_.x);
    system_.take_velocities(state_.x, user_.velocities, state_.v);
  }

  // Values of the user's on the visible nodes.
  template <class Derived>
  Positions nodal(const char* what, const Eigen::MatrixBase<Derived>& values) const {
    const auto& numbers = values.derived().eval();
    require_nodal<Scalar, dim>(what, numbers, system_.visible_node_count());
    return numbers.template cast<Scalar>();
  }

  // Converts the user's forces for the current unknowns.
  void follow_forces() {
    if constexpr (!System::abilities.constant_forces) {
      if (user_.forces.cols() == 0) return;
      Vector& change = before_.forces;
      change.set_sum(user_.external_forces, Scalar(0), user_.external_forces);
      system_.take_forces(state_.x, user_.forces, user_.external_forces);
      change.add(Scalar(-1), user_.external_forces);
      if (!(change.norm() == 0)) update_loads();
    }
  }

  // The forces of the next step alone, zero at first.
  Vector& step_forces() {
    Vector& forces = user_.step_forces;
    if (forces.nodes() == 0) forces = system_.make_vector();
    if (!user_.step_forces_act) forces.set_sum(forces, Scalar(-1), forces);
    user_.step_forces_act = true;
    return forces;
  }
  template <int Size>
  static void require_force(const SmallVector<double, Size>& force) {
    for (int k = 0; k < Size; ++k) {
      require_finite<Scalar>("add_force: force", force[k], "must be finite (N)");
    }
  }

  // The potential of the user's forces [J].
  double external_energy() const {
    Positions rest(dim, system_.visible_node_count()), now = rest;
    system_.show_positions(system_.rest(), rest);
    system_.show_positions(state_.x, now);
    return -static_cast<double>(user_.forces.cwiseProduct(now - rest).sum());
  }

  void update_loads() {
    loads_.set_sum(user_.external_forces, Scalar(0), user_.external_forces);
    if (user_.step_forces_act) loads_.add(Scalar(1), user_.step_forces);
    system_.add_gravity(user_.gravity, loads_);
    state_.acceleration_known = false;
  }

  Energies with_elastic(double elastic) const {
    SmallVector<double, System::dim> gravity = SmallVector<double, System::dim>::Zero();
    if constexpr (System::dim == dim && !System::abilities.own_gravity) gravity = user_.gravity;
    Energies energies =
        energies_of_state(system_.mass(), system_.rest(), state_.x, state_.v, gravity, user_.external_forces);
    if constexpr (!System::abilities.constant_forces) {
      if (user_.forces.cols() > 0) energies.external = external_energy();
    }
    if constexpr (System::abilities.own_gravity) {
      energies.gravitational = system_.gravitational_energy(user_.gravity, state_.x);
    }
    energies.elastic = elastic;
    energies.terms = potential::stored_energy(system_, state_.x, state_.time);
    return energies;
  }

  // Whether the state with these energies is finite. Any number in it that is not finite makes an energy not
  // finite, so that the state itself is checked only in that case.
  bool state_finite(const Energies& energies) const {
    return state_.a.finite() &&
           (std::isfinite(energies.kinetic + energies.gravitational + energies.external) ||
            (state_.x.finite() && state_.v.finite()));
  }
};

}  // namespace pliant::detail
