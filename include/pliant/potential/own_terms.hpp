// The terms that a program has added to a solid (`solid.with(term)`), in the steps of its System.
#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pliant/potential/concept.hpp>

namespace pliant {

namespace detail {

inline constexpr std::tuple<> no_terms{};

// The terms as a std::tuple; it is empty for a System without terms.
template <class SystemType>
auto& terms_in(SystemType& system) {
  if constexpr (std::remove_cvref_t<SystemType>::abilities.terms) return system.terms();
  else return no_terms;
}

template <class System, class... Terms>
constexpr bool require_terms(const std::tuple<Terms...>*) {
  return (require_term<Terms, System>() && ...);
}

// Calls use(term) for each active term, in order.
template <class Tuple, class Use>
void for_each_active(Tuple& terms, Use&& use) {
  const auto use_active = [&](auto& term) {
    if (is_active(term)) use(term);
  };
  std::apply([&](auto&... term) { (use_active(term), ...); }, terms);
}

// The fraction of a change of the displacement that all terms allow.
template <class System, class Tuple>
double safe_fraction(const Tuple& terms, const TermPoint<System>& at, const NodeValues<System>& step) {
  double fraction = 1;
  for_each_active(terms, [&]<class T>(const T& term) {
    if constexpr (T::abilities.limits_steps) {
      const auto own = static_cast<double>(term.safe_fraction(at, step));
      if (!(own >= fraction)) fraction = own > 0 ? own : 0;  // NaN: no step is safe
    }
  });
  return fraction;
}

}  // namespace detail

// The terms of a System, as a std::tuple.
template <class System>
using TermsOf = std::remove_cvref_t<decltype(detail::terms_in(std::declval<System&>()))>;

// Whether it has any. Otherwise these functions do nothing.
template <class System>
inline constexpr bool has_terms = std::tuple_size_v<TermsOf<System>> > 0;

// Whether any term is active.
template <class System>
bool any_term_active(const System& system) {
  bool any = false;
  detail::for_each_active(detail::terms_in(system), [&](const auto&) { any = true; });
  return any;
}

// Called at the start of a step and after a successful step, with the state.
template <class System>
void begin_terms(System& system, const TermState<System>& state) {
  static_assert(detail::require_terms<System>(static_cast<const TermsOf<System>*>(nullptr)));
  detail::for_each_active(detail::terms_in(system), [&]<class T>(T& term) {
    if constexpr (T::abilities.begins_steps) term.begin_step(state);
  });
}
template <class System>
void accept_terms(System& system, const TermState<System>& state) {
  detail::for_each_active(detail::terms_in(system), [&]<class T>(T& term) {
    if constexpr (T::abilities.accepts_steps) term.accept_step(state);
  });
}

// Adds the derivatives of the terms to a sum; returns the sum of their values [J].
template <class System, detail::assembly::Evaluate asked>
double evaluate_terms(const System& system, const TermPoint<System>& at, TermSum<System, asked>& sum) {
  double value = 0;
  detail::for_each_active(detail::terms_in(system),
                          [&](const auto& term) { value += static_cast<double>(term.evaluate(at, sum)); });
  return value;
}

// Restores the terms that keep data from step to step.
template <class System>
void restore_terms(System& system, TermsOf<System>&& saved) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    [[maybe_unused]] const auto restore = []<class T>(T& from, T& to) {
      if constexpr (T::abilities.accepts_steps) to = std::move(from);
    };
    (restore(std::get<i>(saved), std::get<i>(detail::terms_in(system))), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<TermsOf<System>>>{});
}

// Adds the negative forces of the terms [N], and if required their derivatives, to the gradient and the
// matrix of a System at the positions x after the displacement u [m], which is null if it is zero.
template <detail::assembly::Evaluate asked, class System>
void add_terms(const System& system, const typename System::Vector& x, const typename System::Vector* u,
               double time, double dt, typename System::Vector& g, typename System::Matrix* A = nullptr) {
  TermSum<System, asked> sum(system, Projection::none, &g, A);
  (void)evaluate_terms(system, TermPoint<System>(system, u, x, time, dt), sum);
}

// The energy that the terms store at the positions x [J].
template <class System>
double stored_energy(const System& system, const typename System::Vector& x, double time) {
  double energy = 0;
  TermSum<System, detail::assembly::Evaluate::energy> sum(system, Projection::none, nullptr, nullptr);
  detail::for_each_active(detail::terms_in(system), [&]<class T>(const T& term) {
    if constexpr (T::abilities.stores_energy) {
      energy += static_cast<double>(term.evaluate(TermPoint<System>(system, nullptr, x, time, 0), sum));
    }
  });
  return energy;
}

}  // namespace pliant
