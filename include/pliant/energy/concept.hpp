// The Energy concept: a hyperelastic energy density psi(F) per unit of rest volume.
//
// A model does not depend on meshes or on matrices of a system. Its members are templates over any Eigen
// expression F of size 2x2 or 3x3 whose scalar is float, double or a Lane of them:
//   psi(F)                   energy density [J/m^3]; +infinity where the energy is undefined
//   pk1(F)                   first Piola-Kirchhoff stress P = dpsi/dF [Pa], dim x dim
//   hessian(F)               d vec(P) / d vec(F) [Pa], dim^2 x dim^2, vec column-major
// and, as alternatives to the default by a numerical eigensolver,
//   hessian(F, projection)   the Hessian projected to positive semidefinite
//   tangent<projection>(F)   the Hessian in a form that contracts quickly with shape gradients; see
//                            tangent.hpp
//   at(F)                    an object with the shared results of psi, P and the tangent; see EnergyAt there
// and, for energies of small strain, in which det F has no meaning,
//   small_strain = true      a constant: elements with det F < 0 do not count as inverted
// and, for energies of the form mu |F - R|^2 + lambda/2 (det F - 1)^2 in three dimensions, R the nearest
// rotation,
//   split_coefficients()     RawCoefficients{mu, lambda} [Pa]: OperatorSplitting supports it, see SplitEnergy
//
// Formulas are written once for scalars and lanes: `using std::sqrt;` and similar, then unqualified calls;
// `select` instead of branches. Energies of the invariants |F|^2 and det F derive from IsotropicEnergy
// (isotropic.hpp) and supply two functions. The headers of testing/ check a custom model: its derivatives,
// its projections, its material at rest.
#pragma once

#include <concepts>
#include <type_traits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/energy/projection.hpp>
#include <pliant/simd/lane.hpp>

namespace pliant {

namespace detail::energy {

// A matrix of these numbers and this size. Convertibility would not be a test, because Eigen declares
// conversions between all matrices and rejects them only when they are instantiated.
template <class M, class T, int Rows, int Columns>
concept MatrixOf =
    std::same_as<typename M::Scalar, T> && M::RowsAtCompileTime == Rows&& M::ColsAtCompileTime == Columns;

template <class E, int Dim, class T>
concept HasDensity = requires(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  { energy.psi(F) } -> std::same_as<T>;  // psi(F) const: energy density [J/m^3], of the scalar type of F
};

template <class E, int Dim, class T>
concept HasStress = requires(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  { energy.pk1(F) } -> MatrixOf<T, Dim, Dim>;  // pk1(F) const: P = dpsi/dF [Pa], of the scalar type of F
};

template <class E, int Dim, class T>
concept HasHessian = requires(const E& energy, const SmallMatrix<T, Dim, Dim>& F) {
  // hessian(F) const: d vec(P) / d vec(F) [Pa], dim^2 x dim^2, vec column-major, of the scalar type of F
  { energy.hessian(F) } -> MatrixOf<T, Dim * Dim, Dim * Dim>;
};

}  // namespace detail::energy

// An energy for deformation gradients of dimension Dim over the scalar or lane T.
template <class E, int Dim, class T>
concept EnergyOver = detail::energy::HasDensity<E, Dim, T> &&  // psi(F) const: energy density [J/m^3]
    detail::energy::HasStress<E, Dim, T> &&                    // pk1(F) const: P = dpsi/dF [Pa]
    detail::energy::HasHessian<E, Dim, T>;                     // hessian(F) const: d vec(P) / d vec(F) [Pa]

// An energy for bodies of dimension Dim.
template <class E, int Dim = 3>
concept Energy = std::copy_constructible<E> &&  // a Solid keeps a copy
    EnergyOver<E, Dim, double> &&               // scalars
    EnergyOver<E, Dim, float> &&                // scalars of single precision
    EnergyOver<E, Dim,
               simd::Lane<double, 4>> &&  // several elements at once: no branch on data, see simd/lane.hpp
    EnergyOver<E, Dim, simd::Lane<float, 8>>;  // the same in single precision

namespace detail::energy {

// Whether an energy is one of small strain.
template <class E>
inline constexpr bool is_small_strain = false;
template <class E>
requires requires { E::small_strain; }
inline constexpr bool is_small_strain<E> = E::small_strain;

}  // namespace detail::energy

// Compiles if E models Energy; otherwise the error names the missing requirement in one sentence.
template <class E, int Dim>
constexpr bool require_energy() {
  using detail::energy::HasDensity, detail::energy::HasHessian, detail::energy::HasStress;
  if constexpr (!std::copy_constructible<E>) {
    static_assert(std::copy_constructible<E>,
                  "pliant: this energy cannot be copied, and a Solid keeps a copy");
  } else if constexpr (!HasDensity<E, Dim, double>) {
    static_assert(HasDensity<E, Dim, double>,
                  "pliant: this type does not model Energy: missing `psi(F) const`, the energy density "
                  "[J/m^3] of a Dim "
                  "x Dim deformation gradient");
  } else if constexpr (!HasStress<E, Dim, double>) {
    static_assert(HasStress<E, Dim, double>,
                  "pliant: this type does not model Energy: missing `pk1(F) const`, the stress P = dpsi/dF "
                  "[Pa], a Dim x "
                  "Dim matrix");
  } else if constexpr (!HasHessian<E, Dim, double>) {
    static_assert(
        HasHessian<E, Dim, double>,
        "pliant: this type does not model Energy: missing `hessian(F) const`, the matrix d vec(P) / d vec(F) "
        "[Pa], Dim^2 x Dim^2 with vec column-major");
  } else {
    static_assert(
        Energy<E, Dim>,
        "pliant: this energy works with double but not with float or lanes: make its members templates "
        "over the scalar of F, see energy/concept.hpp");
  }
  return true;
}

}  // namespace pliant
