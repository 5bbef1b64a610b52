// Backward Euler (implicit Euler) time integration.
#pragma once

#include <cmath>
#include <pliant/integrator/concept.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant {

// The function that a backward Euler step minimises over the new positions y:
//   |y - x - dt v - dt^2 M^-1 f|_M^2 / (2 dt^2) + E(y) + (y - x).C (y - x) / (2 dt),   C = alpha M + beta
//   K(x).
// The last term is the potential of the damping force -C (y - x) / dt; its K is the one at the start of the
// step, projected, so that damping only ever takes energy out.
template <class SystemType, class FilterType>
class IncrementalPotential {
 public:
  using Scalar = typename SystemType::Scalar;
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;

  struct Workspace {
    Vector predicted;  // x + dt v + dt^2 M^-1 f [m]
    Vector elastic;    // dE/dy [N]
    Vector moved;      // y - x [m]
    Vector drag;       // beta K(x) (y - x) / dt [N]
    Matrix damping;    // beta K(x) / dt [N/m]
  };

  IncrementalPotential(SystemType& system, const FilterType& filter, const State<Vector>& start,
                       const Vector& external_forces, double dt, const Rayleigh& damping,
                       const Newton& newton, Workspace& workspace)
      : system_(system),
        filter_(filter),
        start_(start),
        w_(workspace),
        dt_(static_cast<Scalar>(dt)),
        alpha_(static_cast<Scalar>(damping.alpha)),
        beta_(static_cast<Scalar>(damping.beta)),
        projection_(newton.projection),
        // One iteration from x needs no second matrix: it damps with the stiffness that it solves with.
        separate_damping_(damping.beta > 0 && newton.max_iterations > 1) {
    const Vector& mass = system_.mass();
    w_.predicted.for_each_block([&](std::ptrdiff_t i) {
      const Block m = mass.block(i);
      // The padding has no mass.
      const Block acceleration = external_forces.block(i) / select(m > Block(Scalar(0)), m, Block(Scalar(1)));
      const Block velocity = multiply_add(Block(dt_), acceleration, start_.v.block(i));
      w_.predicted.set_block(i, multiply_add(Block(dt_), velocity, start_.x.block(i)));
    });
    const auto momentum_squared = mass.sum_blocks([&](std::ptrdiff_t i) {
      const Block p = mass.block(i) * start_.v.block(i);
      return p * p;
    });
    known_forces_ = external_forces.norm() + std::sqrt(static_cast<double>(momentum_squared)) / dt;
  }

  // The step the body would make if it were not elastic.
  void predict(Vector& step) const {
    step.set_sum(w_.predicted, Scalar(-1), start_.x);
    filter_.apply(step);
  }

  double value(const Vector& y) {
    elastic_ = system_.energy(y);
    return add_inertia_and_damping(y, nullptr);
  }

  double gradient(const Vector& y, Vector& g) {
    elastic_ = system_.gradient(y, w_.elastic);
    return add_inertia_and_damping(y, &g);
  }

  double tangent(const Vector& y, Vector& g, Matrix& A) {
    const bool first = first_elastic_force_ < 0;  // y is the start of the step
    if (separate_damping_ && first) {
      const Projection semidefinite = projection_ == Projection::none ? Projection::clamp : projection_;
      system_.tangent(y, semidefinite, beta_ / dt_, w_.elastic, w_.damping);
    }
    elastic_ =
        system_.tangent(y, projection_, separate_damping_ ? Scalar(1) : 1 + beta_ / dt_, w_.elastic, A);
    if (first) first_elastic_force_ = static_cast<double>(w_.elastic.norm());
    const double value = add_inertia_and_damping(y, &g);
    if (separate_damping_) A.add(w_.damping);
    const Scalar weight = (1 + dt_ * alpha_) / (dt_ * dt_);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      A.diagonal(i).diagonal().array() += weight * system_.mass().node(i)(0);
    }
    return value;
  }

  void constrain(Vector& g) const { filter_.apply(g); }
  void constrain(Matrix& A) const { filter_.apply(A); }

  // The size of the forces whose balance the step seeks [N]; known after the first tangent.
  double force_scale() const { return known_forces_ + first_elastic_force_; }

  // The size of the terms that make up the last value [J].
  double magnitude() const { return inertia_ + dissipation_ + std::abs(elastic_); }

  // The elastic part of the last value [J].
  double elastic_energy() const { return elastic_; }

 private:
  using Block = typename Vector::Block;

  // What is added to the elastic energy just evaluated, and to its gradient where g is given.
  double add_inertia_and_damping(const Vector& y, Vector* g) {
    const Vector& mass = system_.mass();
    const Block per_time_squared(1 / (dt_ * dt_)), drag_rate(alpha_ / dt_);
    const Scalar twice_inertia = y.sum_blocks([&](std::ptrdiff_t i) {
      const Block ahead = y.block(i) - w_.predicted.block(i);
      const Block force = per_time_squared * mass.block(i) * ahead;
      if (g) g->set_block(i, w_.elastic.block(i) + force);
      return force * ahead;
    });
    inertia_ = static_cast<double>(twice_inertia) / 2;
    dissipation_ = 0;
    if (alpha_ > 0) {
      const Scalar twice = y.sum_blocks([&](std::ptrdiff_t i) {
        const Block moved = y.block(i) - start_.x.block(i);
        const Block force = drag_rate * mass.block(i) * moved;
        if (g) g->set_block(i, g->block(i) + force);
        return force * moved;
      });
      dissipation_ += static_cast<double>(twice) / 2;
    }
    if (separate_damping_) {
      w_.moved.set_sum(y, Scalar(-1), start_.x);
      const Scalar twice = w_.damping.multiply(w_.moved, w_.drag);
      if (g) g->add(Scalar(1), w_.drag);
      dissipation_ += static_cast<double>(twice) / 2;
    }
    return inertia_ + elastic_ + dissipation_;
  }

  SystemType& system_;
  const FilterType& filter_;
  const State<Vector>& start_;
  Workspace& w_;
  Scalar dt_, alpha_, beta_;
  Projection projection_;
  bool separate_damping_;
  double known_forces_ = 0;                             // external, and momentum per dt [N]
  double first_elastic_force_ = -1;                     // at the start of the step [N]
  double elastic_ = 0, inertia_ = 0, dissipation_ = 0;  // parts of the last value [J]
};

// x+ = x + dt v+,  M (v+ - v) = dt (f(x+) + f_external - (alpha M + beta K) v+). First order, and it
// dissipates: an undamped mode of angular frequency omega loses the factor 1 / sqrt(1 + omega^2 dt^2) of its
// amplitude per step.
//
// With the default `newton` the step is solved to convergence with a line search, so that the incremental
// potential never rises. `.newton = Newton::linearised()` makes one iteration: the linearly implicit step
//   (M + dt (alpha M + beta K) + dt^2 K) dv = dt (f(x) + f_external - (alpha M + beta K) v) - dt^2 K v
// of Baraff and Witkin 1998, faster and without a guarantee for large steps.
struct BackwardEuler {
  double dt = 0.01;    // [s]
  Newton newton = {};  // how far and how carefully each step is solved

  template <class SystemType, class FilterType>
  struct Workspace {
    using Vector = typename SystemType::Vector;
    using Matrix = typename SystemType::Matrix;
    typename IncrementalPotential<SystemType, FilterType>::Workspace potential;
    NewtonWorkspace<Vector, Matrix> newton;
    Vector y;
  };

  double time_step() const { return dt; }

  void check() const {
    detail::require_parameter(dt > 0, "BackwardEuler::dt", dt, "must be positive (s)");
    newton.check();
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, const Rayleigh& damping,
               Workspace<SystemType, FilterType>& w) const {
    for (auto* vector : {&w.potential.predicted, &w.potential.elastic, &w.potential.moved, &w.potential.drag,
                         &w.newton.gradient, &w.newton.right_side, &w.newton.step, &w.newton.trial, &w.y}) {
      *vector = system.make_vector();
    }
    w.newton.hessian = system.make_matrix();
    if (damping.beta > 0 && newton.max_iterations > 1) w.potential.damping = system.make_matrix();
  }

  // Advances the state; `report` of the Newton iteration goes to `monitor` before each linear solve.
  template <class SystemType, class FilterType, class Solver, class SolverWorkspace, class Monitor>
  StepReport step(SystemType& system, const FilterType& filter, State<typename SystemType::Vector>& state,
                  const typename SystemType::Vector& external_forces, const Rayleigh& damping,
                  const Solver& solver, SolverWorkspace& solver_workspace,
                  Workspace<SystemType, FilterType>& w, Monitor&& monitor) const {
    using Scalar = typename SystemType::Scalar;
    IncrementalPotential<SystemType, FilterType> potential(system, filter, state, external_forces, dt,
                                                           damping, newton, w.potential);
    w.y.set_sum(state.x, Scalar(0), state.x);
    potential.predict(w.newton.step);
    const NewtonReport newton_report =
        minimize(newton, potential, solver, solver_workspace, w.y, w.newton, monitor);

    StepReport report;
    report.stop = stop_of(newton_report);
    report.newton_iterations = newton_report.iterations;
    report.linear_iterations = newton_report.linear_iterations;
    report.line_search_steps = newton_report.line_search_steps;
    report.residual = newton_report.gradient;
    report.residual_goal = newton_report.goal;
    report.linear_residual = newton_report.linear.residual;
    report.linear_goal = newton_report.linear.goal;
    report.energies.elastic = potential.elastic_energy();
    if (report.stop == StepStop::energy_undefined) report.undefined_element = system.undefined_element(w.y);
    if (!report) return report;

    const auto per_time = typename SystemType::Vector::Block(static_cast<Scalar>(1 / dt));
    state.v.for_each_block(
        [&](std::ptrdiff_t i) { state.v.set_block(i, (w.y.block(i) - state.x.block(i)) * per_time); });
    std::swap(state.x, w.y);
    return report;
  }

 private:
  StepStop stop_of(const NewtonReport& report) const {
    switch (report.stop) {
      case NewtonStop::converged:
        return newton.require_convergence ? StepStop::converged : StepStop::linearised;
      case NewtonStop::iteration_limit:
        return newton.require_convergence ? StepStop::not_converged : StepStop::linearised;
      case NewtonStop::stalled:
        return StepStop::stalled;
      case NewtonStop::undefined:
        return std::isinf(report.value) ? StepStop::energy_undefined : StepStop::not_finite;
      case NewtonStop::cancelled:
        return StepStop::cancelled;
      case NewtonStop::linear_solver_failed:
        break;
    }
    switch (report.linear.stop) {
      case LinearStop::indefinite:
        return StepStop::indefinite;
      case LinearStop::not_finite:
        return StepStop::not_finite;
      default:
        return StepStop::linear_solver_failed;
    }
  }
};

static_assert(Integrator<BackwardEuler>);

}  // namespace pliant
