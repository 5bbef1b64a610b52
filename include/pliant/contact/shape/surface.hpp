// The effect of the surface of a collider on touching nodes.
#pragma once

#include <pliant/core/error.hpp>

namespace pliant {

struct Surface {
  double friction = 0;      // Coulomb's coefficient [-]
  double viscosity = 0;     // drag on each touching node per velocity along the surface [kg/s]
  double thickness = 0;     // distance that nodes keep from the surface [m]
  double stick_length = 0;  // elastic displacement of a sticking node before it slides [m]; 0: 1e-4 of the
                            // mean distance between nodes, and 4e-2 of it if a step is one linear system,
                            // which would alternate between sticking and sliding with much less

  void check() const {
    detail::core::require_parameter(friction >= 0, "Surface::friction", friction, "must not be negative");
    detail::core::require_parameter(viscosity >= 0, "Surface::viscosity", viscosity,
                                    "must not be negative (kg/s)");
    detail::core::require_parameter(thickness >= 0, "Surface::thickness", thickness,
                                    "must not be negative (m)");
    detail::core::require_parameter(stick_length >= 0, "Surface::stick_length", stick_length,
                                    "must not be negative (m)");
  }
};

}  // namespace pliant
