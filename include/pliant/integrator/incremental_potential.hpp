// The function that a step of an implicit integrator minimises.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/contact_passes.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/integrator/newton_with_rows.hpp>
#include <pliant/integrator/row_passes.hpp>
#include <pliant/nonlinear_solver/newton.hpp>
#include <pliant/potential/friction.hpp>
#include <pliant/potential/mass_parabola.hpp>
#include <pliant/potential/step_potential.hpp>
#include <pliant/potential/stiffness_damping.hpp>

namespace pliant::detail::integrator {

// The weights of inertia and damping in a step. Each integrator computes these numbers itself, so that none
// is rounded twice.
template <class Scalar>
struct IncrementalWeights {
  double dt;            // of the step [s]
  Scalar time_squared;  // s: inertia is M (u - p) / s [s^2]
  Scalar damping_time;  // T: damping is C (u - c) / T [s]
  Scalar ratio;         // s / T [s]
  double contact_time;  // duration for which a contact force acts, in the potential [s]
  double row_end = 1;   // weight of the end of the step in the forces of compliant rows
};

// The function that a step minimises over its displacement u:
//   |u - p|_M^2 / (2 s) + E(x + u) + alpha |u - c|_M^2 / (2 T) + T/2 sum_e w_e G':beta C:G',
// with the displacement p due to loads and inertia alone, and the displacement c that ends at rest: (u - c) /
// T is the velocity at the end. Backward Euler: s = dt^2, T = dt, p = dt v + dt^2 M^-1 f, c = 0. The last two
// terms are the potentials of damping. That of stiffness damping sums over the quadrature points of volume
// w_e (viscosity.hpp); G' is the rate of Green's strain G at the end, by the rule that turns u into a
// velocity,
//   G' = (G(x + u) - G(x) - sym(F^T grad c)) / T,   F = dx/dX.
// For a linear body it is (u - c).beta K (u - c) / (2 T). It is invariant under rotations of the body, and
// its force has no moment about the new positions. The unknown is the displacement and not the new position,
// because the difference of two positions has few significant digits in float far from the origin. Additional
// terms of the System are added as they are.
template <class SystemType, class FilterType>
class IncrementalPotential
    : public potential::StepPotential<
          SystemType, FilterType, potential::MassParabola<typename SystemType::Vector>,
          potential::Friction<typename SystemType::Contacts::Step>,
          potential::MassParabola<typename SystemType::Vector>, potential::StiffnessDamping<SystemType>> {
 public:
  using Scalar = typename SystemType::Scalar;
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  using Weights = IncrementalWeights<Scalar>;
  using Base =
      potential::StepPotential<SystemType, FilterType, potential::MassParabola<Vector>,
                               potential::Friction<typename SystemType::Contacts::Step>,
                               potential::MassParabola<Vector>, potential::StiffnessDamping<SystemType>>;

  struct Workspace : Base::Workspace {
    Vector predicted;   // p [m]; set by the integrator
    Vector standstill;  // c [m], set by the integrator; without nodes if it is zero
    FreeBodiesOf<SystemType> bodies;

    // `has_standstill`: c is not zero.
    void prepare(const SystemType& system, bool has_standstill) {
      Base::Workspace::prepare(system);
      predicted = system.make_vector();
      if (has_standstill) standstill = system.make_vector();
    }
  };

  // Whether rounding may determine the rigid motion of bodies, see FreeBodies.
  static constexpr bool balances_bodies = pliant::detail::integrator::balances_bodies<SystemType>;

  // Whether the step is that of RowMinimization, see newton_with_rows.hpp.
  static constexpr bool rows_and_elasticity = SystemType::abilities.rows && !SystemType::abilities.rows_alone;

  // `predicted` and `standstill` of the workspace are read in evaluations, and must be set before the first;
  // `prescribed` is set by the constructor.
  template <class Context>
  IncrementalPotential(const Context& context, const State<Vector>& start, const Weights& weights,
                       const Newton& newton, Workspace& workspace)
      : Base(context.system, context.filter, context.contacts, start.x, start.v, start.time + weights.dt,
             weights.dt, weights.contact_time,
             {{context.system.mass(), workspace.predicted, weights.time_squared},
              {context.contacts, weights.contact_time},
              {context.system.mass_damping(), workspace.standstill, weights.damping_time},
              {context.system, start.x, workspace.standstill, static_cast<double>(weights.damping_time)}},
             workspace),
        w_(workspace),
        contacts_(context.contacts),
        weights_(weights) {
    this->wants_rounding_ = newton.require_convergence || newton.line_search;
    this->follows_forces_ = rows_and_elasticity;  // the forces of joints arise in the iterations
    const Vector& mass = context.system.mass();
    Vector& momenta = w_.position;
    mass.for_each_block([&](std::ptrdiff_t i) { momenta.set_block(i, mass.block(i) * start.v.block(i)); });
    if constexpr (rows_and_elasticity) {
      // Without the loads and momenta of rigid bodies, which may be a thousand times larger.
      double loads = 0, squares = 0;
      for (std::ptrdiff_t i = 0; i < context.system.soft_node_count(); ++i) {
        loads += static_cast<double>(context.loads.node(i).squaredNorm());
        squares += static_cast<double>(momenta.node(i).squaredNorm());
      }
      this->known_forces_ = std::sqrt(loads) + std::sqrt(squares) / weights.dt;
    } else {
      this->known_forces_ = context.loads.norm() + static_cast<double>(momenta.norm()) / weights.dt;
    }
    if constexpr (balances_bodies) w_.bodies.follow_constraints(context.filter);
  }

  // The length of the step [s].
  double dt() const { return weights_.dt; }

  // How the forces of rows act in the potential.
  RowStep row_step() const { return {weights_.dt, weights_.contact_time / weights_.dt, weights_.row_end}; }

  // The step of the body without its elasticity.
  void predict(Vector& step) const {
    step.set_sum(w_.predicted, Scalar(0), w_.predicted);
    this->filter_.apply(step);
  }

  // The part of inertia and mass damping in the tangent, of a node and an axis [N/m].
  Scalar inertia(std::ptrdiff_t i, int axis) const {
    const Scalar mass = inertia().weight(i, axis) + weights_.ratio * drag().weight(i, axis);
    return mass / weights_.time_squared;
  }

  double tangent(const Vector& u, Projection projection, Vector& g, Matrix& A) {
    const double value = Base::tangent(u, projection, g, A);
    if constexpr (balances_bodies) w_.bodies.follow_pattern(A.shared_pattern());
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      auto block = A.diagonal(i);
      Scalar least = -std::numeric_limits<Scalar>::infinity();
      if constexpr (balances_bodies) {
        // A smaller value would be lost in the rounding of the stiffness, which could then be indefinite.
        if (w_.bodies.moves(i)) least = least_weight * block.trace();
      }
      for (int axis = 0; axis < Vector::dim; ++axis) block(axis, axis) += std::max(inertia(i, axis), least);
    }
    return value;
  }

  // Moves bodies to the positions at which the forces on them balance, see FreeBodies; updates g, the
  // gradient at u. Does nothing if terms of the System are active, because they may hold a body in unknown
  // ways.
  void balance_bodies(Vector& u, Vector& g) requires(balances_bodies) {
    if (this->own_active_) return;
    using Row = typename decltype(w_.bodies)::Row;
    const auto weight = [&](std::ptrdiff_t i) { return inertia().stiffness(i) + drag().stiffness(i); };
    const auto force = [&](std::ptrdiff_t i) {
      Row result = inertia().template gradient<Row>(u, i);
      if (drag().active()) result += drag().template gradient<Row>(u, i);
      return result;
    };
    // A solution that is not converged may contain moments.
    const bool turns = this->wants_rounding_ && !this->system_.rotation_changes_energy();
    w_.bodies.balance(this->x_, contacts_, weights_.contact_time, turns, weight, force, u, g);
  }

 private:
  // The smallest mass term of a node in the matrix, relative to the trace of its stiffness [-].
  static constexpr Scalar least_weight = std::numeric_limits<Scalar>::epsilon();

  const potential::MassParabola<Vector>& inertia() const { return std::get<0>(this->terms_); }
  const potential::MassParabola<Vector>& drag() const { return std::get<2>(this->terms_); }

  Workspace& w_;
  typename SystemType::Contacts::Step& contacts_;
  Weights weights_;
};

// The data of a step besides the state.
template <class SystemType, class FilterType>
struct IncrementalWorkspace {
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  using Potential = IncrementalPotential<SystemType, FilterType>;

  typename Potential::Workspace potential;
  NewtonWorkspace<Vector, Matrix> newton;
  Vector displacement;  // of the step [m]

  // The forces of constraints on the nodes, at the end of the last step [N].
  const Vector& constraint_forces() const { return potential.held; }

  static constexpr WorkspaceAbilities abilities{
      .history = true, .steps = true, .keeps = true, .follows_constraints = true};

  // See core/history.hpp.
  using History = typename NewtonWorkspace<Vector, Matrix>::History;
  void save(History& history) const { newton.save(history); }
  void restore(History&& history) { newton.restore(std::move(history)); }

  void begin_step() { newton.bounded.begin_step(); }
  void step_undone() { newton.bounded.step_undone(); }
  void keep_from(IncrementalWorkspace& other) { newton.bounded.keep_from(other.newton.bounded); }

  // `has_standstill`: whether the displacement that ends at rest is nonzero.
  void prepare(const SystemType& system, const Newton& parameters, bool has_standstill = false) {
    newton.prepare(system, parameters);
    if (displacement.nodes() == system.node_count()) return;
    potential.prepare(system, has_standstill);
    displacement = system.make_vector();
    if constexpr (Potential::balances_bodies) potential.bodies.find(newton.hessian.pattern());
  }

  void constraints_changed() { potential.bodies.forget_constraints(); }
};

// Sets w.displacement to the minimiser of a potential, whose workspace has been filled.
template <class Context, class Potential>
Minimized<Context> minimize_increment(
    const Context& context, const State<typename Context::Vector>& state, Potential& potential,
    const Newton& newton, IncrementalWorkspace<typename Context::System, typename Context::Filter>& w,
    NewtonMonitor monitor) {
  w.displacement.set_zero();
  potential.predict(w.newton.step);
  if constexpr (Potential::rows_and_elasticity) {
    StepReport report =
        minimize_with_rows(context, potential, newton, state.x, w.newton, w.displacement, monitor);
    report.energies.elastic = potential.elastic_energy();
    blame_element(report, context.system, potential.position());
    if (report) report.contacts = context.contacts.end_rows(w.potential.held);
    return {std::move(report)};
  } else if constexpr (Context::System::abilities.rows) {
    potential.tangent(w.displacement, Projection::none, w.newton.gradient, w.newton.hessian);
    StepReport report = satisfy_rows(context, state.x, potential.row_step(), w.newton.hessian, w.newton.step,
                                     w.displacement, w.potential.position, monitor);
    w.potential.held.set_zero();
    if (report) report.contacts = context.contacts.end_rows(w.potential.held);
    return {std::move(report)};
  } else {
    Minimized<Context> result = minimize_with_contacts(context, potential, newton, state.x, w.potential,
                                                       w.newton, w.displacement, monitor);
    StepReport& report = result.report;
    if (report && result.contact) result.contact->finish(state.x, w.displacement);
    report.energies.elastic = potential.elastic_energy();
    blame_element(report, context.system, potential.position());
    return result;
  }
}

// Advances the state by a step of backward Euler of length dt [s], the minimum of its incremental potential.
template <class Context>
StepReport minimize_incremental_potential(
    const Context& context, State<typename Context::Vector>& state, double dt, const Newton& newton,
    IncrementalWorkspace<typename Context::System, typename Context::Filter>& w, NewtonMonitor monitor) {
  using Scalar = typename Context::Scalar;
  using Block = typename Context::Vector::Block;
  const auto h = static_cast<Scalar>(dt);
  IncrementalPotential<typename Context::System, typename Context::Filter> potential(
      context, state, {dt, h * h, h, h, dt}, newton, w.potential);
  const auto& mass = context.system.mass();
  mass.for_each_block([&](std::ptrdiff_t i) {
    const Block a = per_mass<Block>(context.loads.block(i), mass.block(i));
    const Block velocity = simd::multiply_add(Block(h), a, state.v.block(i));
    w.potential.predicted.set_block(i, Block(h) * velocity);
  });
  StepReport report = minimize_increment(context, state, potential, newton, w, monitor).report;
  if (!report) return report;

  const Block time(h);
  state.v.for_each_block([&](std::ptrdiff_t i) { state.v.set_block(i, w.displacement.block(i) / time); });
  if constexpr (Context::System::abilities.turns_rates) {
    context.system.turn_rates(state.x, w.displacement, state.v);
  }
  displace(context.system, state.x, w.displacement, w.potential.position);
  state.time += dt;
  return report;
}

}  // namespace pliant::detail::integrator
