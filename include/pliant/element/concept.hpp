// The Element concept: a reference cell with shape functions and a quadrature rule.
//
// A model is a stateless type with
//   dim                   space dimension, 2 or 3
//   nodes                 nodes per element
//   quadrature_points     points of the rule
//   name                  for messages, e.g. "Tet4"
//   cell_kind             the cell of a mesh file that becomes this element
//   faces                 local node indices of each face, counter-clockwise seen from outside
//   shape(q)              values N_a at quadrature point q
//   shape_gradient(q)     dN_a/dxi, nodes x dim, at quadrature point q
//   quadrature_weight(q)  weight of point q; the weights sum to the volume of the reference cell
// and, where the Jacobian dX/dxi varies within the element,
//   shape_gradient_at_node(a)  dN/dxi at node a, nodes x dim: the mesh doctor then looks at the corners too
// The shape functions sum to one, so their gradients sum to zero; the element kernel relies on it.
#pragma once

#include <array>
#include <concepts>
#include <string_view>

#include <pliant/algebra/matrix.hpp>

namespace pliant {

// The linear cells that mesh files hold.
enum class CellKind { vertex, line, triangle, quad, tet, hex, wedge, pyramid };

template <class E>
concept Element = requires(int q) {
  requires E::dim == 2 || E::dim == 3;                             // space dimension
  requires E::nodes > E::dim;                                      // nodes per element
  requires E::quadrature_points >= 1;                              // points of the quadrature rule
  { E::name } -> std::convertible_to<std::string_view>;            // name for messages
  { E::cell_kind } -> std::convertible_to<CellKind>;               // the cell of a mesh file
  { E::faces[0][0] } -> std::convertible_to<int>;                  // faces, outward
  { E::shape(q) } -> std::same_as<SmallVector<double, E::nodes>>;  // N_a
  { E::shape_gradient(q) } -> std::same_as<SmallMatrix<double, E::nodes, E::dim>>;  // dN_a/dxi
  { E::quadrature_weight(q) } -> std::convertible_to<double>;                       // weight
};

}  // namespace pliant
