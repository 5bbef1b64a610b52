// A joint of any type, attached to its bodies.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pliant/rigid/joint/concept.hpp>

namespace pliant::detail::rigid {

// Holds what a model of Joint is in the frames of its bodies. Copies share it; it is immutable.
class AnyJoint {
 public:
  // Where nodes are [m].
  using Points = std::span<const SmallVector<double, 3>>;

  // `frames`: of all bodies, where the joint is attached; `points`: of the nodes of the joint, in its order.
  template <Joint J>
  AnyJoint(const J& joint, std::span<const BodyFrame> frames, Points points = {}) {
    const auto numbers = joint.bodies();
    const auto nodes = joint.nodes();
    const auto attached = joint.attach(places_of(numbers, nodes, frames, points));
    model_ = std::make_shared<const Model<decltype(numbers), decltype(nodes), decltype(attached)>>(
        numbers, nodes, attached);
  }

  // The numbers of its bodies, and of its nodes.
  std::span<const int> bodies() const { return model_->bodies(); }
  std::span<const int> nodes() const { return model_->nodes(); }

  // Replaces `rows` by those of the joint; `frames` are of all bodies, `points` of the nodes of the joint.
  void describe(std::span<const BodyFrame> frames, Points points, JointRows& rows) const {
    rows.clear();
    model_->describe(frames, points, rows);
  }

 private:
  template <std::size_t Bodies, std::size_t Nodes>
  static JointPlaces<static_cast<int>(Bodies), static_cast<int>(Nodes)> places_of(
      const std::array<int, Bodies>& numbers, const std::array<int, Nodes>&,
      std::span<const BodyFrame> frames, Points points) {
    JointPlaces<static_cast<int>(Bodies), static_cast<int>(Nodes)> places;
    for (std::size_t k = 0; k < Bodies; ++k) {
      if (numbers[k] != world_body) places.bodies[k] = frames[static_cast<std::size_t>(numbers[k])];
    }
    for (std::size_t k = 0; k < Nodes; ++k) places.nodes[k] = points[k];
    return places;
  }

  struct Interface {
    virtual ~Interface() = default;
    virtual std::span<const int> bodies() const = 0;
    virtual std::span<const int> nodes() const = 0;
    virtual void describe(std::span<const BodyFrame> frames, Points points, JointRows& rows) const = 0;
  };

  template <class Bodies, class Nodes, class Attached>
  struct Model final : Interface {
    Model(const Bodies& of_bodies, const Nodes& of_nodes, const Attached& joint)
        : body_numbers(of_bodies), node_numbers(of_nodes), attached(joint) {}
    std::span<const int> bodies() const override { return body_numbers; }
    std::span<const int> nodes() const override { return node_numbers; }
    void describe(std::span<const BodyFrame> frames, Points points, JointRows& rows) const override {
      attached.describe(places_of(body_numbers, node_numbers, frames, points), rows);
    }
    Bodies body_numbers;
    Nodes node_numbers;
    Attached attached;
  };

  std::shared_ptr<const Interface> model_;
};

}  // namespace pliant::detail::rigid
