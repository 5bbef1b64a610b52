// The stiffness-proportional damping (Kelvin-Voigt) of a System.
#pragma once

#include <pliant/potential/concept.hpp>

namespace pliant::detail::potential {

// The potential of System::add_damping over the displacement u of a step from `start`, at the rate of strain
//   G' = (G(start + u) - G(start) - sym(F^T grad c)) / T,
// with the displacement c that ends at rest. See IncrementalPotential and Straining.
template <class SystemType>
class StiffnessDamping {
 public:
  using Vector = typename SystemType::Vector;
  static constexpr TermAbilities abilities{.switches = true};

  // If `standstill` has no nodes, c is zero.
  StiffnessDamping(SystemType& system, const Vector& start, const Vector& standstill, double time)
      : system_(system), start_(start), standstill_(standstill), time_(time) {}

  bool active() const { return system_.stiffness_damping() > 0; }

  template <class At, class Sum>
  double evaluate(const At& at, Sum& sum) const {
    const Vector* const standstill = standstill_.nodes() > 0 ? &standstill_ : nullptr;
    return system_.add_damping({&start_, &at.displacements(), time_, standstill, -1 / time_},
                               sum.projection(), sum.gradient(), sum.matrix());
  }

 private:
  SystemType& system_;
  const Vector& start_;
  const Vector& standstill_;
  double time_;  // T [s]
};

}  // namespace pliant::detail::potential
