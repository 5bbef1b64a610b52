// Explicit time integration.
#pragma once

#include <algorithm>
#include <cmath>

#include <pliant/integrator/acceleration.hpp>
#include <pliant/integrator/free_bodies.hpp>
#include <pliant/integrator/stable_step.hpp>

namespace pliant {

// Central differences in the form of velocity Verlet, without any linear system:
//   v' = v + h/2 a,   x+ = x + h v',   a+ = M^-1 (f - dE/dx(x+) - D(x+) v') - alpha v+,
//   v+ = v' + h/2 a+.
// The method is of second order and, without damping, symplectic: the energy oscillates about a constant
// value, and linear and angular momentum are exact. Mass damping is implicit, node by node, and of second
// order as well. Stiffness damping lags by half a step, so that it is accurate to first order, and shortens
// the stable step from 2 / omega to (2 / omega) (sqrt(1 + zeta^2) - zeta), with zeta = beta omega / 2 of the
// highest mode.
//
// The step is divided into as many substeps as stability requires; `dt` is the length of a frame. The highest
// frequency is bounded from above for the current tangent (stable_step.hpp), at the start and the end of each
// step and after every `renewal` substeps: if the body has stiffened so that the last substeps were too long,
// they are undone and repeated with a shorter length. A bound costs several times as much as a substep, so
// that many substeps per step are cheaper than many steps. If more than `max_substeps` are necessary, the
// step fails with StepStop::too_stiff, and the report contains the stable step.
//
// Linear stability is not sufficient for a long run without damping: if h omega of the highest modes is close
// to sqrt(3) or sqrt(2), resonances of third and fourth order transfer energy to these modes, and the total
// energy grows (Schlick, Mandziuk, Skeel, Srinivas 1998, "Nonlinear resonance artifacts in molecular dynamics
// simulations"). The default of `safety`, sqrt(2) / 2, stays below both.
//
// A node that x + h v' would move into a collider is projected to its surface, which changes v'; for a node
// that touches a collider at x+, the component of v+ into it is removed. The impulses of these two
// corrections, with those of friction and drag, are the only effect of contact: linear momentum is exact with
// them, each correction contributes half of the force on a node at rest on a collider, and an impact leaves
// no velocity along the normal. Each correction is the projection to the nearest admissible displacement or
// velocity, so that a collider at rest removes energy and adds none.
struct CentralDifferences {
  double dt = 0.01;         // [s]
  double safety = 0.7;      // maximum of the substep relative to the longest stable one, (0, 1)
  int max_substeps = 1000;  // per step
  int renewal = 10;         // substeps between two bounds of the frequency

  static constexpr IntegratorAbilities abilities{
      .keeps_acceleration = true, .needs_solver = false, .knows_colliders = true};

  template <class SystemType, class FilterType>
  struct Workspace {
    using Vector = typename SystemType::Vector;
    using Matrix = typename SystemType::Matrix;
    State<Vector> start;          // to which substeps may be undone
    Vector half_way;              // v' [m/s]
    Vector displacement;          // of the moved nodes in a substep [m]
    Vector substep_displacement;  // displacement of all nodes in a substep, if colliders or terms need it [m]
    Vector elastic, drag;         // dE/dx + D v', the unbalanced force [N]
    Vector held;                  // forces on the nodes in the last step [N]: see constraint_forces
    Matrix matrix;                // K [N/m], D [N s/m]
    double stable = 0;            // the longest stable step after the last step [s]
    double length = 0;            // of the substeps at the end of the last step [s]
    Vector first_x, first_v;      // at the start of the step, if bodies are balanced [m], [m/s]
    detail::integrator::FreeBodiesOf<SystemType> bodies;

    static constexpr WorkspaceAbilities abilities{
        .history = true, .keeps = true, .follows_constraints = true};

    void constraints_changed() { bodies.forget_constraints(); }

    struct History {  // see core/history.hpp
      double stable = 0, length = 0;
    };
    void save(History& history) const { history = {stable, length}; }
    void restore(History&& history) { stable = history.stable, length = history.length; }
    void keep_from(const Workspace& other) { stable = other.stable, length = other.length; }

    // The forces of constraints at the end of the step, and the mean forces of colliders.
    const Vector& constraint_forces() const { return held; }
  };

  double time_step() const { return dt; }

  void check() const {
    detail::core::require_parameter(dt > 0, "CentralDifferences::dt", dt, "must be positive (s)");
    detail::core::require_parameter(safety > 0 && safety < 1, "CentralDifferences::safety", safety,
                                    "must lie in (0, 1)");
    detail::core::require_parameter(max_substeps >= 1, "CentralDifferences::max_substeps", max_substeps,
                                    "must be at least 1");
    detail::core::require_parameter(renewal >= 1, "CentralDifferences::renewal", renewal,
                                    "must be at least 1");
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& w) const {
    if (w.half_way.nodes() == system.node_count()) return;
    for (auto* vector : {&w.start.x, &w.start.v, &w.start.a, &w.half_way, &w.displacement,
                         &w.substep_displacement, &w.elastic, &w.drag, &w.held}) {
      *vector = system.make_vector();
    }
    w.matrix = system.make_matrix();
    if constexpr (detail::integrator::balances_bodies<SystemType>) {
      w.first_x = w.first_v = w.held;
      w.bodies.find(w.matrix.pattern());
    }
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& w,
                  NewtonMonitor monitor) const {
    StepReport report = StepReport::without_residual();
    const auto stopped = [&](StepStop stop) {
      report.stop = stop;
      blame_element(report, context.system, state.x);
      return report;
    };
    const bool bounded = state.acceleration_known && w.stable > 0;
    if (!state.acceleration_known && !detail::integrator::find_acceleration(context, dt, state, w.elastic)) {
      return stopped(StepStop::energy_undefined);
    }
    double stable = bounded ? w.stable : stable_step(context, state, w);
    auto contact = context.contacts.begin_explicit();
    if constexpr (detail::integrator::balances_bodies<typename Context::System>) {
      w.first_x.set_sum(state.x, 0, state.x);
      w.first_v.set_sum(state.v, 0, state.v);
    }
    const double start = state.time;
    bool known = true;  // whether the stiffness after the last substep was finite
    double done = 0;    // of dt [s]
    double length = 0;  // of a substep [s]
    while (done < dt) {
      if (!(stable > 0)) return stopped(StepStop::energy_undefined);
      report.stable_dt = stable;
      // The length of substeps changes only if stability requires it; it is dt if that is stable.
      if (length == 0 || length > safety * stable * (1 + rounding)) {
        double count = substeps_in(dt - done, safety * stable);
        if (length == 0 && w.length > 0) {
          const double kept = substeps_in(dt, w.length);
          if (count < kept && count > worth_a_change * kept && kept <= max_substeps) count = kept;
        }
        length = (dt - done) / count;
      }
      if (!detail::integrator::time_advances(state.time, length)) return stopped(StepStop::time_stands_still);
      const double left = std::max(1.0, std::round((dt - done) / length));
      if (report.substeps + left > max_substeps) {
        return stopped(known ? StepStop::too_stiff : StepStop::energy_undefined);
      }
      const int count = static_cast<int>(std::min<double>(left, renewal));
      w.start.copy(state);
      contact.keep_forces();
      double begun = done;
      for (int k = 1; k <= count; ++k) {
        if (!monitor(detail::integrator::progress_without_residual(report.substeps)))
          return stopped(StepStop::cancelled);
        ++report.substeps;
        const double ended = k == left ? dt : done + k * length;
        const double end = start + ended;
        context.contacts.set_interval(state.time, end, begun / dt, ended / dt);
        begun = ended;
        const auto near_colliders = advance(context, contact, state, w, end, length);
        if (!near_colliders) return stopped(StepStop::penetration);
        report.energies.elastic = accelerate(context, *near_colliders, state, w, end, length, k == left);
        if (!std::isfinite(report.energies.elastic)) return stopped(StepStop::energy_undefined);
      }
      stable = stable_step(context, state, w);
      known = stable > 0;
      if (length <= stable) {
        done = count == left ? dt : done + count * length;
      } else {  // too long; if the body has diverged, the bound at its end may be meaningless
        stable = std::max(stable, length / (2 * safety));
        state.copy(w.start);
        contact.restore_forces();
      }
    }
    if (!(state.x.finite() && state.v.finite() && state.a.finite())) return stopped(StepStop::not_finite);
    report.stable_dt = w.stable = stable;
    w.length = length;
    report.contacts = std::move(contact).end(w.held);
    if constexpr (detail::integrator::balances_bodies<typename Context::System>) balance(context, state, w);
    return report;
  }

 private:
  static constexpr double rounding = 1e-9;
  // The stable step of an oscillating body varies all the time, and energy drifts if the substeps follow it:
  // they become longer only if their number falls below this fraction of the previous one.
  static constexpr double worth_a_change = 0.75;

  // How many substeps of at most `longest` [s] make up a time [s].
  static double substeps_in(double time, double longest) {
    return std::max(1.0, std::ceil(time / longest * (1 - rounding)));
  }

  // Rounding errors accumulate: the more substeps, the smaller the motion in each of them and the larger the
  // lost fraction. This corrects the mean velocity of each body to the momentum that it has got from loads
  // and colliders in the step and, without colliders, its mean position accordingly. It does nothing if there
  // are mass damping or terms of the System, because their forces are not included in the balance.
  template <class Context, class W>
  void balance(const Context& context, State<typename Context::Vector>& state, W& w) const {
    using Vector = typename Context::Vector;
    using Row = typename decltype(w.bodies)::Row;
    if (context.system.mass_damping().nodes() > 0 || detail::potential::any_term_active(context.system))
      return;
    const auto wide = [](const Vector& vector, std::ptrdiff_t i) {
      return simd::convert<Row>(vector.row(i));
    };
    const auto mass = [&](std::ptrdiff_t i) { return static_cast<double>(context.system.mass().node(i)(0)); };
    w.bodies.follow_constraints(context.filter);
    w.bodies.follow_pattern(w.matrix.shared_pattern());
    w.bodies.translate(
        mass,
        [&](std::ptrdiff_t i) {
          return Row(mass(i)) * (wide(state.v, i) - wide(w.first_v, i)) -
                 Row(dt) * (wide(context.loads, i) + wide(w.held, i));
        },
        state.v);
    if (!context.contacts.empty()) return;
    w.bodies.translate(
        mass,
        [&](std::ptrdiff_t i) {
          const Row change = wide(state.x, i) - wide(w.first_x, i);
          return Row(mass(i)) * (change - Row(dt / 2) * (wide(state.v, i) + wide(w.first_v, i)));
        },
        state.x);
  }

  // The longest stable step at the current positions [s]; zero if their stiffness is not finite.
  template <class Context, class W>
  double stable_step(const Context& context, const State<typename Context::Vector>& state, W& w) const {
    using Scalar = typename Context::Scalar;
    auto& system = context.system;
    (void)system.tangent(state.x, Projection::none, Scalar(1), w.elastic, w.matrix);
    detail::potential::add_terms<Evaluate::tangent>(system, state.x, nullptr, state.time, dt, w.elastic,
                                                    &w.matrix);
    const double stiffness =
        detail::integrator::bound_eigenvalues(context.filter, system.mass(), w.matrix, w.drag, w.half_way);
    double damping = 0;
    if (system.stiffness_damping() > 0) {
      w.matrix.set_zero();
      (void)system.add_damping({.start = &state.x}, Projection::clamp, w.elastic, &w.matrix);
      damping =
          detail::integrator::bound_eigenvalues(context.filter, system.mass(), w.matrix, w.drag, w.half_way);
    }
    return detail::integrator::longest_stable_step(stiffness, damping);
  }

  // Computes v' and x+ of a substep of length h [s] to the time `end` [s]. Returns the nodes near
  // colliders, or nothing if some node cannot be kept out.
  template <class Context, class Contact, class W>
  auto advance(const Context& context, Contact& contact, State<typename Context::Vector>& state, W& w,
               double end, double length) const {
    using Scalar = typename Context::Scalar;
    using Block = typename Context::Vector::Block;
    const auto h = static_cast<Scalar>(length);
    auto& half_way = w.half_way;

    detail::potential::begin_terms(
        context.system, TermState<typename Context::System>(context.system, state.x, state.v, end, length));
    context.filter.prescribe(end, length, state.x, w.displacement);
    half_way.for_each_block([&](std::ptrdiff_t i) {
      half_way.set_block(i, simd::multiply_add(Block(h / 2), state.a.block(i), state.v.block(i)));
    });
    context.filter.apply(half_way);
    if (detail::potential::has_terms<typename Context::System> || !context.contacts.empty()) {
      w.substep_displacement.set_sum(w.displacement, h, half_way);
    }
    const auto mass = [&](int node) { return static_cast<double>(context.system.mass().node(node)(0)); };
    const auto bounded = contact.put_back(
        state.x, w.displacement, {.dt = length, .weight = length / dt}, mass, w.substep_displacement,
        [&](int node) {
          half_way.node(node) = (w.substep_displacement.node(node) - w.displacement.node(node)) / h;
        });
    if (!bounded) return bounded;
    if constexpr (Context::System::abilities.adds_displacements) {
      state.x.add(h, half_way);
      context.filter.for_each_moved(
          [&](int node, const auto&) { state.x.node(node) += w.displacement.node(node); });
    } else {
      w.substep_displacement.set_sum(w.displacement, h, half_way);
      displace(context.system, state.x, w.substep_displacement, w.elastic);
    }
    context.filter.for_each_moved([&](int node, const auto&) {
      half_way.node(node) += w.displacement.node(node) / h;  // zero before
    });
    return bounded;
  }

  // Computes a+ and v+; returns the elastic energy [J]. In the last substep of a step also computes the
  // forces of the constraints.
  template <class Context, class Bounded, class W>
  double accelerate(const Context& context, const Bounded& bounded, State<typename Context::Vector>& state,
                    W& w, double end, double length, bool is_last) const {
    using Scalar = typename Context::Scalar;
    using Block = typename Context::Vector::Block;
    auto& system = context.system;
    const auto& mass = system.mass();
    const auto h = static_cast<Scalar>(length);
    const auto& half_way = w.half_way;

    const double energy = system.gradient(state.x, w.elastic);
    if (system.stiffness_damping() > 0) {
      (void)system.add_damping({.start = &state.x, .velocity = &half_way}, Projection::none, w.elastic);
    }
    detail::potential::add_terms<Evaluate::gradient>(system, state.x, &w.substep_displacement, end, length,
                                                     w.elastic);
    const bool damps_mass = system.mass_damping().nodes() > 0;
    mass.for_each_block([&](std::ptrdiff_t i) {
      const Block force = context.loads.block(i) - w.elastic.block(i);
      Block a = detail::integrator::per_mass<Block>(force, mass.block(i));
      Block v = simd::multiply_add(Block(h / 2), a, half_way.block(i));
      if (damps_mass) {
        const Block alpha =
            detail::integrator::per_mass<Block>(system.mass_damping().block(i), mass.block(i));
        v = v / simd::multiply_add(Block(h / 2), alpha, Block(Scalar(1)));
        a = a - alpha * v;
      }
      state.a.set_block(i, a);
      state.v.set_block(i, v);
    });
    context.filter.apply(state.a);
    context.filter.apply(state.v);
    context.filter.follow_motions(state.time, end, state.v);
    state.time = end;
    const auto drag = [&](int node) {
      return damps_mass ? static_cast<double>(system.mass_damping().node(node)(0)) : 0;
    };
    const auto mass_of = [&](int node) { return static_cast<double>(mass.node(node)(0)); };
    bounded.stop_entering(
        state.x, w.substep_displacement, {.dt = length, .weight = length / dt},
        [&](int node) { return mass_of(node) + length / 2 * drag(node); }, state.v,
        [&](int node, const SmallVector<double, Context::Vector::dim>& change) {
          state.a.node(node) -= (drag(node) / mass_of(node) * change).template cast<Scalar>();
        });
    if (!is_last) return energy;
    // M a + alpha M v + D v' + dE/dx - f, with the acceleration that follows from the velocities.
    auto& unbalanced = w.drag;
    mass.for_each_block([&](std::ptrdiff_t i) {
      const Block a = (state.v.block(i) - half_way.block(i)) / Block(h / 2);
      Block force = mass.block(i) * a + w.elastic.block(i) - context.loads.block(i);
      if (damps_mass) force = force + system.mass_damping().block(i) * state.v.block(i);
      unbalanced.set_block(i, force);
    });
    context.filter.split(unbalanced, w.held);
    return energy;
  }
};

static_assert(Integrator<CentralDifferences>);

}  // namespace pliant
