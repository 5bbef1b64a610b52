// A rigid body: its mass and how it is distributed.
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <utility>
#include <variant>

#include <pliant/algebra/symmetric_eigen.hpp>
#include <pliant/core/error.hpp>
#include <pliant/rigid/body_surface.hpp>
#include <pliant/rigid/inertia.hpp>
#include <pliant/solid/solid.hpp>

namespace pliant {

// The mass of a whole body [kg].
struct Mass {
  double value;
};

namespace detail::rigid {

template <class T>
concept DensityOrMass = std::same_as<T, Density> || std::same_as<T, Mass>;

}  // namespace detail::rigid

// A body that does not deform. Its frame is the one in which it is described: the centre of mass may be
// anywhere in it. The shape, from which mass and inertia are taken and which writers draw, has a density or a
// mass:
//   RigidBody::box({0.02, 0.2, 0.02}, Density{6250})      around the origin, lengths of the edges [m]
//   RigidBody::sphere(0.05, Mass{0.9})                    radius [m]
//   RigidBody::cylinder(0.2, 0.01, Mass{0.5})             length, radius [m]; the axis is z
//   RigidBody::capsule(0.2, 0.01, Mass{0.5})              distance between the centres of the round ends
//   RigidBody::solid(surface, Density{1900})              inside of a closed TriangleMesh, exact
//   RigidBody(handle.properties() + head.properties().at(Pose({0, 0, 0.15})))
//
// Throws ParameterError that names the quantity for a length, density or mass that is not positive and
// finite, for a centre that is not finite, and for an inertia tensor that no distribution of mass has: not
// symmetric, with a principal moment that is not positive, or with one that exceeds the sum of the other two;
// MeshError for a two-sided surface. (That a TriangleMesh is closed and faces outwards, it has checked
// itself.)
class RigidBody {
 public:
  using Point = SmallVector<double, 3>;
  using Matrix = SmallMatrix<double, 3, 3>;

  explicit RigidBody(const MassProperties& properties) : properties_(properties) {
    check();
    const auto principal = symmetric_eigen<double, 3>(properties_.inertia);
    moments_ = principal.values;
    check_moments();
    principal_frame_ = Pose<3>(principal.vectors, properties_.centre);
    shape_ = detail::rigid::box_of(moments_, mass(), principal_frame_);
  }

  // `inertia` about the centre, along the axes of the frame [kg m^2].
  RigidBody(Mass mass, const Point& centre, const Matrix& inertia)
      : RigidBody(MassProperties{mass.value, centre, inertia}) {}

  template <detail::rigid::DensityOrMass Amount>
  static RigidBody box(const Point& lengths, Amount amount) {
    return RigidBody(scaled(amount, detail::rigid::unit_density_box(checked(lengths))),
                     detail::rigid::DrawnBox{lengths});
  }

  template <detail::rigid::DensityOrMass Amount>
  static RigidBody sphere(double radius, Amount amount) {
    return RigidBody(scaled(amount, detail::rigid::unit_density_sphere(checked("radius", radius))),
                     detail::rigid::DrawnCapsule{0, radius});
  }

  template <detail::rigid::DensityOrMass Amount>
  static RigidBody cylinder(double length, double radius, Amount amount) {
    return RigidBody(scaled(amount, detail::rigid::unit_density_cylinder(checked("length", length),
                                                                         checked("radius", radius))),
                     detail::rigid::DrawnCylinder{length, radius});
  }

  template <detail::rigid::DensityOrMass Amount>
  static RigidBody capsule(double length, double radius, Amount amount) {
    return RigidBody(scaled(amount, detail::rigid::unit_density_capsule(checked("length", length),
                                                                        checked("radius", radius))),
                     detail::rigid::DrawnCapsule{length, radius});
  }

  template <detail::rigid::DensityOrMass Amount>
  static RigidBody solid(const TriangleMesh& surface, Amount amount) {
    return RigidBody(scaled(amount, detail::rigid::unit_density_solid(checked(surface))),
                     detail::rigid::shape_of(surface));
  }

  double mass() const { return properties_.mass; }
  const MassProperties& properties() const { return properties_; }

  // The principal moments, descending [kg m^2].
  const Point& moments() const { return moments_; }

  // From the principal axes at the centre of mass to the frame of the body.
  const Pose<3>& principal_frame() const { return principal_frame_; }

  // The surface of the shape in the frame of the body. A body that was made from numbers has that of the box
  // of uniform density with the same mass and inertia.
  BodySurface surface() const {
    return std::visit([](const auto& shape) { return detail::rigid::surface_of(shape); }, shape_);
  }

 private:
  RigidBody(const MassProperties& properties, detail::rigid::DrawnShape shape) : RigidBody(properties) {
    shape_ = std::move(shape);
  }

  // The rounding errors of moments that are computed from closed forms or from a mesh, relative.
  static constexpr double rounding = 1e-9;

  static double checked(const char* what, double length) {
    if (!(length > 0) || !detail::core::is_finite(length)) {
      throw ParameterError(std::string("RigidBody: ") + what, length, "must be positive and finite (m)");
    }
    return length;
  }
  static const Point& checked(const Point& lengths) {
    for (int k = 0; k < 3; ++k) checked("length of an edge", lengths[k]);
    return lengths;
  }
  static const TriangleMesh& checked(const TriangleMesh& surface) {
    if (surface.is_two_sided()) throw MeshError("RigidBody::solid: a two-sided surface encloses no solid");
    return surface;
  }

  static MassProperties scaled(Density density, const MassProperties& shape) {
    detail::core::require_parameter(density.value > 0, "RigidBody: density", density.value,
                                    "must be positive and finite (kg/m^3)");
    return density.value * shape;
  }
  static MassProperties scaled(Mass mass, const MassProperties& shape) {
    return mass.value / shape.mass * shape;
  }

  void check() const {
    detail::core::require_parameter(properties_.mass > 0, "RigidBody: mass", properties_.mass,
                                    "must be positive and finite (kg)");
    double largest = 0;
    for (int i = 0; i < 3; ++i) {
      detail::core::require_parameter(true, "RigidBody: centre", properties_.centre[i], "must be finite (m)");
      for (int j = 0; j < 3; ++j) {
        const double entry = properties_.inertia(i, j);
        detail::core::require_parameter(true, "RigidBody: inertia", entry, "must be finite (kg m^2)");
        largest = std::fmax(largest, std::abs(entry));
      }
    }
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3;
      const double skew = std::abs(properties_.inertia(i, j) - properties_.inertia(j, i));
      detail::core::require_parameter(skew <= rounding * largest,
                                      "RigidBody: largest entry of inertia - inertia^T", skew,
                                      "the inertia tensor must be symmetric");
    }
  }

  void check_moments() const {
    detail::core::require_parameter(moments_[2] > 0, "RigidBody: smallest principal moment", moments_[2],
                                    "must be positive (kg m^2)");
    const double excess = moments_[0] - moments_[1] - moments_[2];
    detail::core::require_parameter(
        excess <= rounding * moments_[0], "RigidBody: largest principal moment minus the two others", excess,
        "must not be positive (kg m^2): no distribution of mass has such an inertia tensor");
  }

  MassProperties properties_;
  Point moments_;
  Pose<3> principal_frame_;
  detail::rigid::DrawnShape shape_;
};

}  // namespace pliant
