// Joints as rows between the unknowns of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <pliant/linear_solver/rows/rows.hpp>
#include <pliant/rigid/joint/joint_list.hpp>

namespace pliant {

namespace detail::rigid {

// The magnitude of the error of a row; infinite if the row has no value, as at exactly half a turn.
inline double size_of_error(double error) {
  return error == error ? std::abs(error) : std::numeric_limits<double>::infinity();
}

}  // namespace detail::rigid

// What a joint does to one of its bodies, in the world.
struct JointLoad {
  SmallVector<double, 3> force = SmallVector<double, 3>::Zero();   // [N]
  SmallVector<double, 3> torque = SmallVector<double, 3>::Zero();  // about the centre of mass, of the world
                                                                   // about the origin [N m]
};

}  // namespace pliant

namespace pliant::detail::rigid {

// Where everything is that joints act on.
struct JointedPlaces {
  std::vector<BodyFrame> bodies;
  std::vector<SmallVector<double, 3>> nodes;  // of all joints, one after the other [m]
};

// Body b moves by the nodes f + 2 b, a translation, and f + 2 b + 1, a rotation vector in its principal axes
// at the start of the step. A part of a joint has a block for every three of its held rows, and one for every
// coordinate that has limits or a motor: its lower limit, its upper limit and its motor.
class MechanismRows {
 public:
  using Axes = SmallMatrix<double, 3, 3>;

  MechanismRows() = default;

  // `first_body` is f; `nodes`: the numbers of the nodes of all joints, one after the other.
  MechanismRows(JointList joints, const JointedPlaces& start, int first_body, std::vector<int> nodes)
      : joints_(std::move(joints)), first_body_(first_body), nodes_(std::move(nodes)) {
    JointRows described;
    std::size_t next_node = 0;
    for (const AnyJoint& joint : joints_.parts()) {
      joint.describe(start.bodies, points_of(joint, next_node, start), described);
      RowBlock block;
      block.J.fill(Axes::Zero());
      std::size_t used = 0;
      for (const int body : joint.bodies()) {
        if (body == world_body) continue;
        block.node[used++] = first_body_ + 2 * body;
        block.node[used++] = first_body_ + 2 * body + 1;
      }
      for (std::size_t k = 0; k < joint.nodes().size(); ++k) block.node[used++] = nodes_[next_node++];
      const auto active = std::count_if(described.coordinates().begin(), described.coordinates().end(), acts);
      rows_.held.insert(rows_.held.end(), (described.held().size() + 2) / 3, block);
      rows_.bounded.insert(rows_.bounded.end(), static_cast<std::size_t>(active), block);
      ends_.push_back({rows_.held.size(), rows_.bounded.size()});
    }
    targets_.assign(rows_.held.size(), RowBlock::Triple::Zero());
  }

  Rows& rows() { return rows_; }
  const JointList& joints() const { return joints_; }
  const std::vector<int>& nodes() const { return nodes_; }

  // Replaces `rows` by those of a part of a joint at other places, of which `first_node` is the index of its
  // first node.
  void describe(std::size_t part, std::size_t first_node, const JointedPlaces& places,
                JointRows& rows) const {
    const AnyJoint& joint = joints_.parts()[part];
    joint.describe(places.bodies, points_of(joint, first_node, places), rows);
  }

  // The rows of a step from `start`, where the bodies have these principal axes, without multipliers.
  void begin(const JointedPlaces& start, std::span<const Axes> principal_axes, const RowStep& step) {
    const double dt = step.dt;
    const std::size_t own = ends_.empty() ? 0 : ends_.back().bounded;  // the others are contacts
    rows_.bounded.erase(rows_.bounded.begin() + static_cast<std::ptrdiff_t>(own), rows_.bounded.end());
    rows_.contacts = 0;
    for_each_row(
        start,
        [&](const AnyJoint& joint, const JointRows::Held& held, std::size_t k, Eigen::Index i) {
          RowBlock& block = rows_.held[k];
          set_derivatives(joint, held.row, principal_axes, i, block);
          // The force -stiffness (end g + (1 - end) g0) - damping (g - g0) / dt, with the values g0 and g at
          // the ends of the step.
          const auto& [stiffness, damping] = held.compliance;
          const double weight = dt * step.end * stiffness + damping;
          const double past = step.end < 1 && !held.compliance.rigid() ? dt * (1 - step.end) * stiffness : 0;
          block.compliance[i] = step.scale * (dt / weight);
          targets_[k][i] = (damping - past) / weight * held.row.value;
          block.right_side[i] = targets_[k][i] - held.row.value;
          block.multiplier[i] = 0;
        },
        [&](const AnyJoint& joint, const JointRows::Coordinate& coordinate, std::size_t k) {
          RowBlock& block = rows_.bounded[k];
          constexpr double infinity = std::numeric_limits<double>::infinity();
          const double value = coordinate.row.value, force = coordinate.motor.force / step.scale;
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
  RowError follow(const JointedPlaces& end, const Vector& u) {
    RowError error;
    int number = 0;
    const auto see = [&](double off) {
      const double size = size_of_error(off);
      if (size > error.largest) error = {size, number};
    };
    for_each_row(
        end,
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
    if (error.joint >= 0) error.joint = joints_.joint_of(static_cast<std::size_t>(error.joint));
    return error;
  }

  // The rows of the rates at the end of a step, after those of the step: rigid joints that stay closed,
  // limits that have pushed and are not left by their own force, motors at their speeds. Multipliers are the
  // impulses of the second half of the step. A compliant row repeats its force: with a compliance beside
  // which all else is negligible, its multiplier is given.
  void begin_rates(const JointedPlaces& end, std::span<const Axes> principal_axes, const RowStep& step) {
    const double impulse = step.scale * step.dt / 2;  // [N s] per multiplier of the step
    for_each_row(
        end,
        [&](const AnyJoint& joint, const JointRows::Held& held, std::size_t k, Eigen::Index i) {
          RowBlock& block = rows_.held[k];
          set_derivatives(joint, held.row, principal_axes, i, block);
          constexpr double dominant = 1e100;
          block.compliance[i] = held.compliance.rigid() ? 0 : dominant;
          block.right_side[i] = held.compliance.rigid() ? 0 : dominant * impulse * block.multiplier[i];
          block.multiplier[i] = 0;
        },
        [&](const AnyJoint& joint, const JointRows::Coordinate& coordinate, std::size_t k) {
          RowBlock& block = rows_.bounded[k];
          for (Eigen::Index i = 0; i < 3; ++i) {
            const bool acts = block.compliance[i] == 0 && (i == 2 || block.multiplier[i] != 0);
            block.compliance[i] = acts ? 0 : 1;
            block.right_side[i] = acts && i == 2 ? coordinate.motor.speed : 0;
            block.multiplier[i] = 0;
            if (acts) set_derivatives(joint, coordinate.row, principal_axes, i, block);
            else {
              for (RowBlock::Block& J : block.J) J.row(i).setZero();
            }
          }
          block.lower[2] = -coordinate.motor.force * step.dt / 2;
          block.upper[2] = coordinate.motor.force * step.dt / 2;
        });
  }

  // The largest error of the rates v [m/s] or [rad/s].
  template <class Vector>
  double error_of_rates(const Vector& v) const {
    double largest = 0;
    for (const RowBlock& block : rows_.held) {
      const RowBlock::Triple rates = block.times(v);
      for (Eigen::Index i = 0; i < 3; ++i) {
        if (block.compliance[i] == 0) largest = std::max(largest, size_of_error(rates[i]));
      }
    }
    for (const RowBlock& block : rows_.bounded) {
      const RowBlock::Triple rates = block.times(v);
      for (Eigen::Index i = 0; i < 2; ++i) {
        if (block.compliance[i] > 0) continue;
        const double towards = i == 0 ? -rates[i] : rates[i];
        largest = std::max(largest, block.multiplier[i] != 0 ? size_of_error(towards) : towards);
      }
    }
    return largest;
  }

  // Adds the loads of the joints on the last of their bodies, by the forces J^T (factor multipliers) at
  // `start`. Those of joints without bodies are zero.
  void add_up(const JointedPlaces& start, std::span<const Axes> principal_axes, double factor,
              std::vector<JointLoad>& loads) const {
    End begin{};
    std::size_t next_node = 0;
    for (std::size_t part = 0; part < ends_.size(); ++part) {
      const AnyJoint& joint = joints_.parts()[part];
      const auto number = static_cast<std::size_t>(joints_.joint_of(part));
      JointLoad& load = loads[number];
      const int last = joint.bodies().empty() ? first_body_ : first_body_ + 2 * joint.bodies().back();
      const bool on_world = !joint.bodies().empty() && joint.bodies().back() == world_body;
      const auto add = [&](const RowBlock& block) {
        std::size_t node = next_node;
        for (std::size_t n = 0; n < RowBlock::most_nodes && block.node[n] != RowBlock::none; ++n) {
          const SmallVector<double, 3> force = factor * (block.J[n].transpose() * block.multiplier);
          if (block.node[n] < first_body_) {  // a node
            const SmallVector<double, 3>& at = start.nodes[node++];
            if (!on_world) continue;
            load.force -= force;
            load.torque -= detail::algebra::cross<double>(at, force);
            continue;
          }
          const auto body = static_cast<std::size_t>((block.node[n] - first_body_) / 2);
          const SmallVector<double, 3> torque =
              factor * (principal_axes[body] * block.J[n + 1].transpose() * block.multiplier);
          if (block.node[n++] == last) {
            load.force += force;
            load.torque += torque;
          } else if (on_world) {  // what the others do to it
            load.force -= force;
            load.torque -= torque + detail::algebra::cross<double>(start.bodies[body].centre, force);
          }
        }
      };
      for (std::size_t k = begin.held; k < ends_[part].held; ++k) add(rows_.held[k]);
      for (std::size_t k = begin.bounded; k < ends_[part].bounded; ++k) add(rows_.bounded[k]);
      begin = ends_[part];
      next_node += joint.nodes().size();
    }
  }

 private:
  // The ends of the blocks of a part of a joint.
  struct End {
    std::size_t held = 0, bounded = 0;
  };

  static bool acts(const JointRows::Coordinate& coordinate) {
    return std::isfinite(coordinate.limits.lowest) || std::isfinite(coordinate.limits.highest) ||
           coordinate.motor.force > 0;
  }

  // Calls held(joint, row, block, row in the block) and coordinate(joint, coordinate, block).
  template <class OnHeld, class OnCoordinate>
  void for_each_row(const JointedPlaces& places, OnHeld&& on_held, OnCoordinate&& on_coordinate) {
    End next{};
    std::size_t next_node = 0;
    for (std::size_t part = 0; part < ends_.size(); ++part) {
      const AnyJoint& joint = joints_.parts()[part];
      joint.describe(places.bodies, points_of(joint, next_node, places), described_);
      next_node += joint.nodes().size();
      std::size_t k = 0;
      for (const auto& held : described_.held()) {
        on_held(joint, held, next.held + k / 3, static_cast<Eigen::Index>(k % 3));
        ++k;
      }
      std::size_t coordinate_number = 0;
      for (const auto& coordinate : described_.coordinates()) {
        if (acts(coordinate)) on_coordinate(joint, coordinate, next.bounded + coordinate_number++);
      }
      next = ends_[part];
    }
  }

  static AnyJoint::Points points_of(const AnyJoint& joint, std::size_t first, const JointedPlaces& places) {
    return AnyJoint::Points(places.nodes).subspan(first, joint.nodes().size());
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
    const std::size_t first = 2 * joint.bodies().size();
    for (std::size_t k = 0; k < joint.nodes().size(); ++k) {
      block.J[used++].row(i) = row.derivative[first + k].transpose();
    }
  }

  JointList joints_;
  int first_body_ = 0;
  std::vector<int> nodes_;  // of all joints, one after the other
  Rows rows_;
  std::vector<End> ends_;                  // of each part
  std::vector<RowBlock::Triple> targets_;  // of the values of held rows at the end of the step
  JointRows described_;
};

}  // namespace pliant::detail::rigid
