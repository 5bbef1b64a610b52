// Viscosities of a solid.
#pragma once

#include <pliant/core/error.hpp>

namespace pliant {

// The viscous stress F S of an isotropic Kelvin-Voigt solid, with the rate G' of Green's strain
// (viscosity.hpp),
//   S = 2 shear dev(G') + bulk tr(G') I,   dev(A) = A - tr(A) I / 3.
// Shear and changes of volume are damped separately, while the stiffness damping of Rayleigh is that of
// shear = beta mu and bulk = beta (lambda + 2 mu / 3) alone; both can be given and add up. Near rest a shear
// wave of the angular frequency omega has the damping ratio omega shear / (2 mu), a longitudinal wave
// omega (bulk + 4 shear / 3) / (2 (lambda + 2 mu)). In plane stress the stress across the sheet is zero.
struct StrainDamping {
  double shear = 0;  // Pa s, >= 0
  double bulk = 0;   // Pa s, >= 0

  bool any() const { return shear > 0 || bulk > 0; }

  // Throws ParameterError unless both are finite and not negative.
  void check() const {
    detail::core::require_parameter(shear >= 0, "StrainDamping::shear", shear, "must not be negative (Pa s)");
    detail::core::require_parameter(bulk >= 0, "StrainDamping::bulk", bulk, "must not be negative (Pa s)");
  }
};

}  // namespace pliant
