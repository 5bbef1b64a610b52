// The Energy concept: a hyperelastic energy density psi(F) per unit of rest volume.
//
// A model knows nothing of meshes, lanes or matrices of a system. Its members are templates over any Eigen
// expression F of size 2x2 or 3x3 whose scalar is float, double or a Lane of them:
//   psi(F)                   energy density [J/m^3]; +infinity where the energy is not defined
//   pk1(F)                   first Piola-Kirchhoff stress P = dpsi/dF [Pa], dim x dim
//   hessian(F)               d vec(P) / d vec(F) [Pa], dim^2 x dim^2, vec column-major
// and, where the model can do better than the numerical eigensolver that stands in otherwise,
//   hessian(F, projection)   the Hessian projected to positive semidefinite
//   tangent<projection>(F)   the Hessian in a form that contracts quickly with shape gradients; see
//   tangent.hpp
//
// Formulas are written once: `using std::sqrt;` and its like, then unqualified calls; `select` instead of
// branches. Energies that depend on invariants of F only derive from IsotropicEnergy (isotropic.hpp) and get
// everything from one function.
#pragma once

#include <concepts>
#include <pliant/core/lane.hpp>
#include <pliant/core/matrix.hpp>
#include <pliant/energy/projection.hpp>
#include <type_traits>

namespace pliant {

template <class E, int Dim, class T>
concept EnergyOver = requires(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  { energy.psi(F) } -> std::convertible_to<T>;                         // energy density [J/m^3]
  { energy.pk1(F) } -> std::convertible_to<SmallMatrix<T, Dim, Dim>>;  // P = dpsi/dF [Pa]
  { energy.hessian(F) } -> std::convertible_to<SmallMatrix<T, Dim * Dim, Dim * Dim>>;  // dvec(P)/dvec(F) [Pa]
};

// An energy for bodies of dimension Dim, usable with scalars and with lanes.
template <class E, int Dim = 3>
concept Energy = std::copy_constructible<E> && EnergyOver<E, Dim, double> && EnergyOver<E, Dim, float> &&
    EnergyOver<E, Dim, Lane<double, 4>> && EnergyOver<E, Dim, Lane<float, 8>>;

}  // namespace pliant
