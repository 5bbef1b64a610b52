// The function whose minimum is a step of backward Euler.
#pragma once

#include <algorithm>
#include <cmath>

#include <pliant/integrator/concept.hpp>
#include <pliant/integrator/rounding.hpp>
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
    Vector predicted;   // dt v + dt^2 M^-1 f [m]
    Vector prescribed;  // what the constraints ask of u [m]
    Vector position;    // x + u [m]
    Vector elastic;     // dE/dx at x + u [N]
    Vector drag;        // beta K(x) u / dt [N]
    Matrix damping;     // beta K(x) / dt [N/m]
  };

  template <class Context>
  IncrementalPotential(const Context& context, const State<Vector>& start, double dt, const Newton& newton,
                       Workspace& workspace)
      : system_(context.system),
        filter_(context.filter),
        start_(start),
        w_(workspace),
        dt_(static_cast<Scalar>(dt)),
        damps_mass_(system_.mass_damping().nodes() > 0),
        damps_stiffness_(system_.uniform_stiffness_damping() != Scalar(0)),
        projection_(newton.projection),
        damps_with_tangent_(newton.max_iterations == 1 && !newton.require_convergence && !newton.line_search),
        wants_rounding_(newton.require_convergence || newton.line_search) {
    constraints_move_ = filter_.prescribe(start_.time + dt, dt, start_.x, w_.prescribed);
    const Vector& mass = system_.mass();
    w_.predicted.for_each_block([&](std::ptrdiff_t i) {
      const Block m = mass.block(i);
      // The padding has no mass.
      const Block acceleration = context.loads.block(i) / select(m > Block(Scalar(0)), m, Block(Scalar(1)));
      const Block velocity = multiply_add(Block(dt_), acceleration, start_.v.block(i));
      w_.predicted.set_block(i, Block(dt_) * velocity);
    });
    const auto momentum_squared = mass.sum_blocks([&](std::ptrdiff_t i) {
      const Block p = mass.block(i) * start_.v.block(i);
      return p * p;
    });
    known_forces_ = context.loads.norm() + std::sqrt(static_cast<double>(momentum_squared)) / dt;
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
    // A single iteration that is taken as it is damps with the stiffness that it solves with.
    const auto beta = system_.uniform_stiffness_damping();
    const bool copies = damps_with_tangent_ && beta.has_value() && projection == projection_;
    if (first && damps_stiffness_ && !copies) {
      const bool must_project = projection_ == Projection::none && !damps_with_tangent_;
      system_.stiffness_damping(w_.position, must_project ? Projection::clamp : projection_, 1 / dt_,
                                w_.elastic, w_.damping);
    }
    elastic_ = system_.tangent(w_.position, projection, Scalar(1), w_.elastic, A);
    if (first && damps_stiffness_ && copies) w_.damping.set_scaled(*beta / dt_, A);
    if (first) first_elastic_force_ = static_cast<double>(w_.elastic.norm());
    if (wants_rounding_) {
      rounding_.estimate(A, w_.position, static_cast<double>(w_.elastic.norm()), g, w_.drag);
    }
    const double value = add_inertia_and_damping(u, g);
    if (damps_stiffness_) A.add(w_.damping);
    for (std::ptrdiff_t i = 0; i < A.rows(); ++i) {
      const Scalar drag = damps_mass_ ? dt_ * system_.mass_damping().node(i)(0) : Scalar(0);
      A.diagonal(i).diagonal().array() += (system_.mass().node(i)(0) + drag) / (dt_ * dt_);
    }
    return value;
  }

  void constrain(Vector& g) const { filter_.apply(g); }
  void constrain(Matrix& A) const { filter_.apply(A); }
  bool constraints_move() const { return constraints_move_; }
  void prescribe(Vector& u) const { u.set_sum(w_.prescribed, Scalar(0), w_.prescribed); }

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

  // What is added to the elastic energy just evaluated and to its gradient.
  double add_inertia_and_damping(const Vector& u, Vector& g) {
    const Vector& mass = system_.mass();
    const Block per_time(1 / dt_), per_time_squared(1 / (dt_ * dt_));
    const Scalar twice_inertia = u.sum_blocks([&](std::ptrdiff_t i) {
      const Block ahead = u.block(i) - w_.predicted.block(i);
      const Block force = per_time_squared * mass.block(i) * ahead;
      g.set_block(i, w_.elastic.block(i) + force);
      return force * ahead;
    });
    inertia_ = static_cast<double>(twice_inertia) / 2;
    dissipation_ = 0;
    if (damps_mass_) {
      const Scalar twice = u.sum_blocks([&](std::ptrdiff_t i) {
        const Block force = per_time * system_.mass_damping().block(i) * u.block(i);
        g.set_block(i, g.block(i) + force);
        return force * u.block(i);
      });
      dissipation_ += static_cast<double>(twice) / 2;
    }
    if (damps_stiffness_) {
      const Scalar twice = w_.damping.multiply(u, w_.drag);
      g.add(Scalar(1), w_.drag);
      dissipation_ += static_cast<double>(twice) / 2;
    }
    return inertia_ + elastic_ + dissipation_;
  }

  SystemType& system_;
  const FilterType& filter_;
  const State<Vector>& start_;
  Workspace& w_;
  Scalar dt_;
  bool damps_mass_, damps_stiffness_;
  Projection projection_;
  bool damps_with_tangent_;
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

  void prepare(const SystemType& system, const Newton& parameters) {
    for (Vector* vector : {&potential.predicted, &potential.prescribed, &potential.position,
                           &potential.elastic, &potential.drag, &displacement}) {
      *vector = system.make_vector();
    }
    newton.prepare(system, parameters);
    if (system.uniform_stiffness_damping() != 0) potential.damping = system.make_matrix();
  }
};

// Advances the state by dt [s] to the minimum of the incremental potential.
template <class Context, class Monitor>
StepReport minimize_incremental_potential(
    const Context& context, State<typename Context::Vector>& state, double dt, const Newton& newton,
    IncrementalWorkspace<typename Context::System, typename Context::Filter>& w, Monitor&& monitor) {
  using Scalar = typename Context::Scalar;
  using Block = typename Context::Vector::Block;
  IncrementalPotential<typename Context::System, typename Context::Filter> potential(context, state, dt,
                                                                                     newton, w.potential);
  w.displacement.set_zero();
  potential.predict(w.newton.step);
  StepReport report = report_of(minimize(newton, potential, context.solver, context.solver_workspace,
                                         w.displacement, w.newton, monitor),
                                newton.require_convergence);
  report.energies.elastic = potential.elastic_energy();
  blame_element(report, context.system, potential.position());
  if (!report) return report;

  const Block time(static_cast<Scalar>(dt));
  state.v.for_each_block([&](std::ptrdiff_t i) { state.v.set_block(i, w.displacement.block(i) / time); });
  state.x.add(Scalar(1), w.displacement);
  state.time += dt;
  return report;
}

}  // namespace pliant
