// Newmark time integration.
#pragma once

#include <pliant/integrator/acceleration.hpp>
#include <pliant/integrator/incremental_potential.hpp>

namespace pliant {

// M a+ + alpha M v+ + d + dE/dx(x+) = f at the end of each step, with the force d of the stiffness damping
// and, for h = dt,
//   x+ = x + h v + h^2 ((1/2 - beta) a + beta a+),   v+ = v + h ((1 - gamma) a + gamma a+)
// (Newmark 1959). The default, beta = 1/4 and gamma = 1/2, is the trapezoidal rule: of second order, without
// dissipation, unconditionally stable for a linear body. gamma > 1/2 is dissipative and of first order; beta
// < gamma / 2 is stable for omega h < 1 / sqrt(gamma / 2 - beta) only.
//
// The step minimises a potential of its displacement u = x+ - x. With s = beta h^2 and T = beta h / gamma the
// two rules read
//   a+ = (u - q) / s,  q = h v + (1/2 - beta) h^2 a,     v+ = (u - c) / T,  c = q - T (v + (1 - gamma) h a),
// so that the equation is the gradient over u of
//   |u - q|_M^2 / (2 s) - f.u + E(x + u) + alpha |u - c|_M^2 / (2 T) + the potential of d;
// completing the square moves f into p = q + s M^-1 f, which gives the potential of IncrementalPotential. The
// rate of strain in d is the rule for v+ applied to Green's strain G, with gamma = 2 beta the trapezoidal 2
// (G+ - G) / h - sym(F^T grad v), of second order like the motion. Any other gamma / beta adds to it a term
// of order h of the centripetal acceleration, which is free of moments.
//
// Loads are constant over a step. If loads, positions or velocities have been set, the acceleration at the
// start is recomputed from the balance of forces. The velocities of moved nodes are those of their paths, and
// not by the rule for v+ from their displacements, which with gamma = 1/2 would oscillate about the true
// value without decay.
//
// `.newton = Newton::linearised()` makes one iteration: still of second order with constant damping, but
// unstable for some softening bodies. The converged step fails instead of diverging, but a nonlinear body can
// gain energy: for large steps BackwardEuler or gamma > 1/2 is the safe choice.
struct Newmark {
  double dt = 0.01;    // [s]
  double beta = 0.25;  // (0, 1/2]
  double gamma = 0.5;  // [1/2, 1]
  Newton newton = {};  // accuracy and safeguards of the solve

  static constexpr IntegratorAbilities abilities{
      .keeps_acceleration = true, .knows_colliders = true, .takes_rows = true};

  template <class SystemType, class FilterType>
  using Workspace = detail::integrator::IncrementalWorkspace<SystemType, FilterType>;

  double time_step() const { return dt; }

  void check() const {
    detail::core::require_parameter(dt > 0, "Newmark::dt", dt, "must be positive (s)");
    detail::core::require_parameter(
        beta > 0 && beta <= 0.5, "Newmark::beta", beta,
        "must lie in (0, 0.5]; beta = 0 is the explicit method, for which take CentralDifferences");
    detail::core::require_parameter(gamma >= 0.5 && gamma <= 1, "Newmark::gamma", gamma,
                                    "must lie in [0.5, 1]");
    newton.check();
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& workspace) const {
    workspace.prepare(system, newton, true);
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& workspace,
                  NewtonMonitor monitor) const {
    using Scalar = typename Context::Scalar;
    using Block = typename Context::Vector::Block;
    auto& w = workspace.potential;
    if (!state.acceleration_known && !detail::integrator::find_acceleration(context, dt, state, w.scratch)) {
      StepReport report;
      report.stop = StepStop::energy_undefined;
      blame_element(report, context.system, state.x);
      return report;
    }

    const auto h = static_cast<Scalar>(dt), b = static_cast<Scalar>(beta), g = static_cast<Scalar>(gamma);
    const Scalar half(0.5), s = b * h * h, T = b * h / g;
    detail::integrator::IncrementalPotential<typename Context::System, typename Context::Filter> potential(
        context, state, {dt, s, T, g * h, 2 * beta * dt, 0.5}, newton, w);
    const auto& mass = context.system.mass();
    const auto load_per_mass = [&](std::ptrdiff_t i) {
      return detail::integrator::per_mass<Block>(context.loads.block(i), mass.block(i));
    };
    mass.for_each_block([&](std::ptrdiff_t i) {
      const Block v = state.v.block(i), a = state.a.block(i);
      const Block mean = Block(half - b) * a + Block(b) * load_per_mass(i);
      w.predicted.set_block(i, Block(h) * simd::multiply_add(Block(h), mean, v));
      const Block braking = Block((half - b / g) * h) * a;
      w.standstill.set_block(i, Block(h) * simd::multiply_add(Block(1 - b / g), v, braking));
    });
    context.filter.follow_motions(state.time, state.time + dt, w.standstill);
    context.filter.for_each_moved([&](int node, const auto& S) {
      const auto velocity = w.standstill.node(node);
      const auto free = (S * velocity).eval();
      w.standstill.node(node) = free + w.prescribed.node(node) - T * (velocity - free);
    });

    const auto& u = workspace.displacement;
    auto [report, contact] =
        detail::integrator::minimize_increment(context, state, potential, newton, workspace, monitor);
    if (!report) return report;

    auto& end_acceleration = w.scratch;
    mass.for_each_block([&](std::ptrdiff_t i) {
      const Block a = (u.block(i) - w.predicted.block(i)) / Block(s) + load_per_mass(i);
      end_acceleration.set_block(i, a);
    });
    if constexpr (Context::System::abilities.rows) subtract_rows(context, w.position, end_acceleration);
    context.filter.apply(end_acceleration);
    mass.for_each_block([&](std::ptrdiff_t i) {
      const Block mean = Block(1 - g) * state.a.block(i) + Block(g) * end_acceleration.block(i);
      state.v.set_block(i, simd::multiply_add(Block(h), mean, state.v.block(i)));
      state.a.set_block(i, end_acceleration.block(i));
    });
    if constexpr (!Context::System::abilities.rows) {
      if (contact) leave_contact(context, *contact, u, workspace.newton.gradient, state, w.held);
    } else {
      state.v.add(beta * dt, w.position);
    }
    context.filter.for_each_moved([&](int node, const auto& S) {
      const auto velocity = ((u.node(node) - w.standstill.node(node)) / T).eval();
      // The force of the constraint belongs to the acceleration that follows from the velocities, not to the
      // rule for a+.
      const auto by_rule = (u.node(node) - w.predicted.node(node)) / s +
                           context.loads.node(node).cwiseQuotient(mass.node(node));
      const auto wrong = ((velocity - state.v.node(node)) / h - by_rule).eval();
      w.held.node(node) += mass.node(node).cwiseProduct(wrong - S * wrong);
      state.v.node(node) = S * state.v.node(node) + velocity - S * velocity;
    });
    if constexpr (Context::System::abilities.turns_rates) context.system.turn_rates(state.x, u, state.v);
    displace(context.system, state.x, u, w.position);
    if constexpr (Context::System::abilities.rows) {
      const LinearStop stop = detail::integrator::satisfy_row_rates(
          context, state.x, potential.row_step(), workspace.newton.hessian, w.position, state.v);
      if (stop != LinearStop::converged) {
        report.stop = stop == LinearStop::indefinite ? StepStop::indefinite : StepStop::not_finite;
        return report;
      }
    }
    state.time += dt;
    return report;
  }

 private:
  // Sets `row_acceleration` to that by the multipliers of the rows, and takes it from the acceleration.
  template <class Context>
  static void subtract_rows(const Context& context, typename Context::Vector& row_acceleration,
                            typename Context::Vector& acceleration) {
    row_acceleration.set_zero();
    detail::integrator::subtract_row_forces(context.system.rows(), row_acceleration);
    const auto& mass = context.system.mass();
    for (std::ptrdiff_t i = 0; i < mass.nodes(); ++i) {
      row_acceleration.node(i) = -row_acceleration.node(i).cwiseQuotient(mass.node(i));
    }
    acceleration.add(-1, row_acceleration);
  }

  // A contact force acts during the whole step (Kane, Repetto, Ortiz, Marsden 1999): it is not part of the
  // acceleration at the start of the next step, and its value is 2 beta times that in the potential. Nodes in
  // contact follow the collider along its normal, and sticking ones in all directions; with the rule for v+
  // they would bounce off without loss, repeatedly.
  template <class Context, class Contact>
  void leave_contact(const Context& context, Contact& contact, const typename Context::Vector& u,
                     const typename Context::Vector& g, State<typename Context::Vector>& state,
                     typename Context::Vector& held) const {
    using Scalar = typename Context::Scalar;
    contact.follow(state.x, u, g, dt, state.v);
    for (const auto& [node, collider, normal, acting] : contact.contacts()) {
      const auto force = acting.template cast<Scalar>().eval();
      state.a.node(node) -= force.cwiseQuotient(context.system.mass().node(node));
      held.node(node) -= static_cast<Scalar>(1 - 2 * beta) * force;
    }
    contact.scale_forces(2 * beta);
    context.filter.apply(state.a);
  }
};

static_assert(Integrator<Newmark>);

}  // namespace pliant
