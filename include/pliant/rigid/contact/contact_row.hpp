// The contact of a point with a collider, as three rows: the distance from its surface, and the slip along
// it.
#pragma once

#include <algorithm>
#include <cmath>

#include <pliant/algebra/pose.hpp>
#include <pliant/algebra/tensor.hpp>
#include <pliant/linear_solver/rows/rows.hpp>
#include <pliant/rigid/joint/pair.hpp>

namespace pliant::detail::rigid {

// Where a point and a collider are.
struct ContactPlace {
  using Vector = SmallVector<double, 3>;

  Vector point;      // in the world [m]
  Pose<3> collider;  // of its frame
  // How far the body of the point has turned in the step, less the body of the collider [rad].
  Vector turn = Vector::Zero();
};

// A point, or a ball around it, and a plane that is fixed to a collider. With the unit normal n and two unit
// vectors t along the plane, the rows are
//   gap:   n.(x - p) - offset >= 0, with a force lambda_n >= 0
//   slip:  t.s = 0, with |lambda_t| <= mu lambda_n
// for the position x of the point, a point p of the plane, and the displacement s in the step of the point of
// contact relative to the collider, in axes that move with it. (For a ball, s is that of its centre, and the
// rotation of both bodies times the radius.)
//
// Coulomb's law is not a box: friction has at most the magnitude mu lambda_n, and the direction of -s. So a
// pass has the limit mu lambda_n of the pass before, the vector t_1 is turned along s, with the box
// [-limit, limit] for its force, and the row across it is that of the derivative of the law,
// lambda = -limit s / |s|, a compliance |s| / limit. Where the point sticks with a force outside the disc,
// t_1 is turned along the force. Repeated passes are Newton's method for the law.
class ContactRow {
 public:
  using Vector = SmallVector<double, 3>;
  using Axes = SmallMatrix<double, 3, 3>;

  // `found`: where the plane with the `normal` through `on_plane`, in the world, was found. `axes`: the axes
  // of the collider that the rows use, those at the start of the step if it is carried by a body, those at
  // the end if it moves by itself.
  ContactRow(const Pose<3>& found, const Vector& normal, const Vector& on_plane, const Axes& axes,
             const ContactPlace& start, double offset, double radius, double friction)
      : axes_(axes),
        normal_(algebra::transposed_times<double, 3, 3, 1>(found.rotation(), normal)),
        on_plane_(found.to_local(on_plane)),
        start_(start.collider.to_local(start.point)),
        offset_(offset),
        radius_(radius),
        friction_(friction) {
    const Vector n = algebra::times<double, 3, 3, 1>(axes, normal_);
    const Axes around = axes_around(n);
    directions_.col(0) = n;
    directions_.col(1) = around.col(0);
    directions_.col(2) = around.col(1);
  }

  // n and the two t, in the world.
  const Axes& directions() const { return directions_; }
  Vector normal() const { return directions_.col(0); }
  const Vector& local_normal() const { return normal_; }  // in the frame of the collider
  bool rubs() const { return friction_ > 0; }

  // The gap and the two components of the slip [m].
  RowBlock::Triple values(const ContactPlace& place) const {
    const Vector local = place.collider.to_local(place.point);
    Vector slip = algebra::times<double, 3, 3, 1>(axes_, Vector(local - start_));
    if (radius_ > 0) slip -= radius_ * algebra::cross<double>(place.turn, normal());
    RowBlock::Triple values = algebra::transposed_times<double, 3, 3, 1>(directions_, slip);
    values[0] = algebra::dot<double, 3>(normal_, Vector(local - on_plane_)) - offset_;
    return values;
  }

  // Begins with the normal force and the friction of the last step, a vector in the world [N].
  void begin(double normal_force, const Vector& friction, RowBlock& block) {
    block.multiplier.setZero();
    block.multiplier[0] = normal_force;
    set_limit(friction_ * normal_force, block);
    block.compliance.setZero();
    if (!rubs()) {
      block.compliance[1] = block.compliance[2] = 1;
      return;
    }
    const double along = algebra::dot<double, 3>(directions_.col(1), friction);
    const double across = algebra::dot<double, 3>(directions_.col(2), friction);
    block.multiplier[1] = along;
    block.multiplier[2] = across;
    turn_towards(along, across, block);
  }

  // What friction lacks after a pass, and how large it can be [N].
  struct Friction {
    double error = 0, limit = 0;
    bool turned = false;  // the rows have changed, besides their right sides and bounds
  };

  // Prepares the friction of the next pass from the slip `values` at the end of this one; slip below
  // `sticking` [m] is none. `part`: of the change of the limit that is made. Whether the point sticks is seen
  // from the forces, because the slip of a point that sticks is as large as the error of its linear rows.
  Friction follow(const RowBlock::Triple& values, double sticking, double part, RowBlock& block) {
    const double limit = friction_ * std::max(block.multiplier[0], 0.0), kept = block.upper[1];
    const double slip = std::hypot(values[1], values[2]);
    const double along = block.multiplier[1], across = block.multiplier[2], force = std::hypot(along, across);
    const auto inside = [&](double multiplier) { return std::abs(multiplier) < (1 - 1e-9) * kept; };
    const bool sticks_along = inside(along), sticks = sticks_along && inside(across);
    Friction result{0, limit};
    set_limit(kept + part * (limit - kept), block);
    if (sticks || slip <= sticking || (sticks_along && block.compliance[2] != 0)) {
      result.error = std::max(force - limit, 0.0);
      if (block.compliance[2] != 0) {  // sliding has ended
        if (slip > sticking) result.error += std::abs(across);
        block.compliance[2] = 0;
        result.turned = true;
      }
      if (force > limit * (1 + direction_tolerance)) {
        result.turned = turn_towards(along, across, block) || result.turned;
      }
      return result;
    }
    result.error = std::hypot(along + limit * values[1] / slip, across + limit * values[2] / slip);
    if (result.error > direction_tolerance * limit) {
      turn_towards(values[1], values[2], block);
      block.compliance[2] = limit > 0 ? slip / limit : 0;
      result.turned = limit > 0;
    }
    return result;
  }

 private:
  static constexpr double direction_tolerance = 1e-7;

  void set_limit(double limit, RowBlock& block) const {
    block.lower = {0, -limit, -limit};
    block.upper = {std::numeric_limits<double>::infinity(), limit, limit};
  }

  // Turns t_1 towards a direction with these components along both t. Returns whether it was another one.
  bool turn_towards(double along, double across, RowBlock& block) {
    const double size = std::hypot(along, across);
    if (!(size > 0) || std::abs(across) <= 1e-14 * size) return false;
    const double c = along / size, s = across / size;
    const auto turn = [&](auto&& first, auto&& second) {
      const auto old = first;
      first = c * old + s * second;
      second = c * second - s * old;
    };
    for (Eigen::Index i = 0; i < 3; ++i) {
      turn(directions_(i, 1), directions_(i, 2));
      for (auto& J : block.J) turn(J(1, i), J(2, i));
    }
    for (auto* triple : {&block.multiplier, &block.accepted, &block.right_side}) {
      turn((*triple)[1], (*triple)[2]);
    }
    return true;
  }

  Axes axes_, directions_;
  Vector normal_, on_plane_, start_;   // in the frame of the collider [-], [m], [m]
  double offset_, radius_, friction_;  // [m], [m], [-]
};

}  // namespace pliant::detail::rigid
