// The position and orientation of a body or a collider.
#pragma once

#include <cmath>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/rotation.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// x_world = rotation x_local + translation.
//   Pose(Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()), Eigen::Vector3d(0, 1, 0))
//   Pose(R, t)                       R a matrix
//   Pose(Eigen::Vector3d(0, 1, 0))   a translation alone, also Pose({0, 1, 0}); Pose({0, 1}) in 2D
//   Pose<3>()                        the identity
// Throws ParameterError for a matrix that is not a rotation (up to 1e-9 per entry of R^T R) and for a
// translation that is not finite.
template <int Dim = 3>
class Pose {
 public:
  using Point = SmallVector<double, Dim>;
  using Matrix = SmallMatrix<double, Dim, Dim>;

  static_assert(Dim == 2 || Dim == 3,
                "a Pose has 2 or 3 dimensions, given by its translation: an Eigen::Vector2d or Vector3d");

  Pose() : rotation_(Matrix::Identity()), translation_(Point::Zero()) {}

  explicit Pose(const Point& translation) : rotation_(Matrix::Identity()), translation_(translation) {
    check();
  }

  template <class Derived>
  Pose(const Eigen::MatrixBase<Derived>& rotation, const Point& translation)
      : rotation_(rotation), translation_(translation) {
    check();
  }

  // `rotation`: an Eigen::AngleAxisd, Quaterniond or Rotation2Dd.
  template <class Rotation>
  requires requires(const Rotation& rotation) { rotation.toRotationMatrix(); }
  Pose(const Rotation& rotation, const Point& translation) : Pose(rotation.toRotationMatrix(), translation) {}

  const Matrix& rotation() const { return rotation_; }
  const Point& translation() const { return translation_; }

  // From the frame of the body to the world [m].
  Point to_world(const Point& x) const {
    Point result = rotated(x);
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) result[k] += translation_[k];
    return result;
  }

  // From the world to the frame of the body [m].
  Point to_local(const Point& x) const {
    Point from_origin;
    PLIANT_UNROLL for (int k = 0; k < Dim; ++k) from_origin[k] = x[k] - translation_[k];
    return detail::algebra::transposed_times<double, Dim, Dim, 1>(rotation_, from_origin);
  }

  // A direction, from the frame of the body to the world.
  Point rotated(const Point& direction) const {
    return detail::algebra::times<double, Dim, Dim, 1>(rotation_, direction);
  }

  // The pose after a fraction `part` of a uniform motion to another pose: the origin of the frame moves on a
  // straight line, and the frame rotates about one axis by the smaller angle.
  Pose towards(const Pose& other, double part) const {
    if (part == 0) return *this;
    if (part == 1) return other;
    const Matrix turn = detail::algebra::transposed_times<double, Dim, Dim, Dim>(rotation_, other.rotation_);
    Pose result;
    result.rotation_ = detail::algebra::times<double, Dim, Dim, Dim>(rotation_, part_of(turn, part));
    for (int k = 0; k < Dim; ++k) {
      result.translation_[k] = (1 - part) * translation_[k] + part * other.translation_[k];
    }
    return result;
  }

 private:
  // The rotation about the same axis by a fraction of the angle.
  static Matrix part_of(const Matrix& rotation, double part) {
    if constexpr (Dim == 2) {
      const double angle = part * std::atan2(rotation(1, 0), rotation(0, 0));
      const double cosine = std::cos(angle), sine = std::sin(angle);
      Matrix result;
      result << cosine, -sine, sine, cosine;
      return result;
    } else {
      UnitQuaternion<double> q = quaternion_of(rotation);
      if (q.w < 0) q = {-q.x, -q.y, -q.z, -q.w};
      const double sine = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
      if (sine == 0) return Matrix::Identity();
      const double half = part * std::atan2(sine, q.w), scale = std::sin(half) / sine;
      return rotation_matrix(UnitQuaternion<double>{scale * q.x, scale * q.y, scale * q.z, std::cos(half)});
    }
  }

  void check() const {
    constexpr double rounding = 1e-9;
    const Matrix product = detail::algebra::transposed_times<double, Dim, Dim, Dim>(rotation_, rotation_);
    double error = 0;
    for (int j = 0; j < Dim; ++j) {
      for (int i = 0; i < Dim; ++i) {
        const double difference = std::abs(product(i, j) - (i == j ? 1.0 : 0.0));
        if (!(difference <= error)) error = difference;
      }
    }
    detail::core::require_parameter(error <= rounding, "Pose: largest entry of R^T R - 1", error,
                                    "R must be a rotation");
    const double sign = determinant<double, Dim>(rotation_);
    detail::core::require_parameter(sign > 0, "Pose: det R", sign, "R must be a rotation, not a reflection");
    for (int k = 0; k < Dim; ++k) {
      detail::core::require_parameter(true, "Pose: translation", translation_[k], "must be finite");
    }
  }

  Matrix rotation_;
  Point translation_;
};

template <class Derived>
explicit Pose(const Eigen::MatrixBase<Derived>&) -> Pose<Derived::SizeAtCompileTime>;
template <int Dim>
explicit Pose(const double (&)[Dim]) -> Pose<Dim>;
template <class Rotation, class Derived>
Pose(const Rotation&, const Eigen::MatrixBase<Derived>&) -> Pose<Derived::SizeAtCompileTime>;
template <class Rotation, int Dim>
Pose(const Rotation&, const double (&)[Dim]) -> Pose<Dim>;

}  // namespace pliant
