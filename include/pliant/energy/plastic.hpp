// Plasticity and creep: materials that keep a part of their deformation.
#pragma once

#include <concepts>
#include <limits>

#include <pliant/core/error.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/energy/corotated_linear.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/linear_elastic.hpp>

namespace pliant {

// How a material flows. The strain e of a quadrature point is the sum of an elastic strain, on which energy
// and stress depend, and of a plastic strain p, zero at first. At the end of each step of length dt
//   p := p + min(dt creep, 1) (e - p)   if |e - p| > yield,   then   p := p limit / |p|   if |p| > limit,
// with the norm |p| = sqrt(p:p), which is the same in all axes (Benevolensky and Voroshilov 2009, "Real-time
// FEM continuum mechanics coupled with articulated rigid body dynamics", algorithm 1, with this norm instead
// of one of engineering shears).
//
// At a constant strain e the elastic strain decays as exp(-creep t) down to `yield`, and the last update ends
// between (1 - dt creep) yield and yield. The whole strain flows, including the change of volume. At the
// limit the material is elastic again.
struct Plasticity {
  double yield = 0;  // |e - p| above which the material flows [-], >= 0; 0: it creeps under any load
  double creep = 0;  // rate of the flow [1/s], > 0; infinite: all of the elastic strain in one step
  double limit = std::numeric_limits<double>::infinity();  // maximum of |p| [-], >= 0

  // Throws ParameterError for a number out of range.
  void check() const {
    require(yield, yield >= 0, "Plasticity::yield", "must not be negative (-)");
    require(creep, creep > 0, "Plasticity::creep", "must be positive (1/s)");
    require(limit, limit >= 0, "Plasticity::limit", "must not be negative (-)");
  }

 private:
  // Infinity is admissible.
  static void require(double value, bool admissible, const char* parameter, const char* requirement) {
    if (!admissible) throw ParameterError(parameter, value, requirement);
  }
};

// An energy whose material flows: Plastic(CorotatedLinear(lame), {.yield = 0.02, .creep = 10}). Each
// quadrature point of a solid then has a plastic strain, which is part of the state of a simulation.
//
// The members of the energy, such as psi(F), are those without plastic strain. With a plastic strain p, psi
// is mu el:el + lambda/2 tr(el)^2 of the elastic strain el = e - p. The strain is e = (F + F^T)/2 - I for
// LinearElastic, and e = S - I with F = R S for CorotatedLinear: that of the unrotated material, so that a
// rotation of the body changes neither strains nor energy. Stress and Hessian are the exact derivatives of
// psi, including that of R. In 2D they are those of plane strain.
template <class EnergyType>
class Plastic : public EnergyType {
  static_assert(std::same_as<EnergyType, LinearElastic> || std::same_as<EnergyType, CorotatedLinear>,
                "pliant: Plastic exists for LinearElastic and CorotatedLinear only: plastic strain is a part "
                "of the strain of Hooke's law, which other energies do not have");

 public:
  using Elastic = EnergyType;  // the energy where nothing has flowed

  // Throws ParameterError for a plasticity out of range, and for RawCoefficients of an unstable material.
  Plastic(const EnergyType& energy, const Plasticity& plasticity)
      : EnergyType(energy), plasticity_(plasticity) {
    plasticity.check();
    const RawCoefficients& c = energy.template coefficients<3>();
    detail::core::require_parameter(3 * c.lambda > -2 * c.mu, "lambda", c.lambda,
                                    "must exceed -2/3 mu (Pa) with plasticity");
  }

  const Plasticity& plasticity() const noexcept { return plasticity_; }

 private:
  Plasticity plasticity_;
};

static_assert(require_energy<Plastic<LinearElastic>, 2>() && require_energy<Plastic<LinearElastic>, 3>());
static_assert(require_energy<Plastic<CorotatedLinear>, 2>() && require_energy<Plastic<CorotatedLinear>, 3>());

namespace detail::energy {

template <class E>
inline constexpr bool is_plastic = false;
template <class E>
inline constexpr bool is_plastic<Plastic<E>> = true;
template <class E>
inline constexpr bool has_lame<Plastic<E>> = true;

}  // namespace detail::energy

}  // namespace pliant
