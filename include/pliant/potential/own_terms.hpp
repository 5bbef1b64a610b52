// The terms that a program has added to a solid (`solid.with(term)`), in the steps of its System.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <pliant/potential/concept.hpp>

namespace pliant::detail::potential {

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

// Calls use(term) for each term, in order.
template <class Tuple, class Use>
void for_each_term(Tuple& terms, Use&& use) {
  std::apply([&](auto&... term) { (use(term), ...); }, terms);
}

// The same for each active term.
template <class Tuple, class Use>
void for_each_active(Tuple& terms, Use&& use) {
  for_each_term(terms, [&](auto& term) {
    if (is_active(term)) use(term);
  });
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

// The terms of a System, as a std::tuple.
template <class System>
using TermsOf = std::remove_cvref_t<decltype(terms_in(std::declval<System&>()))>;

// Whether it has any. Otherwise these functions do nothing.
template <class System>
inline constexpr bool has_terms = std::tuple_size_v<TermsOf<System>> > 0;

// Whether any term is active.
template <class System>
bool any_term_active(const System& system) {
  bool any = false;
  for_each_active(terms_in(system), [&](const auto&) { any = true; });
  return any;
}

// Called at the start of a step and after a successful step, with the state; also for terms that are not
// active, which may become so, and then depend on what they have seen.
template <class System>
void begin_terms(System& system, const TermState<System>& state) {
  static_assert(require_terms<System>(static_cast<const TermsOf<System>*>(nullptr)));
  for_each_term(terms_in(system), [&]<class T>(T& term) {
    if constexpr (T::abilities.begins_steps) term.begin_step(state);
  });
}
template <class System>
void accept_terms(System& system, const TermState<System>& state) {
  for_each_term(terms_in(system), [&]<class T>(T& term) {
    if constexpr (T::abilities.accepts_steps) term.accept_step(state);
  });
}

// Adds the derivatives of the terms to a sum; returns the sum of their values [J].
template <class System, Evaluate asked>
double evaluate_terms(const System& system, const TermPoint<System>& at, TermSum<System, asked>& sum) {
  double value = 0;
  for_each_active(terms_in(system),
                  [&](const auto& term) { value += static_cast<double>(term.evaluate(at, sum)); });
  return value;
}

// Calls use(term of a, term of b) for the terms of two tuples of the same type, in order.
template <class First, class Second, class Use>
void for_each_two(First& a, Second& b, Use&& use) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (use(std::get<i>(a), std::get<i>(b)), ...); }
  (std::make_index_sequence<std::tuple_size_v<First>>{});
}

// Whether a step may change a term.
template <class T>
inline constexpr bool steps_change = T::abilities.begins_steps || T::abilities.accepts_steps;
template <class... Terms>
inline constexpr bool steps_change<std::tuple<Terms...>> = (steps_change<Terms> || ...);

// Restores the terms that keep data from step to step.
template <class System>
void restore_terms(System& system, TermsOf<System>&& saved) {
  for_each_two(saved, terms_in(system), []<class T>(T& from, T& to) {
    if constexpr (T::abilities.accepts_steps) to = std::move(from);
  });
}

// The terms before a step, as far as it may change them.
template <class System>
class TermsBefore {
  using Terms = TermsOf<System>;
  static constexpr bool any = steps_change<Terms>;

 public:
  void take(const System& of) {
    if constexpr (any) {
      if (!saved_) {
        saved_ = terms_in(of);
        return;
      }
      for_each_two(*saved_, terms_in(of), []<class T>(T& to, const T& from) {
        if constexpr (steps_change<T>) to = from;
      });
    }
  }
  // After a failed step.
  void give_back(System& to) {
    if constexpr (any) {
      for_each_two(*saved_, terms_in(to), []<class T>(T& from, T& term) {
        if constexpr (steps_change<T>) std::swap(from, term);
      });
    }
  }

 private:
  std::optional<Terms> saved_;
};

// Adds the negative forces of the terms [N], and if required their derivatives, to the gradient and the
// matrix of a System at the positions x after the displacement u [m], which is null if it is zero.
template <Evaluate asked, class System>
void add_terms(const System& system, const typename System::Vector& x, const typename System::Vector* u,
               double time, double dt, typename System::Vector& g, typename System::Matrix* A = nullptr) {
  TermSum<System, asked> sum(system, Projection::none, &g, A);
  (void)evaluate_terms(system, TermPoint<System>(system, u, x, time, dt), sum);
}

// The energy that the terms store at the positions x [J].
template <class System>
double stored_energy(const System& system, const typename System::Vector& x, double time) {
  double energy = 0;
  TermSum<System, Evaluate::energy> sum(system, Projection::none, nullptr, nullptr);
  for_each_active(terms_in(system), [&]<class T>(const T& term) {
    if constexpr (T::abilities.stores_energy) {
      energy += static_cast<double>(term.evaluate(TermPoint<System>(system, nullptr, x, time, 0), sum));
    }
  });
  return energy;
}

}  // namespace pliant::detail::potential
