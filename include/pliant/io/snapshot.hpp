// The Snapshot concept: the requirements of writers of results. A Simulation is a model, and so is any object
// of a program with these four functions. One that also has cell_plastic_strains(), 9 x #cells, gets them
// written as an array of cells.
#pragma once

#include <concepts>
#include <type_traits>

#include <pliant/algebra/matrix.hpp>
#include <pliant/mesh/mixed_mesh.hpp>

namespace pliant {

namespace detail::io {

template <class T>
inline constexpr bool is_mesh = false;
template <class E, class Scalar>
inline constexpr bool is_mesh<Mesh<E, Scalar>> = true;
template <class Scalar, class... Elements>
inline constexpr bool is_mesh<MixedMesh<Scalar, Elements...>> = true;

}  // namespace detail::io

template <class S>
using SnapshotMesh = std::remove_cvref_t<decltype(std::declval<const S&>().mesh())>;

template <class S>
concept Snapshot = requires(const S& s) {
  requires detail::io::is_mesh<SnapshotMesh<S>>;  // mesh(): a Mesh or a MixedMesh, at rest
  {
    s.positions().cols()
    } -> std::convertible_to<std::ptrdiff_t>;  // positions() [m], dim x #nodes of the mesh
  { s.velocities().cols() } -> std::convertible_to<std::ptrdiff_t>;  // velocities() [m/s], dim x #nodes
  { s.time() } -> std::convertible_to<double>;                       // time() [s]
};

}  // namespace pliant
