// The System concept: what an integrator sees of a body.
//
// Everything is in the system's own numbering and in NodeVectors. A system is not required to be a mesh: a
// reduced model or a set of rigid bodies can stand in for it.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include <pliant/assembly/free_motion.hpp>
#include <pliant/assembly/straining.hpp>
#include <pliant/energy/projection.hpp>

namespace pliant {

// How many elements are turned inside out: det F < 0 at a quadrature point.
struct InvertedElements {
  int all = 0;
  int small_strain = 0;  // of them, those of energies that take F for a small strain

  // Those of energies of finite strain, which are no state of a real body.
  int wrong() const { return all - small_strain; }
};

template <class S>
concept System = requires(S& system, const S& constant, const typename S::Vector& x, typename S::Vector& g,
                          typename S::Matrix& A, typename S::Scalar scale,
                          const Straining<const typename S::Vector*>& straining,
                          const std::vector<HeldDirection<S::dim>>& held) {
  typename S::Scalar;                                                     // float or double
  { S::dim } -> std::convertible_to<int>;                                 // numbers per node
  { constant.node_count() } -> std::convertible_to<std::ptrdiff_t>;       // nodes, or what stands for them
  { constant.make_vector() } -> std::same_as<typename S::Vector>;         // zeros, one per node and axis
  { constant.make_matrix() } -> std::same_as<typename S::Matrix>;         // zeros, symmetric
  { constant.mass() } -> std::convertible_to<const typename S::Vector&>;  // lumped, per node and axis [kg]
  { system.energy(x) } -> std::convertible_to<double>;                    // elastic energy [J]
  { system.gradient(x, g) } -> std::convertible_to<double>;               // also g = dE/dx [N]
  // also A = scale * d2E/dx2 [N/m], projected
  { system.tangent(x, Projection::clamp, scale, g, A) } -> std::convertible_to<double>;
  { constant.mass_damping() } -> std::convertible_to<const typename S::Vector&>;  // alpha M [kg/s], or empty
  // beta [s] of the stiffness damping, 0 where there is none
  { constant.stiffness_damping() } -> std::same_as<typename S::Scalar>;
  // adds its force to g [N] and the derivative to A, where that is not null; returns its potential [J]
  { system.add_damping(straining, Projection::clamp, g, &A) } -> std::convertible_to<double>;
  { system.undefined_element(x) } -> std::convertible_to<int>;          // whose energy is not finite, or -1
  { constant.inverted_elements(x) } -> std::same_as<InvertedElements>;  // at the positions x [m]
  {
    constant.free_motion(held, x)
    } -> std::convertible_to<std::string>;  // rigid motions that what is held
                                            // leaves, in words; empty: none
};

}  // namespace pliant
