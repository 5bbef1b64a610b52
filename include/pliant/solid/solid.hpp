// A deformable solid: a mesh with a material.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <pliant/core/error.hpp>
#include <pliant/energy/concept.hpp>
#include <pliant/mesh/doctor.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/solid/per_region.hpp>
#include <pliant/solid/rayleigh.hpp>
#include <pliant/solid/strain_damping.hpp>
#include <pliant/solid/with_terms.hpp>

namespace pliant {

// Mass per unit of rest volume [kg/m^3].
struct Density {
  double value;
};

// One density for the whole body, or one for each region.
using Densities = std::variant<Density, PerRegion<Density>>;

namespace detail::solid {

// Whether the arguments after the energy of a Solid lack a density.
template <class... Rest>
inline constexpr bool lacks_density = true;
template <class First, class... More>
inline constexpr bool lacks_density<First, More...> = !std::is_convertible_v<First, Densities>;

}  // namespace detail::solid

// Extent of a plane body across its plane [m].
struct Thickness {
  double value;
};

template <Element ElementType,        // Tet4, ...
          class EnergyType,           // a model of Energy, or PerRegion<...> of one
          class ScalarType = double>  // float or double
class Solid {
 public:
  using Element = ElementType;
  using Energy = EnergyType;
  using Scalar = ScalarType;
  using Mesh = pliant::Mesh<Element, Scalar>;
  static constexpr int dim = Element::dim;
  static_assert(
      pliant::Energy<typename detail::solid::OneOf<Energy>::type, dim>,
      "the second argument of Solid must be an energy for the dimension of the mesh: psi(F), pk1(F) and "
      "hessian(F) over scalars and lanes, see energy/concept.hpp");

  // Throws MeshError if the mesh cannot be simulated (flipped, flat or repeated elements, unreferenced nodes,
  // ...; the message names the repair), ParameterError for a density or damping out of range and for a region
  // of the mesh that has no energy or no density.
  Solid(Mesh mesh, Energy energy, Densities density, Rayleigh damping = {}, StrainDamping strain_damping = {})
      : mesh_(std::move(mesh)),
        energy_(std::move(energy)),
        density_(std::move(density)),
        damping_(damping),
        strain_damping_(strain_damping) {
    require_usable(mesh_);
    for (std::ptrdiff_t e = 0; e < mesh_.element_count(); ++e) {
      const double value = this->density(e);
      detail::core::require_parameter(value > 0, "density", value, "must be positive (kg/m^3)");
      if constexpr (detail::solid::is_per_region<Energy>) energy_.at(mesh_.region(e));
    }
    damping_.check();
    strain_damping_.check();
  }
  template <std::same_as<StrainDamping> Damping>
  Solid(Mesh mesh, Energy energy, Densities density, Damping strain_damping)
      : Solid(std::move(mesh), std::move(energy), std::move(density), Rayleigh{}, strain_damping) {}

  // The same for a plane body, by default 1 m thick. Energy, forces, stiffness and mass are those of the body
  // with its thickness. Also throws ParameterError for a thickness out of range.
  Solid(Mesh mesh, Energy energy, Densities density, Thickness thickness, Rayleigh damping = {},
        StrainDamping strain_damping = {}) requires(dim == 2)  // only a plane body has a thickness
      : Solid(std::move(mesh), std::move(energy), std::move(density), damping, strain_damping) {
    detail::core::require_parameter(thickness.value > 0, "thickness", thickness.value,
                                    "must be positive (m)");
    thickness_ = thickness;
  }
  template <std::same_as<StrainDamping> Damping>
  Solid(Mesh mesh, Energy energy, Densities density, Thickness thickness,
        Damping strain_damping) requires(dim == 2)
      : Solid(std::move(mesh), std::move(energy), std::move(density), thickness, Rayleigh{}, strain_damping) {
  }

  template <class... Rest>
  Solid(Mesh mesh, Energy energy, Rest...) requires(detail::solid::lacks_density<Rest...>)
      : Solid(std::move(mesh), std::move(energy), Density{1}) {
    static_assert(
        detail::core::always_false<Rest...>,
        "the third argument of Solid must be a density, in kg/m^3: Solid(mesh, energy, Density{1000})");
  }

  const Mesh& mesh() const { return mesh_; }
  const NodeMatrix<Scalar, dim>& nodes() const { return mesh_.nodes; }  // rest positions [m], dim x #nodes
  std::ptrdiff_t node_count() const { return mesh_.node_count(); }
  const Energy& energy() const { return energy_; }

  // The density of an element [kg/m^3].
  double density(std::ptrdiff_t element) const {
    if (const auto* regions = std::get_if<PerRegion<Density>>(&density_)) {
      return regions->at(mesh_.region(element)).value;
    }
    return std::get<Density>(density_).value;
  }

  const Rayleigh& damping() const { return damping_; }
  const StrainDamping& strain_damping() const { return strain_damping_; }
  Thickness thickness() const { return thickness_; }  // 1 for a body in space, without meaning

  // The same with additional terms, see potential/concept.hpp.
  template <class... Terms>
  WithTerms<Solid, Terms...> with(Terms... terms) const {
    return {*this, std::tuple<Terms...>(std::move(terms)...)};
  }

 private:
  Mesh mesh_;
  Energy energy_;
  Densities density_;
  Rayleigh damping_;
  StrainDamping strain_damping_;
  Thickness thickness_{1};
};

namespace detail::solid {

template <class T>
inline constexpr bool is_solid = false;
template <class Element, class Energy, class Scalar>
inline constexpr bool is_solid<Solid<Element, Energy, Scalar>> = true;

}  // namespace detail::solid

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities) -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities, Rayleigh, StrainDamping = {})
    -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities, StrainDamping) -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities, Thickness) -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities, Thickness, Rayleigh, StrainDamping = {})
    -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy>
Solid(Mesh<Element, Scalar>, Energy, Densities, Thickness, StrainDamping) -> Solid<Element, Energy, Scalar>;

template <class Element, class Scalar, class Energy, class... Rest>
requires detail::solid::lacks_density<Rest...> Solid(Mesh<Element, Scalar>, Energy, Rest...)
->Solid<Element, Energy, Scalar>;

}  // namespace pliant
