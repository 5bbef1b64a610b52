// The Collider concept: a rigid obstacle, given by two functions of its surface.
//
// A model works in its own frame; a Pose (algebra/pose.hpp) places it in the world. It has the members
//   check()             throws ParameterError at the first parameter that is not admissible
//   bounds()            a box that contains all of it; may be infinite
//   nearest(x, reach)   the point of its surface that is nearest to x
//   first_hit(from, to) the first point at which a segment enters
// and may have
//   apart(box, reach)   true only if a whole box is outside and farther than `reach` >= 0 from it, including
//                       rounding; by default from bounds()
// All functions are const, allocate nothing and may be called by several threads at once. For points and
// segments that are not finite they return nothing.
//
// A segment that starts within 1e-12 of the size of the coordinates from the surface starts on it, and hits
// it there if it enters. If a segment ends on the surface, it depends on rounding whether that counts as a
// hit.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>

#include <pliant/algebra/axis_aligned_box.hpp>
#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// The point of a surface that is nearest to a given one.
template <int Dim>
struct SurfacePoint {
  SmallVector<double, Dim> point;   // [m]
  SmallVector<double, Dim> normal;  // unit, outwards: the gradient of the distance
  double distance = 0;              // of the given point, negative inside [m]
};

// The point at which a segment enters.
template <int Dim>
struct SurfaceHit {
  SmallVector<double, Dim> point;   // [m]
  SmallVector<double, Dim> normal;  // unit, outwards
  double fraction = 0;              // of the segment, 0 to 1
};

template <class C, int Dim>
concept Collider = std::copy_constructible<C> &&  // a Simulation keeps a copy
    requires(const C& collider, const SmallVector<double, Dim>& x, double reach) {
  // check() const: throws ParameterError at the first parameter that is not admissible
  collider.check();
  // bounds() const: a box in the collider's frame that contains all of it [m]
  { collider.bounds() } -> std::same_as<AxisAlignedBox<Dim>>;
  // nearest(x, reach) const: the nearest point of the surface; none if the distance is above `reach`. For
  // every point inside a solid, at any depth, there is a result.
  { collider.nearest(x, reach) } -> std::same_as<std::optional<SurfacePoint<Dim>>>;
  // first_hit(from, to) const: the first point at which a segment that starts outside or on the surface
  // enters; none if it starts inside, leaves, or only touches
  { collider.first_hit(x, x) } -> std::same_as<std::optional<SurfaceHit<Dim>>>;
};

namespace detail::contact {

template <int Dim>
PLIANT_INLINE SmallVector<double, Dim> difference(const SmallVector<double, Dim>& a,
                                                  const SmallVector<double, Dim>& b) {
  SmallVector<double, Dim> result;
  PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result[k] = a[k] - b[k];
  return result;
}

template <int Dim>
PLIANT_INLINE SmallVector<double, Dim> scaled(double factor, const SmallVector<double, Dim>& v) {
  SmallVector<double, Dim> result;
  PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result[k] = factor * v[k];
  return result;
}

// x + factor * v
template <int Dim>
PLIANT_INLINE SmallVector<double, Dim> moved_along(const SmallVector<double, Dim>& x, double factor,
                                                   const SmallVector<double, Dim>& v) {
  SmallVector<double, Dim> result;
  PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result[k] = x[k] + factor * v[k];
  return result;
}

template <int Dim>
PLIANT_INLINE double length(const SmallVector<double, Dim>& v) {
  return std::sqrt(algebra::dot<double, Dim>(v, v));
}

template <int Dim>
PLIANT_INLINE double largest_entry(const SmallVector<double, Dim>& v) {
  double result = 0;
  PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result = std::max(result, std::abs(v[k]));
  return result;
}

template <int Dim>
PLIANT_INLINE bool finite(const SmallVector<double, Dim>& v) {
  bool result = true;
  PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result = result && core::is_finite(v[k]);
  return result;
}

// A point at this distance from the surface, relative to its coordinates, lies on it.
inline constexpr double on_surface = 1e-12;

}  // namespace detail::contact
}  // namespace pliant
