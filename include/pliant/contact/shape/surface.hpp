// What the surface of a collider does to nodes that touch it.
#pragma once

#include <pliant/core/error.hpp>

namespace pliant {

struct Surface {
  double friction = 0;      // Coulomb's coefficient [-]
  double viscosity = 0;     // drag on each touching node per velocity along the surface [kg/s]
  double thickness = 0;     // nodes stay so far off the surface [m]
  double stick_length = 0;  // how far a node that sticks gives way before it slides [m]; 0: 1e-4 of the mean
                            // distance between nodes, and 4e-2 of it where a step is one linear system, which
                            // does not settle on much less

  void check() const {
    detail::require_parameter(friction >= 0, "Surface::friction", friction, "must not be negative");
    detail::require_parameter(viscosity >= 0, "Surface::viscosity", viscosity, "must not be negative (kg/s)");
    detail::require_parameter(thickness >= 0, "Surface::thickness", thickness, "must not be negative (m)");
    detail::require_parameter(stick_length >= 0, "Surface::stick_length", stick_length,
                              "must not be negative (m)");
  }
};

}  // namespace pliant
