// On which side of a line, a plane, a circle or a sphere a point is: exact.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>

#include <pliant/mesh/expansion.hpp>

namespace pliant::detail::mesh {

// A determinant is evaluated in doubles first. Each of its monomials in the coordinates goes through at most
// k rounded operations, so that its error is at most k u / (1 - k u) times the sum of the magnitudes of all
// monomials (Higham 2002, lemma 3.1), with the unit roundoff u = 2^-53. That sum is evaluated by the same
// operations on magnitudes, and so is too small by that factor at most; the bounds here have a larger k. If
// the value exceeds its bound, its sign is right, and otherwise it is computed exactly.

// A number and the sum of the magnitudes of its monomials.
struct Rounded {
  double value = 0, size = 0;

  Rounded() = default;
  explicit Rounded(double number) : Rounded(number, std::abs(number)) {}
  Rounded(double number, double magnitude) : value(number), size(magnitude) {}
  static Rounded difference(double a, double b) { return Rounded(a - b); }

  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    return {a.value + b.value, a.size + b.size};
  }
  friend Rounded operator-(const Rounded& a, const Rounded& b) {
    return {a.value - b.value, a.size + b.size};
  }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    return {a.value * b.value, a.size * b.size};
  }

  // Whether the sign of the value is right after `operations` rounded operations.
  bool certain(int operations) const {
    return std::abs(value) > (operations + 3) * (std::numeric_limits<double>::epsilon() / 2) * size;
  }
};

// The coordinates of points relative to another one, as Rounded or as Expansion<2>.
template <class Number, int dim, std::size_t count>
auto relative_to(const double* origin, const std::array<const double*, count>& points) {
  std::array<std::array<Number, dim>, count> result;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t axis = 0; axis < dim; ++axis) {
      result[i][axis] = Number::difference(points[i][axis], origin[axis]);
    }
  }
  return result;
}

template <class Row>
auto determinant_of(const Row& a, const Row& b) requires(std::tuple_size_v<Row> == 2) {
  return a[0] * b[1] - a[1] * b[0];
}
// The minors of the last two coordinates, and with them the determinant of three rows.
template <class Row>
auto minor_of(const Row& a, const Row& b) {
  return a[1] * b[2] - a[2] * b[1];
}
template <class Row, class Minor>
auto determinant_of(const Row& a, const Row& b, const Row& c, const Minor& ab, const Minor& ac,
                    const Minor& bc) {
  return a[0] * bc - b[0] * ac + c[0] * ab;
}
template <class Row>
auto squared_length(const Row& a) {
  if constexpr (std::tuple_size_v<Row> == 2) return a[0] * a[0] + a[1] * a[1];
  else return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

template <class Number>
auto orientation_determinant(const std::array<const double*, 3>& p) {
  const auto x = relative_to<Number, 2>(p[0], std::array{p[1], p[2]});
  return determinant_of(x[0], x[1]);
}
template <class Number>
auto orientation_determinant(const std::array<const double*, 4>& p) {
  const auto x = relative_to<Number, 3>(p[0], std::array{p[1], p[2], p[3]});
  return determinant_of(x[0], x[1], x[2], minor_of(x[0], x[1]), minor_of(x[0], x[2]), minor_of(x[1], x[2]));
}

// 1 if the corners of a triangle are counter-clockwise, or those of a tetrahedron oriented as those of Tet4,
// -1 if they are mirrored, 0 if they are on a line or in a plane.
template <std::size_t corners>
int orientation(const std::array<const double*, corners>& p) {
  constexpr int operations = corners == 3 ? 4 : 8;
  const Rounded rounded = orientation_determinant<Rounded>(p);
  if (rounded.certain(operations)) return rounded.value > 0 ? 1 : -1;
  return orientation_determinant<Expansion<2>>(p).sign();
}

// With the barycentric coordinates of e, which are quotients of determinants, it is inside if the squared
// distances of the corners to e, interpolated at e, are positive: if e, lifted to the paraboloid, is below
// the plane through the lifted corners.
template <class Number>
auto sphere_determinant(const std::array<const double*, 3>& p, const double* e) {
  const auto x = relative_to<Number, 2>(e, p);
  return squared_length(x[0]) * determinant_of(x[1], x[2]) -
         squared_length(x[1]) * determinant_of(x[0], x[2]) +
         squared_length(x[2]) * determinant_of(x[0], x[1]);
}
template <class Number>
auto sphere_determinant(const std::array<const double*, 4>& p, const double* e) {
  const auto x = relative_to<Number, 3>(e, p);
  const auto& [a, b, c, d] = x;
  const auto ab = minor_of(a, b), ac = minor_of(a, c), ad = minor_of(a, d), bc = minor_of(b, c),
             bd = minor_of(b, d), cd = minor_of(c, d);
  return squared_length(a) * determinant_of(b, c, d, bc, bd, cd) -
         squared_length(b) * determinant_of(a, c, d, ac, ad, cd) +
         squared_length(c) * determinant_of(a, b, d, ab, ad, bd) -
         squared_length(d) * determinant_of(a, b, c, ab, ac, bc);
}

// 1 if e is inside the circle or sphere through the corners of an element of positive orientation, -1 if it
// is outside, 0 if it is on it.
template <std::size_t corners>
int side_of_sphere(const std::array<const double*, corners>& p, const double* e) {
  constexpr int operations = corners == 3 ? 11 : 17;
  const Rounded rounded = sphere_determinant<Rounded>(p, e);
  if (rounded.certain(operations)) return rounded.value > 0 ? 1 : -1;
  return sphere_determinant<Expansion<2>>(p, e).sign();
}

}  // namespace pliant::detail::mesh
