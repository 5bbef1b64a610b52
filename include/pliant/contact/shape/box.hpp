// A block with its faces along the axes of its frame; a Pose rotates it.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include <pliant/contact/shape/concept.hpp>

namespace pliant {

//   Box{{-1, 0, -1}, {1, 0.2, 1}}   lower and upper corner [m]; in 2D Box{{-1, 0}, {1, 0.2}}
// Solid. For a point inside, the nearest face; of equally near faces the first: by axis, lower before upper.
// Throws ParameterError for edges without positive length and for values that are not finite.
template <int Dim = 3>
class Box {
 public:
  static constexpr int dim = Dim;
  using Point = SmallVector<double, Dim>;

  Box(const Point& lower, const Point& upper) : lower_(lower), upper_(upper) { check(); }

  const Point& lower() const { return lower_; }
  const Point& upper() const { return upper_; }

  void check() const {
    for (int k = 0; k < Dim; ++k) {
      detail::core::require_parameter(true, "Box: lower", lower_[k], "must be finite");
      detail::core::require_parameter(true, "Box: upper", upper_[k], "must be finite");
      const double edge = upper_[k] - lower_[k];
      detail::core::require_parameter(edge > 0, "Box: upper - lower", edge, "must be positive on every axis");
    }
  }

  AxisAlignedBox<Dim> bounds() const { return {lower_, upper_}; }

  std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const {
    Point clamped, away;
    for (int k = 0; k < Dim; ++k) {
      clamped[k] = std::min(std::max(x[k], lower_[k]), upper_[k]);
      away[k] = x[k] - clamped[k];
    }
    const double distance = detail::contact::length<Dim>(away);
    if (distance > 0 || !detail::contact::finite<Dim>(x)) {
      if (!(distance <= reach)) return std::nullopt;
      return SurfacePoint<Dim>{clamped, detail::contact::scaled<Dim>(1 / distance, away), distance};
    }
    SurfacePoint<Dim> result{x, Point::Zero(), -std::numeric_limits<double>::infinity()};
    int axis = 0;
    bool above = false;
    for (int k = 0; k < Dim; ++k) {
      for (const bool upper : {false, true}) {
        const double depth = upper ? x[k] - upper_[k] : lower_[k] - x[k];  // <= 0
        if (depth <= result.distance) continue;
        result.distance = depth;
        axis = k;
        above = upper;
      }
    }
    result.point[axis] = above ? upper_[axis] : lower_[axis];
    result.normal[axis] = above ? 1 : -1;
    return result;
  }

  std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const {
    const double rounding =
        detail::contact::on_surface *
        std::max({detail::contact::largest_entry<Dim>(from), detail::contact::largest_entry<Dim>(lower_),
                  detail::contact::largest_entry<Dim>(upper_)});
    const Point d = detail::contact::difference<Dim>(to, from);
    // The open interval of the line inside the open box.
    double entry = -std::numeric_limits<double>::infinity(), exit = std::numeric_limits<double>::infinity();
    int axis = 0;
    for (int k = 0; k < Dim; ++k) {
      if (d[k] == 0) {
        if (!(from[k] > lower_[k] && from[k] < upper_[k])) return std::nullopt;
        continue;
      }
      const double first = ((d[k] > 0 ? lower_[k] : upper_[k]) - from[k]) / d[k];
      if (first > entry) {
        entry = first;
        axis = k;
      }
      exit = std::min(exit, ((d[k] > 0 ? upper_[k] : lower_[k]) - from[k]) / d[k]);
    }
    if (!(entry < exit && exit > 0 && entry <= 1)) return std::nullopt;
    const bool below = d[axis] > 0;
    // A negative entry means a start inside, or, by rounding, on the entered face.
    if (entry < 0 && !(std::abs(from[axis] - (below ? lower_[axis] : upper_[axis])) <= rounding)) {
      return std::nullopt;
    }
    SurfaceHit<Dim> hit{from, Point::Zero(), std::max(entry, 0.0)};
    for (int k = 0; k < Dim; ++k) {
      hit.point[k] = std::min(std::max(from[k] + hit.fraction * d[k], lower_[k]), upper_[k]);
    }
    hit.point[axis] = below ? lower_[axis] : upper_[axis];
    hit.normal[axis] = below ? -1 : 1;
    return hit;
  }

 private:
  Point lower_, upper_;
};

template <class Derived, int Dim = Derived::SizeAtCompileTime>
Box(const Eigen::MatrixBase<Derived>&, const std::type_identity_t<SmallVector<double, Dim>>&) -> Box<Dim>;
template <int Dim>
Box(const double (&)[Dim], const std::type_identity_t<SmallVector<double, Dim>>&) -> Box<Dim>;

static_assert(Collider<Box<2>, 2> && Collider<Box<3>, 3>);

}  // namespace pliant
