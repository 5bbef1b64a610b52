// The scalar equations and inequalities of a joint, with their derivatives.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

#include <pliant/algebra/matrix.hpp>
#include <pliant/core/error.hpp>

namespace pliant {

// A spring and a damper in place of an equation value = 0: the force is -stiffness value - damping
// d(value)/dt. The units are those of a force per value, [N/m] and [N s/m] where the value is a length, [N
// m/rad] and [N m s/rad] where it is an angle. The default is rigid: the equation
// is met, and the damping has no effect.
struct Compliance {
  double stiffness = std::numeric_limits<double>::infinity();  // [N/m] or [N m/rad]
  double damping = 0;                                          // [N s/m] or [N m s/rad]

  bool rigid() const { return std::isinf(stiffness); }

  // `of`: the prefix in a ParameterError.
  void check(const std::string& of) const {
    if (!(stiffness >= 0)) throw ParameterError(of + ".stiffness", stiffness, "must not be negative");
    if (!(damping >= 0) || !detail::core::is_finite(damping)) {
      throw ParameterError(of + ".damping", damping, "must be finite and not negative");
    }
  }
};

// The range of a coordinate [m] or [rad]. At an end of it the joint pushes back and never pulls.
struct Limits {
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();

  void check(const std::string& of) const {
    if (lowest != lowest) throw ParameterError(of + ".lowest", lowest, "must be a number");
    if (!(highest >= lowest)) {
      throw ParameterError(of + ".highest", highest,
                           "must be at least the lowest value, " + detail::core::in_words(lowest, "", 17));
    }
  }
};

// Drives a coordinate at a speed with a force that stays within a bound. With speed 0 it is dry friction.
struct Motor {
  double speed = 0;  // [m/s] or [rad/s]
  double force = 0;  // largest magnitude, may be infinite [N] or [N m]; 0: no motor

  void check(const std::string& of) const {
    if (!detail::core::is_finite(speed)) throw ParameterError(of + ".speed", speed, "must be finite");
    if (!(force >= 0)) throw ParameterError(of + ".force", force, "must not be negative");
  }
};

// A function of the places of all that a joint acts on, and its derivative by three numbers of each: for
// every body, first by the translation of its centre [per m], then by a rotation about its centre in the
// world [per rad]; then for every node by its position.
struct JointRow {
  static constexpr std::size_t most_triples = 6;
  using Triple = SmallVector<double, 3>;

  double value = 0;  // [m] or [rad]
  std::array<Triple, most_triples> derivative;

  // Derivatives that are not given are zero; of more than six, the first six count.
  JointRow(double of_row = 0, std::initializer_list<Triple> given = {}) : value(of_row) {
    derivative.fill(Triple::Zero());
    std::copy_n(given.begin(), std::min(given.size(), most_triples), derivative.begin());
  }
};

// What a joint requires of its rows. A joint fills it anew at every evaluation, always with the same rows in
// the same order.
class JointRows {
 public:
  static constexpr std::size_t most_held = 9, most_coordinates = 3;

  struct Held {
    JointRow row;
    Compliance compliance;
  };
  struct Coordinate {
    JointRow row;
    Limits limits;
    Motor motor;
  };

  // The row is zero at the end of a step, or as near to it as its compliance lets it be. A compliance without
  // stiffness and damping exerts no force, and the row is not there.
  void hold(const JointRow& row, const Compliance& compliance = {}) {
    if (!(compliance.stiffness > 0 || compliance.damping > 0)) return;
    require_room("held rows of a joint", held_count_, most_held);
    held_[held_count_++] = {row, compliance};
  }

  // The row is free within limits at the end of a step, and driven by a motor.
  void move(const JointRow& row, const Limits& limits, const Motor& motor) {
    require_room("coordinates of a joint", coordinate_count_, most_coordinates);
    coordinates_[coordinate_count_++] = {row, limits, motor};
  }

  void clear() { held_count_ = coordinate_count_ = 0; }

  std::span<const Held> held() const { return {held_.data(), held_count_}; }
  std::span<const Coordinate> coordinates() const { return {coordinates_.data(), coordinate_count_}; }

 private:
  static void require_room(const char* what, std::size_t count, std::size_t most) {
    if (count < most) return;
    throw IndexError(what, static_cast<std::ptrdiff_t>(count), static_cast<std::ptrdiff_t>(most));
  }

  std::array<Held, most_held> held_;
  std::array<Coordinate, most_coordinates> coordinates_;
  std::size_t held_count_ = 0, coordinate_count_ = 0;
};

}  // namespace pliant
