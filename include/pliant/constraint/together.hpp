// Several constraints at once.
#pragma once

#include <tuple>
#include <utility>

#include <pliant/constraint/concept.hpp>

namespace pliant {

// What each of the constraints holds or moves. Simulation makes it from the constraints it is given; a node
// may be named by several that hold it, but moved by one only.
template <class... Constraints>
class Together {
 public:
  explicit Together(Constraints... constraints) : constraints_(std::move(constraints)...) {}

  const std::tuple<Constraints...>& constraints() const { return constraints_; }

  template <int Dim>
  void describe(NodeConstraints<Dim>& nodes) const {
    std::apply([&](const auto&... each) { (each.describe(nodes), ...); }, constraints_);
  }

 private:
  std::tuple<Constraints...> constraints_;
};

}  // namespace pliant
