// The joints of a mechanism as rows between the unknowns of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <pliant/linear_solver/rows/rows.hpp>
#include <pliant/rigid/mechanism.hpp>

namespace pliant {

namespace detail {

// The magnitude of the error of a row; infinite if the row has no value, as at exactly half a turn.
inline double size_of_error(double error) {
  return error == error ? std::abs(error) : std::numeric_limits<double>::infinity();
}

}  // namespace detail

// What a joint does to one of its bodies, in the world.
struct JointLoad {
  SmallVector<double, 3> force = SmallVector<double, 3>::Zero();   // [N]
  SmallVector<double, 3> torque = SmallVector<double, 3>::Zero();  // about the centre of mass, of the world
                                                                   // about the origin [N m]
};

// Body b moves by the nodes 2 b, a translation, and 2 b + 1, a rotation vector in its principal axes at the
// start of the step. A joint has a block for every three of its held rows, and one for every coordinate that
// has limits or a motor: its lower limit, its upper limit and its motor.
class MechanismRows {
 public:
  using Axes = SmallMatrix<double, 3, 3>;

  MechanismRows() = default;

  explicit MechanismRows(const Mechanism& mechanism) {
    JointRows described;
    for (int j = 0; j < mechanism.joint_count(); ++j) {
      const AnyJoint& joint = mechanism.joint(j);
      joint.describe(mechanism.frames(), described);
      RowBlock block;
      block.J.fill(Axes::Zero());
      std::size_t used = 0;
      for (const int body : joint.bodies()) {
        if (body == world_body) continue;
        block.node[used++] = 2 * body;
        block.node[used++] = 2 * body + 1;
      }
      const auto active = std::count_if(described.coordinates().begin(), described.coordinates().end(), acts);
      rows_.held.insert(rows_.held.end(), (described.held().size() + 2) / 3, block);
      rows_.bounded.insert(rows_.bounded.end(), static_cast<std::size_t>(active), block);
      ends_.push_back({rows_.held.size(), rows_.bounded.size()});
    }
    targets_.assign(rows_.held.size(), RowBlock::Triple::Zero());
  }

  Rows& rows() { return rows_; }

  // The rows of a step of dt [s] from `start`, where the bodies have these principal axes, without
  // multipliers.
  void begin(const Mechanism& mechanism, std::span<const BodyFrame> start,
             std::span<const Axes> principal_axes, double dt) {
    for_each_row(
        mechanism, start,
        [&](const AnyJoint& joint, const JointRows::Held& held, std::size_t k, Eigen::Index i) {
          RowBlock& block = rows_.held[k];
          set_derivatives(joint, held.row, principal_axes, i, block);
          // The force -stiffness g - damping (g - g0) / dt, with the values g0 and g at the ends of the step.
          const double weight = dt * held.compliance.stiffness + held.compliance.damping;
          block.compliance[i] = dt / weight;
          targets_[k][i] = held.compliance.damping / weight * held.row.value;
          block.right_side[i] = targets_[k][i] - held.row.value;
          block.multiplier[i] = 0;
        },
        [&](const AnyJoint& joint, const JointRows::Coordinate& coordinate, std::size_t k) {
          RowBlock& block = rows_.bounded[k];
          constexpr double infinity = std::numeric_limits<double>::infinity();
          const double value = coordinate.row.value, force = coordinate.motor.force;
          block.lower = {0, -infinity, -force};
          block.upper = {infinity, 0, force};
          block.right_side = {coordinate.limits.lowest - value, coordinate.limits.highest - value,
                              dt * coordinate.motor.speed};
          block.multiplier.setZero();
          for (Eigen::Index i = 0; i < 3; ++i) {
            const bool exists = i < 2 ? std::isfinite(block.right_side[i]) : force > 0;
            block.compliance[i] = exists ? 0 : 1;
            if (exists) set_derivatives(joint, coordinate.row, principal_axes, i, block);
            else block.right_side[i] = 0;
          }
        });
  }

  // Corrects the right sides by the values at `end`, which is reached by the displacement u. Returns the
  // largest error. Motors act on the velocity, which is exact.
  template <class Vector>
  RowError follow(const Mechanism& mechanism, std::span<const BodyFrame> end, const Vector& u) {
    RowError error;
    int number = 0;
    const auto see = [&](double off) {
      const double size = detail::size_of_error(off);
      if (size > error.largest) error = {size, number};
    };
    for_each_row(
        mechanism, end,
        [&](const AnyJoint&, const JointRows::Held& held, std::size_t k, Eigen::Index i) {
          RowBlock& block = rows_.held[k];
          while (k >= ends_[static_cast<std::size_t>(number)].held) ++number;
          see(held.row.value + block.compliance[i] * block.multiplier[i] - targets_[k][i]);
          block.right_side[i] = targets_[k][i] - held.row.value + block.times(i, u);
        },
        [&](const AnyJoint&, const JointRows::Coordinate& coordinate, std::size_t k) {
          RowBlock& block = rows_.bounded[k];
          while (k >= ends_[static_cast<std::size_t>(number)].bounded) ++number;
          for (Eigen::Index i = 0; i < 2; ++i) {
            if (block.compliance[i] > 0) continue;  // no such limit
            const double left =
                (i == 0 ? coordinate.limits.lowest : coordinate.limits.highest) - coordinate.row.value;
            const double beyond = i == 0 ? left : -left;
            see(block.multiplier[i] != 0 ? left : std::max(beyond, 0.0));
            block.right_side[i] = left + block.times(i, u);
          }
        });
    return error;
  }

  // The loads of the joints on the last of their bodies, by the multipliers of a step from `start`.
  void add_up(const Mechanism& mechanism, std::span<const BodyFrame> start,
              std::span<const Axes> principal_axes, std::vector<JointLoad>& loads) const {
    loads.resize(ends_.size());
    End begin{};
    for (std::size_t j = 0; j < ends_.size(); ++j) {
      const int last = mechanism.joint(static_cast<int>(j)).bodies().back();
      JointLoad load;
      const auto add = [&](const RowBlock& block) {
        for (std::size_t n = 0; n < RowBlock::most_nodes && block.node[n] != RowBlock::none; n += 2) {
          const auto body = static_cast<std::size_t>(block.node[n] / 2);
          const SmallVector<double, 3> force = block.J[n].transpose() * block.multiplier,
                                       torque = principal_axes[body] * block.J[n + 1].transpose() *
                                                block.multiplier;
          if (block.node[n] == 2 * last) {
            load.force += force;
            load.torque += torque;
          } else if (last == world_body) {  // what the others do to it
            load.force -= force;
            load.torque -= torque + detail::algebra::cross<double>(start[body].centre, force);
          }
        }
      };
      for (std::size_t k = begin.held; k < ends_[j].held; ++k) add(rows_.held[k]);
      for (std::size_t k = begin.bounded; k < ends_[j].bounded; ++k) add(rows_.bounded[k]);
      begin = ends_[j];
      loads[j] = load;
    }
  }

 private:
  // The ends of the blocks of a joint.
  struct End {
    std::size_t held = 0, bounded = 0;
  };

  static bool acts(const JointRows::Coordinate& coordinate) {
    return std::isfinite(coordinate.limits.lowest) || std::isfinite(coordinate.limits.highest) ||
           coordinate.motor.force > 0;
  }

  // Calls held(joint, row, block, row in the block) and coordinate(joint, coordinate, block).
  template <class OnHeld, class OnCoordinate>
  void for_each_row(const Mechanism& mechanism, std::span<const BodyFrame> frames, OnHeld&& on_held,
                    OnCoordinate&& on_coordinate) {
    End next{};
    for (int j = 0; j < mechanism.joint_count(); ++j) {
      const AnyJoint& joint = mechanism.joint(j);
      joint.describe(frames, described_);
      std::size_t k = 0;
      for (const auto& held : described_.held()) {
        on_held(joint, held, next.held + k / 3, static_cast<Eigen::Index>(k % 3));
        ++k;
      }
      std::size_t coordinate_number = 0;
      for (const auto& coordinate : described_.coordinates()) {
        if (acts(coordinate)) on_coordinate(joint, coordinate, next.bounded + coordinate_number++);
      }
      next = ends_[static_cast<std::size_t>(j)];
    }
  }

  static void set_derivatives(const AnyJoint& joint, const JointRow& row,
                              std::span<const Axes> principal_axes, Eigen::Index i, RowBlock& block) {
    std::size_t used = 0;
    for (std::size_t k = 0; k < joint.bodies().size(); ++k) {
      const int body = joint.bodies()[k];
      if (body == world_body) continue;
      block.J[used++].row(i) = row.derivative[2 * k].transpose();
      block.J[used++].row(i) =
          row.derivative[2 * k + 1].transpose() * principal_axes[static_cast<std::size_t>(body)];
    }
  }

  Rows rows_;
  std::vector<End> ends_;                  // of each joint
  std::vector<RowBlock::Triple> targets_;  // of the values of held rows at the end of the step
  JointRows described_;
};

}  // namespace pliant
