// Nodes whose displacement is bounded by planes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <pliant/algebra/node_vector.hpp>
#include <pliant/algebra/orthonormal_basis.hpp>
#include <pliant/algebra/tensor.hpp>

namespace pliant {

// A plane that a node must not cross: normal . u >= least, u its displacement from the start of a step.
template <int Dim>
struct ContactPlane {
  SmallVector<double, Dim> normal = SmallVector<double, Dim>::Zero();  // unit
  double least = 0;                                                    // [m]
  int collider = -1;
};

// A node and its planes, as bounds on each of its unknowns y = N^T u: the columns of N are the linearly
// independent normals of the planes, completed to a basis. The normals need not be orthogonal, so that wedges
// and corners are represented exactly as well. A plane that faces another one is an upper bound.
template <int Dim, class Scalar>
struct BoundedNode {
  using Point = SmallVector<Scalar, Dim>;
  using Square = SmallMatrix<Scalar, Dim, Dim>;

  int node = -1;
  int axes = 0;                                        // the first ones have bounds
  Square N = Square::Zero(), T = Square::Zero();       // T = N^-T, u = T y [-]
  Point lower = Point::Zero(), upper = Point::Zero();  // on y, infinite beyond `axes` [m]
  Scalar rounding = 0, stretch = 0;                    // of y at rest [m]; of T, the largest entry
  std::array<int, std::size_t{Dim}> below{}, above{};  // the collider of each bound, or -1
  int crossed = -1;                                    // an axis with contradictory bounds, or -1

  // The rounding of y at the displacement u [m]: that of u itself, or that of the positions if it is larger.
  Scalar rounding_at(const Point& u) const {
    constexpr Scalar units = 16 * std::numeric_limits<Scalar>::epsilon();
    return std::max(rounding, units * stretch * u.cwiseAbs().maxCoeff());
  }

  // The collider of the bound of an axis with a pressure of that sign; -1 for none.
  int presser(int axis, Scalar pressure) const {
    const auto k = static_cast<std::size_t>(axis);
    return pressure > 0 ? below[k] : pressure < 0 ? above[k] : -1;
  }
};

// The bounded nodes of a step, and the effect of their bounds on a gradient.
template <class VectorType>  // a NodeVector
class BoundedNodes {
 public:
  using Vector = VectorType;
  using Scalar = typename Vector::Scalar;
  static constexpr int dim = Vector::dim;
  using Node = BoundedNode<dim, Scalar>;
  using Point = SmallVector<Scalar, dim>;
  using Plane = ContactPlane<dim>;

  bool empty() const { return nodes_.empty(); }
  const std::vector<Node>& nodes() const { return nodes_; }

  // Index of a node in nodes(), or -1.
  int place(std::ptrdiff_t node) const {
    return place_.empty() ? -1 : place_[static_cast<std::size_t>(node)];
  }

  // Allocates for the case that all nodes have bounds.
  void reserve(std::ptrdiff_t node_count) {
    clear(node_count);
    nodes_.reserve(static_cast<std::size_t>(node_count));
  }

  void clear(std::ptrdiff_t node_count) {
    if (free_part_.nodes() != node_count) {
      place_.assign(static_cast<std::size_t>(node_count), -1);
      free_part_.resize(node_count);
    }
    for (const Node& bounded : nodes_) place_[static_cast<std::size_t>(bounded.node)] = -1;
    nodes_.clear();
  }

  // Adds a node, if any plane bounds it.
  template <class Planes>
  void add(int node, const Planes& planes, const SmallMatrix<double, dim, dim>& S,
           const SmallVector<double, dim>& prescribed, double size) {
    const Node bounded = bounded_by(node, planes, S, prescribed, size);
    if (bounded.axes == 0) return;
    place_[static_cast<std::size_t>(node)] = static_cast<int>(nodes_.size());
    nodes_.push_back(bounded);
  }

  // Bounds a node by planes, the most important first, in addition to its constraints: `S` projects onto its
  // free directions and `prescribed` is its displacement along the others [m]. `size` [m] is that of its
  // coordinates, for rounding. Planes that a node cannot obey are ignored: those beyond dim independent ones,
  // and those whose normal is almost orthogonal to the free directions. If none is left, axes is 0.
  template <class Planes>
  static Node bounded_by(int node, const Planes& planes, const SmallMatrix<double, dim, dim>& S,
                         const SmallVector<double, dim>& prescribed, double size) {
    Node bounded;
    bounded.node = node;
    bounded.below.fill(-1);
    bounded.above.fill(-1);
    bounded.lower = Point::Constant(-infinity);
    bounded.upper = Point::Constant(infinity);
    SmallMatrix<double, dim, dim> N;
    detail::algebra::OrthonormalBasis<dim> basis;
    for (const Plane& plane : planes) {
      SmallVector<double, dim> normal = detail::algebra::times<double, dim, dim, 1>(S, plane.normal);
      const double length = std::sqrt(detail::algebra::dot<double, dim>(normal, normal));
      if (length < least_freedom) continue;
      const double least =
          (plane.least - detail::algebra::dot<double, dim>(plane.normal, prescribed)) / length;
      PLIANT_UNROLL for (int k = 0; k < dim; ++k) normal[k] /= length;
      if (limits_same_axis(bounded, N, normal, least, plane.collider)) continue;
      if (bounded.axes == dim || !basis.extend(normal, least_angle)) continue;
      N.col(bounded.axes) = normal;
      bounded.lower[bounded.axes] = static_cast<Scalar>(least);
      bounded.below[static_cast<std::size_t>(bounded.axes)] = plane.collider;
      ++bounded.axes;
    }
    if (bounded.axes == 0) return bounded;
    basis.complete();
    for (int k = bounded.axes; k < dim; ++k) N.col(k) = basis[k];
    const SmallMatrix<double, dim, dim> inverted = detail::algebra::inverse<double, dim>(N);
    PLIANT_UNROLL for (int j = 0; j < dim; ++j) {
      PLIANT_UNROLL for (int i = 0; i < dim; ++i) {
        bounded.N(i, j) = static_cast<Scalar>(N(i, j));
        bounded.T(i, j) = static_cast<Scalar>(inverted(j, i));
      }
      // Contradictory bounds collapse to their midpoint.
      if (bounded.lower[j] > bounded.upper[j]) {
        bounded.crossed = j;
        bounded.lower[j] = bounded.upper[j] = (bounded.lower[j] + bounded.upper[j]) / 2;
      }
    }
    const double stretch = inverted.cwiseAbs().maxCoeff();
    bounded.stretch = static_cast<Scalar>(stretch);
    bounded.rounding = 64 * std::numeric_limits<Scalar>::epsilon() * static_cast<Scalar>(stretch * size);
    return bounded;
  }

  // y for the displacement u of a bounded node.
  static Point in_frame(const Node& bounded, const Point& u) {
    return detail::algebra::transposed_times<Scalar, dim, dim, 1>(bounded.N, u);
  }

  // The displacement within the bounds of a node that is closest to u.
  static Point nearest(const Node& bounded, const Point& u) {
    const Point y = in_frame(bounded, u);
    Point inside = y;
    for (int k = 0; k < bounded.axes; ++k) inside[k] = std::clamp(y[k], bounded.lower[k], bounded.upper[k]);
    if (inside == y) return u;
    Point result = detail::algebra::times<Scalar, dim, dim, 1>(bounded.T, inside);
    if (bounded.axes > 1) find_nearest(bounded, u, y, result);
    return result;
  }

  // Whether a displacement violates a bound by more than rounding.
  bool violated(const Vector& u) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& bounded) {
      const Point y = in_frame(bounded, u.node(bounded.node));
      const Scalar rounding = bounded.rounding_at(u.node(bounded.node));
      for (int k = 0; k < bounded.axes; ++k) {
        if (y[k] < bounded.lower[k] - rounding || y[k] > bounded.upper[k] + rounding) {
          return true;
        }
      }
      return false;
    });
  }

  // The norm of the part of a gradient g at the displacement u that the forces of the bounds do not balance.
  double residual(const Vector& u, const Vector& g) {
    if (empty()) return static_cast<double>(g.norm());
    return static_cast<double>(free_part(u, g).norm());
  }

  // The force of each plane on a bounded node, along its normal [N]; zero for planes without contact.
  Point pressures(const Node& bounded, const Point& u, const Point& g) const {
    const Point y = in_frame(bounded, u),
                along = detail::algebra::transposed_times<Scalar, dim, dim, 1>(bounded.T, g);
    const Scalar rounding = bounded.rounding_at(u);
    Point result = Point::Zero();
    for (int k = 0; k < bounded.axes; ++k) {
      const bool low = y[k] <= bounded.lower[k] + rounding;
      const bool high = y[k] >= bounded.upper[k] - rounding;
      if ((low && along[k] > 0) || (high && along[k] < 0)) result[k] = along[k];
    }
    return result;
  }

 private:
  static constexpr auto infinity = std::numeric_limits<Scalar>::infinity();
  static constexpr double least_freedom = 0.05;  // least length of a normal in free directions
  static constexpr double least_angle = 0.05;    // sine of the angle between two planes

  // Whether a plane is nearly parallel to an earlier one; if so, tightens the bounds of that axis.
  static bool limits_same_axis(Node& bounded, const SmallMatrix<double, dim, dim>& N,
                               const SmallVector<double, dim>& normal, double least, int collider) {
    for (int k = 0; k < bounded.axes; ++k) {
      const double cosine = detail::algebra::dot<double, dim>(SmallVector<double, dim>(N.col(k)), normal);
      if (std::abs(cosine) * std::abs(cosine) < 1 - least_angle * least_angle) continue;
      auto& lower = bounded.lower[k];
      auto& upper = bounded.upper[k];
      const auto axis = static_cast<std::size_t>(k);
      if (cosine > 0 && static_cast<Scalar>(least) > lower) {
        lower = static_cast<Scalar>(least);
        bounded.below[axis] = collider;
      } else if (cosine < 0 && static_cast<Scalar>(-least) < upper) {
        upper = static_cast<Scalar>(-least);
        bounded.above[axis] = collider;
      }
      return true;
    }
    return false;
  }

  // The same for planes that need not be orthogonal, by an enumeration of the active sets. The solution is
  // the active set whose multipliers p_k have the right signs and whose displacement u + sum N_k p_k obeys
  // the other bounds.
  static void find_nearest(const Node& bounded, const Point& u, const Point& y, Point& result) {
    const Scalar rounding = bounded.rounding_at(u);
    int sets = 1;
    for (int k = 0; k < bounded.axes; ++k) sets *= 3;
    for (int set = 1; set < sets; ++set) {
      SmallMatrix<double, dim, dim> products = SmallMatrix<double, dim, dim>::Identity();
      SmallVector<double, dim> shift = SmallVector<double, dim>::Zero();
      std::array<int, std::size_t{dim}> side{};  // 0 none, 1 lower, 2 upper
      bool bounds = true;
      for (int k = 0, rest = set; k < bounded.axes; ++k, rest /= 3) {
        side[static_cast<std::size_t>(k)] = rest % 3;
        if (rest % 3 == 0) continue;
        shift[k] = static_cast<double>(rest % 3 == 1 ? bounded.lower[k] : bounded.upper[k]) - y[k];
        bounds = bounds && std::abs(shift[k]) < std::numeric_limits<double>::infinity();
      }
      if (!bounds) continue;
      const auto holds = [&](int k) { return side[static_cast<std::size_t>(k)] != 0; };
      const auto product = [&](int j, int k) {
        double sum = 0;
        PLIANT_UNROLL for (int i = 0; i < dim; ++i) sum +=
            static_cast<double>(bounded.N(i, j)) * bounded.N(i, k);
        return sum;
      };
      for (int j = 0; j < bounded.axes; ++j) {
        for (int k = 0; k < bounded.axes; ++k) {
          if (holds(j) && holds(k)) products(j, k) = product(j, k);
        }
      }
      const auto push =
          detail::algebra::times<double, dim, dim, 1>(detail::algebra::inverse<double, dim>(products), shift);
      bool found = true;
      for (int k = 0; k < bounded.axes; ++k) {
        const int of_axis = side[static_cast<std::size_t>(k)];
        if (of_axis != 0) {
          found = found && (of_axis == 1 ? push[k] >= 0 : push[k] <= 0);
        } else {
          double there = y[k];
          for (int j = 0; j < bounded.axes; ++j) there += product(k, j) * push[j];
          found = found && there >= static_cast<double>(bounded.lower[k]) - rounding &&
                  there <= static_cast<double>(bounded.upper[k]) + rounding;
        }
      }
      if (!found) continue;
      PLIANT_UNROLL for (int i = 0; i < dim; ++i) {
        double entry = u[i];
        for (int k = 0; k < bounded.axes; ++k) entry += static_cast<double>(bounded.N(i, k)) * push[k];
        result[i] = static_cast<Scalar>(entry);
      }
      return;
    }
  }

  const Vector& free_part(const Vector& u, const Vector& g) {
    free_part_.set_sum(g, Scalar(0), g);
    for (const Node& bounded : nodes_) {
      const Point pressed = pressures(bounded, u.node(bounded.node), g.node(bounded.node));
      free_part_.node(bounded.node) -= detail::algebra::times<Scalar, dim, dim, 1>(bounded.N, pressed);
    }
    return free_part_;
  }

  std::vector<Node> nodes_;
  std::vector<int> place_;  // index in nodes_ of each node, or -1
  Vector free_part_;
};

}  // namespace pliant
