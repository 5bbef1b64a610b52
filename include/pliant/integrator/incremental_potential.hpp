// The function whose minimum is a step of an implicit integrator.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/contact_passes.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/integrator/rounding.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant {

// How inertia and damping weigh in a step. Numbers that an integrator computes in its own way, so that none
// is rounded twice.
template <class Scalar>
struct IncrementalWeights {
  double dt;            // of the step [s]
  Scalar time_squared;  // s: inertia is M (u - p) / s [s^2]
  Scalar damping_time;  // T: damping is C (u - c) / T [s]
  Scalar ratio;         // s / T [s]
  double contact_time;  // what a force of contact acts through, as far as the potential is concerned [s]
};

// The function that a step minimises over its displacement u:
//   |u - p|_M^2 / (2 s) + E(x + u) + alpha |u - c|_M^2 / (2 T) + T/2 sum_e w_e G':beta C:G',
// p the displacement that loads and inertia alone would make, c the one that would end at rest: (u - c) / T
// is the velocity at the end. Backward Euler: s = dt^2, T = dt, p = dt v + dt^2 M^-1 f, c = 0.
// The last two terms are the potentials of damping. That of stiffness damping sums over the quadrature points
// of volume w_e (viscosity.hpp); G' is the rate of Green's strain G at the end by the rule that makes a
// velocity of u,
//   G' = (G(x + u) - G(x) - sym(F^T grad c)) / T,   F = dx/dX.
// For a linear body that is (u - c).beta K (u - c) / (2 T). No turn of the body changes it, and its force has
// no moment about the new positions. The unknown is the displacement and not the new position because the
// difference of two positions has few digits left, in float and far from the origin.
template <class SystemType, class FilterType>
class IncrementalPotential {
 public:
  using Scalar = typename SystemType::Scalar;
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  using Weights = IncrementalWeights<Scalar>;

  struct Workspace {
    Vector predicted;   // p [m]; the integrator fills it
    Vector standstill;  // c [m], the same; without nodes where it is zero
    Vector relative;    // u - c [m], where c is not zero
    Vector prescribed;  // what the constraints ask of u [m]
    Vector position;    // x + u [m]
    Vector elastic;     // dE/dx at x + u [N]
    Vector scratch;
    Vector held;  // the constraints' forces on the nodes, which balance the last gradient [N]
    FreeBodiesOf<SystemType> bodies;
  };

  // Whether rounding may decide how bodies move as wholes, see FreeBodies.
  static constexpr bool balances_bodies = pliant::balances_bodies<SystemType>;

  // `predicted` and `standstill` of the workspace are read from the first evaluation on, `prescribed` is
  // known from here.
  template <class Context>
  IncrementalPotential(const Context& context, const State<Vector>& start, const Weights& weights,
                       const Newton& newton, Workspace& workspace)
      : system_(context.system),
        filter_(context.filter),
        start_(start),
        contacts_(context.contacts),
        w_(workspace),
        weights_(weights),
        damps_mass_(system_.mass_damping().nodes() > 0),
        damps_stiffness_(system_.stiffness_damping() > 0),
        rubs_(contacts_.rubs()),
        wants_rounding_(newton.require_convergence || newton.line_search) {
    constraints_move_ = filter_.prescribe(start_.time + weights.dt, weights.dt, start_.x, w_.prescribed);
    const Vector& mass = system_.mass();
    Vector& momenta = w_.position;
    mass.for_each_block([&](std::ptrdiff_t i) { momenta.set_block(i, mass.block(i) * start_.v.block(i)); });
    known_forces_ = context.loads.norm() + static_cast<double>(momenta.norm()) / weights.dt;
    if constexpr (balances_bodies) w_.bodies.follow_constraints(filter_);
  }

  // The step the body would make if it were not elastic.
  void predict(Vector& step) const {
    step.set_sum(w_.predicted, Scalar(0), w_.predicted);
    filter_.apply(step);
  }

  double gradient(const Vector& u, Vector& g) {
    system_.move(start_.x, u, w_.position);
    elastic_ = system_.gradient(w_.position, w_.elastic);
    return add_inertia_and_damping(u, Projection::none, g, nullptr);
  }

  double tangent(const Vector& u, Projection projection, Vector& g, Matrix& A) {
    const bool first = first_elastic_force_ < 0;  // u = 0
    system_.move(start_.x, u, w_.position);
    elastic_ = system_.tangent(w_.position, projection, Scalar(1), w_.elastic, A);
    if (first) first_elastic_force_ = static_cast<double>(w_.elastic.norm());
    if (wants_rounding_) {
      rounding_.estimate(A, w_.position, static_cast<double>(w_.elastic.norm()), g, w_.scratch);
    }
    const double value = add_inertia_and_damping(u, projection, g, &A);
    if (rubs_) contacts_.friction_stiffness(u, weights_.contact_time, g, A);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      auto block = A.diagonal(i);
      Scalar least = -std::numeric_limits<Scalar>::infinity();
      if constexpr (balances_bodies) {
        // Less would be lost in the rounding of the stiffness, which can then be indefinite.
        if (w_.bodies.moves(i)) least = least_weight * block.trace();
      }
      for (int axis = 0; axis < Vector::dim; ++axis) {
        const Scalar drag = damps_mass_ ? weights_.ratio * system_.mass_damping().node(i)(axis) : Scalar(0);
        const Scalar weight = (system_.mass().node(i)(axis) + drag) / weights_.time_squared;
        block(axis, axis) += std::max(weight, least);
      }
    }
    return value;
  }

  // Puts bodies where the forces on them balance, see FreeBodies; g is the gradient at u, and follows.
  void balance_bodies(Vector& u, Vector& g) requires(balances_bodies) {
    using Row = typename decltype(w_.bodies)::Row;
    const auto wide = [](const Vector& vector, std::ptrdiff_t i) { return convert<Row>(vector.row(i)); };
    const double per_time_squared = 1 / static_cast<double>(weights_.time_squared);
    const double per_time = damps_mass_ ? 1 / static_cast<double>(weights_.damping_time) : 0;
    const bool stands = damps_mass_ && w_.standstill.nodes() > 0;
    const auto inertia = [&](std::ptrdiff_t i) {
      return per_time_squared * static_cast<double>(system_.mass().node(i)(0));
    };
    const auto drag = [&](std::ptrdiff_t i) {
      return damps_mass_ ? per_time * static_cast<double>(system_.mass_damping().node(i)(0)) : 0;
    };
    const auto weight = [&](std::ptrdiff_t i) { return inertia(i) + drag(i); };
    const auto force = [&](std::ptrdiff_t i) {
      const Row u_i = wide(u, i);
      Row result = Row(inertia(i)) * (u_i - wide(w_.predicted, i));
      if (damps_mass_) result += Row(drag(i)) * (stands ? u_i - wide(w_.standstill, i) : u_i);
      return result;
    };
    // What is not solved to its end may hold moments.
    const bool turns = wants_rounding_ && !system_.rotation_changes_energy();
    w_.bodies.balance(start_.x, contacts_, weights_.contact_time, turns, weight, force, u, g);
  }

  void constrain(Vector& g) const { filter_.split(g, w_.held); }
  void constrain(Matrix& A) const { filter_.apply(A); }
  bool constraints_move() const { return constraints_move_; }
  void prescribe(const Vector& u, Vector& d) const { filter_.remaining(w_.prescribed, u, d); }
  auto& bounds() { return contacts_.bounds(); }
  double contact_time() const { return weights_.contact_time; }

  // The size of the forces whose balance the step seeks [N]; known after the first tangent.
  double force_scale() const {
    double elastic = first_elastic_force_;
    if (constraints_move_) elastic = std::max(elastic, static_cast<double>(w_.elastic.norm()));
    return known_forces_ + elastic;
  }

  double force_rounding() const { return rounding_.of_forces(); }
  double value_rounding() const { return rounding_.of_values(inertia_ + dissipation_ + std::abs(elastic_)); }

  // The positions of the last value [m].
  const Vector& position() const { return w_.position; }

  // The elastic part of the last value [J].
  double elastic_energy() const { return elastic_; }

 private:
  using Block = typename Vector::Block;

  // Of a node in the matrix, relative to the trace of its stiffness [-].
  static constexpr Scalar least_weight = std::numeric_limits<Scalar>::epsilon();

  // What is added to the elastic energy just evaluated, to its gradient and, of the stiffness damping, to A
  // where it is given.
  double add_inertia_and_damping(const Vector& u, Projection projection, Vector& g, Matrix* A) {
    const Vector& mass = system_.mass();
    const Block per_time(1 / weights_.damping_time), per_time_squared(1 / weights_.time_squared);
    const Scalar twice_inertia = u.sum_blocks([&](std::ptrdiff_t i) {
      const Block ahead = u.block(i) - w_.predicted.block(i);
      const Block force = per_time_squared * mass.block(i) * ahead;
      g.set_block(i, w_.elastic.block(i) + force);
      return force * ahead;
    });
    inertia_ = static_cast<double>(twice_inertia) / 2;
    dissipation_ = rubs_ ? contacts_.friction(u, weights_.contact_time, g) : 0;
    if (!damps_mass_ && !damps_stiffness_) return inertia_ + elastic_ + dissipation_;
    const bool stands = w_.standstill.nodes() > 0;
    if (damps_mass_) {
      if (stands) w_.relative.set_sum(u, Scalar(-1), w_.standstill);
      const Vector& moved = stands ? w_.relative : u;
      const Scalar twice = u.sum_blocks([&](std::ptrdiff_t i) {
        const Block force = per_time * system_.mass_damping().block(i) * moved.block(i);
        g.set_block(i, g.block(i) + force);
        return force * moved.block(i);
      });
      dissipation_ += static_cast<double>(twice) / 2;
    }
    if (damps_stiffness_) {
      const double time = static_cast<double>(weights_.damping_time);
      dissipation_ += system_.add_damping({&start_.x, &u, time, stands ? &w_.standstill : nullptr, -1 / time},
                                          projection, g, A);
    }
    return inertia_ + elastic_ + dissipation_;
  }

  SystemType& system_;
  const FilterType& filter_;
  const State<Vector>& start_;
  typename SystemType::Contacts& contacts_;
  Workspace& w_;
  Weights weights_;
  bool damps_mass_, damps_stiffness_, rubs_;
  bool wants_rounding_;
  bool constraints_move_;
  Rounding rounding_;
  double known_forces_ = 0;                             // external, and momentum per dt [N]
  double first_elastic_force_ = -1;                     // at the start of the step [N]
  double elastic_ = 0, inertia_ = 0, dissipation_ = 0;  // parts of the last value [J]
};

// What a step needs besides the state.
template <class SystemType, class FilterType>
struct IncrementalWorkspace {
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  using Potential = IncrementalPotential<SystemType, FilterType>;

  typename Potential::Workspace potential;
  NewtonWorkspace<Vector, Matrix> newton;
  Vector displacement;  // of the step [m]

  // Of the constraints on the nodes, at the end of the last step [N].
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

  // `has_standstill`: the displacement that would end at rest is not zero.
  void prepare(const SystemType& system, const Newton& parameters, bool has_standstill = false) {
    newton.prepare(system, parameters);
    if (displacement.nodes() == system.node_count()) return;
    for (Vector* vector : {&potential.predicted, &potential.prescribed, &potential.position,
                           &potential.elastic, &potential.scratch, &potential.held, &displacement}) {
      *vector = system.make_vector();
    }
    if (has_standstill) potential.standstill = potential.relative = system.make_vector();
    if constexpr (Potential::balances_bodies) potential.bodies.find(newton.hessian.pattern());
  }

  void constraints_changed() { potential.bodies.forget_constraints(); }
};

// Leaves the minimiser of a potential, whose workspace is filled, in w.displacement.
template <class Context, class Potential, class Monitor>
StepReport minimize_increment(const Context& context, const State<typename Context::Vector>& state,
                              Potential& potential, const Newton& newton,
                              IncrementalWorkspace<typename Context::System, typename Context::Filter>& w,
                              Monitor&& monitor) {
  w.displacement.set_zero();
  potential.predict(w.newton.step);
  StepReport report = minimize_with_contacts(context, potential, newton, state.x, w.potential, w.newton,
                                             w.displacement, monitor);
  if (report) context.contacts.finish(state.x, w.displacement);
  report.energies.elastic = potential.elastic_energy();
  blame_element(report, context.system, potential.position());
  return report;
}

// Advances the state by a step of backward Euler of length dt [s], the minimum of its incremental potential.
template <class Context, class Monitor>
StepReport minimize_incremental_potential(
    const Context& context, State<typename Context::Vector>& state, double dt, const Newton& newton,
    IncrementalWorkspace<typename Context::System, typename Context::Filter>& w, Monitor&& monitor) {
  using Scalar = typename Context::Scalar;
  using Block = typename Context::Vector::Block;
  const auto h = static_cast<Scalar>(dt);
  IncrementalPotential<typename Context::System, typename Context::Filter> potential(
      context, state, {dt, h * h, h, h, dt}, newton, w.potential);
  const auto& mass = context.system.mass();
  mass.for_each_block([&](std::ptrdiff_t i) {
    const Block a = detail::per_mass<Block>(context.loads.block(i), mass.block(i));
    const Block velocity = multiply_add(Block(h), a, state.v.block(i));
    w.potential.predicted.set_block(i, Block(h) * velocity);
  });
  StepReport report = minimize_increment(context, state, potential, newton, w, monitor);
  if (!report) return report;

  const Block time(h);
  state.v.for_each_block([&](std::ptrdiff_t i) { state.v.set_block(i, w.displacement.block(i) / time); });
  displace(context.system, state.x, w.displacement, w.potential.position);
  state.time += dt;
  return report;
}

}  // namespace pliant
