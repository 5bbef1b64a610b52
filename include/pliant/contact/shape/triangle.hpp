// One triangle in space: its point nearest to a given one, and its intersection with a segment.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <pliant/contact/shape/concept.hpp>

namespace pliant::detail::contact {

using TriangleCorners = std::array<SmallVector<double, 3>, 3>;

// The part of a triangle that a point lies on. Edge i runs from corner i to corner i + 1.
enum class TrianglePart : std::uint8_t { face, edge0, edge1, edge2, corner0, corner1, corner2 };

struct NearestOfTriangle {
  SmallVector<double, 3> point;
  TrianglePart part;
};

// The nearest point of a triangle, by the region of its plane onto which x projects (Ericson 2005, section
// 5.1.5).
inline NearestOfTriangle nearest_of_triangle(const SmallVector<double, 3>& x,
                                             const TriangleCorners& corners) {
  const SmallVector<double, 3> ab = difference<3>(corners[1], corners[0]),
                               ac = difference<3>(corners[2], corners[0]), ax = difference<3>(x, corners[0]);
  const double d1 = algebra::dot<double, 3>(ab, ax), d2 = algebra::dot<double, 3>(ac, ax);
  if (d1 <= 0 && d2 <= 0) return {corners[0], TrianglePart::corner0};
  const SmallVector<double, 3> bx = difference<3>(x, corners[1]);
  const double d3 = algebra::dot<double, 3>(ab, bx), d4 = algebra::dot<double, 3>(ac, bx);
  if (d3 >= 0 && d4 <= d3) return {corners[1], TrianglePart::corner1};
  const double over_c = d1 * d4 - d3 * d2;
  if (over_c <= 0 && d1 >= 0 && d3 <= 0) {
    return {moved_along<3>(corners[0], d1 / (d1 - d3), ab), TrianglePart::edge0};
  }
  const SmallVector<double, 3> cx = difference<3>(x, corners[2]);
  const double d5 = algebra::dot<double, 3>(ab, cx), d6 = algebra::dot<double, 3>(ac, cx);
  if (d6 >= 0 && d5 <= d6) return {corners[2], TrianglePart::corner2};
  const double over_b = d5 * d2 - d1 * d6;
  if (over_b <= 0 && d2 >= 0 && d6 <= 0) {
    return {moved_along<3>(corners[0], d2 / (d2 - d6), ac), TrianglePart::edge2};
  }
  const double over_a = d3 * d6 - d5 * d4, along = d4 - d3, back = d5 - d6;
  if (over_a <= 0 && along >= 0 && back >= 0) {
    return {moved_along<3>(corners[1], along / (along + back), difference<3>(corners[2], corners[1])),
            TrianglePart::edge1};
  }
  const double sum = over_a + over_b + over_c;
  return {moved_along<3>(moved_along<3>(corners[0], over_b / sum, ab), over_c / sum, ac), TrianglePart::face};
}

// c - a b, rounded in the same way in all places: a compiler that may contract products and sums might do so
// for one corner and not for another.
PLIANT_INLINE double less_product(double c, double a, double b) {
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
  return std::fma(-a, b, c);
#else
  return c - a * b;
#endif
}

// The sign of a b - c d, exact except for underflow: rounded products that differ have the order of the exact
// ones; if they are equal, their rounding errors, which are doubles, decide.
PLIANT_INLINE int sign_of_difference(double a, double b, double c, double d) {
  const double p = a * b, q = c * d;
  if (p != q) return p > q ? 1 : -1;
  const double p_error = std::fma(a, b, -p), q_error = std::fma(c, d, -q);
  return p_error > q_error ? 1 : p_error < q_error ? -1 : 0;
}

// Intersects a line with triangles such that it does not slip through an edge or a corner (as Woop et al.
// 2013, but with exact signs). The corners are sheared such that the line becomes an axis: two triangles
// round the coordinates of a shared corner in the same way, and the rest is a test of points in the plane. A
// line that meets an edge or a corner exactly is moved by (e, e^2) in that plane, or by (-e, -e^2), with an
// infinitesimal e (Edelsbrunner and Muecke 1990): then it meets none, and its crossings of a closed surface
// are entries and exits in turn.
class LineThroughTriangles {
 public:
  using Point = SmallVector<double, 3>;

  struct Crossing {
    double fraction;  // from `from` to `to`; any number
    Point point;
    bool entering;  // against the normal of the triangle
  };

  // from != to
  LineThroughTriangles(const Point& from, const Point& to, bool other_way)
      : from_(from), shift_(other_way ? -1 : 1) {
    const Point d = difference<3>(to, from);
    for (int k = 1; k < 3; ++k) {
      if (std::abs(d[k]) > std::abs(d[axis_])) axis_ = k;
    }
    first_ = (axis_ + 1) % 3;
    second_ = (axis_ + 2) % 3;
    if (d[axis_] < 0) std::swap(first_, second_);  // keeps the orientation
    shear_first_ = d[first_] / d[axis_];
    shear_second_ = d[second_] / d[axis_];
    length_ = d[axis_];
  }

  // Whether a corner or an edge has been met exactly, so that the result depends on the direction of the
  // move.
  bool ambiguous() const { return ambiguous_; }

  std::optional<Crossing> crossing(const TriangleCorners& corners) {
    std::array<double, 3> u, v, depth;
    PLIANT_UNROLL for (std::size_t i = 0; i < 3; ++i) {
      depth[i] = corners[i][axis_] - from_[axis_];
      u[i] = less_product(corners[i][first_] - from_[first_], shear_first_, depth[i]);
      v[i] = less_product(corners[i][second_] - from_[second_], shear_second_, depth[i]);
    }
    std::array<int, 3> sense;  // of edge i around the line
    bool right = false, left = false;
    PLIANT_UNROLL for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      sense[i] = sign_of_difference(u[i], v[j], v[i], u[j]);
      right = right || sense[i] < 0;
      left = left || sense[i] > 0;
    }
    if (right && left) return std::nullopt;
    for (std::size_t i = 0; i < 3; ++i) {
      if (sense[i] != 0) continue;
      ambiguous_ = true;
      const std::size_t j = (i + 1) % 3;
      if (v[i] != v[j]) {
        sense[i] = v[i] > v[j] ? shift_ : -shift_;
      } else if (u[i] != u[j]) {
        sense[i] = u[j] > u[i] ? shift_ : -shift_;
      } else {
        return std::nullopt;  // the edge projects to a point, the triangle to a line
      }
      right = right || sense[i] < 0;
      left = left || sense[i] > 0;
    }
    if (right == left) return std::nullopt;
    // Weights of the corners: the areas opposite to them.
    std::array<double, 3> weight;
    double sum = 0;
    PLIANT_UNROLL for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const double area = u[j] * v[k] - v[j] * u[k];
      weight[i] = std::max(left ? area : -area, 0.0);
      sum += weight[i];
    }
    if (!(sum > 0)) {  // parallel to the line, up to rounding
      weight[0] = 1;
      sum = 1;
    }
    Crossing result{0, Point::Zero(), right};
    PLIANT_UNROLL for (std::size_t i = 0; i < 3; ++i) {
      result.fraction += weight[i] / sum * depth[i];
      PLIANT_UNROLL for (int k = 0; k < 3; ++k) result.point[k] += weight[i] / sum * corners[i][k];
    }
    result.fraction /= length_;
    return result;
  }

 private:
  Point from_;
  int shift_;
  int axis_ = 0, first_ = 1, second_ = 2;
  double shear_first_, shear_second_, length_;
  bool ambiguous_ = false;
};

}  // namespace pliant::detail::contact
