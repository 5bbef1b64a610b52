// The joints between bodies and nodes, checked as they are added.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pliant/rigid/joint/any_joint.hpp>

namespace pliant::detail::rigid {

// Joints with the numbers 0, 1, ... A joint has one or several parts, each with rows of its own.
class JointList {
 public:
  int count() const { return static_cast<int>(ends_.size()); }

  // All parts, joint after joint.
  std::span<const AnyJoint> parts() const { return parts_; }

  // Those of a joint. Throws IndexError for one that does not exist.
  std::span<const AnyJoint> of(int joint) const {
    const std::size_t first = begin(joint);
    return parts().subspan(first, ends_[static_cast<std::size_t>(joint)] - first);
  }

  // The index in parts() of the first part of a joint. Throws IndexError for one that does not exist.
  std::size_t begin(int joint) const {
    if (joint < 0 || joint >= count()) throw IndexError("joint", joint, count());
    return joint == 0 ? 0 : ends_[static_cast<std::size_t>(joint) - 1];
  }

  // The joint of a part.
  int joint_of(std::size_t part) const {
    return static_cast<int>(std::upper_bound(ends_.begin(), ends_.end(), part) - ends_.begin());
  }

  // Adds a joint whose parts are `joints`, between bodies at `frames` and nodes at `points`, a matrix with
  // one column per node [m]. Returns its number. Throws IndexError for a body or a node that does not exist,
  // ParameterError for a parameter out of range, for a repeated body or node, and for a joint that is not met
  // at these places; the list is then as it was. The message begins with the number of the joint.
  template <Joint J, class Points>
  int add(const std::vector<J>& joints, std::span<const BodyFrame> frames, const Points& points) {
    const std::string name = "joint " + std::to_string(count());
    std::vector<AnyJoint> added;
    for (const J& joint : joints) {
      require_numbers(name, joint.bodies(), joint.nodes(), static_cast<std::ptrdiff_t>(frames.size()),
                      points.cols());
      named(name, [&] { joint.check(); });
      std::vector<SmallVector<double, 3>> own;
      for (const int node : joint.nodes()) own.push_back(points.col(node));
      named(name, [&] { added.emplace_back(joint, frames, own); });
      require_met(name, added.back(), frames, own);
    }
    if (ends_.size() == ends_.capacity()) ends_.reserve(2 * ends_.size() + 1);
    parts_.insert(parts_.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
    ends_.push_back(parts_.size());
    return count() - 1;
  }

 private:
  // Largest error of a joint at the start [m] or [rad], relative to 1 and to the distance from the origin.
  static constexpr double tolerance = 1e-9;

  template <class Run>
  static void named(const std::string& name, Run&& run) {
    try {
      run();
    } catch (const ParameterError& error) {
      throw ParameterError(name + ": " + error.parameter(), error.value(), error.requirement());
    }
  }

  template <class Bodies, class Nodes>
  static void require_numbers(const std::string& name, const Bodies& bodies, const Nodes& nodes,
                              std::ptrdiff_t body_count, std::ptrdiff_t node_count) {
    bool any = nodes.size() > 0;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const int number = bodies[k];
      if (number != world_body && (number < 0 || number >= body_count)) {
        throw IndexError(name + ": body", number, body_count);
      }
      if (std::find(bodies.begin(), bodies.begin() + k, number) != bodies.begin() + k) {
        throw ParameterError(name + ": body", number, "a joint is between different bodies");
      }
      any = any || number != world_body;
    }
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const int number = nodes[k];
      if (number < 0 || number >= node_count) throw IndexError(name + ": node", number, node_count);
      if (std::find(nodes.begin(), nodes.begin() + k, number) != nodes.begin() + k) {
        throw ParameterError(name + ": node", number, "a joint is between different nodes");
      }
    }
    if (!any) throw ParameterError(name + ": body", world_body, "a joint acts on a body that can move");
  }

  static void require_met(const std::string& name, const AnyJoint& joint, std::span<const BodyFrame> frames,
                          AnyJoint::Points points) {
    JointRows rows;
    named(name, [&] { joint.describe(frames, points, rows); });
    double size = 1;
    for (const int number : joint.bodies()) {
      if (number != world_body)
        size = std::fmax(size, frames[static_cast<std::size_t>(number)].centre.norm());
    }
    for (const auto& point : points) size = std::fmax(size, point.norm());
    const auto require = [&](double value, double lowest, double highest, const std::string& what) {
      if (value >= lowest - tolerance * size && value <= highest + tolerance * size) return;
      throw ParameterError(name + ": " + what, value,
                           "the joint does not fit: at the start it must lie in [" +
                               core::in_words(lowest, "", 17) + ", " + core::in_words(highest, "", 17) +
                               "] within " + core::in_words(tolerance * size));
    };
    for (const auto& held : rows.held()) {
      if (held.compliance.rigid()) require(held.row.value, 0, 0, "held row");
    }
    for (const auto& coordinate : rows.coordinates()) {
      require(coordinate.row.value, coordinate.limits.lowest, coordinate.limits.highest, "coordinate");
    }
  }

  std::vector<AnyJoint> parts_;
  std::vector<std::size_t> ends_;  // of the parts of each joint
};

}  // namespace pliant::detail::rigid
