#include "energy/facts.hpp"

#include <pliant/energy/concept.hpp>
#include <pliant/energy/isotropic.hpp>

using namespace pliant;
using namespace pliant::simd;

namespace {

// A polynomial that uses every derivative: psi = a I2 + b I2^2 + c I2 J + d (J - 1)^2 + e J^3.
class EveryTerm : public IsotropicEnergy<EveryTerm> {
 public:
  static constexpr bool linear_in_I2 = false;

  template <int Dim, class T>
  T density(const T& I2, const T& J) const {
    const T one = constant<T>(1);
    return constant<T>(0.6) * I2 + constant<T>(0.15) * I2 * I2 - constant<T>(0.8) * I2 * J +
           constant<T>(0.9) * (J - one) * (J - one) + constant<T>(0.2) * J * J * J;
  }

  template <int Dim, class T>
  InvariantDerivatives<T> derivatives(const T& I2, const T& J) const {
    return {.d2 = constant<T>(0.6) + constant<T>(0.3) * I2 - constant<T>(0.8) * J,
            .d3 = constant<T>(-0.8) * I2 + constant<T>(1.8) * (J - constant<T>(1)) + constant<T>(0.6) * J * J,
            .d33 = constant<T>(1.8) + constant<T>(1.2) * J,
            .d22 = constant<T>(0.3),
            .d23 = constant<T>(-0.8)};
  }
};

// The same density with its J derivatives given in a unit of 1/4.
class InAnotherUnit : public IsotropicEnergy<InAnotherUnit> {
 public:
  static constexpr bool linear_in_I2 = false;

  template <int Dim, class T>
  T density(const T& I2, const T& J) const {
    return EveryTerm().density<Dim, T>(I2, J);
  }

  template <int Dim, class T>
  InvariantDerivatives<T> derivatives(const T& I2, const T& J) const {
    InvariantDerivatives<T> d = EveryTerm().derivatives<Dim, T>(I2, J);
    d.d3 *= constant<T>(4);
    d.d33 *= constant<T>(16);
    d.d23 *= constant<T>(4);
    d.unit = constant<T>(0.25);
    return d;
  }
};

static_assert(Energy<EveryTerm, 2> && Energy<EveryTerm, 3>);

const EveryTerm energy;

}  // namespace

TEMPLATE_TEST_CASE_SIG("IsotropicEnergy: derivatives, isotropy and projections with every term", "",
                       ((int Dim), Dim), 2, 3) {
  for (const auto& state : facts::all_states<Dim>()) {
    INFO(state.name);
    facts::agrees_with_differences<Dim>(energy, state.F, 1);
    facts::is_isotropic<Dim>(energy, state.F, 1);
    facts::projects_like_an_eigensolver<Dim>(energy, state.F);
    const InAnotherUnit same;
    for (const Projection projection : {Projection::none, Projection::clamp, Projection::absolute}) {
      const auto H = energy.hessian(state.F, projection);
      CHECK(facts::difference(same.hessian(state.F, projection), H) <= 1e-13 * facts::largest(H));
    }
    CHECK(facts::difference(same.pk1(state.F), energy.pk1(state.F)) <= 1e-13);
  }
}

TEMPLATE_TEST_CASE_SIG("IsotropicEnergy: tangents and lanes with every term", "", ((int Dim), Dim), 2, 3) {
  facts::all_tangents_contract<double, Dim>(energy, facts::all_states<Dim>(), 1e-13);
  facts::all_tangents_contract<Lane<double, 4>, Dim>(energy, facts::all_states<Dim>(), 1e-13);
  facts::lanes_equal_scalars<Lane<double, 4>, Dim>(energy, facts::all_states<Dim>(), 1);
}
