// Newton's method with a line search, for minimising an energy-like function of the nodes' positions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/core/function_ref.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/linear_solver/bounded/bounded_solve.hpp>

namespace pliant {

// When the negative eigenvalues of the elements' Hessians are removed. Without them every Newton direction is
// a descent direction, but the larger the removed fraction the slower the convergence.
enum class HessianStrategy {
  always_project,  // in every iteration
  on_demand,       // if the Hessian is not positive definite, and then for some iterations
  progressive      // a fraction of them, which grows whenever the Hessian is not positive definite and
                   // shrinks with every successful iteration
};

// Parameters. The defaults solve each step to convergence, with a line search in every iteration;
// `Newton::linearised()` is the one-iteration scheme of interactive simulators. Some defaults depend on the
// integrator, so that setting one field leaves the others at suitable values.
template <class Defaults>
struct NewtonParameters {
  int max_iterations = Defaults::max_iterations;  // maximum of successfully solved linear systems
  double tolerance = Defaults::tolerance;         // of |gradient|, relative to the acting forces [-]
  double absolute_tolerance = 0;                  // of |gradient| [N]
  double reduction = 0;                           // of |gradient|, relative to the first one [-]
  bool require_convergence = true;                // false: accept the result after max_iterations
  Projection projection = Projection::clamp;      // of the elements' Hessians
  HessianStrategy hessian = Defaults::hessian;
  bool line_search = true;            // backtracking by halves, Armijo
  double sufficient_decrease = 1e-4;  // Armijo's constant [-]
  int max_line_search_steps = 40;     // maximum of halvings of one step
  bool keep_history = false;          // whether the report lists every iteration, which allocates

  // One iteration with the full step, without any check of the result.
  static NewtonParameters linearised() {
    return {.max_iterations = 1,
            .require_convergence = false,
            .hessian = HessianStrategy::always_project,
            .line_search = false};
  }

  // The same parameters for another integrator.
  template <class OtherDefaults>
  operator NewtonParameters<OtherDefaults>() const {
    return {max_iterations, tolerance, absolute_tolerance, reduction,           require_convergence,
            projection,     hessian,   line_search,        sufficient_decrease, max_line_search_steps,
            keep_history};
  }

  void check() const {
    detail::core::require_parameter(max_iterations >= 1, "Newton::max_iterations", max_iterations,
                                    "must be at least 1");
    detail::core::require_parameter(tolerance >= 0, "Newton::tolerance", tolerance, "must not be negative");
    detail::core::require_parameter(absolute_tolerance >= 0, "Newton::absolute_tolerance", absolute_tolerance,
                                    "must not be negative (N)");
    detail::core::require_parameter(reduction >= 0 && reduction < 1, "Newton::reduction", reduction,
                                    "must lie in [0, 1)");
    detail::core::require_parameter(sufficient_decrease > 0 && sufficient_decrease < 0.5,
                                    "Newton::sufficient_decrease", sufficient_decrease,
                                    "must lie in (0, 0.5)");
    detail::core::require_parameter(max_line_search_steps >= 1, "Newton::max_line_search_steps",
                                    max_line_search_steps, "must be at least 1");
  }
};

// For a time step.
struct NewtonDefaults {
  static constexpr int max_iterations = 30;
  static constexpr double tolerance = 1e-4;
  static constexpr HessianStrategy hessian = HessianStrategy::on_demand;
};
using Newton = NewtonParameters<NewtonDefaults>;

enum class NewtonStop {
  converged,             // |gradient| met its tolerance
  iteration_limit,       // max_iterations done
  stalled,               // no step lowers the function further although |gradient| is above its tolerance
  undefined,             // the function is not finite at the start, or after a full step without line search
  linear_solver_failed,  // see the linear report
  cancelled              // by the monitor
};

// One iteration.
struct NewtonIteration {
  double value = 0;           // of the function after it [J]
  double gradient = 0;        // |gradient| after it [N]
  double step_length = 1;     // accepted fraction of the full step [-]
  double projected = 0;       // fraction of the negative eigenvalues removed from the Hessian, 0 to 1
  int linear_iterations = 0;  // of its linear solves, including those that were repeated with projection
  int line_search_steps = 0;  // evaluations of the function beyond the first
};

// How a minimisation ended. Gradients are in newtons.
struct NewtonReport {
  NewtonStop stop = NewtonStop::converged;
  int iterations = 0;
  int linear_iterations = 0;
  int truncated_solves = 0;              // linear solves that reached their iteration limit
  int line_search_steps = 0;             // evaluations of the function beyond one per iteration
  double first_gradient = 0;             // |gradient| at the start
  double gradient = 0;                   // |gradient| at the end
  double goal = 0;                       // the upper limit for `gradient`
  bool rounding_goal = false;            // the goal was raised to the rounding level of the forces
  double first_value = 0;                // of the function at the start [J]
  double value = 0;                      // of the function at the end [J]
  LinearReport linear;                   // of the last linear solve
  std::vector<NewtonIteration> history;  // if Newton::keep_history
};

// Refers to a function monitor(report) that is called before each linear solve and returns whether to go on.
// As a parameter it may refer to a temporary function; a variable must refer to a function that outlives it.
// NewtonMonitor{} never cancels.
using NewtonMonitor = detail::core::Monitor<const NewtonReport&>;

// The memory of `minimize`. The caller owns it and keeps it from one call to the next.
template <class Vector, class Matrix>
struct NewtonWorkspace {
  Vector gradient, right_side, step, trial;
  Matrix hessian;
  Matrix projected;  // with HessianStrategy::progressive only
  detail::linear_solver::BoundedSolve<Matrix> bounded = {};
  bool has_projected = false;

  // See core/history.hpp.
  using History = typename detail::linear_solver::BoundedSolve<Matrix>::History;
  void save(History& history) const { bounded.save(history); }
  void restore(History&& history) { bounded.restore(std::move(history)); }

  // Allocates the vectors and matrices of a system, if necessary.
  template <class System>
  void prepare(const System& system, const Newton& newton) {
    if (gradient.nodes() != system.node_count()) {
      for (Vector* vector : {&gradient, &right_side, &step, &trial}) *vector = system.make_vector();
      hessian = system.make_matrix();
      has_projected = false;
    }
    if (newton.hessian == HessianStrategy::progressive && !has_projected) {
      projected = system.make_matrix();
      has_projected = true;
    }
  }
};

namespace detail::nonlinear_solver {

// The fraction of the negative eigenvalues that is removed from the Hessian, from one iteration to the next,
// and the increase of its diagonal if that does not suffice: a projected Hessian can still be singular, such
// as that of a body collapsed to a point, or indefinite by rounding.
class ProjectionSchedule {
 public:
  explicit ProjectionSchedule(const Newton& newton)
      : strategy_(newton.projection == Projection::none ? HessianStrategy::always_project : newton.hessian),
        lowest_(strategy_ == HessianStrategy::always_project ? full : 0),
        highest_(newton.projection == Projection::none || !newton.line_search ? full : most_shifted),
        level_(lowest_) {}

  // The removed fraction, 0 to 1. At 1 the Hessian is that of Newton::projection.
  double part() const { return parts[level_]; }

  // The increase of the diagonal, relative to its mean [-].
  double shift() const { return shifts[level_]; }

  // Called if the Hessian was not positive definite. Returns false if the limit is reached.
  bool raise() {
    if (level_ >= highest_) return false;
    if (level_ < full) {
      wait_ = penalty_;
      penalty_ = std::min(2 * penalty_, longest_penalty);
    }
    level_ = strategy_ == HessianStrategy::progressive || level_ >= full ? level_ + 1 : full;
    return true;
  }

  // Called if the fully projected Hessian was not positive definite. Returns false at the limit.
  bool raise_shift() {
    level_ = std::max(level_, full);
    return raise();
  }

  // Called after a successful iteration. On demand, the full projection persists for some iterations, the
  // number of which doubles each time.
  void settle() {
    if (level_ == lowest_) return;
    if (strategy_ == HessianStrategy::progressive || level_ > full) {
      --level_;
    } else if (--wait_ == 0) {
      level_ = lowest_;
    }
  }

 private:
  static constexpr double parts[] = {0, 0.125, 0.5, 1, 1, 1, 1};
  static constexpr double shifts[] = {0, 0, 0, 0, 1e-6, 1e-4, 1e-2};
  static constexpr int full = 3, most_shifted = 6;
  static constexpr int longest_penalty = 8;
  HessianStrategy strategy_;
  int lowest_, highest_, level_;
  int wait_ = 0, penalty_ = 1;
};

// One run of `minimize`.
template <class Problem, class Solver, class SolverWorkspace, class Vector, class Matrix>
class Minimization {
 public:
  Minimization(const Newton& newton, Problem& problem, const Solver& solver,
               SolverWorkspace& solver_workspace, Vector& x, NewtonWorkspace<Vector, Matrix>& workspace,
               NewtonMonitor monitor)
      : newton_(newton),
        problem_(problem),
        solver_(solver),
        solver_workspace_(solver_workspace),
        x_(x),
        w_(workspace),
        monitor_(monitor),
        schedule_(newton) {}

  NewtonReport run() {
    report_.stop = iterate();
    return std::move(report_);
  }

 private:
  using Scalar = typename Vector::Scalar;
  static constexpr bool bounded = Problem::bounded;

  NewtonStop iterate() {
    const bool follows = has_to_follow(), moved = follows || out_of_bounds();
    evaluate_tangent(moved ? 1 : schedule_.part());
    report_.first_value = report_.value;
    report_.first_gradient = report_.gradient;
    set_goal();
    if (!finite()) return NewtonStop::undefined;
    // A single linear system takes moved nodes to their paths in any case.
    const bool limited = newton_.line_search || !follows;
    for (bool moves = moved; moves;) {
      if (const auto stop = follow_constraints(limited)) return *stop;
      auto stop = after_step();
      moves = follow_fraction_ < 1 && (has_to_follow() || out_of_bounds());
      if (moves && stop == NewtonStop::converged) {
        if (report_.iterations >= newton_.max_iterations) return NewtonStop::iteration_limit;
        stop = {};
      }
      if (stop) return *stop;
      if (!moves) break;
      evaluate_tangent(1);
      w_.step.set_zero();
    }
    for (;;) {
      report_.linear = {};
      if (!monitor_(report_)) return NewtonStop::cancelled;
      problem_.constrain(w_.hessian);
      w_.right_side.set_sum(w_.gradient, Scalar(-2), w_.gradient);
      solve();
      if (report_.linear.stop == LinearStop::cancelled) return NewtonStop::cancelled;
      const bool truncated = report_.linear.stop == LinearStop::max_iterations && newton_.line_search;
      const double slope = w_.gradient.dot(w_.step);
      const bool indefinite =
          broke_down() || (newton_.line_search && !(slope < 0) && report_.gradient > report_.goal);
      if (indefinite && schedule_.raise()) {
        start_over();
        continue;
      }
      if (!report_.linear && !truncated) return NewtonStop::linear_solver_failed;
      if ((newton_.line_search && !(slope < 0)) || !search(slope)) {
        if (report_.gradient <= report_.goal) return NewtonStop::converged;
        if (!newton_.line_search || !schedule_.raise()) return NewtonStop::stalled;
        start_over();
        continue;
      }
      schedule_.settle();
      if (const auto stop = after_step()) return *stop;
    }
  }

  // Computes the value, the gradient and the Hessian at x, from which a fraction of the negative eigenvalues
  // is removed.
  void evaluate_tangent(double part) {
    current_.projected = part;
    report_.value =
        problem_.tangent(x_, part < 1 ? Projection::none : newton_.projection, w_.gradient, w_.hessian);
    if (part > 0 && part < 1) {
      problem_.tangent(x_, newton_.projection, w_.gradient, w_.projected);
      w_.hessian.blend(static_cast<Scalar>(part), w_.projected);
    }
    if (schedule_.shift() > 0) w_.hessian.shift_diagonal(static_cast<Scalar>(schedule_.shift()));
    problem_.constrain(w_.gradient);
    report_.gradient = norm_of_gradient();
  }

  // The norm of the gradient that constraints and bounds do not balance.
  double norm_of_gradient() {
    if constexpr (bounded) return problem_.bounds().residual(x_, w_.gradient);
    else return static_cast<double>(w_.gradient.norm());
  }

  // Whether constrained unknowns still have to move to their prescribed positions.
  bool has_to_follow() {
    if (!problem_.constraints_move()) return false;
    problem_.prescribe(x_, w_.trial);
    return w_.trial.norm() > 0;
  }

  bool out_of_bounds() {
    if constexpr (bounded) return problem_.bounds().violated(x_);
    else return false;
  }

  // Prepares an iteration from the current x.
  void start_over() {
    evaluate_tangent(schedule_.part());
    w_.step.set_zero();
    set_goal();
  }

  // Computes the goal from the acting forces and their rounding at x, both of which can change a lot during a
  // minimisation.
  void set_goal() {
    const double wanted = std::max({newton_.tolerance * problem_.force_scale(), newton_.absolute_tolerance,
                                    newton_.reduction * report_.first_gradient});
    const double rounding = problem_.force_rounding();
    report_.goal = std::max(wanted, rounding);
    report_.rounding_goal = rounding > wanted;
    // A residual below the rounding of the forces, or well below the required one, counts as zero.
    enough_ = std::max(std::numeric_limits<Scalar>::epsilon() * problem_.force_scale(),
                       newton_.require_convergence ? 0.1 * wanted : 0.0);
  }

  bool finite() const { return std::isfinite(report_.value) && std::isfinite(report_.gradient); }

  // Whether the Hessian was not positive definite. If it is so only slightly, a method may not detect it and
  // overflow: an overflow of the Hessian itself, or of the gradient, would already have made the value
  // infinite.
  bool broke_down() const {
    return report_.linear.stop == LinearStop::indefinite || report_.linear.stop == LinearStop::not_finite;
  }

  // Solves hessian * step = right_side, or finds the step within the bounds that minimises the quadratic
  // model.
  void solve() {
    const auto linear_monitor = [&](int iterations, double residual) {
      report_.linear.iterations = iterations;
      report_.linear.residual = residual;
      return monitor_(report_);
    };
    if constexpr (linear_solver::solver_abilities<Solver>.takes_positions) {
      solver_workspace_.set_positions(problem_.position());  // for which the last tangent was computed
    }
    report_.linear = solve_within_bounds(linear_monitor);
    report_.linear_iterations += report_.linear.iterations;
    if (report_.linear.stop == LinearStop::max_iterations) ++report_.truncated_solves;
    current_.linear_iterations += report_.linear.iterations;
  }

  LinearReport solve_within_bounds(LinearMonitor monitor) {
    if constexpr (bounded) {
      if (!problem_.bounds().empty()) {
        return w_.bounded.solve(solver_, solver_workspace_, w_.hessian, w_.right_side, problem_.bounds(), x_,
                                w_.step, enough_, monitor);
      }
    }
    return solver_.solve(w_.hessian, w_.right_side, w_.step, solver_workspace_, enough_, monitor);
  }

  // The first iteration, which moves the constrained nodes to their prescribed positions. Their displacement
  // is part of the linear system, so that the other nodes follow as in a linear body; if they were moved
  // alone, they would strain, or invert, only the elements next to them.
  // If `limited`, they go no farther than is safe, so that several such iterations may be necessary.
  std::optional<NewtonStop> follow_constraints(bool limited) {
    if (!monitor_(report_)) return NewtonStop::cancelled;
    problem_.prescribe(x_, w_.trial);
    w_.hessian.multiply(w_.trial, w_.right_side);
    w_.right_side.add(Scalar(1), w_.gradient);
    problem_.constrain(w_.right_side);
    w_.right_side.set_sum(w_.right_side, Scalar(-2), w_.right_side);
    report_.first_gradient = report_.gradient = w_.right_side.norm();
    set_goal();
    problem_.constrain(w_.hessian);
    x_.add(Scalar(1), w_.trial);
    solve();
    if (report_.linear.stop == LinearStop::cancelled) return NewtonStop::cancelled;
    if (broke_down() && schedule_.raise_shift()) {
      x_.add(Scalar(-1), w_.trial);
      evaluate_tangent(1);
      w_.step.set_zero();
      return follow_constraints(limited);
    }
    if (!report_.linear && report_.linear.stop != LinearStop::max_iterations) {
      return NewtonStop::linear_solver_failed;
    }
    if (limited) {
      Vector& start = w_.right_side;
      start.set_sum(x_, Scalar(-1), w_.trial);
      w_.trial.add(Scalar(1), w_.step);
      follow_fraction_ = std::min(1.0, problem_.safe_fraction(start, w_.trial));
      if (!(follow_fraction_ > 0)) {
        x_ = start;
        report_.value = problem_.gradient(x_, w_.gradient);
        return NewtonStop::stalled;
      }
      if (follow_fraction_ < 1) x_.set_sum(start, static_cast<Scalar>(follow_fraction_), w_.trial);
    }
    if (follow_fraction_ == 1) x_.add(Scalar(1), w_.step);
    report_.value = problem_.gradient(x_, w_.gradient);
    problem_.constrain(w_.gradient);
    report_.first_value = report_.value;
    return {};
  }

  // Finds a step length at which the function decreases, at most the safe fraction. Returns false if there is
  // none.
  bool search(double slope) {
    const double rounding = problem_.value_rounding();
    // Armijo's condition on the values; if these differ by no more than their rounding, the same condition in
    // terms of slopes, which is equivalent for a quadratic function (Hager and Zhang 2005, eq. 4.1).
    const auto acceptable = [&](double value, double length, double end_slope) {
      return value <= report_.value + newton_.sufficient_decrease * length * slope ||
             (value <= report_.value + rounding &&
              end_slope <= (2 * newton_.sufficient_decrease - 1) * slope);
    };
    double value = 0, length = std::min(1.0, problem_.safe_fraction(x_, w_.step));
    if (!(length > 0)) return false;
    for (int k = 0;; ++k, length /= 2) {
      w_.trial.set_sum(x_, static_cast<Scalar>(length), w_.step);
      value = problem_.gradient(w_.trial, w_.gradient);
      problem_.constrain(w_.gradient);
      if (!newton_.line_search || acceptable(value, length, w_.gradient.dot(w_.step))) break;
      ++report_.line_search_steps;
      ++current_.line_search_steps;
      if (k + 1 >= newton_.max_line_search_steps) {
        report_.value = problem_.gradient(x_, w_.gradient);
        problem_.constrain(w_.gradient);
        return false;
      }
    }
    std::swap(x_, w_.trial);
    report_.value = value;
    current_.step_length = length;
    return true;
  }

  // Completes an iteration with its value and gradient, and prepares the next one unless it was the last.
  std::optional<NewtonStop> after_step() {
    ++report_.iterations;
    report_.gradient = norm_of_gradient();
    if (newton_.keep_history) {
      current_.value = report_.value;
      current_.gradient = report_.gradient;
      report_.history.push_back(current_);
    }
    current_ = {};
    if (!finite()) return NewtonStop::undefined;
    set_goal();
    const bool met = report_.gradient <= report_.goal;
    if (met && !(report_.rounding_goal && report_.goal > doubtful_rounding * problem_.force_scale())) {
      return NewtonStop::converged;
    }
    if (!met && report_.iterations >= newton_.max_iterations) return NewtonStop::iteration_limit;
    start_over();
    if (report_.gradient <= report_.goal) return NewtonStop::converged;
    if (report_.iterations >= newton_.max_iterations) return NewtonStop::iteration_limit;
    return {};
  }

  // The rounding of the forces is computed from the last stiffness, which can be far above the current one,
  // for example in a body that recovers from collapse. Above this fraction of the acting forces it is
  // recomputed.
  static constexpr double doubtful_rounding = 1e-2;

  const Newton& newton_;
  Problem& problem_;
  const Solver& solver_;
  SolverWorkspace& solver_workspace_;
  Vector& x_;
  NewtonWorkspace<Vector, Matrix>& w_;
  NewtonMonitor monitor_;
  ProjectionSchedule schedule_;
  NewtonReport report_;
  NewtonIteration current_;
  double follow_fraction_ = 1;  // the safe part of the last displacement to the constraints [-]
  double enough_ = 0;           // a residual of the linear solver that counts as zero [N]
};

}  // namespace detail::nonlinear_solver

// Minimises a function over x, which holds the start on entry and the best iterate on return. `step` of the
// workspace holds the first guess of the first linear solve. The last evaluation is at the returned x. The
// problem has the members
//   gradient(x, g)                         returns the value and sets g to its gradient
//   tangent(x, projection, g, A)           the same, and sets A to its Hessian with the given projection
//   constrain(g), constrain(A)             eliminates the constrained unknowns
//   constraints_move()                     whether constrained unknowns may have to change
//   prescribe(x, d)                        sets d to the remaining change of the constrained unknowns of x,
//                                          zero for the free ones
//   safe_fraction(x, step)                 the largest allowed fraction of a step from x, at which the
//                                          last value was computed; 1 for no limit. It also limits the change
//                                          of constrained and of bounded unknowns, except for constrained
//                                          ones without line search
//   force_scale()                          the size of the acting forces [N]
//   force_rounding(), value_rounding()     the rounding errors of a gradient [N] and of the last value [J],
//                                          with the stiffness of the last tangent
//   bounded                                a constant: whether nodes can have bounds
// and, if it is true,
//   bounds()                               the BoundedNodes; each iteration goes to the minimum of the
//                                          quadratic model within the bounds, and at convergence the gradient
//                                          is zero except for the forces of the bounds
// Forces and rounding are evaluated after the first tangent. `monitor(report)` is called before each linear
// solve and cancels by returning false. The goal of the gradient is never below its rounding error.
template <class Problem, class Solver, class SolverWorkspace, class Vector, class Matrix>
NewtonReport minimize(const Newton& newton, Problem& problem, const Solver& solver,
                      SolverWorkspace& solver_workspace, Vector& x,
                      NewtonWorkspace<Vector, Matrix>& workspace, NewtonMonitor monitor) {
  return detail::nonlinear_solver::Minimization(newton, problem, solver, solver_workspace, x, workspace,
                                                monitor)
      .run();
}

}  // namespace pliant
