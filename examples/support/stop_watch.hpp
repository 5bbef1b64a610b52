// Measures the phases of a step without a clock in the library: its roles are types, and each is wrapped here
// in a type that measures the time of its calls.
#pragma once

#include <cstddef>
#include <ctime>
#include <type_traits>
#include <vector>

#include <pliant/pliant.hpp>

// CPU time by phase [s].
struct Phases {
  double blocks = 0;       // elements: forces and Hessians, into the blocks of the matrix
  double constraints = 0;  // elimination of held nodes from matrix and right-hand side
  double solve = 0;        // the linear solver
  double integrator = 0;   // the whole step of the integrator: these, its own work, and contact
};

// Adds the time until its destruction to a sum. The clock counts microseconds.
class Watch {
 public:
  explicit Watch(double& sum) : sum_(sum), start_(std::clock()) {}
  ~Watch() { sum_ += static_cast<double>(std::clock() - start_) / CLOCKS_PER_SEC; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  double& sum_;
  std::clock_t start_;
};

template <class Inner>
class WatchedFilter;

// The system (assembly/concept.hpp), the bodies as integrators use them.
template <class Inner>
class WatchedSystem {
 public:
  using Scalar = typename Inner::Scalar;
  using Vector = typename Inner::Vector;
  using Matrix = typename Inner::Matrix;
  using Filter = WatchedFilter<typename Inner::Filter>;
  using Contacts = typename Inner::Contacts;
  static constexpr pliant::SystemAbilities abilities = [] {
    pliant::SystemAbilities result = Inner::abilities;
    result.own_state = false;  // the Simulation saves that of the inner system
    return result;
  }();
  static constexpr int dim = Inner::dim;

  WatchedSystem(Inner& inner, Phases& phases) : inner_(inner), phases_(phases) {}

  std::ptrdiff_t node_count() const { return inner_.node_count(); }
  Vector make_vector() const { return inner_.make_vector(); }
  Matrix make_matrix() const { return inner_.make_matrix(); }
  const Vector& mass() const { return inner_.mass(); }
  const Vector& rest() const { return inner_.rest(); }
  void move(const Vector& x, const Vector& u, Vector& result) const { inner_.move(x, u, result); }
  const pliant::BlockPattern& pattern() const { return inner_.pattern(); }
  const Vector& mass_damping() const { return inner_.mass_damping(); }
  Scalar stiffness_damping() const { return inner_.stiffness_damping(); }
  bool rotation_changes_energy() const { return inner_.rotation_changes_energy(); }
  int undefined_element(const Vector& x) { return inner_.undefined_element(x); }
  auto inverted_elements(const Vector& x) const { return inner_.inverted_elements(x); }
  auto free_motion(const std::vector<pliant::HeldDirection<dim>>& held, const Vector& x) const {
    return inner_.free_motion(held, x);
  }

  double energy(const Vector& x) const {
    const Watch watch(phases_.blocks);
    return inner_.energy(x);
  }
  double gradient(const Vector& x, Vector& g) {
    const Watch watch(phases_.blocks);
    return inner_.gradient(x, g);
  }
  double tangent(const Vector& x, pliant::Projection projection, Scalar scale, Vector& g, Matrix& A) {
    const Watch watch(phases_.blocks);
    return inner_.tangent(x, projection, scale, g, A);
  }
  double add_damping(const pliant::Straining<const Vector*>& straining, pliant::Projection projection,
                     Vector& g, Matrix* A = nullptr) {
    const Watch watch(phases_.blocks);
    return inner_.add_damping(straining, projection, g, A);
  }

 private:
  Inner& inner_;
  Phases& phases_;
};

// The filter of constraints (constraint/filter.hpp).
template <class Inner>
class WatchedFilter {
 public:
  using Vector = typename Inner::Vector;
  using Matrix = typename Inner::Matrix;

  WatchedFilter(const Inner& inner, Phases& phases) : inner_(inner), phases_(phases) {}

  bool prescribe(double time, double duration, const Vector& x, Vector& u) const {
    const Watch watch(phases_.constraints);
    return inner_.prescribe(time, duration, x, u);
  }
  decltype(auto) fixed_nodes() const { return inner_.fixed_nodes(); }
  decltype(auto) directions() const { return inner_.directions(); }
  template <class Use>
  void for_each_moved(Use&& use) const {
    inner_.for_each_moved(use);
  }
  template <class Use>
  void for_each_restrained(Use&& use) const {
    inner_.for_each_restrained(use);
  }
  void follow_motions(double from, double to, Vector& v) const { inner_.follow_motions(from, to, v); }
  void stop_held(Vector& v) const { inner_.stop_held(v); }
  void remaining(const Vector& prescribed, const Vector& u, Vector& d) const {
    inner_.remaining(prescribed, u, d);
  }
  void split(Vector& b, Vector& lost) const {
    const Watch watch(phases_.constraints);
    inner_.split(b, lost);
  }
  void apply(Vector& b) const {
    const Watch watch(phases_.constraints);
    inner_.apply(b);
  }
  void apply(Matrix& A) const {
    const Watch watch(phases_.constraints);
    inner_.apply(A);
  }

 private:
  const Inner& inner_;
  Phases& phases_;
};

// The linear solver (linear_solver/concept.hpp).
template <class Inner>
class WatchedSolver {
 public:
  WatchedSolver(const Inner& inner, Phases& phases) : inner_(inner), phases_(phases) {}

  static constexpr pliant::SolverAbilities abilities = pliant::detail::linear_solver::solver_abilities<Inner>;

  template <class Matrix>
  using Workspace = typename Inner::template Workspace<Matrix>;
  void check() const { inner_.check(); }

  template <class Matrix, class Vector, class W>
  pliant::LinearReport solve(const Matrix& A, const Vector& b, Vector& x, W& workspace, double goal,
                             pliant::LinearMonitor monitor) const {
    const Watch watch(phases_.solve);
    return inner_.solve(A, b, x, workspace, goal, monitor);
  }

 private:
  const Inner& inner_;
  Phases& phases_;
};

// The integrator (integrator/concept.hpp): makes the step of another one with wrapped arguments. It adds to
// *phases, which must outlive it.
template <class Inner>
struct Watched {
  Inner integrator;
  Phases* phases;

  static constexpr pliant::IntegratorAbilities abilities = Inner::abilities;

  template <class System, class Filter>
  using Workspace = typename Inner::template Workspace<WatchedSystem<System>, WatchedFilter<Filter>>;

  double time_step() const { return integrator.time_step(); }
  void check() const { integrator.check(); }

  template <class System, class W>
  void prepare(const System& system, W& workspace) const {
    // prepare does not change the system; the wrapper takes a non-const reference because it serves steps
    // too.
    const WatchedSystem watched(const_cast<System&>(system), *phases);
    integrator.prepare(watched, workspace);
  }

  template <class Context, class W>
  pliant::StepReport step(const Context& context, pliant::State<typename Context::Vector>& state,
                          W& workspace, pliant::NewtonMonitor monitor) const {
    const Watch watch(phases->integrator);
    WatchedSystem system(context.system, *phases);
    const WatchedFilter filter(context.filter, *phases);
    const WatchedSolver solver(context.solver, *phases);
    const pliant::StepContext<decltype(system), std::remove_const_t<decltype(filter)>,
                              std::remove_const_t<decltype(solver)>,
                              std::remove_reference_t<decltype(context.solver_workspace)>>
        watched{system, filter, context.contacts, context.loads, solver, context.solver_workspace};
    return integrator.step(watched, state, workspace, monitor);
  }
};
