// All points below a plane: floors and walls.
#pragma once

#include <limits>
#include <optional>
#include <type_traits>

#include <pliant/contact/shape/concept.hpp>

namespace pliant {

// Solid where (x - point) . normal < 0. The normal points out of it and may have any length.
//   HalfSpace{{0, 0, 0}, {0, 1, 0}}   the ground; in 2D HalfSpace{{0, 0}, {0, 1}}
// Throws ParameterError for a normal without length and for values that are not finite.
template <int Dim = 3>
class HalfSpace {
 public:
  static constexpr int dim = Dim;
  using Point = SmallVector<double, Dim>;

  HalfSpace(const Point& point, const Point& normal) : point_(point), normal_(normal) {
    double length = 0;
    for (int k = 0; k < Dim; ++k) length = std::hypot(length, normal[k]);
    detail::core::require_parameter(length > 0, "HalfSpace: length of the normal", length,
                                    "must be positive and finite");
    for (int k = 0; k < Dim; ++k) normal_[k] /= length;
    check();
  }

  const Point& point() const { return point_; }
  const Point& normal() const { return normal_; }  // of unit length

  void check() const {
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      detail::core::require_parameter(true, "HalfSpace: point", point_[k], "must be finite");
    }
  }

  // Infinite, except on the side of the plane if it is normal to an axis.
  AxisAlignedBox<Dim> bounds() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    AxisAlignedBox<Dim> box;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) {
      box.lower[k] = normal_[k] == -1 ? point_[k] : -infinity;
      box.upper[k] = normal_[k] == 1 ? point_[k] : infinity;
    }
    return box;
  }

  // By the lowest corner of the box.
  bool apart(const AxisAlignedBox<Dim>& box, double reach) const {
    Point lowest;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) lowest[k] = normal_[k] > 0 ? box.lower[k] : box.upper[k];
    const double h = height(lowest);
    if (!(h > reach)) return false;
    const double rounding =
        detail::contact::on_surface * std::max({detail::contact::largest_entry<Dim>(box.lower),
                                                detail::contact::largest_entry<Dim>(box.upper),
                                                detail::contact::largest_entry<Dim>(point_)});
    return h - rounding > reach;
  }

  std::optional<SurfacePoint<Dim>> nearest(const Point& x, double reach) const {
    const double h = height(x);
    if (!(h <= reach || h <= 0)) return std::nullopt;
    return SurfacePoint<Dim>{detail::contact::moved_along<Dim>(x, -h, normal_), normal_, h};
  }

  std::optional<SurfaceHit<Dim>> first_hit(const Point& from, const Point& to) const {
    const double start = height(from), end = height(to);
    const double rounding =
        detail::contact::on_surface *
        std::max(detail::contact::largest_entry<Dim>(from), detail::contact::largest_entry<Dim>(point_));
    if (!(start >= -rounding && end <= 0 && end < start)) return std::nullopt;
    const double fraction = std::max(start, 0.0) / (start - end);
    if (!(fraction <= 1)) return std::nullopt;
    Point point =
        detail::contact::moved_along<Dim>(from, fraction, detail::contact::difference<Dim>(to, from));
    return SurfaceHit<Dim>{detail::contact::moved_along<Dim>(point, -height(point), normal_), normal_,
                           fraction};
  }

 private:
  double height(const Point& x) const {
    return detail::algebra::dot<double, Dim>(detail::contact::difference<Dim>(x, point_), normal_);
  }

  Point point_, normal_;
};

template <class Derived, int Dim = Derived::SizeAtCompileTime>
HalfSpace(const Eigen::MatrixBase<Derived>&, const std::type_identity_t<SmallVector<double, Dim>>&)
    -> HalfSpace<Dim>;
template <int Dim>
HalfSpace(const double (&)[Dim], const std::type_identity_t<SmallVector<double, Dim>>&) -> HalfSpace<Dim>;

static_assert(Collider<HalfSpace<2>, 2> && Collider<HalfSpace<3>, 3>);

}  // namespace pliant
