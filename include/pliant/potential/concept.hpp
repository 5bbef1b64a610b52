// The Term concept: a part of the function that a step minimises over its displacement u.
//
// A step minimises a sum: the elastic energy of its System, which comes first, and additional terms, such as
// inertia, damping, friction, loads, and those of a program (`solid.with(term)`). A model has the members
//   abilities                static constexpr TermAbilities abilities{.stores_energy = true};
//   evaluate(at, sum) const  returns its value [J] at a displacement and adds its derivatives to the sum:
//                              sum.add_gradient(node, g)    g = d value / d u_node [N]: minus the force
//                              sum.add_hessian(i, j, H)     H = d2 value / d u_i d u_j [N/m], dim x dim, once
//                                                           for each two nodes: also stands for (j, i)
//                              sum.projection()             the treatment of an indefinite Hessian
//                            The two functions do nothing if the derivatives are not needed;
//                            `sum.wants_hessian` is a constant
// and the function of each ability that is true. A misspelt field does not compile, nor does a term whose
// functions differ from those of its abilities.
//
// The arguments of a term use the node numbers of the mesh, and double:
//   at      TermPoint: position(node), displacement(node) [m], time(), dt() [s]
//   state   TermState: position(node) [m], velocity(node) [m/s], time(), dt() [s]
//   step    NodeValues: step(node) [m]
// begin_step and accept_step are called for inactive terms as well. The functions of the arguments throw
// IndexError for a node that does not exist. A force without a potential, such as wind, is
// constant within a step: compute it in begin_step, and return -f.u as the value. testing/terms.hpp checks a
// model.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>

#include <pliant/algebra/matrix.hpp>
#include <pliant/assembly/element_kernel.hpp>
#include <pliant/core/error.hpp>
#include <pliant/energy/projection.hpp>

namespace pliant {

// The optional abilities of a term.
struct TermAbilities {
  // `bool active() const`: false if the term is not to be evaluated, at no cost. It is told of steps
  // all the same.
  bool switches = false;
  // `void begin_step(state)`: called at the start of a step or of a part of one, in this state; the time of
  // the state is that at the end. May be called again for the same step. A failed step takes it back: the
  // term is copied before each step, so that memory which it allocates in the first is allocated again in the
  // second.
  bool begins_steps = false;
  // `void accept_step(state)`: called after a successful step with the state at its end. Such a term may keep
  // data from step to step: it is part of a SavedState.
  bool accepts_steps = false;
  // `double safe_fraction(at, step) const`: the largest allowed fraction of a change `step` of the
  // displacement, 1 for no limit. Newton's method calls it before its line search, and before it
  // moves nodes to their paths or to colliders.
  bool limits_steps = false;
  // The value is energy stored at these positions, independent of the step, and counts in Energies.
  bool stores_energy = false;
  // `void finish(at, sum) const`: adds the part of the Hessian that depends on the gradient of the whole sum.
  bool finishes = false;
};

// Vectors of a System by the node numbers of its mesh.
template <class SystemType>
class NodeValues {
 public:
  using Vector = typename SystemType::Vector;
  static constexpr int dim = SystemType::dim;
  using Point = SmallVector<double, dim>;

  NodeValues(const SystemType& system, const Vector& values) : system_(system), values_(values) {}

  Point operator()(int node) const {
    return values_.node(internal_number(system_, node)).template cast<double>();
  }

  // The index of a node in the vectors of the System.
  static std::ptrdiff_t internal_number(const SystemType& system, int node) {
    if (node < 0 || node >= system.node_count())
      throw IndexError("node of a term", node, system.node_count());
    return system.internal_number(node);
  }

 private:
  const SystemType& system_;
  const Vector& values_;
};

namespace detail::potential {

// The position of a node in the world [m].
template <class SystemType>
typename NodeValues<SystemType>::Point position_of(const SystemType& system,
                                                   const typename SystemType::Vector& x, int node) {
  const auto position = NodeValues<SystemType>(system, x)(node);
  if constexpr (SystemType::abilities.origins) {
    return position + system.origins().of(NodeValues<SystemType>::internal_number(system, node));
  } else {
    return position;
  }
}

}  // namespace detail::potential

// The arguments at which a term is evaluated.
template <class SystemType>
class TermPoint {
 public:
  using Vector = typename SystemType::Vector;
  using Point = typename NodeValues<SystemType>::Point;

  // The displacement u [m], null if it is zero, leads to the positions x [m] at `time`, `dt` [s] after the
  // start of the step.
  TermPoint(const SystemType& system, const Vector* u, const Vector& x, double time, double dt)
      : system_(system), u_(u), x_(x), time_(time), dt_(dt) {}

  Point position(int node) const { return detail::potential::position_of(system_, x_, node); }  // [m]
  Point displacement(int node) const {                                                          // [m]
    return u_ == nullptr ? Point(Point::Zero()) : NodeValues<SystemType>(system_, *u_)(node);
  }
  double time() const { return time_; }  // at the end of the step [s]
  double dt() const { return dt_; }      // length of the step [s]

  const Vector& displacements() const { return *u_; }  // in the numbering of the System

 private:
  const SystemType& system_;
  const Vector* u_;
  const Vector& x_;
  double time_, dt_;
};

// The state at the start or at the end of a step.
template <class SystemType>
class TermState {
 public:
  using Vector = typename SystemType::Vector;
  using Point = typename NodeValues<SystemType>::Point;

  // `time` [s]: at the end of the step in both cases.
  TermState(const SystemType& system, const Vector& x, const Vector& v, double time, double dt)
      : system_(system), x_(x), v_(v), time_(time), dt_(dt) {}

  Point position(int node) const { return detail::potential::position_of(system_, x_, node); }  // [m]
  Point velocity(int node) const { return NodeValues<SystemType>(system_, v_)(node); }          // [m/s]
  double time() const { return time_; }  // at the end of the step [s]
  double dt() const { return dt_; }      // length of the step [s]

 private:
  const SystemType& system_;
  const Vector& x_;
  const Vector& v_;
  double time_, dt_;
};

// The sums of the derivatives of terms: gradient and Hessian, as far as they are needed.
template <class SystemType, Evaluate asked>
class TermSum {
 public:
  using Scalar = typename SystemType::Scalar;
  using Vector = typename SystemType::Vector;
  using Matrix = typename SystemType::Matrix;
  static constexpr bool wants_gradient = asked != Evaluate::energy;
  static constexpr bool wants_hessian = asked == Evaluate::tangent;

  // `g` and `A` must be valid if the derivatives are needed.
  TermSum(const SystemType& system, Projection projection, Vector* g, Matrix* A)
      : system_(system), projection_(projection), g_(g), A_(A) {}

  // The treatment of a Hessian that is not positive semidefinite.
  Projection projection() const { return projection_; }

  template <class Derived>
  void add_gradient(int node, const Eigen::MatrixBase<Derived>& g) {
    if constexpr (wants_gradient) g_->node(number(node)) += g.template cast<Scalar>();
  }

  // For two nodes that are the same, or that share an element. Throws ParameterError for others.
  template <class Derived>
  void add_hessian(int i, int j, const Eigen::MatrixBase<Derived>& H) {
    if constexpr (wants_hessian) {
      const auto a = static_cast<int>(number(i)), b = static_cast<int>(number(j));
      if (!A_->has(a, b)) {
        throw ParameterError("add_hessian: node " + std::to_string(i) + " and node", j,
                             "must share an element");
      }
      A_->add(a, b, H.template cast<Scalar>());
    }
  }

  // In the numbering of the System, for terms that operate on whole vectors.
  Vector& gradient() { return *g_; }
  Matrix* matrix() { return wants_hessian ? A_ : nullptr; }

 private:
  std::ptrdiff_t number(int node) const { return NodeValues<SystemType>::internal_number(system_, node); }

  const SystemType& system_;
  Projection projection_;
  Vector* g_;
  Matrix* A_;
};

namespace detail::potential {

template <class T>
concept NamesAbilities = requires {
  { T::abilities } -> std::same_as<const TermAbilities&>;
};

template <class T, class S>
concept Evaluates = requires(const T& term, const TermPoint<S>& at, TermSum<S, Evaluate::energy>& value,
                             TermSum<S, Evaluate::gradient>& gradient,
                             TermSum<S, Evaluate::tangent>& tangent) {
  { term.evaluate(at, value) } -> std::convertible_to<double>;     // [J]
  { term.evaluate(at, gradient) } -> std::convertible_to<double>;  // [J], adds its gradient
  { term.evaluate(at, tangent) } -> std::convertible_to<double>;   // [J], adds its gradient and its Hessian
};

template <class T>
concept Switches = requires(const T& term) {
  { term.active() } -> std::convertible_to<bool>;
};
template <class T, class S>
concept BeginsSteps = requires(T& term, const TermState<S>& state) {
  term.begin_step(state);
};
template <class T, class S>
concept AcceptsSteps = requires(T& term, const TermState<S>& state) {
  term.accept_step(state);
};
template <class T, class S>
concept LimitsSteps = requires(const T& term, const TermPoint<S>& at, const NodeValues<S>& step) {
  { term.safe_fraction(at, step) } -> std::convertible_to<double>;
};
template <class T, class S>
concept Finishes = requires(const T& term, const TermPoint<S>& at, TermSum<S, Evaluate::tangent>& sum) {
  term.finish(at, sum);
};

}  // namespace detail::potential

// A term in the steps of a System.
template <class T, class SystemType>
concept Term = std::copyable<T> &&                  // a Simulation and a SavedState keep copies
    detail::potential::NamesAbilities<T> &&         // static constexpr TermAbilities abilities
    detail::potential::Evaluates<T, SystemType> &&  // evaluate(at, sum) const
    detail::potential::Switches<T>
==
    T::abilities.switches&&  // active() const
        detail::potential::BeginsSteps<T, SystemType> ==
    T::abilities.begins_steps&&  // begin_step(state)
        detail::potential::AcceptsSteps<T, SystemType> ==
    T::abilities.accepts_steps&&  // accept_step(state)
        detail::potential::LimitsSteps<T, SystemType> ==
    T::abilities.limits_steps&&                                               // safe_fraction(at, step) const
        detail::potential::Finishes<T, SystemType> == T::abilities.finishes;  // finish(at, sum) const

// Fails to compile with one sentence about the first requirement of a Term that T does not meet.
template <class T, class SystemType>
constexpr bool require_term() {
  if constexpr (!detail::potential::NamesAbilities<T>) {
    static_assert(
        detail::potential::NamesAbilities<T>,
        "pliant: this type is no Term: it lacks `static constexpr TermAbilities abilities{...}`, see "
        "potential/concept.hpp");
  } else if constexpr (!detail::potential::Evaluates<T, SystemType>) {
    static_assert(
        detail::potential::Evaluates<T, SystemType>,
        "pliant: this type is no Term: it lacks `evaluate(at, sum) const`, its value [J]; a template, "
        "for `sum` is of several types");
  } else {
    static_assert(
        detail::potential::Switches<T> == T::abilities.switches,
        "pliant: a Term has `bool active() const` if, and only if, its abilities say .switches = true");
    static_assert(
        detail::potential::BeginsSteps<T, SystemType> == T::abilities.begins_steps,
        "pliant: a Term has `begin_step(state)` if, and only if, its abilities say .begins_steps = true");
    static_assert(
        detail::potential::AcceptsSteps<T, SystemType> == T::abilities.accepts_steps,
        "pliant: a Term has `accept_step(state)` if, and only if, its abilities say .accepts_steps = true");
    static_assert(
        detail::potential::LimitsSteps<T, SystemType> == T::abilities.limits_steps,
        "pliant: a Term has `double safe_fraction(at, step) const` if, and only if, its abilities say "
        ".limits_steps = true");
    static_assert(
        detail::potential::Finishes<T, SystemType> == T::abilities.finishes,
        "pliant: a Term has `finish(at, sum) const` if, and only if, its abilities say .finishes = true");
    static_assert(
        std::copyable<T>,
        "pliant: a Term must be copyable and assignable: a Simulation and a SavedState keep copies");
  }
  return true;
}

namespace detail::potential {

template <class T>
bool is_active(const T& term) {
  if constexpr (T::abilities.switches) return term.active();
  else return true;
}

}  // namespace detail::potential
}  // namespace pliant
