// What each of the two units offers. unit.cpp is compiled twice, with UNIT=generic and with UNIT=native.
#pragma once

#include <pliant/element/tet4.hpp>
#include <pliant/mesh/mesh.hpp>

struct Unit {
  // A beam along x. It is made here and destroyed by whoever asked for it.
  pliant::Mesh<pliant::Tet4> (*make_beam)();
  // The positions [m] after `steps` time steps of `dt` [s] under `gravity` [m/s^2] along y. The end x = 0 is
  // held, or nothing is.
  pliant::NodeMatrix<double, 3> (*move)(const pliant::Mesh<pliant::Tet4>& mesh, bool held, double gravity,
                                        double dt, int steps);
};

extern const Unit generic;
extern const Unit native;
