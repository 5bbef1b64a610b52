// A ball; in the plane a disc.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>

#include <pliant/contact/shape/concept.hpp>

namespace pliant {

namespace detail::contact {

// The parameter t at which the line from + t d enters the ball around `centre`, none if it misses or only
// touches. The distance of the line from the centre is computed first, so that a far start loses no digits
// except those of its own coordinates.
template <int Dim>
std::optional<double> entry_into_ball(const SmallVector<double, Dim>& from, const SmallVector<double, Dim>& d,
                                      const SmallVector<double, Dim>& centre, double radius) {
  const double squared = algebra::dot<double, Dim>(d, d);
  const SmallVector<double, Dim> away = difference<Dim>(from, centre);
  const double middle = -algebra::dot<double, Dim>(away, d) / squared;
  const SmallVector<double, Dim> closest = moved_along<Dim>(away, middle, d);
  const double half_chord = (radius * radius - algebra::dot<double, Dim>(closest, closest)) / squared;
  if (!(half_chord > 0)) return std::nullopt;
  return middle - std::sqrt(half_chord);
}

// The nearest surface point around a centre or an axis; `from_centre`: the given point relative to it.
template <int Dim>
SurfacePoint<Dim> point_around(const SmallVector<double, Dim>& centre,
                               const SmallVector<double, Dim>& from_centre,
                               const SmallVector<double, Dim>& where_undefined, double radius) {
  const double away = length<Dim>(from_centre);
  const SmallVector<double, Dim> normal = away > 0 ? scaled<Dim>(1 / away, from_centre) : where_undefined;
  return {moved_along<Dim>(centre, radius, normal), normal, away - radius};
}

}  // namespace detail::contact

//   Sphere{{0, 0, 0}, 0.5}   centre and radius [m]; in 2D Sphere{{0, 0}, 0.5}
// Solid. For the centre, which has many nearest points, the result is the one on the first axis. Throws
// ParameterError for a radius that is not positive and for values that are not finite.
template <int Dim = 3>
class Sphere {
 public:
  static constexpr int dim = Dim;
  using Point = SmallVector<double, Dim>;

  Sphere(const Point& centre, double radius) : centre_(centre), radius_(radius) { check(); }

  const Point& centre() const { return centre_; }
  double radius() const { return radius_; }

  void check() const {
    detail::core::require_parameter(radius_ > 0, "Sphere: radius", radius_, "must be positive and finite");
    for (int k = 0; k < Dim; ++k) {
      detail::core::require_parameter(true, "Sphere: centre", centre_[k], "must be finite");
    }
  }

  AxisAlignedBox<Dim> bounds() const {
    AxisAlignedBox<Dim> box;
    for (int k = 0; k < Dim; ++k) {
      box.lower[k] = centre_[k] - radius_;
      box.upper[k] = centre_[k] + radius_;
    }
    return box;
  }

  std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const {
    const auto result = detail::contact::point_around<Dim>(
        centre_, detail::contact::difference<Dim>(x, centre_), Point::Unit(0), radius_);
    if (!(result.distance <= reach || result.distance <= 0)) return std::nullopt;
    return result;
  }

  std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const {
    const Point start = detail::contact::difference<Dim>(from, centre_);
    const double rounding =
        detail::contact::on_surface *
        std::max(detail::contact::largest_entry<Dim>(from), detail::contact::largest_entry<Dim>(centre_));
    if (!(detail::contact::length<Dim>(start) - radius_ >= -rounding)) return std::nullopt;
    const Point d = detail::contact::difference<Dim>(to, from);
    if (!(detail::algebra::dot<double, Dim>(start, d) < 0)) return std::nullopt;  // it moves away
    const std::optional<double> entry = detail::contact::entry_into_ball<Dim>(from, d, centre_, radius_);
    if (!(entry && *entry <= 1)) return std::nullopt;
    const double fraction = std::max(*entry, 0.0);
    const Point point = detail::contact::moved_along<Dim>(start, fraction, d);
    const auto surface = detail::contact::point_around<Dim>(centre_, point, Point::Unit(0), radius_);
    return SurfaceHit<Dim>{surface.point, surface.normal, fraction};
  }

 private:
  Point centre_;
  double radius_;
};

template <class Derived>
Sphere(const Eigen::MatrixBase<Derived>&, double) -> Sphere<Derived::SizeAtCompileTime>;
template <int Dim>
Sphere(const double (&)[Dim], double) -> Sphere<Dim>;

static_assert(Collider<Sphere<2>, 2> && Collider<Sphere<3>, 3>);

}  // namespace pliant
