// A collider that says nothing of where it is, so that nothing is left out of the search for contact with it.
#pragma once

#include <limits>
#include <optional>

#include <pliant/contact/shape/any_collider.hpp>

namespace pliant::test {

struct Unbounded {
  static constexpr int dim = 3;
  using Point = SmallVector<double, 3>;
  detail::contact::AnyCollider<3> shape;

  void check() const { shape.check(); }
  AxisAlignedBox<3> bounds() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return {Point::Constant(-infinity), Point::Constant(infinity)};
  }
  std::optional<SurfacePoint<3>> nearest(const Point& x, double reach) const {
    return shape.nearest(x, reach);
  }
  std::optional<SurfaceHit<3>> first_hit(const Point& from, const Point& to) const {
    return shape.first_hit(from, to);
  }
};

}  // namespace pliant::test
