// Static equilibrium.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <pliant/integrator/contact_passes.hpp>
#include <pliant/nonlinear_solver/newton.hpp>
#include <pliant/potential/dead_loads.hpp>
#include <pliant/potential/friction.hpp>
#include <pliant/potential/step_potential.hpp>

namespace pliant {

namespace detail::integrator {

// The potential of a body under dead loads f, over the displacement u from the current positions: E(x + u) -
// f.u, plus the additional terms of the System. Its minima are the stable equilibria.
template <class SystemType, class FilterType>
class StaticPotential
    : public potential::StepPotential<SystemType, FilterType,
                                      potential::DeadLoads<typename SystemType::Vector>,
                                      potential::Friction<typename SystemType::Contacts::Step>> {
 public:
  using Vector = typename SystemType::Vector;
  using Base = potential::StepPotential<SystemType, FilterType, potential::DeadLoads<Vector>,
                                        potential::Friction<typename SystemType::Contacts::Step>>;

  // `time` [s]: for the paths of the constraints at the end; `duration` [s]: of the motion, for which drag
  // acts.
  template <class Context>
  StaticPotential(const Context& context, const State<Vector>& state, const Vector& loads, double time,
                  double duration, typename Base::Workspace& workspace)
      : Base(context.system, context.filter, context.contacts, state.x, state.v, time, duration, duration,
             {potential::DeadLoads<Vector>(loads), {context.contacts, duration}}, workspace) {
    this->known_forces_ = static_cast<double>(loads.norm());
  }
};

}  // namespace detail::integrator

// For Newton's method in statics, which starts far from equilibrium and has no inertia that improves the
// matrix.
struct QuasiStaticNewtonDefaults {
  static constexpr int max_iterations = 200;
  static constexpr double tolerance = 1e-6;
  static constexpr HessianStrategy hessian = HessianStrategy::progressive;
};
using QuasiStaticNewton = NewtonParameters<QuasiStaticNewtonDefaults>;

// Each step goes to the static equilibrium under the loads and the positions of the moved nodes at the end of
// the step, a local minimum of the potential found by Newton's method with a line search. Loads grow linearly
// over the step from those of the last equilibrium (zero before the first step); a part of the step that does
// not converge is halved and repeated. Velocities become zero; there is no damping.
//
// With many energies an equilibrium with elements of negative volume (det F < 0) is stable, but no state of a
// real body: a part that ends in one is halved as well, and if that does not help the step fails with
// StepStop::inverted. `allow_inverted_elements` accepts it, for example for a body that should recover from
// an inverted state. Energies of small strain, such as LinearElastic, are not affected by inversion: their
// elements are only counted in the report.
//
// If a part of the body can still move as a rigid body, it has no equilibrium or many: the step fails with
// StepStop::free_motion, and a message that describes the motion, unless this is allowed. A hinge within the
// body, such as parts that share only the nodes of an edge or a single node, is not detected.
struct QuasiStatic {
  double dt = 1;                     // by which a step advances the time of paths, in any suitable unit [s]
  int increments = 1;                // initial number of parts of a step
  int max_halvings = 8;              // maximum of halvings of a part
  int max_newton_iterations = 5000;  // of a step, for each increment, including failed parts
  bool allow_free_motion = false;
  bool allow_inverted_elements = false;
  QuasiStaticNewton newton = {};

  static constexpr IntegratorAbilities abilities{.knows_colliders = true};

  template <class SystemType, class FilterType>
  struct Workspace {
    using Vector = typename SystemType::Vector;
    using Matrix = typename SystemType::Matrix;
    typename detail::integrator::StaticPotential<SystemType, FilterType>::Workspace potential;
    NewtonWorkspace<Vector, Matrix> newton;
    Vector displacement;                 // of the increment [m]
    Vector last_loads, increment_loads;  // of the last equilibrium; of the increment [N]
    bool known_to_be_held = false;       // whether no part of the body can move as a rigid body

    static constexpr WorkspaceAbilities abilities{
        .history = true, .steps = true, .keeps = true, .follows_constraints = true};

    void constraints_changed() { known_to_be_held = false; }
    void begin_step() { newton.bounded.begin_step(); }
    void step_undone() { newton.bounded.step_undone(); }
    void keep_from(Workspace& other) {
      newton.bounded.keep_from(other.newton.bounded);
      std::swap(last_loads, other.last_loads);
      known_to_be_held = other.known_to_be_held;
    }
    const Vector& constraint_forces() const { return potential.held; }

    struct History {  // see core/history.hpp
      typename NewtonWorkspace<Vector, Matrix>::History newton;
      Vector last_loads;
      bool known_to_be_held = false;
    };
    void save(History& history) const {
      newton.save(history.newton);
      history.last_loads = last_loads;
      history.known_to_be_held = known_to_be_held;
    }
    void restore(History&& history) {
      newton.restore(std::move(history.newton));
      last_loads = std::move(history.last_loads);
      known_to_be_held = history.known_to_be_held;
    }
  };

  double time_step() const { return dt; }

  void check() const {
    detail::core::require_parameter(dt > 0, "QuasiStatic::dt", dt, "must be positive (s)");
    detail::core::require_parameter(increments >= 1, "QuasiStatic::increments", increments,
                                    "must be at least 1");
    detail::core::require_parameter(max_halvings >= 0 && max_halvings <= 30, "QuasiStatic::max_halvings",
                                    max_halvings, "must lie in [0, 30]");
    detail::core::require_parameter(max_newton_iterations >= 1, "QuasiStatic::max_newton_iterations",
                                    max_newton_iterations, "must be at least 1");
    newton.check();
    detail::core::require_parameter(newton.line_search, "QuasiStatic::newton.line_search", 0, "must be on");
  }

  template <class SystemType, class FilterType>
  void prepare(const SystemType& system, Workspace<SystemType, FilterType>& w) const {
    w.newton.prepare(system, newton);
    if (w.last_loads.nodes() != system.node_count()) w.last_loads = system.make_vector();
    if (w.displacement.nodes() == system.node_count()) return;
    w.potential.prepare(system);
    for (auto* vector : {&w.increment_loads, &w.displacement}) *vector = system.make_vector();
  }

  template <class Context>
  StepReport step(const Context& context, State<typename Context::Vector>& state,
                  Workspace<typename Context::System, typename Context::Filter>& w,
                  NewtonMonitor monitor) const {
    using Scalar = typename Context::Scalar;
    StepReport total;
    if (!allow_free_motion && !w.known_to_be_held) {
      total.free_motion = context.system.free_motion(context.filter.directions(), state.x);
      if (!total.free_motion.empty()) {
        total.stop = StepStop::free_motion;
        return total;
      }
      w.known_to_be_held = true;
    }
    state.v.set_zero();
    const double start = state.time;
    const double most = static_cast<double>(max_newton_iterations) * increments;
    const int most_iterations = static_cast<int>(std::min<double>(most, std::numeric_limits<int>::max()));
    double done = 0, part = 1.0 / increments;
    for (int halvings = 0; done < 1;) {
      const double end = 1 - done <= part * (1 + 1e-12) ? 1 : done + part;
      if (!detail::integrator::time_advances(start + done * dt, (end - done) * dt)) {
        total.stop = StepStop::time_stands_still;
        return total;
      }
      context.contacts.set_interval(start + done * dt, start + end * dt, done, end);
      w.increment_loads.set_sum(context.loads, Scalar(-1), w.last_loads);
      w.increment_loads.set_sum(w.last_loads, static_cast<Scalar>(end), w.increment_loads);
      detail::integrator::StaticPotential<typename Context::System, typename Context::Filter> potential(
          context, state, w.increment_loads, start + end * dt, (end - done) * dt, w.potential);
      w.displacement.set_zero();
      w.newton.step.set_zero();
      auto [report, contact] = detail::integrator::minimize_with_contacts(
          context, potential, newton, state.x, w.potential, w.newton, w.displacement, monitor,
          most_iterations - total.newton_iterations);
      blame_element(report, context.system, potential.position());
      report.energies.elastic = potential.elastic_energy();
      detail::integrator::append(total, std::move(report));
      if (total) {
        const InvertedElements inverted = context.system.inverted_elements(potential.position());
        total.inverted_elements = inverted.all;
        if (inverted.wrong() > 0 && !allow_inverted_elements) total.stop = StepStop::inverted;
      }
      if (total) {
        if (contact) contact->finish(state.x, w.displacement);
        displace(context.system, state.x, w.displacement, w.potential.position);
        done = end;
      } else if (total.stop == StepStop::cancelled) {
        return total;
      }
      if (done < 1 && total.newton_iterations >= most_iterations) {
        total.stop = StepStop::too_many_iterations;
        return total;
      }
      if (!total) {
        if (++halvings > max_halvings) return total;
        part /= 2;
      }
    }
    w.last_loads.set_sum(context.loads, Scalar(0), context.loads);
    state.time = start + dt;
    return total;
  }
};

static_assert(Integrator<QuasiStatic>);

}  // namespace pliant
