// The function that a step minimises, as a sum of terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <pliant/potential/own_terms.hpp>
#include <pliant/potential/rounding.hpp>

namespace pliant::detail::potential {

// E(x + u) plus the terms of the System (`solid.with(term)`) plus `Terms`, over the displacement u within
// constraints and the bounds of contact: a problem for Newton's method (nonlinear_solver/newton.hpp). The
// unknown is the displacement and not the new position, because the difference of two positions has few
// significant digits in float far from the origin.
template <class SystemType, class FilterType,
          class... Terms>  // terms of an integrator, in this order; the first is always active
class StepPotential {
 public:
  using System = SystemType;
  using Scalar = typename System::Scalar;
  using Vector = typename System::Vector;
  using Matrix = typename System::Matrix;
  static constexpr bool bounded = System::Contacts::takes_colliders;  // see Newton's method
  static constexpr bool balances_bodies = false;                      // see IncrementalPotential

  struct Workspace {
    Vector prescribed;  // u of the constrained nodes [m]
    Vector position;    // x + u [m]
    Vector held;        // the constraint forces on the nodes, which balance the last gradient [N]
    Vector scratch, more_scratch;

    void prepare(const System& system) {
      for (Vector* vector : {&prescribed, &position, &held, &scratch, &more_scratch}) {
        *vector = system.make_vector();
      }
    }
  };

  // From the positions x and velocities v in `dt` to the time `end` [s]; contact forces act for
  // `contact_time` [s]. Sets `prescribed` of the workspace, and begins the step of the terms of the System.
  StepPotential(System& system, const FilterType& filter, typename System::Contacts::Step& contacts,
                const Vector& x, const Vector& v, double end, double dt, double contact_time,
                std::tuple<Terms...> terms, Workspace& workspace)
      : system_(system),
        filter_(filter),
        x_(x),
        terms_(std::move(terms)),
        w_(workspace),
        constraints_move_(filter.prescribe(end, dt, x, workspace.prescribed)),
        contacts_(contacts),
        end_(end),
        dt_(dt),
        contact_time_(contact_time) {
    begin_terms(system_, TermState<System>(system_, x, v, end, dt));
    own_active_ = any_term_active(system_);
  }

  double gradient(const Vector& u, Vector& g) {
    system_.move(x_, u, w_.position);
    elastic_ = system_.gradient(w_.position, g);
    add_own<Evaluate::gradient>(u, Projection::none, g, nullptr, constraints_move_ || follows_forces_);
    return add_terms<Evaluate::gradient>(u, Projection::none, g, nullptr);
  }

  double tangent(const Vector& u, Projection projection, Vector& g, Matrix& A) {
    system_.move(x_, u, w_.position);
    elastic_ = system_.tangent(w_.position, projection, Scalar(1), g, A);
    const bool first = first_force_ < 0;  // u = 0
    add_own<Evaluate::tangent>(u, projection, g, &A,
                               first || constraints_move_ || follows_forces_ || wants_rounding_);
    if (first) first_force_ = force_;
    if (wants_rounding_) rounding_.estimate(A, w_.position, force_, w_.more_scratch, w_.scratch);
    return add_terms<Evaluate::tangent>(u, projection, g, &A);
  }

  void constrain(Vector& g) const { filter_.split(g, w_.held); }
  void constrain(Matrix& A) const { filter_.apply(A); }
  bool constraints_move() const { return constraints_move_; }
  void prescribe(const Vector& u, Vector& d) const { filter_.remaining(w_.prescribed, u, d); }
  auto& bounds() requires(bounded) { return contacts_.bounds(); }
  double contact_time() const { return contact_time_; }

  double safe_fraction(const Vector& u, const Vector& step) const {
    const TermPoint<System> at = point(u);
    const NodeValues<System> change(system_, step);
    return std::min(potential::safe_fraction(terms_in(system_), at, change),
                    potential::safe_fraction(terms_, at, change));
  }

  // The size of the forces that the step balances [N]; valid after the first tangent.
  double force_scale() const {
    return known_forces_ +
           (constraints_move_ || follows_forces_ ? std::max(first_force_, force_) : first_force_);
  }

  double force_rounding() const { return rounding_.of_forces(); }
  double value_rounding() const { return rounding_.of_values(size_ + std::abs(elastic_)); }

  // The positions of the last evaluation [m].
  const Vector& position() const { return w_.position; }

  // The elastic part of the last value [J].
  double elastic_energy() const { return elastic_; }

 protected:
  TermPoint<System> point(const Vector& u) const { return {system_, &u, w_.position, end_, dt_}; }

  System& system_;
  const FilterType& filter_;
  const Vector& x_;
  std::tuple<Terms...> terms_;
  bool own_active_;             // whether a term of the System is active
  bool wants_rounding_ = true;  // whether the rounding of forces and values is needed
  bool follows_forces_ = true;  // the acting forces are those of the last gradient, if they are larger
  double known_forces_ = 0;     // besides those within the System [N]

 private:
  // Adds the terms of the System to its elastic energy. If `sizes_count`, computes the size of the forces
  // within the System.
  template <Evaluate asked>
  void add_own(const Vector& u, Projection projection, Vector& g, Matrix* A, bool sizes_count) {
    if (sizes_count) force_ = static_cast<double>(g.norm());
    if constexpr (has_terms<System>) {
      if (!own_active_) return;
      Vector& own = w_.more_scratch;
      own.set_zero();
      TermSum<System, asked> sum(system_, projection, &own, A);
      own_ = evaluate_terms(std::as_const(system_), point(u), sum);
      g.add(Scalar(1), own);
      if (sizes_count) force_ += static_cast<double>(own.norm());
    }
  }

  // Adds the terms of the integrator; returns the total value.
  template <Evaluate asked>
  double add_terms(const Vector& u, Projection projection, Vector& g, Matrix* A) {
    const TermPoint<System> at = point(u);
    TermSum<System, asked> sum(system_, projection, &g, A);
    const double first = std::get<0>(terms_).evaluate(at, sum);
    double others = 0;
    std::apply([&](const auto&,
                   const auto&... term) { ((others += is_active(term) ? term.evaluate(at, sum) : 0), ...); },
               terms_);
    if constexpr (asked == Evaluate::tangent) {
      const auto finish = [&]<class T>(const T& term) {
        if constexpr (T::abilities.finishes) term.finish(at, sum);
      };
      if (own_active_) for_each_active(terms_in(std::as_const(system_)), finish);
      for_each_active(terms_, finish);
    }
    size_ = std::abs(first) + others;
    if constexpr (!has_terms<System>) return elastic_ + first + others;
    size_ += std::abs(own_);
    return elastic_ + first + others + own_;
  }

  Workspace& w_;
  bool constraints_move_;
  typename System::Contacts::Step& contacts_;
  double end_, dt_;      // [s]
  double contact_time_;  // [s]
  Rounding rounding_;
  double first_force_ = -1, force_ = 0;  // within the System, at the start and of the last gradient [N]
  double elastic_ = 0, own_ = 0;         // parts of the last value [J]
  double size_ = 0;                      // of all parts of it except the elastic one [J]
};

}  // namespace pliant::detail::potential
