// Backward Euler (implicit Euler) time integration.
#pragma once

#include <cmath>
#include <limits>

#include <pliant/integrator/concept.hpp>
#include <pliant/nonlinear_solver/newton.hpp>

namespace pliant {

// The function that a backward Euler step minimises over the displacement u of the step:
//   |u - dt v - dt^2 M^-1 f|_M^2 / (2 dt^2) + E(x + u) + u.C u / (2 dt),   C = alpha M + beta K(x).
// The last term is the potential of the damping force -C u / dt; its K is the one at the start of the step,
// projected, so that damping only ever takes energy out. The unknown is the displacement and not the new
// position because the difference of two positions has few digits left, in float and far from the origin.
template <class SystemType, class FilterType>
class IncrementalPotential {
 public:
  using Scalar = typename SystemType::Scalar;
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;

  struct Workspace {
    Vector predicted;  // dt v + dt^2 M^-1 f [m]
    Vector position;   // x + u [m]
    Vector elastic;    // dE/dx at x + u [N]
    Vector drag;       // beta K(x) u / dt [N]
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
        separate_damping_(needs_damping_matrix(damping, newton)),
        wants_rounding_(newton.require_convergence || newton.line_search) {
    const Vector& mass = system_.mass();
    w_.predicted.for_each_block([&](std::ptrdiff_t i) {
      const Block m = mass.block(i);
      // The padding has no mass.
      const Block acceleration = external_forces.block(i) / select(m > Block(Scalar(0)), m, Block(Scalar(1)));
      const Block velocity = multiply_add(Block(dt_), acceleration, start_.v.block(i));
      w_.predicted.set_block(i, Block(dt_) * velocity);
    });
    const auto momentum_squared = mass.sum_blocks([&](std::ptrdiff_t i) {
      const Block p = mass.block(i) * start_.v.block(i);
      return p * p;
    });
    known_forces_ = external_forces.norm() + std::sqrt(static_cast<double>(momentum_squared)) / dt;
  }

  // Whether the damping has a matrix of its own. A single iteration that is taken as it is damps with the
  // stiffness that it solves with.
  static bool needs_damping_matrix(const Rayleigh& damping, const Newton& newton) {
    return damping.beta > 0 &&
           (newton.max_iterations > 1 || newton.require_convergence || newton.line_search);
  }

  // The step the body would make if it were not elastic.
  void predict(Vector& step) const {
    step.set_sum(w_.predicted, Scalar(0), w_.predicted);
    filter_.apply(step);
  }

  double gradient(const Vector& u, Vector& g) {
    w_.position.set_sum(start_.x, Scalar(1), u);
    elastic_ = system_.gradient(w_.position, w_.elastic);
    return add_inertia_and_damping(u, g);
  }

  double tangent(const Vector& u, Projection projection, Vector& g, Matrix& A) {
    const bool first = first_elastic_force_ < 0;  // u = 0
    w_.position.set_sum(start_.x, Scalar(1), u);
    if (separate_damping_ && first) {
      const Projection semidefinite = projection_ == Projection::none ? Projection::clamp : projection_;
      system_.tangent(w_.position, semidefinite, beta_ / dt_, w_.elastic, w_.damping);
    }
    elastic_ = system_.tangent(w_.position, projection, separate_damping_ ? Scalar(1) : 1 + beta_ / dt_,
                               w_.elastic, A);
    if (first) {
      first_elastic_force_ = static_cast<double>(w_.elastic.norm());
      if (wants_rounding_) estimate_rounding(A);
    }
    const double value = add_inertia_and_damping(u, g);
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

  // What rounding makes of a gradient: positions are known to an epsilon, forces to the stiffness times that
  // [N]. Known after the first tangent.
  double force_rounding() const { return 4 * epsilon * position_force_; }

  // The same of a value [J]: an epsilon of each of its terms, of the work of the forces over the distances
  // from the origin, and of the energies that cancel within psi.
  double value_rounding() const {
    return 8 * epsilon * (inertia_ + dissipation_ + std::abs(elastic_) + position_work_);
  }

  // The positions of the last value [m].
  const Vector& position() const { return w_.position; }

  // The elastic part of the last value [J].
  double elastic_energy() const { return elastic_; }

 private:
  using Block = typename Vector::Block;
  static constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();

  // What is added to the elastic energy just evaluated and to its gradient.
  double add_inertia_and_damping(const Vector& u, Vector& g) {
    const Vector& mass = system_.mass();
    const Block per_time_squared(1 / (dt_ * dt_)), drag_rate(alpha_ / dt_);
    const Scalar twice_inertia = u.sum_blocks([&](std::ptrdiff_t i) {
      const Block ahead = u.block(i) - w_.predicted.block(i);
      const Block force = per_time_squared * mass.block(i) * ahead;
      g.set_block(i, w_.elastic.block(i) + force);
      return force * ahead;
    });
    inertia_ = static_cast<double>(twice_inertia) / 2;
    dissipation_ = 0;
    if (alpha_ > 0) {
      const Scalar twice = u.sum_blocks([&](std::ptrdiff_t i) {
        const Block force = drag_rate * mass.block(i) * u.block(i);
        g.set_block(i, g.block(i) + force);
        return force * u.block(i);
      });
      dissipation_ += static_cast<double>(twice) / 2;
    }
    if (separate_damping_) {
      const Scalar twice = w_.damping.multiply(u, w_.drag);
      g.add(Scalar(1), w_.drag);
      dissipation_ += static_cast<double>(twice) / 2;
    }
    return inertia_ + elastic_ + dissipation_;
  }

  // From the stiffness K at the start x. With r the positions seen from the first node, r.K r is twice the
  // energy of blowing the body up to double its size: the size of what cancels in psi near rest.
  void estimate_rounding(const Matrix& K) {
    const auto first = start_.x.node(0);
    double squares = 0;
    for (std::ptrdiff_t i = 0; i < K.rows(); ++i) {
      const double force = static_cast<double>(K.diagonal(i).trace()) / SystemType::dim *
                           static_cast<double>(start_.x.node(i).norm());
      squares += force * force;
      w_.position.node(i) = start_.x.node(i) - first;
    }
    position_force_ = std::sqrt(squares);
    position_work_ = std::abs(static_cast<double>(K.multiply(w_.position, w_.drag))) +
                     first_elastic_force_ * static_cast<double>(start_.x.norm());
    w_.position.set_sum(start_.x, Scalar(0), start_.x);
  }

  SystemType& system_;
  const FilterType& filter_;
  const State<Vector>& start_;
  Workspace& w_;
  Scalar dt_, alpha_, beta_;
  Projection projection_;
  bool separate_damping_;
  bool wants_rounding_;
  double known_forces_ = 0;                             // external, and momentum per dt [N]
  double first_elastic_force_ = -1;                     // at the start of the step [N]
  double position_force_ = 0;                           // stiffness times distance from the origin [N]
  double position_work_ = 0;                            // see value_rounding [J]
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
    Vector displacement;  // of the step [m]
  };

  double time_step() const { return dt; }

  void check() const {
    detail::require_parameter(dt > 0, "BackwardEuler::dt", dt, "must be positive (s)");
    newton.check();
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, const Rayleigh& damping,
               Workspace<SystemType, FilterType>& w) const {
    for (auto* vector :
         {&w.potential.predicted, &w.potential.position, &w.potential.elastic, &w.potential.drag,
          &w.newton.gradient, &w.newton.right_side, &w.newton.step, &w.newton.trial, &w.displacement}) {
      *vector = system.make_vector();
    }
    w.newton.hessian = system.make_matrix();
    using Potential = IncrementalPotential<SystemType, FilterType>;
    if (Potential::needs_damping_matrix(damping, newton)) w.potential.damping = system.make_matrix();
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
    w.displacement.set_zero();
    potential.predict(w.newton.step);
    const NewtonReport newton_report =
        minimize(newton, potential, solver, solver_workspace, w.displacement, w.newton, monitor);

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
    if (report.stop == StepStop::energy_undefined) {
      report.undefined_element = system.undefined_element(potential.position());
      if (report.undefined_element < 0) report.stop = StepStop::not_finite;  // it was the inertia
    }
    if (!report) return report;

    const auto time = typename SystemType::Vector::Block(static_cast<Scalar>(dt));
    state.v.for_each_block([&](std::ptrdiff_t i) { state.v.set_block(i, w.displacement.block(i) / time); });
    state.x.add(Scalar(1), w.displacement);
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
