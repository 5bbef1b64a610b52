// The System concept: what an integrator sees of a body.
//
// Everything is in the system's own numbering and in NodeVectors. A system is not required to be a mesh: a
// reduced model or a set of rigid bodies can stand in for it.
#pragma once

#include <concepts>

#include <pliant/energy/projection.hpp>

namespace pliant {

template <class S>
concept System = requires(S& system, const typename S::Vector& x, typename S::Vector& g,
                          typename S::Matrix& A, typename S::Scalar scale) {
  typename S::Scalar;                                                   // float or double
  typename S::Vector;                                                   // one entry per node and axis
  typename S::Matrix;                                                   // symmetric
  { system.mass() } -> std::convertible_to<const typename S::Vector&>;  // lumped, per node and axis [kg]
  { system.energy(x) } -> std::convertible_to<double>;                  // elastic energy [J]
  { system.gradient(x, g) } -> std::convertible_to<double>;             // also g = dE/dx [N]
  // also A = scale * d2E/dx2 [N/m], projected
  { system.tangent(x, Projection::clamp, scale, g, A) } -> std::convertible_to<double>;
};

}  // namespace pliant
