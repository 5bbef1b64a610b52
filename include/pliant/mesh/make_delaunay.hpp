// The Delaunay triangulation of points: triangles or tetrahedra whose circumscribed spheres are empty.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <pliant/core/error.hpp>
#include <pliant/element/tet4.hpp>
#include <pliant/element/tri3.hpp>
#include <pliant/mesh/mesh.hpp>
#include <pliant/mesh/predicates.hpp>

namespace pliant {

namespace detail::mesh {

// Points are inserted one after the other: the elements whose spheres contain a new point are removed, and
// the hole is filled by elements between its faces and the point (Bowyer 1981, Watson 1981). Beyond every
// face of the convex hull there is an infinite element, with a node at infinity.
//
// Decisions are exact. A point on a sphere counts as outside, as if it were lifted to the paraboloid and then
// a little higher, by an amount beside which those of all points before are negligible. The result is the
// lower convex hull of points in general position, so that it has no flat elements. The order of insertion
// depends on the set of points alone, and so does the result.
template <int dim>
class DelaunayTriangulation {
 public:
  using Points = NodeMatrix<double, dim>;
  static constexpr std::size_t corners = dim + 1;
  using Corners = std::array<int, corners>;

  // Throws MeshError for points that coincide, or that all lie on a line or in a plane.
  explicit DelaunayTriangulation(const Points& points) : points_(points) {
    rank();
    const std::vector<int> order = order_of_insertion();
    const Corners first = independent_points(order);
    start(first);
    for (const int point : order) {
      if (std::find(first.begin(), first.end(), point) == first.end()) insert(point);
    }
  }

  // The finite elements.
  std::vector<Corners> elements() const {
    std::vector<Corners> result;
    for (const Cell& cell : cells_) {
      if (cell.alive && infinite_corner(cell) == none) result.push_back(cell.corner);
    }
    return result;
  }

 private:
  static constexpr int at_infinity = -1;
  static constexpr std::size_t none = corners;

  struct Cell {
    Corners corner;
    std::array<int, corners> beyond;  // the cell beyond the face opposite to a corner
    int visit = 0;                    // of which insertion, and whether it is removed by that
    bool removed = false, alive = true;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Cell& cell(int number) { return cells_[at(number)]; }
  const double* place(int point) const { return points_.data() + std::ptrdiff_t{dim} * point; }
  std::array<const double*, corners> places(const Corners& corner) const {
    std::array<const double*, corners> result;
    for (std::size_t k = 0; k < corners; ++k) result[k] = place(corner[k]);
    return result;
  }
  int orientation_with(Corners corner, std::size_t k, int point) const {
    corner[k] = point;
    return orientation(places(corner));
  }
  static std::size_t infinite_corner(const Cell& cell) {
    return static_cast<std::size_t>(std::find(cell.corner.begin(), cell.corner.end(), at_infinity) -
                                    cell.corner.begin());
  }

  // Sets the ranks of the points in the lexicographic order.
  void rank() {
    const auto count = at(static_cast<int>(points_.cols()));
    std::vector<int> sorted(count);
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto compare = [&](int a, int b) {
      return std::lexicographical_compare_three_way(place(a), place(a) + dim, place(b), place(b) + dim);
    };
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
      const auto order = compare(a, b);
      return order != 0 ? order < 0 : a < b;
    });
    rank_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      rank_[at(sorted[k])] = static_cast<int>(k);
      if (k > 0 && compare(sorted[k - 1], sorted[k]) == 0) {
        throw MeshError("make_delaunay: points " + std::to_string(sorted[k - 1]) + " and " +
                        std::to_string(sorted[k]) + " coincide");
      }
    }
  }

  // Points in rounds, each a random half of those that follow, and along a curve that fills space in each
  // round: most points lie near the one before, and elements are removed O(n) times (Amenta, Choi and Rote
  // 2003).
  std::vector<int> order_of_insertion() const {
    const SmallVector<double, dim> lowest = points_.rowwise().minCoeff();
    const double extent = (points_.colwise() - lowest).maxCoeff();
    struct Key {
      int round;
      std::uint64_t along;
      int rank, point;
    };
    std::vector<Key> keys;
    for (int i = 0; i < points_.cols(); ++i) {
      const int random = std::countr_zero(scrambled(static_cast<std::uint64_t>(rank_[at(i)])));
      std::uint64_t along = 0;
      constexpr int bits = 20;
      for (int axis = 0; axis < dim; ++axis) {
        const double part = (points_(axis, i) - lowest[axis]) / extent;
        const auto cell = static_cast<std::uint64_t>(part * ((1 << bits) - 1));
        for (int bit = 0; bit < bits; ++bit) along |= (cell >> bit & 1) << (bit * dim + axis);
      }
      keys.push_back({-random, along, rank_[at(i)], i});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      return std::tie(a.round, a.along, a.rank) < std::tie(b.round, b.along, b.rank);
    });
    std::vector<int> order;
    for (const Key& key : keys) order.push_back(key.point);
    return order;
  }
  // Steele, Lea and Flood 2014.
  static std::uint64_t scrambled(std::uint64_t number) {
    number = (number + 1) * 0x9e3779b97f4a7c15;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
    number = (number ^ number >> 27) * 0x94d049bb133111eb;
    return number ^ number >> 31;
  }

  // The first points that span an element of positive orientation.
  Corners independent_points(const std::vector<int>& order) const {
    Corners first;
    first[0] = order[0];
    first[1] = order[1];
    const auto find = [&](const auto& is_independent, const std::string& where) {
      for (const int point : order) {
        if (is_independent(point)) return point;
      }
      throw MeshError("make_delaunay: all points lie " + where);
    };
    const auto on_line = [&](int point, int axis, int other) {
      std::array<std::array<double, 2>, 3> flat{};
      std::array<const double*, 3> corner;
      for (std::size_t k = 0; k < 3; ++k) {
        const double* x = place(k < 2 ? first[k] : point);
        flat[k] = {x[axis], x[other]};
        corner[k] = flat[k].data();
      }
      return orientation(corner) == 0;
    };
    std::string through = std::to_string(first[0]) + " and " + std::to_string(first[1]);
    first[2] = find(
        [&](int point) {
          for (int axis = 0; axis < dim; ++axis) {
            for (int other = axis + 1; other < dim; ++other) {
              if (!on_line(point, axis, other)) return true;
            }
          }
          return false;
        },
        "on the line through points " + through);
    if constexpr (dim == 3) {
      through =
          std::to_string(first[0]) + ", " + std::to_string(first[1]) + " and " + std::to_string(first[2]);
      first[3] = find([&](int point) { return orientation_with(first, 3, point) != 0; },
                      "in the plane through points " + through);
    }
    if (orientation(places(first)) < 0) std::swap(first[0], first[1]);
    return first;
  }

  // The first element, and the infinite ones around it.
  void start(const Corners& first) {
    cells_.resize(1 + corners);
    cells_[0].corner = first;
    for (std::size_t k = 0; k < corners; ++k) {
      Cell& outer = cells_[1 + k];
      outer.corner = first;
      outer.corner[k] = at_infinity;
      // From the other side of the face.
      const std::size_t i = (k + 1) % corners, j = (k + 2) % corners;
      std::swap(outer.corner[i], outer.corner[j]);
      cells_[0].beyond[k] = static_cast<int>(1 + k);
      for (std::size_t m = 0; m < corners; ++m) {
        const std::size_t opposite = m == i ? j : m == j ? i : m;
        outer.beyond[m] = m == k ? 0 : static_cast<int>(1 + opposite);
      }
    }
  }

  // Whether the sphere of a cell contains a point. That of an infinite cell is the half space beyond its
  // face, and in the plane of the face the sphere of the element on the other side.
  bool contains(int number, int point) const {
    const Cell& cell = cells_[at(number)];
    const std::size_t k = infinite_corner(cell);
    if (k == none) return side_of_sphere(places(cell.corner), place(point)) > 0;
    const int side = orientation_with(cell.corner, k, point);
    return side != 0 ? side > 0 : side_of_sphere(places(cells_[at(cell.beyond[k])].corner), place(point)) > 0;
  }

  // A cell whose sphere contains the point, by a walk towards it.
  int locate(int point) {
    int number = last_;
    if (const std::size_t k = infinite_corner(cell(number)); k != none) number = cell(number).beyond[k];
    for (;;) {
      const Cell& here = cell(number);
      if (infinite_corner(here) != none) return number;
      std::size_t k = 0;
      while (k < corners && orientation_with(here.corner, k, point) >= 0) ++k;
      if (k == corners) return number;
      number = here.beyond[k];
    }
  }

  void insert(int point) {
    ++visit_;
    // The cells whose spheres contain the point, and the faces of the hole that they leave.
    hole_.assign(1, locate(point));
    mark(hole_[0], true);
    faces_.clear();
    for (std::size_t next = 0; next < hole_.size(); ++next) {
      const int number = hole_[next];
      for (std::size_t k = 0; k < corners; ++k) {
        const int beyond = cell(number).beyond[k];
        if (cell(beyond).visit != visit_) {
          mark(beyond, contains(beyond, point));
          if (cell(beyond).removed) hole_.push_back(beyond);
        }
        if (!cell(beyond).removed) faces_.push_back({number, k});
      }
    }
    // A new cell between each face and the point. Its other faces meet those of new cells with the same
    // nodes.
    ridges_.clear();
    for (const Face& face : faces_) {
      Cell fresh;
      fresh.corner = cell(face.cell).corner;
      fresh.corner[face.opposite] = point;
      fresh.visit = visit_;
      const int beyond = cell(face.cell).beyond[face.opposite];
      fresh.beyond.fill(beyond);
      const int number = add(fresh);
      auto& back = cell(beyond).beyond;
      *std::find(back.begin(), back.end(), face.cell) = number;
      for (std::size_t k = 0; k < corners; ++k) {
        if (k == face.opposite) continue;
        Ridge ridge{.nodes = {}, .cell = number, .opposite = k};
        std::size_t used = 0;
        for (std::size_t m = 0; m < corners; ++m) {
          if (m != k && m != face.opposite) ridge.nodes[used++] = fresh.corner[m];
        }
        std::sort(ridge.nodes.begin(), ridge.nodes.end());
        ridges_.push_back(ridge);
      }
      last_ = number;
    }
    std::sort(ridges_.begin(), ridges_.end(), [](const Ridge& a, const Ridge& b) {
      return std::tie(a.nodes, a.cell) < std::tie(b.nodes, b.cell);
    });
    for (std::size_t k = 0; k + 1 < ridges_.size(); k += 2) {
      cell(ridges_[k].cell).beyond[ridges_[k].opposite] = ridges_[k + 1].cell;
      cell(ridges_[k + 1].cell).beyond[ridges_[k + 1].opposite] = ridges_[k].cell;
    }
    for (const int number : hole_) {
      cell(number).alive = false;
      free_.push_back(number);
    }
  }

  void mark(int number, bool removed) {
    cell(number).visit = visit_;
    cell(number).removed = removed;
  }

  int add(const Cell& fresh) {
    if (free_.empty()) {
      cells_.push_back(fresh);
      return static_cast<int>(cells_.size()) - 1;
    }
    const int number = free_.back();
    free_.pop_back();
    cell(number) = fresh;
    return number;
  }

  struct Face {
    int cell;
    std::size_t opposite;  // corner
  };
  struct Ridge {
    std::array<int, dim - 1> nodes;
    int cell;
    std::size_t opposite;
  };

  const Points& points_;
  std::vector<int> rank_;
  std::vector<Cell> cells_;
  std::vector<int> free_;  // cells that can be used again
  int visit_ = 0, last_ = 0;
  std::vector<int> hole_;
  std::vector<Face> faces_;
  std::vector<Ridge> ridges_;
};

// The points, multiplied by a power of two that makes the largest coordinate at most 1, which is exact.
// Throws ParameterError for a coordinate that is not finite, or that is so small that products could
// underflow.
template <int dim, class Derived>
NodeMatrix<double, dim> scaled_points(const Eigen::MatrixBase<Derived>& points) {
  NodeMatrix<double, dim> scaled = points.template cast<double>();
  const auto check = [&](const auto& is_right, const char* requirement) {
    for (Eigen::Index i = 0; i < scaled.size(); ++i) {
      const double value = scaled.data()[i];
      if (is_right(value)) continue;
      throw ParameterError(
          "make_delaunay: coordinate " + std::to_string(i % dim) + " of point " + std::to_string(i / dim),
          value, requirement);
    }
  };
  check([](double value) { return std::isfinite(value); }, "must be finite");
  const double largest = scaled.cwiseAbs().maxCoeff();
  check([&](double value) { return value == 0 || std::abs(value) >= std::ldexp(largest, -150); },
        "must be 0 or at least 2^-150 times the largest coordinate");
  if (largest > 0) {
    const int exponent = std::ilogb(largest) + 1;
    for (double& value : scaled.reshaped()) value = std::ldexp(value, -exponent);
  }
  return scaled;
}

}  // namespace detail::mesh

// Meshes the convex hull of points (2 x #points or 3 x #points, [m]) with triangles or tetrahedra between
// them: no point is inside the circle or sphere through the nodes of an element. The points are the nodes, in
// their order. Decisions are exact: elements have the right orientation and a volume that is not 0, also
// where points are almost or exactly on a common plane or sphere, as those of a lattice. The result for
// points on a common sphere depends on the set of points alone. The time is about proportional to n log n.
//
// Elements at the surface and between points of a common sphere may have any shape; see diagnose and
// drop_degenerate_elements.
//
// Throws SizeError for fewer points than an element has nodes, ParameterError for a coordinate that is not
// finite, MeshError for points that coincide and for points that all lie on a line or in a plane, with their
// numbers.
template <class Derived>
auto make_delaunay(const Eigen::MatrixBase<Derived>& points) {
  constexpr int dim = Derived::RowsAtCompileTime;
  static_assert(dim == 2 || dim == 3,
                "make_delaunay takes a matrix of 2 or 3 rows, one column per point: NodeMatrix<double, 3>");
  using Element = std::conditional_t<dim == 2, Tri3, Tet4>;
  if (points.cols() <= dim) throw SizeError("make_delaunay: points", points.cols(), dim + 1);
  if (points.cols() > std::numeric_limits<int>::max() / 32) {
    throw SizeError("make_delaunay: points", points.cols(), std::numeric_limits<int>::max() / 32);
  }
  const NodeMatrix<double, dim> scaled = detail::mesh::scaled_points<dim>(points);
  const auto elements = detail::mesh::DelaunayTriangulation<dim>(scaled).elements();
  Mesh<Element, typename Derived::Scalar> mesh;
  mesh.nodes = points;
  mesh.elements.resize(Element::nodes, std::ssize(elements));
  Eigen::Index next = 0;
  for (const auto& corners : elements) {
    mesh.elements.col(next++) = Eigen::Map<const SmallVector<int, dim + 1>>(corners.data());
  }
  return mesh;
}

}  // namespace pliant
