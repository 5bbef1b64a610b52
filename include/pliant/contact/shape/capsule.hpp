// A cylinder with round ends: all points within a radius of a segment.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>

#include <pliant/contact/shape/concept.hpp>
#include <pliant/contact/shape/sphere.hpp>

namespace pliant {

//   Capsule{{0, 0, 0}, {0, 1, 0}, 0.1}   the ends of its axis and its radius [m]; in 2D Capsule{{0, 0}, {0,
//   1}, 0.1}
// Solid. For a point on the axis, which has many nearest points, the result is always the same one. Throws
// ParameterError for a radius or an axis without positive length and for values that are not finite.
template <int Dim = 3>
class Capsule {
 public:
  static constexpr int dim = Dim;
  using Point = SmallVector<double, Dim>;

  Capsule(const Point& from, const Point& to, double radius) : from_(from), to_(to), radius_(radius) {
    check();
  }

  const Point& from() const { return from_; }
  const Point& to() const { return to_; }
  double radius() const { return radius_; }

  void check() const {
    detail::core::require_parameter(radius_ > 0, "Capsule: radius", radius_, "must be positive and finite");
    const double axis = detail::contact::length<Dim>(detail::contact::difference<Dim>(to_, from_));
    detail::core::require_parameter(axis > 0, "Capsule: length of the axis", axis,
                                    "must be positive and finite; use Sphere for zero length");
  }

  AxisAlignedBox<Dim> bounds() const {
    AxisAlignedBox<Dim> box;
    for (int k = 0; k < Dim; ++k) {
      box.lower[k] = std::min(from_[k], to_[k]) - radius_;
      box.upper[k] = std::max(from_[k], to_[k]) + radius_;
    }
    return box;
  }

  std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const {
    const auto result = surface_at(x);
    if (!(result.distance <= reach || result.distance <= 0)) return std::nullopt;
    return result;
  }

  // The capsule is convex: a segment from outside enters it at the first entry into one of its parts, the two
  // balls at its ends and the cylinder between them.
  std::optional<SurfaceHit<Dim>> first_hit(const Point& start, const Point& end) const {
    const double rounding =
        detail::contact::on_surface *
        std::max({detail::contact::largest_entry<Dim>(start), detail::contact::largest_entry<Dim>(from_),
                  detail::contact::largest_entry<Dim>(to_)});
    const auto at_start = surface_at(start);
    if (!(at_start.distance >= -rounding)) return std::nullopt;
    const Point d = detail::contact::difference<Dim>(end, start);
    std::optional<double> entry = detail::contact::entry_into_ball<Dim>(start, d, from_, radius_);
    const auto take_earlier = [&entry](const std::optional<double>& other) {
      if (other && !(entry && *entry <= *other)) entry = other;
    };
    take_earlier(detail::contact::entry_into_ball<Dim>(start, d, to_, radius_));
    take_earlier(entry_into_side(start, d));
    if (!(entry && *entry <= 1)) return std::nullopt;
    // A negative entry means a start on the surface, or a capsule behind the start.
    if (*entry < 0 &&
        !(at_start.distance <= rounding && detail::algebra::dot<double, Dim>(at_start.normal, d) < 0)) {
      return std::nullopt;
    }
    const double fraction = std::max(*entry, 0.0);
    const auto surface = surface_at(detail::contact::moved_along<Dim>(start, fraction, d));
    return SurfaceHit<Dim>{surface.point, surface.normal, fraction};
  }

 private:
  SurfacePoint<Dim> surface_at(const Point& x) const {
    const Point axis = detail::contact::difference<Dim>(to_, from_);
    const double along = detail::algebra::dot<double, Dim>(detail::contact::difference<Dim>(x, from_), axis) /
                         detail::algebra::dot<double, Dim>(axis, axis);
    const Point centre = along <= 0   ? from_
                         : along >= 1 ? to_
                                      : detail::contact::moved_along<Dim>(from_, along, axis);
    return detail::contact::point_around<Dim>(centre, detail::contact::difference<Dim>(x, centre), across(),
                                              radius_);
  }

  // A unit vector normal to the axis: the component, normal to the axis, of the coordinate direction that is
  // farthest from it.
  Point across() const {
    const Point axis = detail::contact::difference<Dim>(to_, from_);
    int furthest = 0;
    for (int k = 1; k < Dim; ++k) {
      if (std::abs(axis[k]) < std::abs(axis[furthest])) furthest = k;
    }
    const double along = axis[furthest] / detail::algebra::dot<double, Dim>(axis, axis);
    const Point normal = detail::contact::moved_along<Dim>(Point::Unit(furthest), -along, axis);
    return detail::contact::scaled<Dim>(1 / detail::contact::length<Dim>(normal), normal);
  }

  // The entry of the line into the infinite cylinder, if it is between the ends: an entry into a disc in the
  // plane normal to the axis.
  std::optional<double> entry_into_side(const Point& start, const Point& d) const {
    const Point axis = detail::contact::difference<Dim>(to_, from_);
    const double squared = detail::algebra::dot<double, Dim>(axis, axis);
    const Point away = detail::contact::difference<Dim>(start, from_);
    const double along = detail::algebra::dot<double, Dim>(away, axis) / squared,
                 rise = detail::algebra::dot<double, Dim>(d, axis) / squared;
    const auto entry = detail::contact::entry_into_ball<Dim>(
        detail::contact::moved_along<Dim>(away, -along, axis),
        detail::contact::moved_along<Dim>(d, -rise, axis), Point::Zero(), radius_);
    if (!entry) return std::nullopt;
    const double place = along + *entry * rise;
    if (!(place >= 0 && place <= 1)) return std::nullopt;
    return entry;
  }

  Point from_, to_;
  double radius_;
};

template <class Derived, int Dim = Derived::SizeAtCompileTime>
Capsule(const Eigen::MatrixBase<Derived>&, const std::type_identity_t<SmallVector<double, Dim>>&, double)
    -> Capsule<Dim>;
template <int Dim>
Capsule(const double (&)[Dim], const std::type_identity_t<SmallVector<double, Dim>>&, double) -> Capsule<Dim>;

static_assert(Collider<Capsule<2>, 2> && Collider<Capsule<3>, 3>);

}  // namespace pliant
