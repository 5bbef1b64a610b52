// A camera that rotates about a point, and its ray under the mouse.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

struct Ray {
  Eigen::Vector3d origin, direction;  // [m], unit
};

struct Camera {
  Eigen::Vector3d target{0, 0.5, 0};  // in the middle of the picture [m]
  double distance = 3.2;              // from it [m]
  double turn = 0.6, rise = 0.3;      // about the vertical axis and above the horizon [rad]
  double opening = 0.7;               // of the picture's height [rad]
  int width = 960, height = 720;      // of the window, in the units of the mouse

  void orbit(double dx, double dy) {
    turn -= 0.008 * dx;
    rise = std::clamp(rise + 0.008 * dy, -0.1, 1.5);
  }
  void zoom(double clicks) { distance = std::clamp(distance * std::pow(0.9, clicks), 0.5, 20.0); }

  // The axes of the picture: right, up and towards the eye, as columns.
  Eigen::Matrix3d axes() const {
    return (Eigen::AngleAxisd(turn, Eigen::Vector3d::UnitY()) *
            Eigen::AngleAxisd(-rise, Eigen::Vector3d::UnitX()))
        .toRotationMatrix();
  }
  Eigen::Vector3d eye() const { return target + distance * axes().col(2); }

  // From the world to the eye, in the convention of OpenGL.
  Eigen::Matrix4d view() const {
    Eigen::Matrix4d result = Eigen::Matrix4d::Identity();
    result.topLeftCorner<3, 3>() = axes().transpose();
    result.topRightCorner<3, 1>() = -axes().transpose() * eye();
    return result;
  }

  Ray ray(double mouse_x, double mouse_y) const {
    const double size = std::tan(opening / 2), half = height / 2.0;
    const Eigen::Vector3d in_picture(size * (mouse_x - width / 2.0) / half, size * (half - mouse_y) / half,
                                     -1);
    return {eye(), (axes() * in_picture).normalized()};
  }
};

// The distance along the ray to the triangle a, b, c [m]; infinity if it is not hit (Moeller, Trumbore 1997).
inline double hit(const Ray& ray, const Eigen::Vector3d& a, const Eigen::Vector3d& b,
                  const Eigen::Vector3d& c) {
  const double missed = std::numeric_limits<double>::infinity();
  const Eigen::Vector3d ab = b - a, ac = c - a, p = ray.direction.cross(ac), s = ray.origin - a,
                        q = s.cross(ab);
  const double determinant = ab.dot(p);
  if (determinant == 0) return missed;
  const double u = s.dot(p) / determinant, v = ray.direction.dot(q) / determinant;
  const double distance = ac.dot(q) / determinant;
  return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : missed;
}
