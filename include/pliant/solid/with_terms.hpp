// A solid with additional terms in the function that a step minimises.
#pragma once

#include <tuple>
#include <utility>

namespace pliant {

// A Solid, Bodies or Copies, and terms (potential/concept.hpp) with its node numbers. `solid.with(term, ...)`
// makes one:
//   auto sim = Simulation(solid.with(Foundation(mesh)), BackwardEuler{.dt = 0.01}, Cholesky{}, held);
//   sim.term<Foundation>()     is the simulation's own copy, which sim.set_term(term) replaces
template <class SolidType, class... Terms>
class WithTerms : public SolidType {
 public:
  WithTerms(SolidType solid, std::tuple<Terms...> terms)
      : SolidType(std::move(solid)), terms_(std::move(terms)) {}

  const std::tuple<Terms...>& terms() const { return terms_; }

  // The same solid with additional terms.
  template <class... More>
  WithTerms<SolidType, Terms..., More...> with(More... more) const {
    return {*this, std::tuple_cat(terms_, std::tuple<More...>(std::move(more)...))};
  }

 private:
  std::tuple<Terms...> terms_;
};

namespace detail::solid {

template <class SolidType>
std::tuple<> terms_of(const SolidType&) {
  return {};
}
template <class SolidType, class... Terms>
const std::tuple<Terms...>& terms_of(const WithTerms<SolidType, Terms...>& solid) {
  return solid.terms();
}

}  // namespace detail::solid
}  // namespace pliant
