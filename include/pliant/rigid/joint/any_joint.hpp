// A joint of any type, attached to its bodies.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pliant/rigid/joint/concept.hpp>

namespace pliant {

// Holds what a model of Joint between bodies is in their frames. Copies share it; it is immutable.
class AnyJoint {
 public:
  // `frames`: of all bodies, where the joint is attached.
  template <Joint J>
  AnyJoint(const J& joint, std::span<const BodyFrame> frames) {
    const auto numbers = joint.bodies();
    const auto attached = joint.attach(places_of(numbers, frames));
    model_ = std::make_shared<const Model<decltype(numbers), decltype(attached)>>(numbers, attached);
  }

  // The numbers of its bodies.
  std::span<const int> bodies() const { return model_->bodies(); }

  // Replaces `rows` by those of the joint; `frames` are of all bodies.
  void describe(std::span<const BodyFrame> frames, JointRows& rows) const {
    rows.clear();
    model_->describe(frames, rows);
  }

 private:
  template <std::size_t Bodies>
  static JointPlaces<static_cast<int>(Bodies)> places_of(const std::array<int, Bodies>& numbers,
                                                         std::span<const BodyFrame> frames) {
    JointPlaces<static_cast<int>(Bodies)> places;
    for (std::size_t k = 0; k < Bodies; ++k) {
      if (numbers[k] != world_body) places.bodies[k] = frames[static_cast<std::size_t>(numbers[k])];
    }
    return places;
  }

  struct Interface {
    virtual ~Interface() = default;
    virtual std::span<const int> bodies() const = 0;
    virtual void describe(std::span<const BodyFrame> frames, JointRows& rows) const = 0;
  };

  template <class Numbers, class Attached>
  struct Model final : Interface {
    Model(const Numbers& of_bodies, const Attached& joint) : numbers(of_bodies), attached(joint) {}
    std::span<const int> bodies() const override { return numbers; }
    void describe(std::span<const BodyFrame> frames, JointRows& rows) const override {
      attached.describe(places_of(numbers, frames), rows);
    }
    Numbers numbers;
    Attached attached;
  };

  std::shared_ptr<const Interface> model_;
};

}  // namespace pliant
