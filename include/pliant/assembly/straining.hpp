// The strain rate for the stiffness damping of a body in a step.
#pragma once

namespace pliant {

// The change of strain of a body within a step of length T: from the positions `start`, with the displacement
// u, at a rate of Green's strain of
//   G' = (G(start + u) - G(start)) / T + factor sym(F^T grad w),   F that of `start`.
// The unknown is the displacement, as in IncrementalPotential, to preserve its significant digits.
template <class VectorPointer>  // to vectors of nodes, or to their numbers
struct Straining {
  VectorPointer start;                   // positions [m]
  VectorPointer displacement = nullptr;  // u [m]; null if it is zero
  double time = 1;                       // T [s]
  VectorPointer velocity = nullptr;      // w [m/s, if the factor is a number]; null if it is zero
  double factor = 1;
};

}  // namespace pliant
