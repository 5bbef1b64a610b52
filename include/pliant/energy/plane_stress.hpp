// Plane stress: thin sheets, free of stress across their thickness.
#pragma once

#include <concepts>

#include <pliant/energy/concept.hpp>
#include <pliant/energy/lame.hpp>
#include <pliant/energy/linear_elastic.hpp>

namespace pliant {

// An energy in plane stress instead of plane strain: PlaneStress(LinearElastic(lame)). For plane meshes only.
//
// Linear elasticity keeps its form, with lambda* = 2 lambda mu / (lambda + 2 mu) = E nu / (1 - nu^2) in place
// of lambda: a sheet pulled along x then has the stress E eps_xx and shrinks by eps_yy = -nu eps_xx. The
// strain across the sheet, eps_zz = -lambda / (lambda + 2 mu) (eps_xx + eps_yy), is the one for which
// sigma_zz = 0. Every other energy would need a solve for the thickness at each point.
template <class EnergyType>
class PlaneStress {
  static_assert(std::same_as<EnergyType, LinearElastic>,
                "pliant: PlaneStress exists for LinearElastic only: none of the other energies has a closed "
                "form in plane stress; without PlaneStress they are in plane strain");

 public:
  static constexpr bool small_strain = detail::energy::is_small_strain<EnergyType>;

  // Throws ParameterError if lambda* is not finite, which is possible only with RawCoefficients.
  explicit PlaneStress(const EnergyType& energy) : plane_(converted(energy.template coefficients<2>())) {}

  // The coefficients of the formula: mu and lambda* [Pa].
  const RawCoefficients& coefficients() const noexcept { return plane_.template coefficients<2>(); }

  // Energy density [J/m^3].
  template <class Derived>
  PLIANT_INLINE EnergyDensity<Derived> psi(const Eigen::MatrixBase<Derived>& F) const
      requires(Derived::RowsAtCompileTime == 2) {  // plane stress is for plane meshes
    return plane_.psi(F);
  }

  // P = 2 mu eps + lambda* tr(eps) I [Pa].
  template <class Derived>
  PLIANT_INLINE DeformationGradient<Derived> pk1(const Eigen::MatrixBase<Derived>& F) const
      requires(Derived::RowsAtCompileTime == 2) {  // plane stress is for plane meshes
    return plane_.pk1(F);
  }

  // mu (I + T) + lambda* vec(I) vec(I)^T [Pa], positive semidefinite for every projection.
  template <class Derived>
  EnergyHessian<Derived> hessian(const Eigen::MatrixBase<Derived>& F, Projection = Projection::none) const
      requires(Derived::RowsAtCompileTime == 2) {  // plane stress is for plane meshes
    return plane_.hessian(F);
  }

  // The contracted form, see tangent.hpp.
  template <Projection projection, class Derived>
  PLIANT_INLINE auto tangent(const Eigen::MatrixBase<Derived>& F) const {
    return plane_.template tangent<projection>(F);
  }

 private:
  static RawCoefficients converted(const RawCoefficients& c) {
    return {c.mu, 2 * c.lambda * c.mu / (c.lambda + 2 * c.mu)};
  }

  LinearElastic plane_;
};

static_assert(Energy<PlaneStress<LinearElastic>, 2> && !Energy<PlaneStress<LinearElastic>, 3>);

namespace detail::energy {

template <class Energy>
inline constexpr bool is_plane_stress = false;
template <class Energy>
inline constexpr bool is_plane_stress<PlaneStress<Energy>> = true;

}  // namespace detail::energy
}  // namespace pliant
