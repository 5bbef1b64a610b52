// What the stiffness damping of a body in a step depends on.
#pragma once

namespace pliant {

// How a body is strained within a step of length T: from the positions `start`, with the displacement u, at a
// rate of Green's strain of
//   G' = (G(start + u) - G(start)) / T + factor sym(F^T grad w),   F that of `start`.
// The unknown is the displacement, as in IncrementalPotential: it has all its digits.
template <class VectorPointer>  // to vectors of nodes, or to their numbers
struct Straining {
  VectorPointer start;                   // positions [m]
  VectorPointer displacement = nullptr;  // u [m]; null where it is zero
  double time = 1;                       // T [s]
  VectorPointer velocity = nullptr;      // w [m/s, where the factor is a number]; null where it is zero
  double factor = 1;
};

}  // namespace pliant
