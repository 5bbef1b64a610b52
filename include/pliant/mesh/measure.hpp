// Sizes and shapes: volumes, bounding box, element quality. Everything is computed in double for every scalar
// type of the mesh.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <pliant/algebra/axis_aligned_box.hpp>
#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/mesh/mesh.hpp>

namespace pliant {

// The bounds of all nodes [m], including those without an element; empty if there are none. Coordinates that
// are not finite are skipped.
template <Element E, class Scalar>
AxisAlignedBox<E::dim> bounding_box(const Mesh<E, Scalar>& mesh) {
  AxisAlignedBox<E::dim> box;
  for (Eigen::Index node = 0; node < mesh.nodes.cols(); ++node) {
    for (int axis = 0; axis < E::dim; ++axis) {
      const auto x = static_cast<double>(mesh.nodes(axis, node));
      if (!std::isfinite(x)) continue;
      box.lower(axis) = std::min(box.lower(axis), x);
      box.upper(axis) = std::max(box.upper(axis), x);
    }
  }
  return box;
}

namespace detail::mesh {

// An element scaled to size one, so that nothing overflows or underflows: its node a lies at X_0 + size *
// shape.col(a).
template <Element E>
struct ScaledElement {
  SmallMatrix<double, E::dim, E::nodes> shape;  // entries in [-1, 1], all 0 if the nodes coincide
  double size;                                  // [m]

  template <class Scalar>
  ScaledElement(const Mesh<E, Scalar>& mesh, Eigen::Index element) {
    for (int a = 0; a < E::nodes; ++a) {
      // Half the distance cannot overflow.
      for (int i = 0; i < E::dim; ++i) {
        shape(i, a) = static_cast<double>(mesh.nodes(i, mesh.elements(a, element))) / 2 -
                      static_cast<double>(mesh.nodes(i, mesh.elements(0, element))) / 2;
      }
    }
    double half_size = 0;
    for (int k = 0; k < shape.size(); ++k) half_size = std::max(half_size, std::abs(shape.data()[k]));
    size = 2 * half_size;
    if (half_size > 0) shape /= half_size;
  }

  // det dX/dxi at quadrature point q, in units of size^dim.
  double jacobian_determinant(int q) const {
    return determinant(algebra::times(shape, E::shape_gradient(q)));
  }

  // The least det dX/dxi at the nodes, in units of size^dim; only for elements whose Jacobian varies.
  double least_determinant_at_nodes() const {
    double least = HUGE_VAL;
    for (int a = 0; a < E::nodes; ++a) {
      least = std::min(least, determinant(algebra::times(shape, E::shape_gradient_at_node(a))));
    }
    return least;
  }

  // In units of size^dim.
  double volume() const {
    double volume = 0;
    for (int q = 0; q < E::quadrature_points; ++q)
      volume += E::quadrature_weight(q) * jacobian_determinant(q);
    return volume;
  }

  // The greatest distance between two nodes, in units of size.
  double diameter() const {
    double diameter = 0;
    for (int a = 1; a < E::nodes; ++a) {
      for (int b = 0; b < a; ++b) {
        double square = 0;
        for (int i = 0; i < E::dim; ++i) square += (shape(i, a) - shape(i, b)) * (shape(i, a) - shape(i, b));
        diameter = std::max(diameter, std::sqrt(square));
      }
    }
    return diameter;
  }
};

// Node positions of the element of best shape: the regular simplex, the square, the cube.
template <Element E>
SmallMatrix<double, E::dim, E::nodes> ideal_shape() {
  SmallMatrix<double, E::dim, E::nodes> X;
  if constexpr (E::cell_kind == CellKind::triangle) {
    X << 0, 1, 0.5,  //
        0, 0, std::sqrt(0.75);
  } else if constexpr (E::cell_kind == CellKind::quad) {
    X << 0, 1, 1, 0,  //
        0, 0, 1, 1;
  } else if constexpr (E::cell_kind == CellKind::tet) {
    X << 0, 1, 0, 1,  // every second corner of a cube
        0, 1, 1, 0,   //
        0, 0, 1, 1;
  } else {
    static_assert(E::cell_kind == CellKind::hex, "there is no ideal shape for this kind of cell");
    X << 0, 1, 1, 0, 0, 1, 1, 0,  //
        0, 0, 1, 1, 0, 0, 1, 1,   //
        0, 0, 0, 0, 1, 1, 1, 1;
  }
  return X;
}

// The inverse of the Jacobian dX/dxi of the ideal shape at quadrature point q.
template <Element E>
SmallMatrix<double, E::dim, E::dim> ideal_inverse(int q) {
  return algebra::inverse(algebra::times(ideal_shape<E>(), E::shape_gradient(q)));
}

// The mean ratio of an element, see element_quality.
template <Element E>
double mean_ratio(const ScaledElement<E>& element) {
  static const auto ideal = [] {
    std::array<SmallMatrix<double, E::dim, E::dim>, static_cast<std::size_t>(E::quadrature_points)> inverses;
    for (int q = 0; q < E::quadrature_points; ++q)
      inverses[static_cast<std::size_t>(q)] = ideal_inverse<E>(q);
    return inverses;
  }();
  double worst = 1;
  for (int q = 0; q < E::quadrature_points; ++q) {
    const SmallMatrix<double, E::dim, E::dim> S = algebra::times(
        algebra::times(element.shape, E::shape_gradient(q)), ideal[static_cast<std::size_t>(q)]);
    const double J = determinant(S);
    const double norm = double_dot(S, S);
    const double ratio = norm > 0 ? E::dim * std::pow(std::abs(J), 2.0 / E::dim) / norm : 0;
    worst = std::min(worst, std::copysign(ratio, J));
  }
  return worst;
}

}  // namespace detail::mesh

// The volume of one element, in 2D its area; negative if it is flipped [m^dim].
template <Element E, class Scalar>
double element_volume(const Mesh<E, Scalar>& mesh, Eigen::Index element) {
  const detail::mesh::ScaledElement<E> scaled(mesh, element);
  return scaled.volume() * std::pow(scaled.size, E::dim);
}

// The volumes of all elements [m^dim].
template <Element E, class Scalar>
SmallVector<double, Eigen::Dynamic> element_volumes(const Mesh<E, Scalar>& mesh) {
  SmallVector<double, Eigen::Dynamic> volumes(mesh.elements.cols());
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element) {
    volumes(element) = element_volume(mesh, element);
  }
  return volumes;
}

// The signed volume of the mesh, in 2D its area [m^dim].
template <Element E, class Scalar>
double total_volume(const Mesh<E, Scalar>& mesh) {
  return element_volumes(mesh).sum();
}

// The mean ratio d det(S)^(2/d) / |S|^2, where S maps the regular element (simplex, square, cube) to this
// one; the least over the quadrature points. 1 for the regular shape of any size and position, tending to 0
// as it degenerates, negative if flipped. For a tet of volume V and edges l it is 12 (3 V)^(2/3) / sum l^2
// (Liu and Joe 1994).
template <Element E, class Scalar>
double element_quality(const Mesh<E, Scalar>& mesh, Eigen::Index element) {
  return detail::mesh::mean_ratio(detail::mesh::ScaledElement<E>(mesh, element));
}

// The quality of each element.
template <Element E, class Scalar>
SmallVector<double, Eigen::Dynamic> element_qualities(const Mesh<E, Scalar>& mesh) {
  SmallVector<double, Eigen::Dynamic> qualities(mesh.elements.cols());
  for (Eigen::Index element = 0; element < mesh.elements.cols(); ++element) {
    qualities(element) = element_quality(mesh, element);
  }
  return qualities;
}

}  // namespace pliant
