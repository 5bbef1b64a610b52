// Mass: lumped to the nodes, or consistent with the shape functions.
#pragma once

#include <memory>
#include <type_traits>

#include <pliant/algebra/tensor.hpp>
#include <pliant/assembly/block_matrix.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

namespace detail::assembly {

// Calls use(element, density * volume of the quadrature point, shape values) for every quadrature point of
// the elements; `density` is a number, or a function of the element.
template <class E, class Positions, class Density, class Use>
void for_each_mass_point(const Positions& nodes, const ElementMatrix<E>& elements, const Density& density,
                         Use&& use) {
  for (std::ptrdiff_t e = 0; e < elements.cols(); ++e) {
    SmallMatrix<double, E::dim, E::nodes> X;
    double rho;
    if constexpr (std::is_invocable_v<const Density&, std::ptrdiff_t>) rho = density(e);
    else rho = density;
    for (int a = 0; a < E::nodes; ++a) {
      for (int i = 0; i < E::dim; ++i) X(i, a) = static_cast<double>(nodes(i, elements(a, e)));
    }
    for (int q = 0; q < E::quadrature_points; ++q) {
      const double det = determinant(algebra::times(X, E::shape_gradient(q)));
      use(e, rho * E::quadrature_weight(q) * det, E::shape(q));
    }
  }
}

}  // namespace detail::assembly

// Row sums of the mass matrix, one number per node [kg], in the numbering of `nodes`: the rest positions, dim
// x #nodes [m]. `density` is the mass per unit of the mesh's volume: kg/m^3 in space, kg/m^2 in the plane,
// density times thickness. It is a number, or a function of the element.
template <class E, class Positions, class Density>
SmallVector<double, Eigen::Dynamic> lumped_mass(const Positions& nodes, const ElementMatrix<E>& elements,
                                                const Density& density) {
  SmallVector<double, Eigen::Dynamic> mass(nodes.cols());
  mass.setZero();
  detail::assembly::for_each_mass_point<E>(nodes, elements, density,
                                           [&](std::ptrdiff_t e, double m, const auto& shape) {
                                             for (int a = 0; a < E::nodes; ++a)
                                               mass(elements(a, e)) += m * shape(a);
                                           });
  return mass;
}

// The same for a mesh.
template <class E, class Scalar, class Density>
SmallVector<double, Eigen::Dynamic> lumped_mass(const Mesh<E, Scalar>& mesh, const Density& density) {
  return lumped_mass<E>(mesh.nodes, mesh.elements, density);
}

// The mass matrix M_ab = int rho N_a N_b dV [kg], each entry times the identity block, in the mesh's
// numbering; `density` as for lumped_mass. The elements' own quadrature integrates products of linear shape
// functions too coarsely on simplices, so those use the exact M_ab = rho V (1 + delta_ab) / ((dim + 1)(dim +
// 2)).
template <class E, class Scalar, class Density>
BlockMatrix<E::dim, Scalar> consistent_mass(const Mesh<E, Scalar>& mesh, const Density& density) {
  constexpr int dim = E::dim;
  auto pattern = std::make_shared<const BlockPattern>(
      BlockPattern::from_graph(neighbours_of_nodes<E>(mesh.elements, mesh.node_count())));
  BlockMatrix<dim, Scalar> matrix(pattern);
  const auto add = [&](std::ptrdiff_t e, int a, int b, double m) {
    const int i = mesh.elements(a, e), j = mesh.elements(b, e);
    if (i <= j) matrix.block(pattern->slot(i, j)).diagonal().array() += static_cast<Scalar>(m);
  };
  detail::assembly::for_each_mass_point<E>(
      mesh.nodes, mesh.elements, density, [&](std::ptrdiff_t e, double m, const auto& shape) {
        for (int a = 0; a < E::nodes; ++a) {
          for (int b = 0; b < E::nodes; ++b) {
            if constexpr (E::nodes == dim + 1) add(e, a, b, m * (a == b ? 2 : 1) / ((dim + 1) * (dim + 2)));
            else add(e, a, b, m * shape(a) * shape(b));
          }
        }
      });
  return matrix;
}

}  // namespace pliant
