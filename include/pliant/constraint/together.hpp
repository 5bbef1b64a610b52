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
    static_assert((Constraint<Constraints, Dim> && ...),
                  "the arguments of Simulation from the fourth on must be constraints, e.g. Pinned(nodes)");
    std::apply([&](const auto&... each) { (each.describe(nodes), ...); }, constraints_);
  }

 private:
  std::tuple<Constraints...> constraints_;
};

}  // namespace pliant
