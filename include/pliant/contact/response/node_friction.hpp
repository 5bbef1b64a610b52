// Friction of a node on the surface of a collider.
#pragma once

#include <algorithm>
#include <cmath>

#include <pliant/algebra/matrix.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/contact/shape/concept.hpp>
#include <pliant/contact/shape/surface.hpp>

namespace pliant::detail::contact {

// The friction of a node on a surface within a step: Coulomb's law with the normal force N of the last pass.
// A node is attached to an anchor by a spring. Up to the stick length it sticks, with a force proportional to
// its distance from the anchor; beyond, it slides with the constant force mu N, and the anchor follows. This
// force is the gradient of a convex function of the displacement u, a parabola that continues as a cone, so
// that a sticking node does not creep. The potential of viscous drag is a parabola about the displacement of
// the surface.
template <int Dim>
class NodeFriction {
 public:
  using Point = SmallVector<double, Dim>;
  using Square = SmallMatrix<double, Dim, Dim>;

  // A force of friction as the gradient of a potential.
  struct Response {
    double value = 0;                 // [J]
    Point gradient = Point::Zero();   // minus the force on the node [N]
    Square hessian = Square::Zero();  // [N/m]
  };

  NodeFriction() = default;

  // All points are displacements from the start of the step [m]: `carried` is that of the surface, `anchor`
  // that of the anchor, `behind` the offset of the node from its anchor before the step.
  NodeFriction(int collider, const Surface& surface, double stick_length, const Point& normal,
               double normal_force, const Point& carried, const Point& anchor, const Point& behind,
               double slid)
      : collider_(collider),
        normal_(normal),
        friction_(surface.friction),
        viscosity_(surface.viscosity),
        stick_length_(stick_length),
        normal_force_(normal_force),
        carried_(carried),
        anchor_(anchor),
        direction_(behind),
        slid_(slid) {
    const double length = contact::length<Dim>(direction_);
    slides_ = beyond(length);
    for (int axis = 0; axis < Dim; ++axis) direction_[axis] = length > 0 ? direction_[axis] / length : 0;
  }

  int collider() const { return collider_; }
  double normal_force() const { return normal_force_; }  // [N]
  const Point& anchor() const { return anchor_; }
  double slid() const { return slid_; }  // [m]
  double limit() const { return friction_ * normal_force_; }
  bool acts() const { return normal_force_ > 0 && (friction_ > 0 || viscosity_ > 0); }

  bool drags() const { return viscosity_ > 0; }
  bool sticks(const Point& u) const { return friction_ > 0 && !beyond(length<Dim>(slip(u))); }

  void set_normal_force(double force) { normal_force_ = force; }

  // The friction force of the last pass, with the sign of a gradient [N].
  const Point& acted() const { return acted_; }
  void set_acted(const Point& gradient) { acted_ = gradient; }

  // The offset of u from the anchor, along the surface [m].
  Point slip(const Point& u) const { return tangential(Point(u - anchor_)); }

  // The anchor of a node after the displacement u, as a displacement from the start of the step [m].
  Point anchor_at(const Point& u) const {
    const Point s = slip(u);
    const double length = contact::length<Dim>(s);
    return u - (length > stick_length_ ? stick_length_ / length : 1) * s;
  }

  // The law at u. Along the direction of sliding the potential has no curvature, so that Newton's method
  // could overshoot the anchor, at which the force changes sign. The total gradient at the node, `residual`
  // [N], adds such a curvature that the step ends at the anchor: zero if it points away, tapering to zero at
  // the anchor.
  Response law(const Point& u, double dt, const Point& residual = Point::Zero()) const {
    const Point s = slip(u);
    const double length = contact::length<Dim>(s);
    const bool beyond_limit = beyond(length);
    const double stiffness = limit() / (beyond_limit ? length : stick_length_);
    Response response;
    response.value = beyond_limit ? limit() * (length - stick_length_ / 2) : stiffness * length * length / 2;
    response.gradient = stiffness * s;
    response.hessian = stiffness * across_normal();
    if (beyond_limit) {
      const double towards_anchor = algebra::dot<double, Dim>(residual, s) / length;
      const double curvature = std::clamp(towards_anchor, 0.0, limit()) / length;
      response.hessian -= ((stiffness - curvature) / (length * length)) * outer(s);
    }
    add_drag(u, dt, response);
    return response;
  }

  // The law without its kink, for a step that is one linear system: a node keeps sliding or sticking as noted
  // last.
  Response linear_law(const Point& u, double dt) const {
    Response response;
    if (slides_) {
      response.gradient = limit() * direction_;
      response.hessian =
          limit() / std::max(slid_, stick_length_) * Square(across_normal() - outer(direction_));
    } else {
      const double stiffness = limit() / stick_length_;
      response.gradient = stiffness * slip(u);
      response.hessian = stiffness * across_normal();
    }
    add_drag(u, dt, response);
    return response;
  }

  // Notes whether and in which direction the node slides at u.
  void note(const Point& u) {
    const Point s = slip(u);
    slid_ = contact::length<Dim>(s);
    slides_ = beyond(slid_);
    direction_ = slid_ > 0 ? Point(s / slid_) : Point(Point::Zero());
  }

 private:
  // A node that slid at the end of the last step is, up to rounding, at its stick length from its anchor, and
  // continues to slide.
  bool beyond(double length) const { return length > stick_length_ * (1 - 1e-6); }

  Point tangential(Point v) const {
    const double along = algebra::dot<double, Dim>(normal_, v);
    for (int axis = 0; axis < Dim; ++axis) v[axis] -= along * normal_[axis];
    return v;
  }

  static Square outer(const Point& v) {
    Square result;
    for (int j = 0; j < Dim; ++j) {
      for (int i = 0; i < Dim; ++i) result(i, j) = v[i] * v[j];
    }
    return result;
  }

  Square across_normal() const { return Square::Identity() - outer(normal_); }

  void add_drag(const Point& u, double dt, Response& response) const {
    if (viscosity_ == 0) return;
    const double stiffness = viscosity_ / dt;
    const Point drift = tangential(Point(u - carried_));
    response.value += stiffness * algebra::dot<double, Dim>(drift, drift) / 2;
    response.gradient += stiffness * drift;
    response.hessian += stiffness * across_normal();
  }

  int collider_ = -1;
  Point normal_ = Point::Zero();
  Point acted_ = Point::Zero();
  double friction_ = 0, viscosity_ = 0;                     // [-], [kg/s]
  double stick_length_ = 0;                                 // [m]
  double normal_force_ = 0;                                 // [N]
  Point carried_ = Point::Zero(), anchor_ = Point::Zero();  // [m]
  bool slides_ = false;                                     // as noted
  Point direction_ = Point::Zero();                         // of unit length, as noted
  double slid_ = 0;                                         // how far, as noted [m]
};

}  // namespace pliant::detail::contact
